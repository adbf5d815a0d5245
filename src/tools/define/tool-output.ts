import type { ToolOutput } from "../../components/tool.js";
import { type Fields, isPlainObject } from "../../is.js";
import { encodeJson } from "../../schema/encode-json.js";
import type { ToolResultContent, ToolResultMedia } from "../../schema/message/content-block.js";

/** Where a call notes which of its texts is JSON of a value that was not a string. */
export interface JsonNote {
  jsonText: string | undefined;
}

/** The JSON of a value, which a model reads as data. */
export class JsonText {
  readonly text: string;

  constructor(text: string) {
    this.text = text;
  }
}

/**
 * A chunk that is one item of a list. It is passed on at once as text; the texts together are the JSON of the list, and the output
 * that a schema checks is the list.
 */
export class ListItem {
  readonly value: unknown;

  constructor(value: unknown) {
    this.value = value;
  }

  /** The JSON of the item, with the bracket or comma before it. */
  textAfter(count: number): string {
    return `${count === 0 ? "[" : ","}${jsonOf(this.value) ?? "null"}`;
  }
}

/** Data as a model reads it: a string as it is, `undefined` as the empty string, and everything else as JSON. */
export function dataOutput(value: unknown): string | JsonText {
  if (typeof value === "string") return value;
  const text = jsonOf(value);
  return text === undefined ? "" : new JsonText(text);
}

/** `undefined` for what JSON cannot represent at all: `undefined`, functions and symbols. */
function jsonOf(value: unknown): string | undefined {
  return value === undefined ? undefined : JSON.stringify(encodeJson(value));
}

/** Converts a value to the form that a model reads: strings and arrays of content parts stay as they are, everything else becomes JSON. */
export function toolOutputOf(value: unknown, note: JsonNote): ToolOutput {
  if (typeof value === "string") return value;
  return isContentList(value) ? value : dataOutputOf(value, note);
}

/** Like {@link toolOutputOf}, but an array of content parts becomes JSON as well. */
export function dataOutputOf(value: unknown, note: JsonNote): string {
  if (typeof value === "string") return value;
  const text = value instanceof JsonText ? value.text : jsonOf(value);
  if (typeof text !== "string") return "";
  note.jsonText = text;
  return text;
}

/**
 * Whether a value is an array of content parts, not data that looks similar: every item has the fields of a part and no others.
 * An empty array is data.
 */
export function isContentList(value: unknown): value is readonly ToolResultContent[] {
  // a hole counts as undefined, which `every` of a sparse array would skip
  return Array.isArray(value) && value.length > 0 && Array.from<unknown>(value).every(isContent);
}

function isContent(value: unknown): value is ToolResultContent {
  if (!isPlainObject(value)) return false;
  const { type, ...fields } = value;
  switch (type) {
    case "text":
      return typeof fields.text === "string" && Object.keys(fields).length === 1;
    case "image":
    case "audio":
    case "video":
    case "file":
      return isMedia(fields);
    default:
      return false;
  }
}

const mediaFields: readonly string[] = ["url", "base64Data", "mimeType", "name"] satisfies (keyof ToolResultMedia)[];

function isMedia(fields: Fields): boolean {
  if (fields.url === undefined && fields.base64Data === undefined) return false;
  return Object.entries(fields).every(
    ([name, field]) => mediaFields.includes(name) && (field === undefined || typeof field === "string"),
  );
}

/** Joins the pieces of one output: strings to a string or, if any piece has parts, everything to an array of parts. */
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
