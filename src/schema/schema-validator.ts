import type { StandardIssue } from "./standard-schema.js";

/**
 * Checks values against plain JSON Schemas. The default uses ajv, which generates code, and an interpreter where that is not
 * allowed.
 */
export interface SchemaValidator {
  /** Compiles a schema once; the result gives the issues of a value, or `undefined` when it fits. Throws on a bad schema. */
  compile(
    schema: object,
  ):
    | ((value: unknown) => readonly StandardIssue[] | undefined)
    | Promise<(value: unknown) => readonly StandardIssue[] | undefined>;
  /**
   * Compiles what can be checked of a schema, and names the rest: tools that others have written are not unusable because of
   * a part that no validator here knows. Without it, such a schema is an error.
   */
  compileLoosely?(schema: object): LooseSchema | Promise<LooseSchema>;
}

/** A schema as far as it can be checked. */
export interface LooseSchema {
  readonly check: (value: unknown) => readonly StandardIssue[] | undefined;
  readonly unchecked: readonly UncheckedPart[];
}

/** A part of a schema by which nothing is checked. */
export interface UncheckedPart {
  /** Where it stands in the schema, as a JSON Pointer: `/properties/zip/pattern`; the whole schema is `""`. */
  readonly path: string;
  readonly reason: string;
}
