import type { AgenticModel, ModelOptions } from "../components/model.js";
import { toJsonSchema } from "../schema/json-schema/convert.js";
import { userMessage } from "../schema/message/construct-message.js";
import { textOf } from "../schema/message/read-message.js";
import type { AnyStandardSchema, JsonSchema } from "../schema/standard-schema.js";
import { schemaCheck } from "../schema/validation/schema-check.js";
import { issueText } from "../wording.js";
import { contextFor, type PartialContext } from "./lone-context.js";

export interface AskOptions {
  readonly ctx?: PartialContext | undefined;
  readonly signal?: AbortSignal | undefined;
}

/** Asks a model one question and returns the text of its answer. */
export async function askModel(model: AgenticModel, question: string, { ctx, signal }: AskOptions): Promise<string> {
  const options: ModelOptions = {};
  return textOf(await model.generate([userMessage(question)], contextFor(ctx, options, signal))).trim();
}

/** Asks a model for JSON and validates it against the schema. */
export async function askModelForJson(
  model: AgenticModel,
  question: string,
  schema: AnyStandardSchema | JsonSchema,
  options: AskOptions,
): Promise<unknown> {
  const plain = toJsonSchema(schema);
  const prompt = `${question}\n\nAnswer with JSON only, which fits this JSON Schema:\n${JSON.stringify(plain)}`;
  const answer = await askModel(model, prompt, options);
  const value = parseAnswer(answer);
  const checked = await schemaCheck(schema, () => plain).check(value, { validator: undefined });
  if (checked.issues !== undefined)
    throw new Error(`The answer does not match the schema: ${checked.issues.map(issueText).join("; ")}`);
  return checked.value;
}

/** Models often wrap JSON in a code fence. */
function parseAnswer(answer: string): unknown {
  const [, fenced = answer] = /^```\w*\s*\n([\s\S]*?)\n?```$/.exec(answer) ?? [];
  return JSON.parse(fenced);
}
