import type { Question } from "../../checkpoint/document/snapshot.js";
import { answerDoesNotParse } from "../../checkpoint/errors.js";
import type { Invocation } from "../../checkpoint/pause/invocation.js";
import type { Runtime } from "../../compose/runtime.js";
import type { AnyStandardSchema, JsonSchema } from "../../schema/standard-schema.js";
import { checkJson } from "../../schema/validation/revive-dates.js";
import { schemaCheck } from "../../schema/validation/schema-check.js";
import { issueText } from "../../wording.js";

export type AnySchema = AnyStandardSchema | JsonSchema;

/** The context that asked. */
export interface AnsweringContext {
  readonly address: string;
  readonly runtime: Runtime;
  readonly invocation: Invocation;
}

export type ParseAnswer = (
  context: AnsweringContext,
  asked: Question,
  schema: AnySchema,
  data: unknown,
) => Promise<unknown>;

/** The code may know more than the JSON Schema that the answer has passed: refinements, transforms, classes. */
export const parseAnswer: ParseAnswer = async (context, asked, schema, data) => {
  const check = schemaCheck(schema, () => asked.schema ?? {});
  const checker = { validator: context.runtime.schemaValidator, unchecked: ignore };
  const checked = await checkJson(check, data, () => asked.schema, checker);
  if (checked.issues === undefined) return checked.value;
  context.invocation.reopen(asked);
  throw answerDoesNotParse(`ask("${asked.key}")`, context.address, checked.issues.map(issueText));
};

/** What cannot be checked of a plain schema was so when the question was asked. */
function ignore(): void {}
