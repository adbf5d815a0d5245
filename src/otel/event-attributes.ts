import type { RunInfo } from "../callbacks/run-info.js";
import { messageOf } from "../errors.js";
import type { Attributes, AttributeValue } from "./api.js";
import { errorType } from "./errors.js";

/** Fields of side events that are words of the program, and no content. */
const words: readonly string[] = ["operation", "targets", "toolName", "callId"];

/**
 * What is sent of a side event: where it happened, numbers, and its error. The span that it hangs on may be that of a run around
 * the one that it happened in.
 */
export function eventAttributes(
  { address }: RunInfo,
  { kind: _, error, ...fields }: Readonly<Record<string, unknown>>,
): Attributes {
  const attributes: Record<string, AttributeValue> = { "kumiko.address": address };
  for (const [name, value] of Object.entries(fields)) {
    if (isSent(name, value)) attributes[`kumiko.${name}`] = value;
  }
  if (error === undefined) return attributes;
  return { ...attributes, "error.type": errorType(error), "exception.message": messageOf(error) };
}

function isSent(name: string, value: unknown): value is AttributeValue {
  if (typeof value === "number" || typeof value === "boolean") return true;
  if (!words.includes(name)) return false;
  return typeof value === "string" || (Array.isArray(value) && value.every((one) => typeof one === "string"));
}
