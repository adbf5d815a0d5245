import { isFields } from "../is.js";

/** The key of an answer which says that a tool of the client has failed. */
const errorKey = "~error";

/** Why the client's tool has failed, if this is the answer to a call of one, and says so: `{ "~error": text }`. */
export function clientFailureIn(info: unknown, answer: unknown): string | undefined {
  if (!isFields(info) || info.kind !== "client_tool" || !isFields(answer)) return undefined;
  const text = answer[errorKey];
  return typeof text === "string" && Object.keys(answer).length === 1 ? text : undefined;
}
