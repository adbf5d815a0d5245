import type { WireValue } from "../../api.js";
import { field, listOf, textOf } from "../parts/plain-value.js";

/** A message as the conversation shows it. */
export interface ShownMessage {
  readonly role: string;
  readonly text: string;
  readonly reasoning: string;
  readonly images: readonly string[];
  readonly calls: readonly { readonly name: string; readonly arguments: WireValue | undefined }[];
}

/** Reads a message, or a value with one in its `message`. */
export function readMessage(value: WireValue | undefined): ShownMessage | undefined {
  const inner = field(value, "message");
  if (inner !== undefined) return readMessage(inner);
  const role = textOf(field(value, "role"));
  if (role === undefined) return undefined;
  const blocks = listOf(field(value, "contentBlocks"));
  const texts = (type: RegExp): string =>
    blocks
      .filter((block) => type.test(textOf(field(block, "type")) ?? ""))
      .map((block) => textOf(field(block, "text")) ?? "")
      .join("");
  return {
    role,
    text: texts(/_text$/),
    reasoning: texts(/^reasoning$/),
    images: blocks.flatMap((block) => imageOf(block)),
    calls: blocks.flatMap((block) => {
      const name = textOf(field(block, "name"));
      return textOf(field(block, "type")) === "function_tool_call" && name !== undefined
        ? [{ name, arguments: field(block, "arguments") }]
        : [];
    }),
  };
}

/** Only pictures that came with the data, never from an address. */
function imageOf(block: WireValue): string[] {
  if (!/image/.test(textOf(field(block, "type")) ?? "")) return [];
  const data = textOf(field(block, "base64Data")) ?? textOf(field(block, "data"));
  const type = textOf(field(block, "mimeType")) ?? "image/png";
  if (data === undefined || data.length > 7_000_000 || !/^image\/(png|jpeg|gif|webp)$/.test(type)) return [];
  return /^[A-Za-z0-9+/=]+$/.test(data) ? [`data:${type};base64,${data}`] : [];
}

/** The messages in a value: a list of them, one, or those of a request to a model. */
export function readMessages(value: WireValue | undefined): ShownMessage[] {
  const inner = field(value, "messages");
  if (inner !== undefined) return readMessages(inner);
  const items = Array.isArray(value) ? value : [value];
  return items.flatMap((item) => readMessage(item) ?? []);
}
