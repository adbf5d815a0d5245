import type { Embedder, EmbedderOptions } from "../../components/retrieval.js";
import { notAnEmbedder } from "../errors.js";
import { contextFor, type PartialContext } from "../lone-context.js";

/** An embedding model of the AI SDK, of any version that has `doEmbed`. */
export interface EmbeddingModelLike {
  /** The name of the model. */
  readonly modelId: string;
  /** The largest number of texts in one request. */
  readonly maxEmbeddingsPerCall?: PromiseLike<number | undefined> | number | undefined;
  /** Whether requests may be sent at the same time. */
  readonly supportsParallelCalls?: PromiseLike<boolean> | boolean | undefined;
  /** Computes the vectors of texts. */
  doEmbed(options: { values: string[]; abortSignal?: AbortSignal }): PromiseLike<{ readonly embeddings: number[][] }>;
}

/** An embedder component, or an embedding model of the AI SDK. */
export type AnyEmbedder = Embedder | EmbeddingModelLike;

/** The common form of both kinds of embedder. */
export interface PlainEmbedder {
  /** The maximum number of texts per call; `undefined` means no limit. */
  readonly mostTexts: number | undefined;
  readonly isParallel: boolean;
  embed(texts: readonly string[], signal: AbortSignal): Promise<readonly (readonly number[])[]>;
}

/** Whether a value is an embedder of either kind. */
export function isEmbedder(value: unknown): value is AnyEmbedder {
  return isComponent(value) || isAiSdkModel(value);
}

export async function plainEmbedder(embedder: AnyEmbedder, ctx?: PartialContext): Promise<PlainEmbedder> {
  if (isComponent(embedder)) {
    const options: EmbedderOptions = {};
    return {
      mostTexts: undefined,
      isParallel: true,
      embed: async (texts, signal) => embedder.embed(texts, contextFor(ctx, options, signal)),
    };
  }
  if (!isAiSdkModel(embedder)) throw notAnEmbedder(embedder);
  return {
    mostTexts: await embedder.maxEmbeddingsPerCall,
    isParallel: (await embedder.supportsParallelCalls) ?? true,
    embed: async (texts, abortSignal) => (await embedder.doEmbed({ values: [...texts], abortSignal })).embeddings,
  };
}

function isComponent(value: unknown): value is Embedder {
  return typeof value === "object" && value !== null && "embed" in value && typeof value.embed === "function";
}

function isAiSdkModel(value: unknown): value is EmbeddingModelLike {
  return typeof value === "object" && value !== null && "doEmbed" in value && typeof value.doEmbed === "function";
}
