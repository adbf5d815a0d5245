import type { Question } from "../../checkpoint/document/snapshot.js";
import { answerDoesNotParse } from "../../checkpoint/errors.js";
import type { Visit } from "../../checkpoint/pause/invocation.js";
import type { Runtime } from "../../compose/runtime.js";
import { issueText } from "../../schema/issue-text.js";
import type { AnyStandardSchema, JsonSchema } from "../../schema/standard-schema.js";
import { checkJson } from "../../schema/validation/revive-dates.js";
import { schemaCheck } from "../../schema/validation/schema-check.js";

export type AnySchema = AnyStandardSchema | JsonSchema;

/** The place that asked. */
export interface AnsweredPlace {
  readonly address: string;
  readonly runtime: Runtime;
  readonly visit: Visit;
}

export type ParseAnswer = (place: AnsweredPlace, asked: Question, schema: AnySchema, data: unknown) => Promise<unknown>;

/** The code may know more than the JSON Schema that the answer has passed: refinements, transforms, classes. */
export const parseAnswer: ParseAnswer = async (place, asked, schema, data) => {
  const check = schemaCheck(schema, () => asked.schema ?? {});
  const checked = await checkJson(check, data, () => asked.schema, { validator: place.runtime.schemaValidator });
  if (checked.issues === undefined) return checked.value;
  place.visit.reopen(asked);
  throw answerDoesNotParse(`ask("${asked.key}")`, place.address, checked.issues.map(issueText));
};
