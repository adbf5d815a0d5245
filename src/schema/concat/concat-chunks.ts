import { isPlainObject, isRecord } from "../../is.js";
import { kindOf } from "../../wording.js";
import { cannotConcat, emptyStream } from "../errors.js";
import { type AgenticMessage, isAgenticMessage } from "../message/agentic-message.js";
import { concatMessages } from "../message/concat.js";
import { concatMessageLists } from "../message/concat-lists.js";
import type { ConcatRegistry } from "./registry.js";
import type { ConcatRule, Joining, KeyedRule } from "./rule.js";

type Chunks = readonly unknown[];

/** Joins the values of one key of a record. */
type JoinKey = (values: Chunks, key: string) => unknown;

/** Joins all chunks of a stream as its `Joining` declares. */
export function joinChunks(
  chunks: Chunks,
  joining: Joining | undefined,
  where = joining?.where,
  registry = joining?.registry,
): unknown {
  if (joining?.locate === undefined) return concatChunks(chunks, joining?.rule, registry, where);
  try {
    return concatChunks(chunks, joining.rule, registry, where);
  } catch (error) {
    throw joining.locate(error);
  }
}

/** Joins all chunks of a stream to one value by a rule. */
export function concatChunks(
  chunks: Chunks,
  rule: ConcatRule | undefined,
  registry: ConcatRegistry | undefined,
  where = "a stream",
): unknown {
  if (typeof rule === "object" && rule.whole !== undefined) return rule.whole(chunks);
  if (chunks.length === 0) throw emptyError(rule, where);
  if (rule === undefined) return concatByKind(chunks, registry, where);
  if (typeof rule === "function") return rule(chunks.slice() as never[]);
  if (typeof rule === "object") return concatKeyed(chunks, rule, registry, where);
  switch (rule) {
    case "list":
      return chunks.flat();
    case "last":
      return chunks.at(-1);
    case "text":
      return concatText(chunks, where);
    case "record":
      return concatRecords(filled(chunks), where, joinDeep(registry, where));
    case "pieces":
      return concatPieces(chunks, registry, where);
    default:
      return rule satisfies never;
  }
}

/** The error of an empty stream. Where the library has wrapped a stream in keys, the wrapped stream gets to report it. */
function emptyError(rule: ConcatRule | undefined, where: string): unknown {
  if (typeof rule !== "object") return emptyStream(where);
  for (const own of rule.keyed.values()) joinChunks([], own);
  return emptyStream(where);
}

/** Joins chunks without a declared rule, by their types. */
function concatByKind(chunks: Chunks, registry: ConcatRegistry | undefined, where: string): unknown {
  const values = filled(chunks);
  if (values.length <= 1) return values.length === 0 ? chunks.at(-1) : withoutStreamingMeta(values[0]);
  const join = registry?.find(values);
  if (join !== undefined) return join(values.slice() as never[]);
  if (values.every(isString)) return values.join("");
  if (values.every(isScalar) && sameType(values)) return values.at(-1);
  if (values.every(isAgenticMessage)) return concatMessages(values);
  if (values.every(isMessageList)) return concatMessageLists(values);
  throw cannotConcat(where, kinds(values));
}

function concatText(chunks: Chunks, where: string): string {
  const values = filled(chunks);
  const strange = values.findIndex((value) => typeof value === "object" || typeof value === "function");
  if (strange < 0) return values.join("");
  throw cannotConcat(where, `concat: "text" is declared, but chunk ${strange} is ${kindOf(values[strange])}`);
}

/** Joins records made by the library: each key by the rule of its node. */
function concatKeyed(
  chunks: Chunks,
  { keyed, rest }: KeyedRule,
  registry: ConcatRegistry | undefined,
  where: string,
): unknown {
  return concatRecords(filled(chunks), where, (values, key) => {
    const own = keyed.get(key);
    const at = keyIn(own?.where ?? where, key);
    if (own === undefined) return concatChunks(values, rest, registry, at);
    return joinChunks(values, own, at, own.registry ?? registry);
  });
}

/** Joins plain records key by key, everything else by type. */
function concatPieces(chunks: Chunks, registry: ConcatRegistry | undefined, where: string): unknown {
  const isPlain = filled(chunks).every((chunk) => isOwnRecord(chunk) && isPlainObject(chunk));
  return isPlain ? joinDeep(registry, where)(chunks, "") : concatByKind(chunks, registry, where);
}

/** For the rule "record": nested records are joined key by key too. */
function joinDeep(registry: ConcatRegistry | undefined, where: string): JoinKey {
  return (values, key) => {
    const present = filled(values);
    const place = key === "" ? where : keyIn(where, key);
    return present.length > 1 && present.every(isOwnRecord) && registry?.find(present) === undefined
      ? concatRecords(present, place, joinDeep(registry, place))
      : concatByKind(values, registry, place);
  };
}

/** Joins records: the union of their keys, in order of first occurrence. */
function concatRecords(records: Chunks, where: string, joinKey: JoinKey): Record<string, unknown> {
  const valuesByKey = new Map<string, unknown[]>();
  for (const record of records) {
    if (!isRecord(record)) throw cannotConcat(where, `they join key by key, but one is ${kindOf(record)}`);
    for (const [key, value] of Object.entries(record)) {
      const values = valuesByKey.get(key);
      if (values === undefined) valuesByKey.set(key, [value]);
      else values.push(value);
    }
  }
  // fromEntries defines own properties, so that "__proto__" is an ordinary key
  return Object.fromEntries(Array.from(valuesByKey, ([key, values]) => [key, joinKey(values, key)]));
}

function withoutStreamingMeta(value: unknown): unknown {
  if (isAgenticMessage(value)) return concatMessages([value]);
  return isMessageList(value) && value.some(isAgenticMessage) ? concatMessageLists([value]) : value;
}

/** The chunks without null and undefined. */
function filled(chunks: Chunks): Chunks {
  return chunks.some(isNothing) ? chunks.filter((chunk) => !isNothing(chunk)) : chunks;
}

function isNothing(value: unknown): value is null | undefined {
  return value === undefined || value === null;
}

function isString(value: unknown): value is string {
  return typeof value === "string";
}

/** Whether it is a value without parts, of which the last chunk counts. */
function isScalar(value: unknown): boolean {
  return typeof value === "number" || typeof value === "boolean" || typeof value === "bigint" || value instanceof Date;
}

function sameType(values: Chunks): boolean {
  const type = typeof values[0];
  return values.every((value) => typeof value === type);
}

/** Whether it is an array with a message, null or undefined in each slot. */
export function isMessageList(value: unknown): value is readonly (AgenticMessage | null | undefined)[] {
  return Array.isArray(value) && value.every((slot) => isNothing(slot) || isAgenticMessage(slot));
}

function isOwnRecord(value: unknown): boolean {
  return isRecord(value) && !isAgenticMessage(value);
}

function keyIn(where: string, key: string): string {
  return `${where}, key "${key}"`;
}

/** Describes the types of chunks for an error message. */
function kinds(values: Chunks): string {
  const names = [...new Set(values.map(kindOf))];
  return names.length === 1
    ? `there is no rule for ${values.length} chunks that are each ${names[0]}`
    : `they are of different types: ${names.join(", ")}`;
}
