import type { AgenticModel, ModelContext, ModelOptions } from "../../components/model.js";
import { type Fields, isFields } from "../../is.js";
import type { AgenticMessage } from "../../schema/message/agentic-message.js";
import { StreamReader } from "../../schema/stream/reader.js";
import { noAnswer } from "../errors.js";
import { abortStateOf } from "../model-attempts.js";
import { AnswerReader } from "./answer-reader.js";
import { ProviderAnswerStream } from "./answer-stream.js";
import { type Call, callOptionsOf, unsupportedOptions } from "./call-options.js";
import { ModelWarnings } from "./model-warnings.js";
import { type AiSdkModel, providerModelName } from "./provider-model.js";

/** Adapts a model of a provider package: converts messages to prompts, and answers to messages. */
export class AdaptedModel implements AgenticModel {
  readonly component = "model" as const;
  /** `openai.responses/gpt-5` */
  readonly type: string;
  readonly #model: AiSdkModel;
  readonly #warnings: ModelWarnings;

  constructor(model: AiSdkModel) {
    this.#model = model;
    this.type = providerModelName(model);
    this.#warnings = new ModelWarnings(this.type);
  }

  async generate(messages: readonly AgenticMessage[], ctx: ModelContext): Promise<AgenticMessage> {
    abortStateOf(ctx).throwIfAborted();
    const answer = await this.#model.doGenerate(this.#callOptions(messages, ctx, ctx) as never);
    if (!isFields(answer)) throw noAnswer(this.type, "doGenerate", answer);
    return this.#reader(ctx).readAnswer(answer);
  }

  stream(messages: readonly AgenticMessage[], ctx: ModelContext): StreamReader<AgenticMessage> {
    const { signal } = ctx;
    const open = (stop: Call["stop"]) => this.#model.doStream(this.#callOptions(messages, ctx, stop) as never);
    return new StreamReader(new ProviderAnswerStream({ model: this.type, reader: this.#reader(ctx), open, signal }));
  }

  #reader(ctx: ModelContext): AnswerReader {
    return new AnswerReader(this.#model, (warning) => this.#warnings.report(warning, ctx));
  }

  #callOptions(messages: readonly AgenticMessage[], ctx: ModelContext, stop: Call["stop"]): Fields {
    const options: ModelOptions = ctx.options;
    for (const text of unsupportedOptions(options, this.#model)) this.#warnings.report(text, ctx);
    return callOptionsOf({ messages, options, stop }, this.#model);
  }
}
