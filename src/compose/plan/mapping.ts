import { isPlainObject } from "../../is.js";
import { invalidMapping } from "../errors.js";
import { END } from "./plan.js";

/** The steps of a path: names of fields, indexes of arrays, and `*` for every item of an array. */
export type Path = readonly string[];

/** The output of a node, or a part of it. */
export interface FromSource {
  readonly kind: "from";
  readonly key: string;
  readonly path: Path;
  /** Whether the node waits for the source without depending on whether it has run. */
  readonly dataOnly: boolean;
  /** The value to use if the data is missing. */
  readonly fallback: { readonly value: unknown } | undefined;
  readonly required: boolean;
}

/** The failure of a node, which its error branch gets, or a part of it. */
export interface FailureSource {
  readonly kind: "failure";
  readonly key: string;
  readonly path: Path;
}

/** A value that a function computes from the output of a node. */
export interface ComputedSource {
  readonly kind: "computed";
  readonly key: string;
  readonly read: (whole: never) => unknown;
}

/** The first of several sources that is not missing. */
export interface FirstSource {
  readonly kind: "first";
  readonly sources: readonly FromSource[];
}

/** A constant. */
export interface ConstantSource {
  readonly kind: "constant";
  readonly value: unknown;
}

export type Source = FromSource | FailureSource | ComputedSource | FirstSource | ConstantSource;

/** The mapping of a node's input: one source for the whole, or a nested record of sources. */
export type MappingPlan = Source | RecordMapping;

export interface RecordMapping {
  readonly kind: "record";
  readonly fields: readonly (readonly [field: string, mapping: MappingPlan])[];
}

/** The key of the source in the results of `from`, `constant` and so on. */
export const mappingSource: unique symbol = Symbol.for("kumiko/mapping") as never;

/** Reads the mapping of a node. Throws for anything else. */
export function readMapping(key: string, given: unknown): MappingPlan {
  return readAt(key, given, [], new Set());
}

const advice = "A mapping is from(…), constant(…), firstOf(…), failureOf(…), or a record of these.";

function readAt(key: string, given: unknown, path: Path, around: Set<object>): MappingPlan {
  const field = path.join(".");
  if (typeof given !== "object" || given === null) throw invalidMapping(key, field, `is ${String(given)}. ${advice}`);
  if (mappingSource in given) return checkSource(key, field, given[mappingSource] as Source);
  if (!isPlainObject(given)) throw invalidMapping(key, field, `is not a plain record. ${advice}`);
  // in an object literal, `__proto__` sets the prototype instead of a field
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
    if (read === END) throw invalidMapping(key, field, "reads END, which has no output. Read the nodes before it.");
  return source;
}

/** The keys of the nodes that a mapping reads, with repetitions. */
export function keysOf(mapping: MappingPlan): string[] {
  return leavesOf(mapping).flatMap(({ source }) => {
    if (source.kind === "first") return source.sources.map(({ key }) => key);
    return source.kind === "constant" ? [] : [source.key];
  });
}

/** A source, and the field that it fills. */
interface Leaf {
  readonly source: Source;
  readonly field: Path;
}

/** All sources of a mapping, in order. */
export function leavesOf(mapping: MappingPlan, field: Path = []): Leaf[] {
  if (mapping.kind !== "record") return [{ source: mapping, field }];
  return mapping.fields.flatMap(([name, inner]) => leavesOf(inner, [...field, name]));
}
