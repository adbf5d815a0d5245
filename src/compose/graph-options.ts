import type { StandardSchemaV1 } from "../schema/standard-schema.js";

/** Schemas of the two ends: types are inferred from them, values are checked with them. */
export interface GraphOptions<I, O, Given, Result> {
  /** Checks (and may change) what comes in. */
  readonly input?: StandardSchemaV1<Given, I> | undefined;
  /** Checks (and may change) what goes out. */
  readonly output?: StandardSchemaV1<O, Result> | undefined;
}
