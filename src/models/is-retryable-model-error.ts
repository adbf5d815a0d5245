import { endsRun, KumikoError } from "../errors.js";
import { type Fields, isFields } from "../is.js";
import { causesOf } from "../run/policies/causes-of.js";
import { isFetchFailure } from "../run/policies/fetch-failure.js";
import { ModelsExhaustedError } from "./models-exhausted-error.js";

/**
 * Whether asking a model again may help: the error is marked as retryable (`isRetryable`), its status is 408, 409, 425, 429
 * or 5xx, the network or a time limit failed, or the answer was cut off or empty. Checks the causes too; an abort is never
 * retried.
 *
 * @example
 * const careful = retryModel(model, { retryOn: (error, { attempt }) => attempt < 2 && isRetryableModelError(error) });
 */
export function isRetryableModelError(error: unknown): boolean {
  const causes = causesOf(error);
  return !causes.some(isAbort) && !endsRun(error) && causes.some(isTemporary);
}

/** Whether a connection broke or could not be opened. */
export function isBrokenConnection(error: unknown): boolean {
  return causesOf(error).some(isNetwork);
}

function isAbort(error: unknown): boolean {
  return isFields(error) && (error.name === "AbortError" || error.code === "ABORT_ERR" || isInterrupt(error));
}

function isInterrupt(error: unknown): boolean {
  return KumikoError.is(error) && error.code === "INTERRUPTED";
}

function isTemporary(error: unknown): boolean {
  if (!isFields(error)) return false;
  if (ModelsExhaustedError.is(error)) return error.errors.some(isRetryableModelError);
  if (KumikoError.is(error)) return temporaryCodes.includes(error.code);
  return error.isRetryable === true || isTemporaryStatus(statusOf(error)) || isNetwork(error) || isTimeLimit(error);
}

/** Codes of temporary failures. `NODE_TIMED_OUT` comes from the time limit of a node. */
const temporaryCodes: readonly string[] = ["STREAM_CUT", "EMPTY_STREAM", "NODE_TIMED_OUT"];

function isTemporaryStatus(status: number | undefined): boolean {
  return status !== undefined && (temporaryStatuses.includes(status) || (status >= 500 && status <= 599));
}

const temporaryStatuses: readonly number[] = [408, 409, 425, 429];

/** The status of an HTTP error, or of an error that a provider sent in the middle of an answer. Providers name those differently. */
function statusOf(error: Fields): number | undefined {
  for (const value of [error.statusCode, error.status, error.code]) if (typeof value === "number") return value;
  const sent = isFields(error.error) ? error.error : error;
  for (const value of [sent.statusCode, sent.status, sent.code, sent.type]) {
    if (typeof value === "number") return value;
    const status = typeof value === "string" ? statusByName.get(value) : undefined;
    if (status !== undefined) return status;
  }
  return undefined;
}

const statusByName: ReadonlyMap<string, number> = new Map([
  ["rate_limit_error", 429],
  ["rate_limit_exceeded", 429],
  ["RESOURCE_EXHAUSTED", 429],
  ["api_error", 500],
  ["server_error", 500],
  ["internal_server_error", 500],
  ["INTERNAL", 500],
  ["overloaded_error", 529],
  ["overloaded", 529],
  ["UNAVAILABLE", 503],
  ["service_unavailable", 503],
  ["timeout_error", 504],
  ["DEADLINE_EXCEEDED", 504],
]);

function isNetwork(error: unknown): boolean {
  if (!isFields(error)) return false;
  const { code, name } = error;
  if (typeof code === "string" && networkCodes.test(code)) return true;
  return name === "TypeError" && isFetchFailure(error);
}

const networkCodes =
  /^(?:ECONNRESET|ECONNREFUSED|ECONNABORTED|EPIPE|ETIMEDOUT|ENOTFOUND|EAI_AGAIN|EHOSTUNREACH|ENETUNREACH|ERR_STREAM_PREMATURE_CLOSE|UND_ERR_\w+)$/;

function isTimeLimit({ name, code }: Fields): boolean {
  return name === "TimeoutError" || code === "ETIMEDOUT";
}
