import { KumikoError } from "../../errors.js";

/** What failed inside a node: the error that was thrown there. */
export function ownError(error: unknown): unknown {
  const isWrapped = KumikoError.is(error) && error.code === "NODE_FAILED" && error.cause !== undefined;
  return isWrapped ? ownError(error.cause) : error;
}
