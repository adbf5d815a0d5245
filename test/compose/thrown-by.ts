import { KumikoError } from "kumiko";

/** The error that a call throws. */
export function thrownBy(call: () => unknown): KumikoError {
  try {
    call();
  } catch (error) {
    if (KumikoError.is(error)) return error;
    throw error;
  }
  throw new Error("The call did not throw.");
}

/** A value for which the compiler's checks are off: what plain JavaScript would pass. */
export function plain(value: unknown): never {
  return value as never;
}
