import type { ToolOutput } from "../../components/tool.js";
import { encodeJson } from "../../schema/encode-json.js";
import type { ToolResultContent } from "../../schema/message/content-block.js";

/** Notes which text was made from a value that is no text. */
export interface JsonNote {
  jsonText: string | undefined;
}

/**
 * What a model reads of a value: a text and a list of parts stay as they are, nothing is the empty text, everything else
 * becomes JSON. JSON has no functions and symbols: alone they are nothing.
 */
export function toolOutputOf(value: unknown, note: JsonNote): ToolOutput {
  if (typeof value === "string") return value;
  if (value === undefined) return "";
  if (isContentList(value)) return value;
  const text = JSON.stringify(encodeJson(value));
  if (typeof text !== "string") return "";
  note.jsonText = text;
  return text;
}

/** Whether a value is a list of content parts, and not just data that looks a bit like one. An empty list is data. */
export function isContentList(value: unknown): value is readonly ToolResultContent[] {
  return Array.isArray(value) && value.length > 0 && value.every(isContent);
}

function isContent(value: unknown): value is ToolResultContent {
  if (typeof value !== "object" || value === null) return false;
  const { type, text, url, base64Data } = value as Readonly<Record<string, unknown>>;
  switch (type) {
    case "text":
      return typeof text === "string";
    case "image":
    case "audio":
    case "video":
    case "file":
      return typeof url === "string" || typeof base64Data === "string";
    default:
      return false;
  }
}

/** Joins the pieces of one output: texts to a text, and as soon as one has parts, all to a list of parts. */
export function joinToolOutputs(pieces: readonly ToolOutput[]): ToolOutput {
  const [only] = pieces;
  if (only !== undefined && pieces.length === 1) return only;
  if (pieces.every((piece) => typeof piece === "string")) return pieces.join("");
  const parts: ToolResultContent[] = [];
  for (const part of pieces.flatMap(partsOf)) {
    const last = parts.at(-1);
    if (part.type === "text" && last?.type === "text")
      parts[parts.length - 1] = { type: "text", text: last.text + part.text };
    else parts.push(part);
  }
  return parts;
}

function partsOf(output: ToolOutput): readonly ToolResultContent[] {
  return typeof output === "string" ? [{ type: "text", text: output }] : output;
}
