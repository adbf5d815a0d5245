import { isPlainObject } from "../is.js";
import { schemaProblem } from "../schema/json-schema/schema-problem.js";
import type { AnyStandardSchema, JsonSchema } from "../schema/standard-schema.js";
import { invalidModelOption } from "./errors.js";

/** Throws if a value is not a schema. `where` begins the sentence: `The output of agent "a"`. */
export function checkOutputSchema(where: string, given: unknown): asserts given is AnyStandardSchema | JsonSchema {
  if (isPlainObject(given) && "responseFormat" in given && "parseCompleteOutput" in given) {
    throw invalidModelOption(
      `${where} is an output specification of the AI SDK. Pass the schema from which it was made instead.`,
    );
  }
  const problem = schemaProblem(given);
  if (problem !== undefined) throw invalidModelOption(`${where} ${problem}`);
}
