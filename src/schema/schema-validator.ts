import type { StandardIssue } from "./standard-schema.js";

/**
 * Checks values against plain JSON Schemas. The default uses ajv, which generates code: give your own where that is not
 * allowed.
 */
export interface SchemaValidator {
  /** Compiles a schema once; the result gives the issues of a value, or `undefined` when it fits. Throws on a bad schema. */
  compile(
    schema: object,
  ):
    | ((value: unknown) => readonly StandardIssue[] | undefined)
    | Promise<(value: unknown) => readonly StandardIssue[] | undefined>;
}
