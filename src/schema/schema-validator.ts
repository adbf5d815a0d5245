import type { StandardIssue } from "./standard-schema.js";

/**
 * Checks values against plain JSON Schemas. The default, `JsonSchemaValidator`, uses ajv, which generates code, or an interpreter
 * where that is not allowed.
 */
export interface SchemaValidator {
  /** Compiles a schema to a function that returns the issues of a value, or `undefined` if it fits. Throws for an invalid schema. */
  compile(schema: object): CompiledSchema | Promise<CompiledSchema>;
  /**
   * Compiles what can be checked of a schema, and lists the rest, so that third-party tools work although a part of their schema is
   * not supported. Without this method, such a schema is an error.
   */
  compileLoosely?(schema: object): LooseSchema | Promise<LooseSchema>;
}

/** Returns the issues of a value, or `undefined` if it fits. */
export type CompiledSchema = (value: unknown) => readonly StandardIssue[] | undefined;

/** A schema of which some parts may not be checked. */
export interface LooseSchema {
  /** Returns the problems of a value; `undefined` if there are none. */
  readonly check: CompiledSchema;
  /** The parts that are not checked. */
  readonly unchecked: readonly UncheckedPart[];
}

/** A part of a schema that is not checked. */
export interface UncheckedPart {
  /** The JSON Pointer of the part, such as `/properties/zip/pattern`; `""` for the whole schema. */
  readonly path: string;
  /** Why the part is not checked. */
  readonly reason: string;
}
