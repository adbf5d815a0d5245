import { cannotConcatMessages, invalidMessage } from "../errors.js";
import { concatValues } from "./concat-extra.js";
import type { ToolResultContent } from "./content-block.js";

/** Identifies a field for error messages: `"arguments" of the function_tool_call block at index 0`. */
export interface FieldPlace {
  readonly field: string;
  readonly type: string;
  readonly index: number;
}

/** Joins the values of a field in the chunks that have it. Returns `undefined` to leave the field out. */
export type FieldRule = (values: readonly unknown[], place: FieldPlace) => unknown;

export const joined: FieldRule = (values, place) => {
  let text = "";
  for (const value of values) text += stringAt(value, place);
  return text;
};

export const joinedIfAny: FieldRule = (values, place) => (values.length === 0 ? undefined : joined(values, place));

/** All non-empty strings must be equal. */
export const agreed: FieldRule = (values, place) => {
  let agreement = "";
  for (const value of values) {
    const text = stringAt(value, place);
    if (text === "" || text === agreement) continue;
    if (agreement !== "") throw disagreement(agreement, text, place);
    agreement = text;
  }
  return agreement;
};

export const agreedIfAny: FieldRule = (values, place) => (values.length === 0 ? undefined : agreed(values, place));

export const last: FieldRule = (values) => values.at(-1);

export const lastFilled: FieldRule = (values) => values.findLast((value) => value !== "") ?? values.at(-1);

export const trueIfAny: FieldRule = (values) => (values.length === 0 ? undefined : values.includes(true));

/** For arbitrary values of providers: strings are joined, of anything else the last counts. */
export const textOrLast: FieldRule = (values, place) => {
  const kind = typeof values[0];
  for (const value of values) {
    if (typeof value === kind) continue;
    throw cannotConcatMessages(
      `${fieldName(place)} is ${kind} in one chunk and ${typeof value} in another. Send one type.`,
    );
  }
  return kind === "string" ? values.join("") : values.at(-1);
};

/** For arbitrary values of providers that come in pieces: strings are joined, records join key by key, of numbers the last counts. */
export const pieces: FieldRule = (values, place) =>
  values.length === 0 ? undefined : concatValues(values, fieldName(place));

export const appended: FieldRule = (values, place) => values.flatMap((value) => itemsAt(value, place));

/** For parts of tool results: appended, with adjacent texts joined. The parts of a single chunk stay as they are. */
export const appendedContent = (
  values: readonly unknown[],
  place: FieldPlace,
): readonly ToolResultContent[] | undefined => {
  if (values.length === 0) return undefined;
  const parts = appended(values, place) as ToolResultContent[];
  if (values.length < 2) return parts;
  const result: ToolResultContent[] = [];
  let text: string | undefined;
  for (const part of parts) {
    if (part.type === "text") {
      text = (text ?? "") + part.text;
      continue;
    }
    if (text !== undefined) result.push({ type: "text", text });
    text = undefined;
    result.push(part);
  }
  if (text !== undefined) result.push({ type: "text", text });
  return result;
};

/** The name of a field in Eino's messages, where it differs. */
const labels: Readonly<Record<string, string>> = {
  callId: "call ID",
  name: "tool name",
  url: "URL",
  mimeType: "MIME type",
  serverLabel: "server label",
  id: "request ID",
  approvalRequestId: "approval request ID",
};

function disagreement(expected: string, got: string, { field, type, index }: FieldPlace): Error {
  return cannotConcatMessages(
    `expected ${labels[field] ?? field} "${expected}" of the ${type} block at index ${index}, but got "${got}". Give every block an index of its own.`,
  );
}

export function itemsAt(value: unknown, place: FieldPlace): readonly unknown[] {
  if (!Array.isArray(value)) throw invalidMessage(`${fieldName(place)} must be a list, got ${typeof value}.`);
  return value.filter((item) => item !== undefined && item !== null);
}

export function stringAt(value: unknown, place: FieldPlace): string {
  if (typeof value === "string") return value;
  throw invalidMessage(`${fieldName(place)} must be a string, got ${typeof value}.`);
}

export function fieldName({ field, type, index }: FieldPlace): string {
  return `"${field}" of the ${type} block at index ${index}`;
}
