import { KumikoError } from "kumiko";

/** What a promise rejects with. */
export async function rejectedBy(promise: Promise<unknown>): Promise<unknown> {
  let value: unknown;
  try {
    value = await promise;
  } catch (error) {
    return error;
  }
  throw new Error(`It did not reject, and gave ${JSON.stringify(value)}.`);
}

/** The error of this library that a promise rejects with. */
export async function errorOf(promise: Promise<unknown>): Promise<KumikoError> {
  const error = await rejectedBy(promise);
  if (KumikoError.is(error)) return error;
  throw error;
}
