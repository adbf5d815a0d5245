import { fromBase64, toBase64 } from "../../schema/base64.js";
import type { JsonSchema } from "../../schema/standard-schema.js";

interface IntegerRange {
  readonly min: bigint;
  readonly max: bigint;
  readonly isLong: boolean;
}

const int32: IntegerRange = { min: -(2n ** 31n), max: 2n ** 31n - 1n, isLong: false };
const uint32: IntegerRange = { min: 0n, max: 2n ** 32n - 1n, isLong: false };
const int64: IntegerRange = { min: -(2n ** 63n), max: 2n ** 63n - 1n, isLong: true };
const uint64: IntegerRange = { min: 0n, max: 2n ** 64n - 1n, isLong: true };

const integers = new Map<string, IntegerRange>([
  ...["int32", "sint32", "sfixed32"].map((name): [string, IntegerRange] => [name, int32]),
  ...["uint32", "fixed32"].map((name): [string, IntegerRange] => [name, uint32]),
  ...["int64", "sint64", "sfixed64"].map((name): [string, IntegerRange] => [name, int64]),
  ...["uint64", "fixed64"].map((name): [string, IntegerRange] => [name, uint64]),
]);

const notFinite: readonly string[] = ["NaN", "Infinity", "-Infinity"];

// schemas

/** The JSON Schema of a scalar. Answers may have floats that JSON numbers cannot represent. */
export function scalarSchema(type: string, side: "request" | "answer"): JsonSchema {
  const range = integers.get(type);
  if (range?.isLong) {
    const isSigned = range.min < 0n;
    return { type: "string", format: isSigned ? "int64" : "uint64", pattern: isSigned ? "^-?[0-9]+$" : "^[0-9]+$" };
  }
  if (range !== undefined) return { type: "integer", minimum: Number(range.min), maximum: Number(range.max) };
  switch (type) {
    case "float":
    case "double":
      return side === "request" ? { type: "number" } : { anyOf: [{ type: "number" }, { enum: notFinite }] };
    case "bool":
      return { type: "boolean" };
    case "bytes":
      return { type: "string", contentEncoding: "base64" };
    default:
      return { type: "string" };
  }
}

/** The type of the keys of a map, which are strings in JSON. */
export function keySchema(type: string): JsonSchema | undefined {
  const range = integers.get(type);
  if (range !== undefined) return { pattern: range.min < 0n ? "^-?[0-9]+$" : "^[0-9]+$" };
  return type === "bool" ? { enum: ["true", "false"] } : undefined;
}

// reading

/** A value as protobufjs takes it, or why it is none. */
export type ReadScalar = { readonly value: unknown } | { readonly expected: string };

/**
 * Reads the JSON of a scalar. With `rounded`, numbers may have lost digits on the way, so that the largest integer of a type
 * may be one too large.
 */
export function readScalar(type: string, json: unknown, rounded: boolean): ReadScalar {
  const range = integers.get(type);
  if (range !== undefined) return readInteger(type, range, json, rounded);
  switch (type) {
    case "float":
    case "double":
      return readFloat(type, json);
    case "bool":
      return typeof json === "boolean" ? { value: json } : { expected: "true or false" };
    case "bytes":
      return readBytes(json);
    default:
      if (typeof json !== "string") return { expected: "a text" };
      return /\p{Surrogate}/u.test(json) ? { expected: "a text without halves of characters" } : { value: json };
  }
}

/** The key of a map, from its text in JSON. */
export function readKey(type: string, key: string): ReadScalar {
  if (type === "string") return readScalar(type, key, false);
  if (type === "bool")
    return key === "true" || key === "false" ? { value: key } : { expected: '"true" or "false" as key' };
  const range = integers.get(type);
  const whole = wholeNumber(key);
  if (range === undefined || whole === undefined || whole < range.min || whole > range.max) {
    return { expected: `a key of type ${type}` };
  }
  return { value: String(whole) };
}

function readInteger(type: string, { min, max, isLong }: IntegerRange, json: unknown, rounded: boolean): ReadScalar {
  const whole = wholeNumber(json);
  const expected = `an integer from ${min} to ${max} (${type})${isLong ? ", as text or number" : ""}`;
  if (whole === undefined) return { expected };
  const isNearEnd = rounded && typeof json === "number" && !Number.isSafeInteger(json) && whole === max + 1n;
  if (whole < min || (whole > max && !isNearEnd)) return { expected };
  if (!isLong) return { value: Number(whole) };
  const low = Number(BigInt.asIntN(32, whole));
  const high = Number(BigInt.asIntN(32, whole >> 32n));
  return { value: { low, high, unsigned: min === 0n } };
}

function wholeNumber(json: unknown): bigint | undefined {
  if (typeof json === "bigint") return json;
  if (typeof json === "string" && /^-?\d{1,30}$/.test(json)) return BigInt(json);
  // `1e3` and `5.0` are integers in JSON, also as strings
  const number =
    typeof json === "string" && /^-?\d{1,30}(\.\d{1,30})?([eE][+-]?\d{1,3})?$/.test(json) ? Number(json) : json;
  return typeof number === "number" && Number.isInteger(number) ? BigInt(number) : undefined;
}

function readFloat(type: string, json: unknown): ReadScalar {
  const expected = 'a number, "NaN", "Infinity" or "-Infinity"';
  const isText = typeof json === "string" && /^-?\d{1,400}(\.\d{1,400})?([eE][+-]?\d{1,4})?$/.test(json);
  if (typeof json === "string" && notFinite.includes(json)) return { value: Number(json) };
  if (typeof json !== "number" && typeof json !== "bigint" && !isText) return { expected };
  const number = Number(json);
  if (!Number.isFinite(number)) return { expected: isText ? `a number that a ${type} can hold` : expected };
  return type === "float" && !Number.isFinite(Math.fround(number))
    ? { expected: "a number that a float can hold (up to 3.4028235e38)" }
    : { value: number };
}

function readBytes(json: unknown): ReadScalar {
  if (json instanceof Uint8Array) return { value: json };
  const bytes = typeof json === "string" ? fromBase64(json) : undefined;
  return bytes === undefined ? { expected: "bytes as base64" } : { value: bytes };
}

// writing

/** The JSON of a scalar as protobufjs returns it. 64-bit integers are strings, to keep all their digits. */
export function writeScalar(type: string, value: unknown): unknown {
  if (integers.get(type)?.isLong) return String(value);
  // the default of bytes is an empty list
  if (type === "bytes") return toBase64(value instanceof Uint8Array ? value : new Uint8Array());
  if (typeof value !== "number") return value;
  if (!Number.isFinite(value)) return String(value);
  return type === "float" ? shortestFloat(value) : value;
}

/** The fewest digits that are still the same 32 bits: 0.1, and not 0.10000000149011612. */
function shortestFloat(value: number): number {
  for (let digits = 6; digits < 9; digits++) {
    const shorter = Number(value.toPrecision(digits));
    if (Math.fround(shorter) === value) return shorter;
  }
  return Number(value.toPrecision(9));
}

/** Whether a scalar is what a field without presence has when nothing was sent. */
export function isDefaultScalar(value: unknown): boolean {
  if (value instanceof Uint8Array) return value.length === 0;
  if (typeof value === "object") return String(value) === "0";
  return value === 0 ? !Object.is(value, -0) : value === "" || value === false;
}
