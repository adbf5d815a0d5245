import { checkFailed, differs } from "./errors.js";

/**
 * One claim of a contract. `run` rejects, and says what is wrong, when the claim does not hold.
 *
 * @example
 * const suite: ConformanceCheck[] = handlerConformance(() => consoleTracer({ write: () => undefined }));
 * for (const { name, run } of suite) await run().catch((error: unknown) => console.error(name, error));
 */
export interface ConformanceCheck {
  readonly name: string;
  run(): Promise<void>;
}

export function expectThat(holds: boolean, otherwise: string): void {
  if (!holds) throw checkFailed(otherwise);
}

export function expectSame(actual: unknown, expected: unknown, what: string): void {
  if (!Object.is(actual, expected)) throw differs(what, actual, expected);
}

/** What a promise rejects with. */
export async function rejectionOf(promise: Promise<unknown>, what: string): Promise<unknown> {
  let value: unknown;
  try {
    value = await soon(promise, what);
  } catch (error) {
    return error;
  }
  throw differs(`${what} should reject`, value, "a rejection");
}

/** Long enough for everything that is not stuck. */
const patienceMs = 2_000;

/** What a promise gives; fails when it never settles. */
export async function soon<T>(promise: Promise<T>, what: string): Promise<T> {
  let timer: ReturnType<typeof setTimeout> | undefined;
  const stuck = new Promise<never>((_, reject) => {
    timer = setTimeout(() => reject(checkFailed(`${what} never settles.`)), patienceMs);
  });
  try {
    return await Promise.race([promise, stuck]);
  } finally {
    clearTimeout(timer);
  }
}

/** Lets everything happen that waits for nothing but its turn. */
export async function turns(): Promise<void> {
  for (let n = 0; n < 3; n++) await new Promise((resolve) => setTimeout(resolve, 0));
}
