import type { AnyStandardSchema, JsonSchema, SchemaInput, SchemaOutput } from "../../schema/standard-schema.js";
import type { Untyped } from "../untyped.js";

export type AnySchema = AnyStandardSchema | JsonSchema;

/** What a schema makes of a value; without a schema that says it, anything. */
export type ParsedBy<Schema> = Schema extends AnyStandardSchema ? SchemaOutput<Schema> : Untyped;
/** What a schema takes. */
export type AcceptedBy<Schema> = Schema extends AnyStandardSchema ? SchemaInput<Schema> : Untyped;
