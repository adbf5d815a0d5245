import { isFields } from "../is.js";
import { caseMissing, checkFailed, differs, makeMissing } from "./errors.js";

/**
 * One check of a conformance suite. `run` rejects with a description of the problem if the check fails.
 *
 * @example
 * const suite: ConformanceCheck[] = handlerConformance(() => consoleTracer({ write: () => undefined }));
 * for (const { name, run } of suite) await run().catch((error: unknown) => console.error(name, error));
 */
export interface ConformanceCheck {
  /** The claim that is checked, as a sentence. */
  readonly name: string;
  /** Runs the check; rejects if the promise is broken. */
  run(): Promise<void>;
}

/** Throws unless the first argument of a suite is a function. */
export function checkMake(suite: string, make: unknown): void {
  if (typeof make !== "function") throw makeMissing(suite, make);
}

/** Returns the case of a suite. Throws if the function is missing that makes what is checked, or the case, or a field of it. */
export function checkedCase<Case extends object>(
  suite: string,
  make: unknown,
  given: Case,
  needed: Readonly<Partial<Record<keyof Case, string>>>,
): Case {
  checkMake(suite, make);
  if (!isFields(given) || !Object.keys(needed).every((name) => name in given)) throw caseMissing(suite, needed);
  return given;
}

export function expectThat(holds: boolean, otherwise: string): void {
  if (!holds) throw checkFailed(otherwise);
}

export function expectSame(actual: unknown, expected: unknown, what: string): void {
  if (!Object.is(actual, expected)) throw differs(what, actual, expected);
}

/** Returns the error that a promise rejects with. */
export async function rejectionOf(promise: Promise<unknown>, what: string): Promise<unknown> {
  let value: unknown;
  try {
    value = await soon(promise, what);
  } catch (error) {
    return error;
  }
  throw differs(`${what} should reject`, value, "a rejection");
}

/** The time after which a promise counts as stuck. */
const patienceMs = 2_000;

/** Returns the value of a promise. Throws if it does not settle. */
export async function soon<T>(promise: Promise<T>, what: string): Promise<T> {
  let timer: ReturnType<typeof setTimeout> | undefined;
  const stuck = new Promise<never>((_, reject) => {
    timer = setTimeout(() => reject(checkFailed(`${what} does not settle within ${patienceMs} ms.`)), patienceMs);
  });
  try {
    return await Promise.race([promise, stuck]);
  } finally {
    clearTimeout(timer);
  }
}

/** Waits a few turns of the event loop, so that all pending promises can settle. */
export async function turns(): Promise<void> {
  for (let n = 0; n < 3; n++) await new Promise((resolve) => setTimeout(resolve, 0));
}
