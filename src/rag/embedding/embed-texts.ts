import { endsRun } from "../../errors.js";
import { concurrently } from "../concurrently.js";
import { embeddingFailed, invalidValue } from "../errors.js";
import type { PartialContext } from "../lone-context.js";
import { type AnyEmbedder, plainEmbedder } from "./any-embedder.js";

/** Options of `embedTexts`. */
export interface EmbedOptions {
  /** The number of texts per call. @default 100, or the limit of the model if that is lower */
  readonly batchSize?: number | undefined;
  /** The maximum number of concurrent calls. @default 4, or 1 if the model does not support parallel calls */
  readonly concurrency?: number | undefined;
  /** Aborts the calls. */
  readonly signal?: AbortSignal | undefined;
}

/** Embeds texts in batches. Returns one vector per text, in order; throws if their dimensions differ. */
export async function embedTexts(
  embedder: AnyEmbedder,
  texts: readonly string[],
  options: EmbedOptions = {},
  ctx?: PartialContext,
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
      if (signal.aborted || endsRun(cause)) throw cause;
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
      `${where} returned ${Array.isArray(vectors) ? vectors.length : "no"} vectors for ${count} texts.`,
    );
  }
  return vectors.map((vector: readonly number[], index) => {
    const values = Array.from(vector ?? []);
    if (values.length === 0) throw embeddingFailed(`${where} returned an empty vector for its text ${index}.`);
    const wrong = values.findIndex((value) => typeof value !== "number" || !Number.isFinite(value));
    if (wrong < 0) return values;
    throw embeddingFailed(
      `${where} returned a vector with ${String(values[wrong])} at index ${wrong} for its text ${index}.`,
    );
  });
}

function checkDimensions(batches: readonly number[][][], size: number): number[][] {
  const vectors = batches.flat();
  const dimension = vectors[0]?.length;
  const other = vectors.findIndex((vector) => vector.length !== dimension);
  if (other < 0) return vectors;
  throw embeddingFailed(
    `Batch ${Math.floor(other / size) + 1} of ${batches.length} returned a vector of ${vectors[other]?.length} numbers for text ${other}, but other vectors have ${dimension}.`,
  );
}
