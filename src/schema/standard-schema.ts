/** The Standard Schema interface: a schema that validates, under `~standard`. */
export interface StandardSchemaV1<Input = unknown, Output = Input> {
  /** The properties of the interface, with `validate`. */
  readonly "~standard": StandardProps<Input, Output> & {
    readonly validate: (
      value: unknown,
      options?: { readonly libraryOptions?: Record<string, unknown> | undefined } | undefined,
    ) => StandardResult<Output> | Promise<StandardResult<Output>>;
  };
}

/** The Standard JSON Schema interface: a schema that converts to JSON Schema, under `~standard`. */
export interface StandardJSONSchemaV1<Input = unknown, Output = Input> {
  /** The properties of the interface, with `jsonSchema`. */
  readonly "~standard": StandardProps<Input, Output> & {
    readonly jsonSchema: {
      readonly input: (options: StandardJSONSchemaOptions) => Record<string, unknown>;
      readonly output: (options: StandardJSONSchemaOptions) => Record<string, unknown>;
    };
  };
}

/** Options of a conversion to JSON Schema. */
export interface StandardJSONSchemaOptions {
  /** The dialect to convert to. */
  readonly target: "draft-2020-12" | "draft-07" | "openapi-3.0" | (string & {});
  /** Options of the schema library. */
  readonly libraryOptions?: Record<string, unknown> | undefined;
}

/** The properties that both Standard Schema interfaces share. */
export interface StandardProps<Input, Output> {
  /** The version of the interface. */
  readonly version: 1;
  /** The name of the schema library. */
  readonly vendor: string;
  /** The input and output types, for inference only: there is no value at run time. */
  readonly types?: { readonly input: Input; readonly output: Output } | undefined;
}

/** The result of a validation: the output, or the issues. */
export type StandardResult<Output> =
  | { readonly value: Output; readonly issues?: undefined }
  | {
      /** What is wrong; missing if the value fits. */
      readonly issues: readonly StandardIssue[];
    };

/** One issue of a validation. */
export interface StandardIssue {
  /** What is wrong. */
  readonly message: string;
  /** Where it is in the value. */
  readonly path?: readonly (PropertyKey | { readonly key: PropertyKey })[] | undefined;
}

/** Any schema with `~standard`, whether it validates, converts, or both. The constraint from which builders infer types. */
export interface AnyStandardSchema {
  /** The properties that both interfaces share. */
  readonly "~standard": {
    readonly version: 1;
    readonly vendor: string;
    readonly types?: { readonly input: unknown; readonly output: unknown } | undefined;
  };
}

/** The input type of a schema. */
export type SchemaInput<Schema> = Schema extends { readonly "~standard": { readonly types?: infer Types } }
  ? NonNullable<Types> extends { readonly input: infer Input }
    ? Input
    : unknown
  : unknown;

/** The output type of a schema, after defaults and transforms. */
export type SchemaOutput<Schema> = Schema extends { readonly "~standard": { readonly types?: infer Types } }
  ? NonNullable<Types> extends { readonly output: infer Output }
    ? Output
    : unknown
  : unknown;

/**
 * `unknown` for a schema; for a record of schemas, such as `{ city: z.string() }`, a sentence that no value has, because it would pass
 * as a JSON Schema that accepts everything. Intersected with the type of an option.
 *
 * @internal
 */
export type OnlySchema<Schema> = Schema extends AnyStandardSchema
  ? unknown
  : [SchemaKeys<Schema>] extends [never]
    ? unknown
    : "This is a record of schemas, not a schema. Wrap it: z.object({ … }).";

/** The keys that hold schemas of a library. (`any`, as in a JSON Schema without a type, is none.) */
type SchemaKeys<Schema> = {
  [Key in keyof Schema]-?: unknown extends Schema[Key] ? never : Schema[Key] extends AnyStandardSchema ? Key : never;
}[keyof Schema];

/** A plain JSON Schema document (draft 2020-12 or draft-07). */
export interface JsonSchema {
  readonly [keyword: string]: unknown;
}

/** Whether a value is a Standard Schema. (Those of ArkType are functions.) */
export function isStandardSchema(value: unknown): value is AnyStandardSchema {
  if ((typeof value !== "object" && typeof value !== "function") || value === null) return false;
  const standard: unknown = "~standard" in value ? value["~standard"] : undefined;
  return typeof standard === "object" && standard !== null && "vendor" in standard;
}
