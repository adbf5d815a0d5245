import type { StandardSchemaV1 } from "../schema/standard-schema.js";

/** Schemas of the input and output: types are inferred from them, and values are validated by them. */
export interface GraphOptions<I, O, Given, Result> {
  /** Validates, and may transform, the input. */
  readonly input?: StandardSchemaV1<Given, I> | undefined;
  /** Validates, and may transform, the output. */
  readonly output?: StandardSchemaV1<O, Result> | undefined;
}
