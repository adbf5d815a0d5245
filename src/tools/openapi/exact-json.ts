import { isFields } from "../../is.js";
import { dataOutput, JsonText } from "../define/tool-output.js";

/** Digits that a JavaScript number may not represent exactly. */
const manyDigits = /\d{16,}/;
const tokens = /"(?:[^"\\]|\\.)*"|-?\d+(?:\.\d+)?(?:[eE][+-]?\d+)?/g;

/** Like `JSON.parse`, but integers that a number cannot represent exactly (64-bit ids) become bigints. */
export function parseExactly(text: string): unknown {
  const value: unknown = JSON.parse(text);
  if (!manyDigits.test(text)) return value;
  const mark = unusedMark(text);
  const marked = text.replace(tokens, (token) => (isInexact(token) ? `"${mark}${token}"` : token));
  return JSON.parse(marked, (_key, item: unknown) =>
    typeof item === "string" && item.startsWith(mark) ? BigInt(item.slice(mark.length)) : item,
  );
}

/** Like `JSON.stringify`, but bigints are written as numbers. */
export function stringifyExactly(value: unknown): string {
  let hasBigInt = false;
  const text = JSON.stringify(value, (_key, item: unknown) => {
    hasBigInt ||= typeof item === "bigint";
    return typeof item === "bigint" ? String(item) : item;
  });
  if (!hasBigInt) return text;
  const mark = unusedMark(text);
  const marked = JSON.stringify(value, (_key, item: unknown) => (typeof item === "bigint" ? `${mark}${item}` : item));
  return marked.replaceAll(new RegExp(`"${mark}(-?\\d+)"`, "g"), "$1");
}

/** The arguments of a call, with bigints in place of integers that were parsed inexactly. */
export function withExactIntegers(input: unknown, rawArguments: string): unknown {
  if (!manyDigits.test(rawArguments)) return input;
  try {
    return exact(input, parseExactly(rawArguments));
  } catch {
    return input;
  }
}

function exact(parsed: unknown, written: unknown): unknown {
  if (typeof written === "bigint") return Number(written) === parsed ? written : parsed;
  if (Array.isArray(parsed) && Array.isArray(written)) return parsed.map((item, index) => exact(item, written[index]));
  if (!isFields(parsed) || !isFields(written)) return parsed;
  return Object.fromEntries(
    Object.entries(parsed).map(([key, item]) => [key, Object.hasOwn(written, key) ? exact(item, written[key]) : item]),
  );
}

function isInexact(token: string): boolean {
  return /^-?\d+$/.test(token) && !Number.isSafeInteger(Number(token));
}

/** A string that does not occur in a text. */
function unusedMark(text: string): string {
  let mark = "int:";
  while (text.includes(mark)) mark = `_${mark}`;
  return mark;
}

/** The output of a tool as a model reads it: integers that JavaScript cannot represent stay as the service wrote them. */
export function exactOutput(output: unknown): unknown {
  return typeof output === "string" || output === undefined
    ? dataOutput(output)
    : new JsonText(stringifyExactly(output));
}
