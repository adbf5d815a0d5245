import type { AnyStandardSchema, JsonSchema, SchemaInput, SchemaOutput } from "../../schema/standard-schema.js";
import type { Untyped } from "../untyped.js";

/** @internal */
export type AnySchema = AnyStandardSchema | JsonSchema;

/** The output type of a schema; untyped for a JSON Schema, or without a schema. @internal */
export type ParsedBy<Schema> = Schema extends AnyStandardSchema ? SchemaOutput<Schema> : Untyped;
/** The input type of a schema; untyped for a JSON Schema, or without a schema. @internal */
export type AcceptedBy<Schema> = Schema extends AnyStandardSchema ? SchemaInput<Schema> : Untyped;
