import type { Question } from "../../checkpoint/document/snapshot.js";
import { answerDoesNotParse } from "../../checkpoint/errors.js";
import type { Invocation } from "../../checkpoint/pause/invocation.js";
import { clientFailureIn } from "../../components/client-failure.js";
import type { Runtime } from "../../compose/runtime.js";
import type { AnyStandardSchema, JsonSchema } from "../../schema/standard-schema.js";
import { checkJson } from "../../schema/validation/check-json.js";
import { schemaCheck } from "../../schema/validation/schema-check.js";
import { issueText } from "../../wording.js";

export type AnswerSchema = AnyStandardSchema | JsonSchema;

/** The parts of the asking context that are used here. */
export interface AnsweringContext {
  readonly address: string;
  readonly runtime: Runtime;
  readonly invocation: Invocation;
}

export type ParseAnswer = (
  context: AnsweringContext,
  asked: Question,
  schema: AnswerSchema,
  data: unknown,
) => Promise<unknown>;

/** Parses an answer with the schema in code, which may do more than the JSON Schema it has passed: refine, transform. */
export const parseAnswer: ParseAnswer = async (context, asked, schema, data) => {
  // the client's tool has failed: there is no output to parse
  if (clientFailureIn(asked.info, data) !== undefined) return data;
  const check = schemaCheck(schema, () => asked.schema ?? {});
  const checker = { validator: context.runtime.schemaValidator, unchecked: ignore };
  const checked = await checkJson(check, data, () => asked.schema, checker);
  if (checked.issues === undefined) return checked.value;
  context.invocation.reopen(asked);
  throw answerDoesNotParse(`ask("${asked.key}")`, context.address, checked.issues.map(issueText));
};

/** Keywords of a plain schema that cannot be checked are ignored, as they were when the question was asked. */
function ignore(): void {}
