import { isFields } from "../is.js";
import { invalidUiOption, notAnEventStream, unknownUiOption } from "./errors.js";

/** Throws if an option is unknown. */
export function checkUiOptions(where: string, options: unknown, known: readonly string[]): void {
  if (!isFields(options)) throw invalidUiOption(where, "The options", "an object", options);
  const other = Object.keys(options).find((name) => !known.includes(name));
  if (other !== undefined) throw unknownUiOption(where, other, known);
}

/** Throws if the value is not a stream, such as a promise of one, a result or a function. */
export function checkEventStream(where: string, stream: unknown): void {
  const isStream =
    typeof stream === "object" && stream !== null && (Symbol.asyncIterator in stream || "getReader" in stream);
  if (!isStream) throw notAnEventStream(where, stream);
}
