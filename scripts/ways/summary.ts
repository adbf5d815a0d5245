/** What vitest's JSON reporter writes, as far as it is read here, and the exit code of vitest. */
export interface Report {
  readonly status: number;
  readonly testResults: readonly {
    readonly name: string;
    readonly status: string;
    readonly message: string;
    readonly assertionResults: readonly {
      readonly fullName: string;
      readonly status: string;
      readonly failureMessages: readonly string[] | null;
      readonly meta?: { readonly exception?: string; readonly isDefect?: boolean };
    }[];
  }[];
}

/** How the tests ended in one combination. */
export interface Summary {
  readonly passed: number;
  /** Of these: how many ran as they are written, because they are excepted, or because of a known defect. */
  readonly excepted: number;
  readonly defects: number;
  /** File, name and first line of the error. */
  readonly failures: readonly string[];
}

export function summarize({ status, testResults }: Report): Summary {
  const tests = testResults.flatMap(({ assertionResults }) => assertionResults);
  const passed = tests.filter((test) => test.status === "passed");
  const failures = testResults.flatMap(({ name, status: ofFile, message, assertionResults }) => {
    const failed = assertionResults.filter((test) => test.status === "failed");
    if (ofFile === "failed" && failed.length === 0) return [`FAIL ${name}: ${firstLine(message)}`];
    return failed.map((test) => `FAIL ${name} > ${test.fullName}: ${firstLine(test.failureMessages?.[0])}`);
  });
  if (status !== 0 && failures.length === 0) failures.push("FAIL outside of a test: see above");
  return {
    passed: passed.length,
    excepted: passed.filter(({ meta }) => meta?.exception !== undefined && meta.isDefect !== true).length,
    defects: passed.filter(({ meta }) => meta?.isDefect === true).length,
    failures,
  };
}

function firstLine(text = ""): string {
  return text.split("\n")[0] ?? "";
}
