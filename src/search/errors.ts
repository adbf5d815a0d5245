import { KumikoError, messageOf } from "../errors.js";
import { shortenText } from "../schema/shorten.js";

export const invalidSearchOption = (what: string): KumikoError => new KumikoError("INVALID_OPTION", what);

/** A service that cannot be reached. The cause is left out, because it may contain the request with its key. */
export const searchUnreachable = (service: string, cause: unknown, hide: (text: string) => string): KumikoError =>
  new KumikoError("TOOL_FAILED", `${service} cannot be reached: ${hide(reasonOf(cause))}`);

export const searchUnreadable = (service: string, why: string, answer: string): KumikoError =>
  new KumikoError(
    "TOOL_FAILED",
    `The answer of ${service} cannot be read: ${why}. It begins with: ${shortenText(answer, { length: 200 })}`,
  );

/** Adds the cause of the error, because `fetch` itself only says "fetch failed". */
function reasonOf(error: unknown): string {
  const cause: unknown = error instanceof Error ? error.cause : undefined;
  return cause === undefined ? messageOf(error) : `${messageOf(error)}: ${messageOf(cause)}`;
}
