import { KumikoError } from "../../errors.js";

/** Returns the error that was thrown inside a node, without the `NODE_FAILED` wrappers. */
export function ownError(error: unknown): unknown {
  const isWrapped = KumikoError.is(error) && error.code === "NODE_FAILED" && error.cause !== undefined;
  return isWrapped ? ownError(error.cause) : error;
}
