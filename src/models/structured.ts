import { checkOptions } from "../check-options.js";
import type { NodeContext } from "../components/context.js";
import type { AgenticModel, ModelOptions } from "../components/model.js";
import { runnable } from "../compose/component-runnable.js";
import { lambda } from "../compose/lambda.js";
import type { RunOptions } from "../compose/options.js";
import type { Runnable } from "../compose/runnable.js";
import type { AgenticMessage } from "../schema/message/agentic-message.js";
import { concatMessages } from "../schema/message/concat.js";
import { userMessage } from "../schema/message/construct-message.js";
import { textOf } from "../schema/message/read-message.js";
import type { AnyStandardSchema, JsonSchema, SchemaOutput } from "../schema/standard-schema.js";
import { issueList } from "../wording.js";
import { requireModelOptions, requireNumber, requireWhole } from "./check-options.js";
import { checkOutputSchema } from "./check-output-schema.js";
import { GrowingOutput } from "./growing-output.js";
import { InvalidOutputError } from "./invalid-output-error.js";
import type { Model } from "./model.js";
import { OutputSchema } from "./output-schema.js";
import { validatorOf } from "./runtime-parts.js";
import { modelFrom } from "./to-model.js";

/** @internal */
type Messages = readonly AgenticMessage[];

/** Options of {@link structured}. */
export interface StructuredOptions {
  /** How often the model may correct an answer that does not match. @default 1 */
  readonly outputRepairs?: number | undefined;
  /** The options of the model calls. The schema defines the response format. */
  readonly modelOptions?: ModelOptions | undefined;
}

/**
 * Creates a Runnable that returns the answer of a model as a value of a schema. An answer that does not match is sent back
 * to the model with the errors; after the last repair, the call fails with an {@link InvalidOutputError}. `stream` emits
 * the growing value, and the validated one last. If the top level of the schema is not an object, it is wrapped in one for
 * the model and unwrapped again.
 *
 * @example
 * const forecast = structured(model, z.object({ city: z.string(), celsius: z.number() }));
 * const { celsius } = await forecast.invoke([userMessage("Weather in Kyoto?")]);
 */
export function structured<const S extends AnyStandardSchema | JsonSchema>(
  model: Model,
  schema: S,
  options: StructuredOptions = {},
): Runnable<Messages, SchemaOutput<S>> {
  checkOptions("structured", options, ["outputRepairs", "modelOptions"]);
  const { outputRepairs = 1, modelOptions = {} } = options;
  requireNumber("structured", { outputRepairs }, 0);
  requireWhole("structured", "outputRepairs", outputRepairs);
  requireModelOptions("modelOptions of structured", modelOptions, ["responseFormat"]);
  checkOutputSchema("The schema of structured", schema);
  const output = new OutputSchema(schema);
  const asked = new StructuredModel(modelFrom(model, "structured"), output, { outputRepairs, modelOptions });
  return lambda(
    {
      invoke: (messages: Messages, ctx) => asked.invoke(messages, ctx) as Promise<SchemaOutput<S>>,
      stream: (messages: Messages, ctx) => asked.stream(messages, ctx) as AsyncGenerator<SchemaOutput<S>, void>,
    },
    { concat: "last", type: "Structured" },
  );
}

type Settings = { readonly [Name in keyof StructuredOptions]-?: NonNullable<StructuredOptions[Name]> };

class StructuredModel {
  readonly #model: Runnable<Messages, AgenticMessage>;
  readonly #schema: OutputSchema;
  readonly #settings: Settings;

  constructor(model: AgenticModel, schema: OutputSchema, settings: Settings) {
    this.#model = runnable<Messages, AgenticMessage>(model, { name: "answer" });
    this.#schema = schema;
    this.#settings = settings;
  }

  async invoke(messages: Messages, ctx: NodeContext): Promise<unknown> {
    const dialog = new Dialog(messages, this.#schema, this.#settings.outputRepairs, ctx);
    for (;;) {
      const answer = await this.#model.invoke(dialog.messages, this.#optionsOf(dialog, ctx));
      const accepted = await dialog.read(answer);
      if (accepted !== undefined) return accepted.value;
    }
  }

  async *stream(messages: Messages, ctx: NodeContext): AsyncGenerator<unknown, void> {
    const dialog = new Dialog(messages, this.#schema, this.#settings.outputRepairs, ctx);
    for (;;) {
      const growing = new GrowingOutput(this.#schema);
      const chunks: AgenticMessage[] = [];
      for await (const chunk of this.#model.stream(dialog.messages, this.#optionsOf(dialog, ctx))) {
        chunks.push(chunk);
        const grown = growing.add(chunk);
        if (grown !== undefined) yield grown.value;
      }
      const accepted = await dialog.read(concatMessages(chunks));
      if (accepted !== undefined) {
        yield accepted.value;
        return;
      }
    }
  }

  #optionsOf({ number }: Dialog, ctx: NodeContext): RunOptions {
    const responseFormat = { type: "json", schema: this.#schema.formatSchema, name: "output" } as const;
    return {
      parent: ctx,
      key: `answer ${number}`,
      options: { model: { ...this.#settings.modelOptions, responseFormat } },
    };
  }
}

/** The conversation with the model, until an answer matches the schema. */
class Dialog {
  messages: Messages;
  /** The number of the current answer. */
  number = 1;
  readonly #schema: OutputSchema;
  readonly #repairs: number;
  readonly #ctx: NodeContext;

  constructor(messages: Messages, schema: OutputSchema, repairs: number, ctx: NodeContext) {
    this.messages = messages;
    this.#schema = schema;
    this.#repairs = repairs;
    this.#ctx = ctx;
  }

  /** Returns the value of a valid answer. Otherwise adds the errors to the messages, or throws if no repairs are left. */
  async read(answer: AgenticMessage): Promise<{ readonly value: unknown } | undefined> {
    const text = outputTextOf(answer);
    const output = await this.#schema.read(text, { validator: validatorOf(this.#ctx) });
    if (output.issues === undefined) return output;
    const explained = issueList(output.issues);
    if (this.number > this.#repairs) throw new InvalidOutputError(text, output.issues, explained, this.#repairs);
    this.number += 1;
    this.messages = [...this.messages, ...withoutCalls(answer), userMessage(repairRequest + explained)];
    return undefined;
  }
}

const repairRequest =
  "Your answer does not fit the JSON Schema of the output. Answer again with nothing but the JSON. Wrong are:";

/** The text of the output, which some providers mark. */
function outputTextOf({ extra, ...message }: AgenticMessage): string {
  return typeof extra?.structuredOutputText === "string" ? extra.structuredOutputText : textOf(message);
}

/** Removes tool calls, because a call must not be sent back without its result. */
function withoutCalls(answer: AgenticMessage): AgenticMessage[] {
  const contentBlocks = answer.contentBlocks.filter(({ type }) => type !== "function_tool_call");
  return contentBlocks.length === 0 ? [] : [{ ...answer, contentBlocks }];
}
