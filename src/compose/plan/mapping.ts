import { isPlainObject } from "../../is.js";
import { invalidMapping } from "../errors.js";
import { END } from "./plan.js";

/** The steps of a path: names of fields, positions in lists, and `*` for every item of a list. */
export type Path = readonly string[];

/** The output of a node, or a part of it. */
export interface FromSource {
  readonly kind: "from";
  readonly key: string;
  readonly path: Path;
  /** Read without waiting being a reason to run. */
  readonly dataOnly: boolean;
  /** Stands in for what is missing. */
  readonly fallback: { readonly value: unknown } | undefined;
  readonly required: boolean;
}

/** The failure of a node, or a part of it: what its error branch gets. */
export interface FailureSource {
  readonly kind: "failure";
  readonly key: string;
  readonly path: Path;
}

/** What a function makes of the output of a node. */
export interface ExtractSource {
  readonly kind: "extract";
  readonly key: string;
  readonly extract: (whole: never) => unknown;
}

/** The first of several that is not missing. */
export interface FirstSource {
  readonly kind: "first";
  readonly sources: readonly FromSource[];
}

/** The same in every run. */
export interface ValueSource {
  readonly kind: "value";
  readonly value: unknown;
}

export type Source = FromSource | FailureSource | ExtractSource | FirstSource | ValueSource;

/** What stands for a node's input: one source for the whole, or a record, nested at will. */
export type MappingPlan = Source | MappingRecord;

export interface MappingRecord {
  readonly kind: "record";
  readonly fields: readonly (readonly [field: string, mapping: MappingPlan])[];
}

/** Carries what `from`, `value` … say, whoever looks at it. */
export const mappingSource: unique symbol = Symbol.for("kumiko/mapping") as never;

/** Reads the mapping of a node, and throws for what is none. */
export function readMapping(key: string, given: unknown): MappingPlan {
  return readAt(key, given, [], new Set());
}

const advice = "A mapping is from(…), value(…), extract(…), firstOf(…), failureOf(…), or a record of these.";

function readAt(key: string, given: unknown, path: Path, around: Set<object>): MappingPlan {
  const field = path.join(".");
  if (typeof given !== "object" || given === null) throw invalidMapping(key, field, `is ${String(given)}. ${advice}`);
  if (mappingSource in given) return checkSource(key, field, given[mappingSource] as Source);
  if (!isPlainObject(given)) throw invalidMapping(key, field, `is not a plain record. ${advice}`);
  // written in a literal, it is not a field but the prototype
  const prototype: object | null = Object.getPrototypeOf(given);
  if (prototype !== null && !Object.hasOwn(prototype, "hasOwnProperty")) throw hostile(key, field);
  if (around.has(given)) throw invalidMapping(key, field, "contains itself.");
  around.add(given);
  const fields = Object.entries(given).map(([name, inner]) => {
    if (name === "__proto__") throw hostile(key, field);
    return [name, readAt(key, inner, [...path, name], around)] as const;
  });
  around.delete(given);
  return { kind: "record", fields };
}

const hostile = (key: string, field: string): Error =>
  invalidMapping(key, field, 'has a field "__proto__": JavaScript gives this name a meaning of its own.');

function checkSource(key: string, field: string, source: Source): Source {
  for (const read of keysOf(source))
    if (read === END) throw invalidMapping(key, field, "reads END, which gives nothing. Read the nodes before it.");
  return source;
}

/** The nodes that a mapping reads, each as often as it stands there. */
export function keysOf(mapping: MappingPlan): string[] {
  return leavesOf(mapping).flatMap(({ source }) => {
    if (source.kind === "first") return source.sources.map(({ key }) => key);
    return source.kind === "value" ? [] : [source.key];
  });
}

/** A source, and the field that it fills. */
interface Leaf {
  readonly source: Source;
  readonly field: Path;
}

/** All sources of a mapping, in the order in which they are written. */
export function leavesOf(mapping: MappingPlan, field: Path = []): Leaf[] {
  if (mapping.kind !== "record") return [{ source: mapping, field }];
  return mapping.fields.flatMap(([name, inner]) => leavesOf(inner, [...field, name]));
}
