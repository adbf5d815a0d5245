import { isFields } from "../../is.js";

/** The supported versions of the provider specification of the AI SDK. */
export type AiSdkVersion = "v2" | "v3" | "v4";

/**
 * A language model of a provider package of the AI SDK (specs V2, V3 and V4), such as `openai("gpt-5")`. It is recognized by its
 * shape.
 */
export interface AiSdkModel {
  /** The version of the interface that the package implements. */
  readonly specificationVersion: AiSdkVersion;
  /** The name of the provider. */
  readonly provider: string;
  /** The name of the model there. */
  readonly modelId: string;
  /** Asks for a whole answer. */
  readonly doGenerate: (options: never) => PromiseLike<object>;
  /** Asks for a streamed answer. */
  readonly doStream: (options: never) => PromiseLike<{ readonly stream: ReadableStream<unknown> }>;
}

/** An embedding model of a provider package: `openai.embedding("text-embedding-3-small")`. */
export interface AiSdkEmbeddingModel {
  /** The version of the interface that the package implements. */
  readonly specificationVersion: AiSdkVersion;
  /** The name of the provider. */
  readonly provider: string;
  /** The name of the model there. */
  readonly modelId: string;
  /** The largest number of texts in one request. */
  readonly maxEmbeddingsPerCall: number | undefined | PromiseLike<number | undefined>;
  /** Whether requests may be sent at the same time. */
  readonly supportsParallelCalls: boolean | PromiseLike<boolean>;
  /** Computes the vectors of texts. */
  readonly doEmbed: (options: never) => PromiseLike<{ readonly embeddings: number[][] }>;
}

/** The name of a model, for error messages and metadata. */
export interface ModelIdentity {
  readonly provider: string;
  readonly modelId: string;
}

/** `openai.responses/gpt-5` */
export function providerModelName({ provider, modelId }: ModelIdentity): string {
  return `${provider}/${modelId}`;
}

const versions: readonly unknown[] = ["v2", "v3", "v4"] satisfies AiSdkVersion[];

export function isAiSdkModel(value: unknown): value is AiSdkModel {
  return (
    isFields(value) && hasFunctions(value, "doGenerate", "doStream") && versions.includes(value.specificationVersion)
  );
}

export function isAiSdkEmbeddingModel(value: unknown): value is AiSdkEmbeddingModel {
  return isFields(value) && hasFunctions(value, "doEmbed") && versions.includes(value.specificationVersion);
}

function hasFunctions(value: object, ...names: readonly string[]): boolean {
  return names.every((name) => typeof Reflect.get(value, name) === "function");
}
