import type { AgenticModel, ModelContext, ModelOptions } from "../components/model.js";
import { type AgenticMessage, isAgenticMessage } from "../schema/message/agentic-message.js";
import { StreamReader } from "../schema/stream/reader.js";
import { inContext } from "./component-stage.js";
import { type ConformanceCheck, checkedCase, expectSame, expectThat, rejectionOf, soon } from "./conformance.js";
import { deepEqual } from "./deep-equal.js";
import { differs } from "./errors.js";

/** A case of `modelConformance`. */
export interface ModelCase<Options> {
  /** The messages to send. The model must always return the same answer: use a fake or recorded service. */
  readonly messages: readonly AgenticMessage[];
  /** The call options in the context. */
  readonly options?: Options | undefined;
  /** Compares the concatenated stream with the generated message. @default deep equality */
  readonly equals?: ((streamed: AgenticMessage, generated: AgenticMessage) => boolean) | undefined;
}

/**
 * Checks for an `AgenticModel`, for any test runner: it returns assistant messages, its chunks concatenate to the message of
 * `generate`, and calls can be aborted. `make` is called for each check.
 *
 * @example
 * const hello = () => assistantMessage("Hello!");
 * const checks = modelConformance(() => scriptedModel(hello, hello), { messages: [userMessage("Hi")] });
 * for (const { run } of checks) await run();
 */
export function modelConformance<Options = ModelOptions>(
  make: () => AgenticModel<Options>,
  modelCase: ModelCase<Options>,
): ConformanceCheck[] {
  const given = checkedCase("modelConformance", make, modelCase, { messages: '[userMessage("Hi")]' });
  const { messages, options = {}, equals = deepEqual } = given;
  const check = (name: string, run: (asked: ModelStage<Options>) => Promise<void>): ConformanceCheck => ({
    name,
    run: () => run(new ModelStage(make(), options)),
  });
  return [
    check('has the component "model"', async ({ model }) => expectSame(model.component, "model", "The component")),
    check("generate returns an assistant message", async (asked) => {
      expectAssistant(await asked.generate(messages), "The result of generate");
    }),
    check("stream returns chunks of an assistant message", async (asked) => {
      const chunks = await asked.chunks(messages);
      expectThat(chunks.length > 0, "The stream is empty.");
      for (const chunk of chunks) expectAssistant(chunk, "A chunk of the stream");
    }),
    check("the chunks of stream concatenate to the message of generate", async (asked) => {
      const streamed = await StreamReader.from(await asked.chunks(messages)).concat();
      const generated = await asked.generate(messages);
      if (!equals(streamed, generated))
        throw differs("The concatenated chunks are not the message that generate returns", streamed, generated);
    }),
    check("does not change the given messages", async (asked) => {
      const given = structuredClone(messages);
      await asked.generate(given);
      await asked.chunks(given);
      expectThat(deepEqual(given, messages), "The messages have changed.");
    }),
    check("a stream can be cancelled after its first chunk", async (asked) => {
      await asked.firstChunk(messages);
    }),
    check("generate rejects when its signal is aborted", async (asked) => {
      await rejectionOf(asked.generate(messages, AbortSignal.abort()), "generate with an aborted signal");
    }),
    check("stream rejects when its signal is aborted", async (asked) => {
      await rejectionOf(asked.chunks(messages, AbortSignal.abort()), "Reading stream with an aborted signal");
    }),
  ];
}

/** A model under test. */
class ModelStage<Options> {
  readonly model: AgenticModel<Options>;
  readonly #options: unknown;

  constructor(model: AgenticModel<Options>, options: unknown) {
    this.model = model;
    this.#options = options;
  }

  generate(messages: readonly AgenticMessage[], signal?: AbortSignal): Promise<AgenticMessage> {
    return soon(
      this.#inContext(signal, (ctx) => this.model.generate(messages, ctx)),
      "generate",
    );
  }

  chunks(messages: readonly AgenticMessage[], signal?: AbortSignal): Promise<AgenticMessage[]> {
    const read = async (ctx: ModelContext<Options>): Promise<AgenticMessage[]> => {
      const chunks: AgenticMessage[] = [];
      for await (const chunk of this.#open(messages, ctx)) chunks.push(chunk);
      return chunks;
    };
    return soon(this.#inContext(signal, read), "stream");
  }

  firstChunk(messages: readonly AgenticMessage[]): Promise<AgenticMessage | undefined> {
    const read = async (ctx: ModelContext<Options>): Promise<AgenticMessage | undefined> => {
      for await (const chunk of this.#open(messages, ctx)) return chunk;
      return undefined;
    };
    return soon(this.#inContext(undefined, read), "Leaving stream after its first chunk");
  }

  /** Reads the stream without a StreamReader if possible, so that errors on early return are noticed. */
  #open(messages: readonly AgenticMessage[], ctx: ModelContext<Options>): AsyncIterable<AgenticMessage> {
    const stream = this.model.stream(messages, ctx);
    return Symbol.asyncIterator in stream ? stream : StreamReader.from(stream);
  }

  #inContext<T>(signal: AbortSignal | undefined, use: (ctx: ModelContext<Options>) => Promise<T>): Promise<T> {
    const fields = signal === undefined ? { options: this.#options } : { options: this.#options, signal };
    return inContext(fields, use);
  }
}

function expectAssistant(message: unknown, what: string): void {
  expectThat(isAgenticMessage(message), `${what} is not a message.`);
  expectSame((message as AgenticMessage).role, "assistant", `The role of ${what.toLowerCase()}`);
}
