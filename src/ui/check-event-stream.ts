import { notAnEventStream } from "./errors.js";

/** Throws if the value is not a stream, such as a promise of one, a result or a function. */
export function checkEventStream(where: string, stream: unknown): void {
  const isStream =
    typeof stream === "object" && stream !== null && (Symbol.asyncIterator in stream || "getReader" in stream);
  if (!isStream) throw notAnEventStream(where, stream);
}
