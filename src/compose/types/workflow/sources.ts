import type { mappingSource } from "../../plan/mapping.js";

declare const told: unique symbol;
declare const reasons: unique symbol;

/** A source of a field of an input. `Reasons` are the nodes that it makes the reader run after. */
export interface AnySource<out Reasons = unknown> {
  readonly [mappingSource]: unknown;
  readonly [reasons]: Reasons;
}

/** The nodes that a source makes its reader run after. @internal */
export type ReasonsIn<Source extends AnySource> = Source[typeof reasons];

/** The result of `from(…)`. */
export interface From<
  out Key extends string = string,
  out Path extends string = string,
  out DataOnly = unknown,
  out Default = unknown,
  out Required = unknown,
> extends AnySource<DataOnly extends true ? never : Key> {
  readonly [told]: { readonly from: Key; readonly path: Path; readonly default: Default; readonly required: Required };
}

/** The key that stands for the failure of a node among node keys. */
export type FailureKey<Key extends string> = `failure of ${Key}`;

/** The result of `failureOf(…)`. */
export interface FailureOf<out Key extends string = string, out Path extends string = string>
  extends AnySource<FailureKey<Key>> {
  readonly [told]: { readonly failed: Key; readonly path: Path };
}

/** The result of `constant(…)`. */
export interface Constant<out T = unknown> extends AnySource<never> {
  readonly [told]: { readonly value: T };
}

/** The result of `from(key, function)`. */
export interface Computed<out Key extends string = string, in Whole = never, out Made = unknown>
  extends AnySource<Key> {
  readonly [told]: { readonly computed: Key; readonly whole: (whole: Whole) => void; readonly made: Made };
}

/** The result of `firstOf(…)`. */
export interface FirstOf<out Froms extends readonly AnySource[] = readonly AnySource[]>
  extends AnySource<ReasonsIn<Froms[number]>> {
  readonly [told]: { readonly first: Froms };
}

/** The type information that a source carries. */
export type Told<Source> = Source extends { readonly [told]: infer Said } ? Said : never;

/** The mapping of a node's input: one source for the whole, or a record, which may be nested, with a source per field. */
export type Mapping = AnySource | MappingRecord;

/** A mapping with a source per field. */
export interface MappingRecord {
  readonly [field: string]: Mapping;
}
