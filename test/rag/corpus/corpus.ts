import { readFileSync } from "node:fs";
import { join } from "node:path";
import type { VectorStore } from "kumiko/rag";
import { toolContext } from "kumiko/testing";
import { embeddingDimension, hashedEmbedder } from "./hashed-embedder.js";

export interface Passage {
  /** Its topic, and its number in it: `"Tea 8"`. */
  readonly id: string;
  readonly topic: string;
  readonly text: string;
}

/** 300 passages about thirty topics, which were written for this test. */
export const passages: readonly Passage[] = readFileSync(join(import.meta.dirname, "passages.md"), "utf8")
  .split(/^# /m)
  .slice(1)
  .flatMap((part) => {
    const [topic = "", ...lines] = part.trim().split("\n");
    const texts = lines.filter((line) => line.startsWith("- "));
    return texts.map((line, index) => ({ id: `${topic} ${index + 1}`, topic, text: line.slice(2) }));
  });

export const embedder = hashedEmbedder();

export async function embed(texts: readonly string[]): Promise<number[][]> {
  return embedder.embed(texts, toolContext());
}

/** Writes the passages into an index with the name `"passages"`. */
export async function indexPassages(store: VectorStore): Promise<void> {
  await store.createIndex({ indexName: "passages", dimension: embeddingDimension });
  await store.upsert({
    indexName: "passages",
    ids: passages.map(({ id }) => id),
    vectors: await embed(passages.map(({ text }) => text)),
    documents: passages.map(({ text }) => text),
    metadata: passages.map(({ topic }) => ({ topic })),
  });
}

/** The nearest passages by their cosine, by a loop that knows nothing of stores. Those keep numbers with single precision. */
export function bruteForce(query: readonly number[], vectors: readonly (readonly number[])[], count: number): string[] {
  const product = (one: readonly number[], other: readonly number[]) =>
    one.reduce((sum, value, index) => sum + Math.fround(value) * Math.fround(other[index] ?? 0), 0);
  const cosine = (vector: readonly number[]) =>
    product(vector, query) / Math.sqrt(product(vector, vector) * product(query, query));
  return passages
    .map(({ id }, index) => ({ id, score: cosine(vectors[index] ?? []) }))
    .sort((one, other) => other.score - one.score || (one.id < other.id ? -1 : 1))
    .slice(0, count)
    .map(({ id }) => id);
}
