import type { Report } from "./summary.js";

/** Of each excepted test, in which combinations it holds after all, and in which it does not. */
export class CheckedExceptions {
  readonly #tests = new Map<string, { readonly holds: string[]; readonly fails: string[] }>();

  /** A report of tests that were expected to fail: those that failed to do so hold. */
  add(combination: string, { testResults }: Report): void {
    for (const { name, assertionResults } of testResults) {
      for (const { fullName, status } of assertionResults) {
        if (status !== "passed" && status !== "failed") continue;
        const key = `${name} > ${fullName}`;
        const known = this.#tests.get(key) ?? { holds: [], fails: [] };
        this.#tests.set(key, known);
        (status === "failed" ? known.holds : known.fails).push(combination);
      }
    }
  }

  get size(): number {
    return this.#tests.size;
  }

  /** Tests whose exception can go. */
  get stale(): readonly string[] {
    return [...this.#tests].filter(([, { fails }]) => fails.length === 0).map(([test]) => test);
  }

  format(): string {
    const partly = [...this.#tests].filter(([, { holds, fails }]) => fails.length > 0 && holds.length > 0);
    return [
      ...partly.map(([test, { holds }]) => `partly  ${test}: holds in ${holds.join(", ")}`),
      ...this.stale.map((test) => `stale   ${test}: holds everywhere`),
      `${this.size} excepted tests, ${this.stale.length} of them hold everywhere: their exceptions can go.`,
    ].join("\n");
  }
}
