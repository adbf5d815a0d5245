import type { mappingSource } from "../../plan/mapping.js";

declare const told: unique symbol;
declare const reasons: unique symbol;

/** Where a field of an input comes from. `Reasons`: the nodes that it is a reason to run after. */
export interface AnySource<out Reasons = unknown> {
  readonly [mappingSource]: unknown;
  readonly [reasons]: Reasons;
}

/** The nodes that a source is a reason to run after. */
export type ReasonsIn<Source extends AnySource> = Source[typeof reasons];

/** What `from(…)` gives. */
export interface From<
  out Key extends string = string,
  out Path extends string = string,
  out DataOnly = unknown,
  out Default = unknown,
  out Required = unknown,
> extends AnySource<DataOnly extends true ? never : Key> {
  readonly [told]: { readonly from: Key; readonly path: Path; readonly default: Default; readonly required: Required };
}

/** Names the failure of a node where keys of nodes stand. */
export type FailureKey<Key extends string> = `failure of ${Key}`;

/** What `failureOf(…)` gives. */
export interface FailureOf<out Key extends string = string, out Path extends string = string>
  extends AnySource<FailureKey<Key>> {
  readonly [told]: { readonly failed: Key; readonly path: Path };
}

/** What `value(…)` gives. */
export interface Constant<out T = unknown> extends AnySource<never> {
  readonly [told]: { readonly value: T };
}

/** What `extract(…)` gives. */
export interface Extracted<out Key extends string = string, in Whole = never, out Made = unknown>
  extends AnySource<Key> {
  readonly [told]: { readonly extract: Key; readonly whole: (whole: Whole) => void; readonly made: Made };
}

/** What `firstOf(…)` gives. */
export interface FirstOf<out Froms extends readonly AnySource[] = readonly AnySource[]>
  extends AnySource<ReasonsIn<Froms[number]>> {
  readonly [told]: { readonly first: Froms };
}

/** What a source says of itself. */
export type Told<Source> = Source extends { readonly [told]: infer Said } ? Said : never;

/** What a node's input is made of: one source for the whole, or a record, nested at will, with a source per field. */
export type Mapping = AnySource | MappingRecord;

export interface MappingRecord {
  readonly [field: string]: Mapping;
}
