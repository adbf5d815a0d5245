import type { NodeContext } from "../../components/context.js";
import { concurrently } from "../concurrently.js";
import { embeddingFailed, invalidValue } from "../errors.js";
import { type AnyEmbedder, plainEmbedder } from "./any-embedder.js";

/** Options of {@link embedTexts}. */
export interface EmbedOptions {
  /** How many texts one call gets. @default 100, or what the model takes */
  readonly batchSize?: number | undefined;
  /** How many calls may run at a time. @default 4, or 1 for a model that takes one at a time */
  readonly concurrency?: number | undefined;
  readonly signal?: AbortSignal | undefined;
}

/** Embeds texts in batches. There is one vector for each text, in order, and all have the same dimension. */
export async function embedTexts(
  embedder: AnyEmbedder,
  texts: readonly string[],
  options: EmbedOptions = {},
  ctx?: NodeContext<unknown, unknown>,
): Promise<number[][]> {
  const { batchSize = 100, concurrency = 4 } = options;
  checkCount("batchSize", batchSize);
  checkCount("concurrency", concurrency);
  const plain = await plainEmbedder(embedder, ctx);
  const size = Math.min(batchSize, plain.mostTexts ?? batchSize);
  const signal = options.signal ?? ctx?.signal ?? new AbortController().signal;
  const batches = Array.from({ length: Math.ceil(texts.length / size) }, (_, index) => ({
    index,
    texts: texts.slice(index * size, (index + 1) * size),
  }));
  const results = new Array<number[][]>(batches.length);
  await concurrently(batches, plain.isParallel ? concurrency : 1, async (batch) => {
    signal.throwIfAborted();
    const where = `Batch ${batch.index + 1} of ${batches.length} (texts ${batch.index * size} to ${batch.index * size + batch.texts.length - 1})`;
    const vectors = await plain.embed(batch.texts, signal).catch((cause: unknown) => {
      if (signal.aborted) throw cause;
      throw embeddingFailed(`${where} could not be embedded.`, cause);
    });
    results[batch.index] = checkVectors(vectors, batch.texts.length, where);
  });
  return checkDimensions(results, size);
}

function checkCount(name: string, value: unknown): void {
  if (!Number.isInteger(value) || Number(value) < 1) throw invalidValue(name, "a whole number of at least 1", value);
}

function checkVectors(vectors: readonly (readonly number[])[], count: number, where: string): number[][] {
  if (!Array.isArray(vectors) || vectors.length !== count) {
    throw embeddingFailed(
      `${where} gave ${Array.isArray(vectors) ? vectors.length : "no"} vectors for ${count} texts.`,
    );
  }
  return vectors.map((vector: readonly number[], index) => {
    const values = Array.from(vector ?? []);
    if (values.length === 0) throw embeddingFailed(`${where} gave an empty vector for its text ${index}.`);
    const wrong = values.findIndex((value) => typeof value !== "number" || !Number.isFinite(value));
    if (wrong < 0) return values;
    throw embeddingFailed(
      `${where} gave ${String(values[wrong])} as number ${wrong} of the vector of its text ${index}.`,
    );
  });
}

function checkDimensions(batches: readonly number[][][], size: number): number[][] {
  const vectors = batches.flat();
  const dimension = vectors[0]?.length;
  const other = vectors.findIndex((vector) => vector.length !== dimension);
  if (other < 0) return vectors;
  throw embeddingFailed(
    `Batch ${Math.floor(other / size) + 1} of ${batches.length} gave a vector of ${vectors[other]?.length} numbers for text ${other}, and others have ${dimension}.`,
  );
}
