import fc from "fast-check";
import { type DeleteOptions, type Filter, memoryVectors, type QueryOptions, type VectorStore } from "kumiko/rag";
import { expect } from "vitest";

const keys = fc.constantFrom("a", "b", "ü", "constructor", "it's");
const atoms = fc.oneof(
  fc.constantFrom<null | boolean | number | string>(
    null,
    true,
    false,
    0,
    1,
    -1,
    1.5,
    "",
    "1",
    "a",
    "B",
    "世界",
    "👍🏽",
  ),
  fc.double({ noNaN: true, noDefaultInfinity: true }),
  fc.constantFrom(0.1 + 0.2, 1e21, 5e-324, 2 ** 53 + 2, "quote ' \" \\ \n"),
);
const { metadata } = fc.letrec<{ value: unknown; metadata: Readonly<Record<string, unknown>> }>((tie) => ({
  value: fc.oneof({ maxDepth: 3 }, atoms, fc.array(atoms, { maxLength: 3 }), tie("metadata")),
  metadata: fc.dictionary(keys, tie("value"), { maxKeys: 4 }),
}));
const paths = fc.array(keys, { minLength: 1, maxLength: 2 }).map((path) => path.join("."));
const operators = fc.oneof(
  fc.tuple(fc.constantFrom("$eq", "$ne", "$contains"), atoms),
  fc.tuple(
    fc.constantFrom("$gt", "$gte", "$lt", "$lte"),
    atoms.filter((value) => typeof value === "string" || typeof value === "number"),
  ),
  fc.tuple(fc.constantFrom("$in", "$nin"), fc.array(atoms, { maxLength: 4 })),
  fc.tuple(fc.constant("$exists"), fc.boolean()),
);
const { filter } = fc.letrec<{ filter: Filter }>((tie) => ({
  filter: fc.oneof(
    { maxDepth: 3 },
    fc.tuple(paths, operators).map(([path, [operator, value]]) => ({ [path]: { [operator]: value } }) as Filter),
    fc.tuple(paths, atoms).map(([path, value]) => ({ [path]: value })),
    fc
      .tuple(fc.constantFrom("$and", "$or", "$nor"), fc.array(tie("filter"), { maxLength: 3 }))
      .map(([key, filters]) => ({ [key]: filters })),
    tie("filter").map((inner) => ({ $not: inner })),
  ),
}));
const numbers = fc.integer({ min: -20, max: 20 });
const vectors = fc
  .array(numbers, { minLength: 3, maxLength: 3 })
  .filter((vector) => vector.some((value) => value !== 0));
const words = fc.constantFrom("lattice", "wood", "Nails", "组子接合", "tea");
const entries = fc.array(fc.record({ metadata, vector: vectors, words: fc.array(words, { maxLength: 3 }) }), {
  minLength: 1,
  maxLength: 40,
});

/** Checks with random entries and filters that a store finds what `memoryVectors` finds. */
export async function expectSameAsMemory(
  store: VectorStore,
  { numRuns, isSingle = false }: { readonly numRuns: number; readonly isSingle?: boolean },
): Promise<void> {
  let runs = 0;
  await fc.assert(
    fc.asyncProperty(
      entries,
      fc.array(filter, { minLength: 1, maxLength: 5 }),
      vectors,
      fc.constantFrom("cosine" as const, "euclidean" as const, "dotproduct" as const),
      async (given, filters, queryVector, metric) => {
        const indexName = `same_${runs++}`;
        const memory = memoryVectors();
        for (const each of [memory, store]) {
          await each.createIndex({ indexName, dimension: 3, metric });
          await each.upsert({
            indexName,
            ids: given.map((_, index) => `id${index}`),
            vectors: given.map(({ vector }) => vector),
            documents: given.map((entry) => entry.words.join(" ")),
            metadata: given.map((entry) => entry.metadata),
          });
        }
        for (const one of filters) {
          const byVector: QueryOptions = { indexName, queryVector, filter: one, topK: 5, exact: true };
          if (isSingle) await expectClose(store, memory, byVector);
          else expect(await store.query(byVector)).toEqual(await memory.query(byVector));
          const byWords: QueryOptions = { indexName, queryText: "wood 组子", filter: one, topK: 100 };
          expect(await idsOf(store, byWords)).toEqual(await idsOf(memory, byWords));
          const byFilter: QueryOptions = { indexName, filter: one, topK: 100 };
          expect(await store.query(byFilter)).toEqual(await memory.query(byFilter));
          const gone = { indexName, filter: one };
          expect(await deleted(store, gone)).toEqual(await deleted(memory, gone));
        }
        await store.deleteIndex(indexName);
      },
    ),
    { numRuns },
  );
}

/** Of scores that are calculated with single precision, some are equal that differ by little. */
async function expectClose(store: VectorStore, memory: VectorStore, query: QueryOptions): Promise<void> {
  const found = await store.query(query);
  const all = new Map((await memory.query({ ...query, topK: 4_096 })).map((result) => [result.id, result]));
  const expected = [...all.values()].slice(0, query.topK);
  expect(found).toHaveLength(expected.length);
  for (const [index, { score }] of found.entries()) expect(score).toBeCloseTo(expected[index]?.score ?? 0, 4);
  for (const { score, ...result } of found) {
    const other = all.get(result.id);
    expect(result).toEqual({ id: other?.id, document: other?.document, metadata: other?.metadata });
    expect(score).toBeCloseTo(other?.score ?? 0, 4);
  }
}

/** How many entries were deleted, or the code of the error: filters that match everything are refused. */
async function deleted(store: VectorStore, options: DeleteOptions): Promise<unknown> {
  return store.delete(options).catch((error: { readonly code?: unknown }) => error.code);
}

async function idsOf(store: VectorStore, query: QueryOptions): Promise<string[]> {
  return (await store.query(query)).map(({ id }) => id).sort();
}
