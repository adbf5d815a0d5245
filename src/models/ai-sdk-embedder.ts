import type { NodeContext } from "../components/context.js";
import type { Embedder, EmbedderOptions } from "../components/retrieval.js";
import { isFields } from "../is.js";
import { withoutUndefined } from "../schema/without-undefined.js";
import { ModelWarnings } from "./ai-sdk/model-warnings.js";
import { type AiSdkEmbeddingModel, isAiSdkEmbeddingModel, providerModelName } from "./ai-sdk/provider-model.js";
import { notAModel, wrongEmbeddings } from "./errors.js";

/** Call options of an embedder of the AI SDK. */
export interface AiSdkEmbedderOptions extends EmbedderOptions {
  /** Headers of the request, in addition to those of the provider. */
  readonly headers?: Readonly<Record<string, string>> | undefined;
  /** Options of a single provider, by its name: `{ openai: { dimensions: 256 } }`. */
  readonly providerOptions?: Readonly<Record<string, Readonly<Record<string, unknown>>>> | undefined;
}

/**
 * Creates an embedder from an embedding model of a provider package of the AI SDK (specs V2, V3 and V4). If there are more
 * texts than the model accepts in one call, they are split into several calls, in parallel if the model allows it. The
 * vectors are in the order of the texts.
 *
 * @example
 * const embedder = aiSdkEmbedder(openai.embedding("text-embedding-3-small"));
 * const [vector] = await runnable(embedder).invoke(["Hello"]);
 */
export function aiSdkEmbedder(model: AiSdkEmbeddingModel): Embedder<AiSdkEmbedderOptions> {
  if (!isAiSdkEmbeddingModel(model)) throw notAModel(model, "aiSdkEmbedder", "doEmbed");
  return new AdaptedEmbedder(model);
}

type EmbedderContext = NodeContext<unknown, AiSdkEmbedderOptions>;
type Texts = readonly string[];

class AdaptedEmbedder implements Embedder<AiSdkEmbedderOptions> {
  readonly component = "embedder" as const;
  /** `openai.embedding/text-embedding-3-small` */
  readonly type: string;
  readonly #model: AiSdkEmbeddingModel;
  readonly #warnings: ModelWarnings;

  constructor(model: AiSdkEmbeddingModel) {
    this.#model = model;
    this.type = providerModelName(model);
    this.#warnings = new ModelWarnings(this.type);
  }

  async embed(texts: Texts, ctx: EmbedderContext): Promise<number[][]> {
    ctx.signal.throwIfAborted();
    if (texts.length === 0) return [];
    const most: unknown = await this.#model.maxEmbeddingsPerCall;
    const size = typeof most === "number" && most >= 1 ? Math.floor(most) : texts.length;
    const calls: Texts[] = [];
    for (let start = 0; start < texts.length; start += size) calls.push(texts.slice(start, start + size));
    const isParallel = calls.length > 1 && (await this.#model.supportsParallelCalls);
    const vectors = isParallel ? await this.#embedSideBySide(calls, ctx) : await this.#embedInTurn(calls, ctx);
    return vectors.flat();
  }

  async #embedInTurn(calls: readonly Texts[], ctx: EmbedderContext): Promise<number[][][]> {
    const vectors: number[][][] = [];
    for (const texts of calls) vectors.push(await this.#call(texts, ctx, ctx.signal));
    return vectors;
  }

  /** Runs all calls at once. The first failure aborts the others. */
  async #embedSideBySide(calls: readonly Texts[], ctx: EmbedderContext): Promise<number[][][]> {
    const stop = new AbortController();
    const signal = AbortSignal.any([ctx.signal, stop.signal]);
    try {
      return await Promise.all(calls.map((texts) => this.#call(texts, ctx, signal)));
    } catch (error) {
      stop.abort(new DOMException("Stopped, because another call of the same embedder has failed.", "AbortError"));
      throw error;
    }
  }

  async #call(texts: Texts, ctx: EmbedderContext, abortSignal: AbortSignal): Promise<number[][]> {
    abortSignal.throwIfAborted();
    const { headers, providerOptions } = ctx.options;
    const call = withoutUndefined({ values: [...texts], abortSignal, headers, providerOptions });
    const answer: unknown = await this.#model.doEmbed(call as never);
    const { embeddings, warnings } = isFields(answer) ? answer : {};
    if (Array.isArray(warnings)) for (const warning of warnings) this.#warnings.report(warning, ctx);
    if (!Array.isArray(embeddings) || embeddings.length !== texts.length) {
      throw wrongEmbeddings(this.type, texts.length, embeddings);
    }
    return embeddings;
  }
}
