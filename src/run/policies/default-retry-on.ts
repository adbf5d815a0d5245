import { endsRun, KumikoError } from "../../errors.js";
import { type Fields, isFields } from "../../is.js";
import { causesOf } from "./causes-of.js";
import { isFetchFailure } from "./fetch-failure.js";

/**
 * The default of `retryOn`: whether another attempt may succeed. Looks at the error and its causes, outermost first:
 * `isRetryable` decides; then an HTTP status (408, 409, 425, 429 and 5xx are retried, other 4xx are not); errors of
 * configuration, validation or the program itself (`TypeError`, `RangeError` …) are not retried. All other errors are.
 *
 * @example
 * const graph = new Graph<string, string>().addNode("ask", async (text: string) => text, {
 *   retry: { attempts: 5, retryOn: (error, { attempt }) => attempt < 3 || defaultRetryOn(error) },
 * });
 */
export function defaultRetryOn(error: unknown): boolean {
  if (endsRun(error)) return false;
  for (const cause of causesOf(error)) {
    const decided = isFields(cause) ? decide(cause) : undefined;
    if (decided !== undefined) return decided;
  }
  return true;
}

function decide(error: Fields): boolean | undefined {
  if (typeof error.isRetryable === "boolean") return error.isRetryable;
  const status = [error.status, error.statusCode].find((value) => typeof value === "number");
  if (status !== undefined && status >= 500) return true;
  if (status !== undefined && status >= 400) return passingStatuses.includes(status);
  if (KumikoError.is(error)) return lastingCodes.test(error.code) ? false : undefined;
  return isMistake(error) ? false : undefined;
}

const passingStatuses: readonly number[] = [408, 409, 425, 429];

/** Codes of library errors that a retry cannot fix. */
const lastingCodes =
  /^(?:(?:CANNOT|MISSING|DUPLICATE)_.*|VALIDATION|TYPE_MISMATCH|MAPPING_FAILED|RESERVED_KEY|INVALID_(?:KEY|NODE|EDGE|BRANCH|OPTION|CHAIN|MAPPING)|UNKNOWN_(?:NODE|OPTION|PATH|BRANCH_TARGET)|EMPTY_GRAPH|NO_START|UNREACHABLE_END|UNFED_NODE|CYCLE|UNEVEN_JOIN|STATE_(?:REQUIRED|NOT_FOUND|LOCKED)|SCHEMA_(?:UNSUPPORTED|INVALID)|NOT_SERIALIZABLE|UNKNOWN_CLASS|QUESTION_EXPIRED)$/;

/** Whether the error is a bug in the program. A `TypeError` may also be `fetch` reporting a network failure. */
function isMistake(error: Fields): boolean {
  if (error.name === "TypeError") return !isFetchFailure(error);
  return mistakes.includes(error.name);
}

const mistakes: readonly unknown[] = ["SyntaxError", "ReferenceError", "RangeError"];
