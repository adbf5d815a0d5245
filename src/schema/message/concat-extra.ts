import { isPlainObject } from "../../is.js";
import { cannotConcatMessages, invalidMessage } from "../errors.js";

type Extra = Readonly<Record<string, unknown>>;

/** Joins the extras of chunks key by key into a new object; `undefined` if there are none. */
export function concatExtras(extras: readonly unknown[], place: string): Extra | undefined {
  if (extras.length === 0) return undefined;
  return concatRecords(extras, place);
}

/** Joins the values of one key: strings are concatenated, of numbers and booleans the last counts, records join key by key. */
export function concatValues(values: readonly unknown[], place: string): unknown {
  const present = values.filter((value) => value !== undefined && value !== null);
  if (present.length <= 1) return present.length === 1 ? present[0] : values.at(-1);
  const kind = sameKind(present, place);
  if (kind === "string") return present.join("");
  if (kind === "record") return concatRecords(present, place);
  if (kind === "number" || kind === "boolean" || kind === "bigint") return present.at(-1);
  return theOnlyFilled(present, kind, place);
}

function concatRecords(records: readonly unknown[], place: string): Extra {
  const byKey = new Map<string, unknown[]>();
  for (const record of records) {
    if (!isPlainObject(record)) throw invalidMessage(`${place} is ${extraKind(record)}, where a record is expected.`);
    for (const [key, value] of Object.entries(record)) {
      const values = byKey.get(key);
      if (values === undefined) byKey.set(key, [value]);
      else values.push(value);
    }
  }
  const entries: [string, unknown][] = [];
  for (const [key, values] of byKey) {
    const value = concatValues(values, `${place}.${key}`);
    if (value !== undefined) entries.push([key, value]);
  }
  return Object.fromEntries(entries);
}

function sameKind(values: readonly unknown[], place: string): string {
  const kind = extraKind(values[0]);
  for (const value of values) {
    const other = extraKind(value);
    if (other === kind) continue;
    throw cannotConcatMessages(`${place} is ${kind} in one chunk and ${other} in another. Send one type.`);
  }
  return kind;
}

/** Arrays and class instances cannot be joined: at most one may be non-empty. */
function theOnlyFilled(values: readonly unknown[], kind: string, place: string): unknown {
  const filled = values.filter((value) => !(Array.isArray(value) && value.length === 0));
  if (filled.length <= 1) return filled.length === 1 ? filled[0] : values.at(-1);
  throw cannotConcatMessages(
    `${place} is ${kind} in ${filled.length} chunks, for which there is no rule. Send it in one chunk.`,
  );
}

function extraKind(value: unknown): string {
  if (Array.isArray(value)) return "array";
  return isPlainObject(value) ? "record" : typeof value;
}
