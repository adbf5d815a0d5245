import type { AgenticModel, ModelContext, ModelOptions } from "../components/model.js";
import { type Fields, isFields } from "../is.js";
import type { AgenticMessage } from "../schema/message/agentic-message.js";
import { concatMessages } from "../schema/message/concat.js";
import { StreamReader } from "../schema/stream/reader.js";
import { nameOf } from "./ai-sdk/answer-end.js";
import { AnswerReader } from "./ai-sdk/answer-reader.js";
import { AnswerStream } from "./ai-sdk/answer-stream.js";
import { callOptionsOf, unsupportedOptions } from "./ai-sdk/call-options.js";
import { ModelWarnings } from "./ai-sdk/model-warnings.js";
import { type AiSdkModel, requireAiSdkModel } from "./ai-sdk/provider-model.js";
import { noAnswer } from "./errors.js";

/**
 * Makes a model of one from a provider package of the AI SDK (specs V2, V3 and V4). What a provider sends and no block of ours
 * fits is kept as an `extension` block; what it wants back, such as signatures of reasoning, it gets back.
 *
 * @example
 * const app = new Chain<AgenticMessage[]>().appendModel(aiSdkModel(openai("gpt-5"))).compile();
 * const answer = await app.invoke([userMessage("Weather in Kyoto?")], { options: { model: { temperature: 0 } } });
 */
export function aiSdkModel(model: AiSdkModel): AgenticModel {
  return new AdaptedModel(requireAiSdkModel(model));
}

class AdaptedModel implements AgenticModel {
  readonly component = "model" as const;
  /** `openai.responses/gpt-5` */
  readonly type: string;
  readonly #model: AiSdkModel;
  readonly #warnings: ModelWarnings;

  constructor(model: AiSdkModel) {
    this.#model = model;
    this.type = nameOf(model);
    this.#warnings = new ModelWarnings(this.type);
  }

  async generate(messages: readonly AgenticMessage[], ctx: ModelContext): Promise<AgenticMessage> {
    const { signal } = ctx;
    signal.throwIfAborted();
    const answer = await this.#model.doGenerate(this.#callOptions(messages, ctx, signal) as never);
    if (!isFields(answer)) throw noAnswer(this.type, "doGenerate", answer);
    return concatMessages(this.#reader(ctx).readAnswer(answer));
  }

  stream(messages: readonly AgenticMessage[], ctx: ModelContext): StreamReader<AgenticMessage> {
    const { signal } = ctx;
    const open = (connection: AbortSignal) =>
      this.#model.doStream(this.#callOptions(messages, ctx, connection) as never);
    return new StreamReader(new AnswerStream({ model: this.type, reader: this.#reader(ctx), open, signal }));
  }

  #reader(ctx: ModelContext): AnswerReader {
    return new AnswerReader(this.#model, (warning) => this.#warnings.tell(warning, ctx));
  }

  #callOptions(messages: readonly AgenticMessage[], ctx: ModelContext, signal: AbortSignal): Fields {
    const options: ModelOptions = ctx.options;
    for (const text of unsupportedOptions(options, this.#model)) this.#warnings.tell(text, ctx);
    return callOptionsOf({ messages, options, signal }, this.#model);
  }
}
