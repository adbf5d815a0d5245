import type { Fields } from "../../is.js";

/** Whether a `TypeError` is what `fetch` throws when the network fails. */
export function isFetchFailure({ message }: Fields): boolean {
  return typeof message === "string" && messages.test(message);
}

/** Of Node.js, Chrome, Firefox, Safari, Bun and Deno. */
const messages =
  /^(?:fetch failed|terminated|Failed to fetch|NetworkError when|Load failed|network error|The network connection was lost|error reading a body from connection|error sending request)/i;
