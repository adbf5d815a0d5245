import { messageOf } from "../errors.js";
import { type AgenticMessage, isAgenticMessage } from "../schema/message/agentic-message.js";
import { textOf, toolCallsOf, toolResultsOf } from "../schema/message/read-message.js";
import type { ComponentKind } from "./component-kind.js";
import { jsonSafe } from "./json-safe.js";

/** An input or output of a run on one line, cut off at a length. */
export function preview(value: unknown, component: ComponentKind, maxLength: number): string {
  return oneLine(describe(unpack(value, component), maxLength), maxLength);
}

/** Replaces line breaks and control characters, which could come from a model and move the cursor of a terminal. */
export function oneLine(text: string, maxLength: number): string {
  // text that is cut off anyway need not be cleaned
  const clean = text.slice(0, 4 * maxLength).replace(/[\s\p{Cc}]+/gu, " ");
  const symbols = [...clean];
  return symbols.length > maxLength ? `${symbols.slice(0, maxLength - 1).join("")}…` : clean;
}

/** Text that is shown without quotes, because it is already JSON or what a model reads. */
class RawText {
  readonly text: string;

  constructor(text: string) {
    this.text = text;
  }
}

/** The value inside the payload of a model or a tool. */
function unpack(value: unknown, component: ComponentKind): unknown {
  if (typeof value !== "object" || value === null) return value;
  if (component === "model") return "messages" in value ? value.messages : "message" in value ? value.message : value;
  if (component !== "tool") return value;
  const inner = "arguments" in value ? value.arguments : "result" in value ? value.result : value;
  return typeof inner === "string" ? new RawText(inner) : inner;
}

function describe(value: unknown, maxLength: number): string {
  if (value instanceof RawText) return value.text;
  if (typeof value === "string") return quote(value, maxLength);
  if (value instanceof Error) return `${value.name}: ${messageOf(value)}`;
  if (isAgenticMessage(value)) return describeMessage(value, maxLength);
  if (Array.isArray(value) && value.length > 0 && value.every(isAgenticMessage))
    return describeMessages(value, maxLength);
  return JSON.stringify(jsonSafe(value, { maxValues: maxLength })) ?? "undefined";
}

/** Describes a list of messages by the last one, which says most. */
function describeMessages(messages: readonly AgenticMessage[], maxLength: number): string {
  const last = messages.at(-1);
  if (last === undefined) return "[]";
  const count = messages.length > 1 ? `[${messages.length} messages] ` : "";
  return count + describeMessage(last, maxLength);
}

function describeMessage(message: AgenticMessage, maxLength: number): string {
  const text = textOf(message);
  const parts = [
    ...(text === "" ? [] : [quote(text, maxLength)]),
    ...toolCallsOf(message).map((call) => `${call.name}(${call.arguments})`),
    ...toolResultsOf(message).map(({ name, result }) => `${name} = ${quote(result, maxLength)}`),
  ];
  const types = [...new Set(message.contentBlocks.map(({ type }) => type))];
  return `${message.role}: ${parts.length === 0 ? types.join(", ") : parts.join(" ")}`;
}

function quote(text: string, maxLength: number): string {
  return JSON.stringify(text.slice(0, maxLength + 1));
}
