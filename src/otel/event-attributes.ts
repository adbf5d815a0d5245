import type { RunInfo } from "../callbacks/run-info.js";
import { messageOf } from "../errors.js";
import type { Attributes, AttributeValue } from "./api.js";
import type { Content } from "./content.js";
import { errorType } from "./errors.js";
import { isUnknownTool } from "./span-form.js";

/** The string fields of events that are safe to send, because they have no content. */
const safeFields: readonly string[] = ["operation", "reason", "targets", "toolName", "callId"];

/**
 * The attributes of an event: its address, numbers, safe strings and its error. The address is needed because the event may be on
 * the span of an outer run.
 */
export function eventAttributes(
  info: RunInfo,
  { kind: _, error, ...fields }: Readonly<Record<string, unknown>>,
  content: Content,
): Attributes {
  const attributes: Record<string, AttributeValue> = { "kumiko.address": safeAddress(info) };
  for (const [name, value] of Object.entries(fields)) {
    if (isSent(name, value)) attributes[`kumiko.${name}`] = value;
  }
  if (error === undefined) return attributes;
  const message = content.text(messageOf(error), "exception.message");
  return {
    ...attributes,
    "error.type": errorType(error),
    ...(message !== undefined && { "exception.message": message }),
  };
}

/** The address of a call of an unknown tool ends with what the model wrote. */
function safeAddress(info: RunInfo): string {
  return isUnknownTool(info) ? info.address.replace(/;tool:[^;]*$/, ";tool") : info.address;
}

function isSent(name: string, value: unknown): value is AttributeValue {
  if (typeof value === "number" || typeof value === "boolean") return true;
  if (!safeFields.includes(name)) return false;
  return typeof value === "string" || (Array.isArray(value) && value.every((one) => typeof one === "string"));
}
