import { spawn } from "node:child_process";

export interface ExampleResult {
  /** The exit code; `undefined` when the process was stopped because it took too long. */
  readonly code: number | undefined;
  readonly output: string;
}

/** Runs an example that is compiled, in the folder from which users start it. */
export function runExample(
  root: string,
  program: string,
  timeoutMs: number,
  environment: Readonly<Record<string, string | undefined>> = {},
): Promise<ExampleResult> {
  return new Promise((resolve, reject) => {
    const child = spawn(process.execPath, [program], {
      cwd: root,
      stdio: ["ignore", "pipe", "pipe"],
      env: {
        ...process.env,
        NO_COLOR: "1",
        FORCE_COLOR: undefined,
        NODE_ENV: undefined,
        VITEST: undefined,
        ...environment,
      },
    });
    let output = "";
    const append = (chunk: string) => {
      output += chunk;
    };
    child.stdout.setEncoding("utf8").on("data", append);
    child.stderr.setEncoding("utf8").on("data", append);
    const timer = setTimeout(() => child.kill("SIGKILL"), timeoutMs);
    child.on("error", reject);
    child.on("close", (code) => {
      clearTimeout(timer);
      resolve({ code: code ?? undefined, output });
    });
  });
}

/** The texts that an example promises to print, in lines like `// expect: 42` at its start. */
export function expectedTexts(source: string): string[] {
  const start = /^(?:\s*\/\/.*\n?)*/.exec(source)?.[0] ?? "";
  return [...start.matchAll(/^\s*\/\/ expect: (.+)$/gm)].map(([, text]) => (text ?? "").trim());
}

/** What is wrong with a result, if anything. */
export function findProblem({ code, output }: ExampleResult, source: string): string | undefined {
  if (code === undefined) return `It did not end in time.\n${output}`;
  if (code !== 0) return `It ended with ${code}.\n${output}`;
  const missing = expectedTexts(source).filter((text) => !output.includes(text));
  return missing.length === 0
    ? undefined
    : `It does not print ${missing.map((text) => `"${text}"`).join(", ")}.\n${output}`;
}
