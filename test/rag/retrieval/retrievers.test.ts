import {
  type AgenticModel,
  assistantMessage,
  Chain,
  type Document,
  type Embedder,
  type NodeContext,
  textOf,
} from "kumiko";
import type { RetrieverOptions } from "kumiko/components";
import {
  type Filter,
  fuse,
  type HybridOptions,
  MDocument,
  memoryVectors,
  mmr,
  multiQueryRetriever,
  parentRetriever,
  type QueryRetriever,
  rerank,
  routerRetriever,
  type VectorIndexerOptions,
  type VectorRetrieverOptions,
  type VectorStore,
  vectorIndexer,
  vectorRetriever,
} from "kumiko/rag";
import { toolContext } from "kumiko/testing";
import { describe, expect, it } from "vitest";

/** How often each of four words is in a text, and a bit of everything. */
const words = ["wood", "nail", "tea", "paper"];
const embedder: Embedder = {
  component: "embedder",
  embed: async (texts) => texts.map((text) => [...words.map((word) => text.split(word).length - 1), 0.1]),
};
const documents: Document[] = [
  { id: "wood", content: "wood wood", metadata: { lang: "en" } },
  { id: "nail", content: "nail and wood", metadata: { lang: "en" } },
  { id: "tea", content: "tea", metadata: { lang: "de" } },
];
const document = (id: string, score?: number): Document => {
  const plain = { id, content: id, metadata: {} };
  return score === undefined ? plain : { ...plain, score };
};
const ids = (found: readonly Document[]) => found.map(({ id }) => id);
const fixed = (found: Readonly<Record<string, readonly string[]>>): QueryRetriever => ({
  component: "retriever",
  retrieve: async (query) => (found[query] ?? []).map((id) => document(id)),
});

function answering(answer: (question: string) => string): AgenticModel {
  const generate: AgenticModel["generate"] = async ([message]) =>
    assistantMessage(answer(message ? textOf(message) : ""));
  return {
    component: "model",
    generate,
    async *stream(messages, ctx) {
      yield await generate(messages, ctx);
    },
  };
}

async function filledStore() {
  const store = memoryVectors();
  await store.createIndex({ indexName: "docs", dimension: 5 });
  expect(await vectorIndexer(store, { index: "docs", embedder }).store(documents, toolContext())).toEqual(
    ids(documents),
  );
  return store;
}

describe("vectorIndexer and vectorRetriever", () => {
  it("write and find documents, as nodes of a chain too", async () => {
    const store = await filledStore();
    const retriever = vectorRetriever(store, { index: "docs", embedder, topK: 2 });
    const found = await retriever.retrieve("wood");
    expect(ids(found)).toEqual(["wood", "nail"]);
    expect(found[0]?.score).toBeGreaterThan(0.9);
    const chain = new Chain<string>().append(retriever).compile();
    expect(ids(await chain.invoke("tea"))[0]).toBe("tea");
    expect(ids(await chain.invoke("tea", { options: { retriever: { topK: 1 } } }))).toEqual(["tea"]);
  });

  it("filter, and let words count beside vectors", async () => {
    const store = await filledStore();
    const filtered = vectorRetriever(store, { index: "docs", embedder, filter: { lang: "de" } });
    expect(ids(await filtered.retrieve("wood"))).toEqual(["tea"]);
    const hybrid = vectorRetriever(store, { index: "docs", embedder, topK: 1, hybrid: { weight: 0 } });
    expect(ids(await hybrid.retrieve("and"))).toEqual(["nail"]);
    expect(() => vectorRetriever(store, { index: "docs", embedder, hybrid: { weight: 2 } })).toThrow(/weight/);
  });

  it("refuse a filter with an undefined value when they are created", async () => {
    const store = await filledStore();
    const create = (filter: unknown) => () =>
      vectorRetriever(store, { index: "docs", embedder, filter: filter as Filter });
    expect(create({ tenant: undefined })).toThrow('The filter is invalid: "tenant" is undefined');
    expect(create({ $or: [{ lang: { $in: ["en", undefined] } }] })).toThrow('"$or[0].lang.$in[1]"');
    expect(create(undefined)).toThrow("filter of vectorRetriever is undefined");
    const filter: { lang: string | undefined } = { lang: "de" };
    const retriever = create(filter)();
    filter.lang = undefined;
    await expect(retriever.retrieve("wood")).rejects.toMatchObject({ code: "INVALID_FILTER" });
  });

  it("say which option names the index", () => {
    const create = (options: unknown) => () => vectorRetriever(memoryVectors(), options as VectorRetrieverOptions);
    expect(create({ indexName: "docs" })).toThrow(
      'Unknown option "indexName" of vectorRetriever. Did you mean "index"? Options: index, topK,',
    );
    expect(create({})).toThrow("index of vectorRetriever must be the name of an index, but is undefined.");
    expect(create(undefined)).toThrow("The options of vectorRetriever must be an object (got undefined).");
  });

  it("run without a context, and with a partial one", async () => {
    const store = await filledStore();
    const indexer = vectorIndexer(store, { index: "gone", embedder });
    expect(await indexer.store([document("x")], { options: { index: "docs" } })).toEqual(["x"]);
    await expect(indexer.store([document("x")])).rejects.toMatchObject({ code: "UNKNOWN_INDEX" });
    await expect(indexer.store([document("x")], {})).rejects.toMatchObject({ code: "UNKNOWN_INDEX" });
    const retriever = vectorRetriever(store, { index: "docs", embedder });
    expect(ids(await retriever.retrieve("tea", { options: { topK: 1 } }))).toEqual(["tea"]);
    expect(await retriever.retrieve("tea", {})).toHaveLength(4);
    const signal = AbortSignal.abort(new Error("stopped"));
    await expect(retriever.retrieve("tea", { signal })).rejects.toThrow("stopped");
    await expect(retriever.retrieve(undefined as unknown as string)).rejects.toThrow("The query must be a string");
  });

  it("take the options of a call in `options` of the context, and refuse them anywhere else", async () => {
    const vectors = memoryVectors();
    const indexer = vectorIndexer(vectors, { index: { indexName: "docs" } });
    await indexer.store(documents);
    const byWords = vectorRetriever(vectors, { index: "docs" });
    const combined = [
      multiQueryRetriever({ retriever: byWords, rewrite: () => [] }),
      routerRetriever({ retrievers: { byWords }, route: () => "byWords" }),
      parentRetriever({ retriever: byWords, parents: () => documents }),
    ];
    for (const retriever of [byWords, ...combined]) {
      const retrieve = (ctx: object) => retriever.retrieve("wood", ctx);
      expect(await retrieve({ options: { topK: 1 } })).toHaveLength(1);
      await expect(retrieve({ topK: 1 })).rejects.toMatchObject({
        code: "INVALID_OPTION",
        message: "The second argument of retrieve is a context, and topK is an option. Write { options: { topK: … } }.",
      });
      const lost = 'Unknown option "filter" of retrieve. Set it where you create the retriever.';
      await expect(retrieve({ filter: { lang: "de" } })).rejects.toThrow(lost);
      await expect(retrieve({ options: { filter: { lang: "de" } } })).rejects.toThrow(lost);
      await expect(retrieve(3 as unknown as object)).rejects.toThrow(
        "The second argument of retrieve must be a context",
      );
    }
    const elsewhere: object = { index: "other" };
    await expect(indexer.store(documents, elsewhere)).rejects.toThrow("Write { options: { index: … } }.");
  });

  it("do only the searches that have a weight", async () => {
    const store = await filledStore();
    const calls: string[] = [];
    const counting: Embedder = {
      component: "embedder",
      embed: async (texts, ctx) => {
        calls.push("embed");
        return embedder.embed(texts, ctx);
      },
    };
    const watched: VectorStore = {
      ...store,
      query: (options) => {
        calls.push(options.queryVector === undefined ? "words" : "vector");
        return store.query(options);
      },
    };
    const callsFor = async (hybrid: boolean | HybridOptions) => {
      calls.length = 0;
      const found = await vectorRetriever(watched, { index: "docs", embedder: counting, topK: 1, hybrid }).retrieve(
        "tea",
      );
      expect(ids(found)).toEqual(["tea"]);
      return [...calls].sort();
    };
    expect(await callsFor({ weight: 0 })).toEqual(["words"]);
    expect(await callsFor({ weight: 1 })).toEqual(["embed", "vector"]);
    expect(await callsFor(true)).toEqual(["embed", "vector", "words"]);
    expect(await callsFor(false)).toEqual(["embed", "vector"]);
  });

  it("leave out what only a search without weight finds", async () => {
    const store = await filledStore();
    const find = (weight: number) =>
      vectorRetriever(store, { index: "docs", embedder, hybrid: { weight } }).retrieve("nail");
    expect(ids(await find(0))).toEqual(["nail"]);
    expect(ids(await find(1))[0]).toBe("nail");
    expect(await find(1)).toHaveLength(3);
  });

  it("write and find words without an embedder", async () => {
    const store = memoryVectors();
    await store.createIndex({ indexName: "notes" });
    const index = new Chain<Document[]>().append(vectorIndexer(store, { index: "notes" })).compile();
    expect(await index.invoke(documents)).toEqual(ids(documents));
    const retriever = vectorRetriever(store, { index: "notes", filter: { lang: "en" } });
    expect(ids(await retriever.retrieve("nail"))).toEqual(["nail"]);
    expect(ids(await new Chain<string>().append(retriever).compile().invoke("wood tea"))).toEqual(["wood", "nail"]);
    const wrong = { index: "notes", hybrid: true } as unknown as VectorRetrieverOptions;
    expect(() => vectorRetriever(store, wrong)).toThrow("needs an embedder");
  });

  it("write to an index that is made with its settings if there is none", async () => {
    const store = memoryVectors();
    const indexer = vectorIndexer(store, { index: { indexName: "made" } });
    expect(await indexer.store(documents)).toEqual(ids(documents));
    expect(await indexer.store(documents)).toEqual(ids(documents));
    expect(await store.describeIndex("made")).toEqual({ text: true, count: documents.length });
    await expect(indexer.store(documents, { options: { index: "other" } })).rejects.toThrow(
      'There is no index "other"',
    );
    const differs = vectorIndexer(store, { index: { indexName: "made", dimension: 5 }, embedder });
    await expect(differs.store(documents)).rejects.toThrow("already exists with other settings");
    const unknown = { index: "made", embeder: embedder } as unknown as VectorIndexerOptions;
    expect(() => vectorIndexer(store, unknown)).toThrow(/Unknown option "embeder" of vectorIndexer/);
  });

  it("list what the filter matches for a blank query, without embedding or reranking", async () => {
    const store = await filledStore();
    const never: Embedder = { component: "embedder", embed: () => Promise.reject(new Error("not needed")) };
    const retriever = vectorRetriever(store, {
      index: "docs",
      embedder: never,
      filter: { lang: "en" },
      rerank: () => Promise.reject(new Error("not needed")),
    });
    for (const query of ["", " \n"]) expect(ids(await retriever.retrieve(query))).toEqual(["nail", "wood"]);
  });

  it("write vectors for all documents or for none", async () => {
    const store = await filledStore();
    const mixed = [
      { id: "x", content: "wood", metadata: {} },
      { ...document("y"), denseVector: [1, 0, 0, 0, 0] },
    ];
    const indexer = vectorIndexer(store, { index: "docs" });
    await expect(indexer.store(mixed)).rejects.toThrow(/document "x" has no embedding/);
    expect(await indexer.store(mixed.slice(1))).toEqual(["y"]);
  });

  it("do not embed what has its embedding", async () => {
    const store = memoryVectors();
    await store.createIndex({ indexName: "docs", dimension: 5 });
    const page = MDocument.fromText("wood\n\ntea", { id: "page" });
    await page.chunk({ size: 4 });
    await page.embed(embedder);
    const none: Embedder = { component: "embedder", embed: () => Promise.reject(new Error("not needed")) };
    await vectorIndexer(store, { index: "docs", embedder: none }).store(page.toDocuments(), toolContext());
    const [best] = await vectorRetriever(store, { index: "docs", embedder }).retrieve("tea");
    expect(best).toMatchObject({ id: "page:6-9", content: "tea", metadata: { start: 6, end: 9 } });
    expect(best?.metadata).not.toHaveProperty("denseVector");
  });
});

describe("rerank", () => {
  const found = [document("a", 0.9), document("b", 0.8), document("c", 0.1)];

  it("weighs what a function says, the scores and the places", async () => {
    const byName = rerank({
      score: (_query, { id }) => (id === "c" ? 1 : 0),
      weights: { semantic: 1, vector: 0, position: 0 },
    });
    expect(ids(await byName("q", found))).toEqual(["c", "a", "b"]);
    const usual = await rerank({ score: () => 0.5, topK: 2 })("q", found);
    expect(ids(usual)).toEqual(["a", "b"]);
    expect(usual[0]?.score).toBeCloseTo(0.4 * 0.5 + 0.4 * 0.9 + 0.2);
  });

  it("asks for no scores that have no weight", async () => {
    const never = rerank({
      score: () => Promise.reject(new Error("not needed")),
      weights: { semantic: 0, vector: 1, position: 0 },
      strict: true,
    });
    expect(ids(await never("q", [document("a", 0.1), document("b", 0.9)]))).toEqual(["b", "a"]);
  });

  it("gives scores above 1, as of words, no more weight than others", async () => {
    const byName = rerank({ score: (_query, { id }) => (id === "b" ? 1 : 0), weights: { position: 0 } });
    const ranked = await byName("q", [document("a", 8), document("b", 6)]);
    expect(ids(ranked)).toEqual(["b", "a"]);
    expect(ranked[0]?.score).toBeCloseTo(0.5 + 0.5 * (6 / 8));
  });

  it("runs with a partial context", async () => {
    const failing = rerank({ score: () => Promise.reject(new Error("down")) });
    for (const ctx of [undefined, {}, { signal: new AbortController().signal }])
      expect(ids(await failing("q", found, ctx))).toEqual(["a", "b", "c"]);
    const model = answering(() => '{"scores": [0, 0, 1]}');
    const weights = { semantic: 1, vector: 0, position: 0 };
    expect(ids(await rerank({ model, weights })("q", found, {}))).toEqual(["c", "a", "b"]);
  });

  it("asks a model about ten at a time", async () => {
    const many = Array.from({ length: 23 }, (_, index) => document(`d${index}`, 0));
    let calls = 0;
    const model = answering((question) => {
      calls++;
      const count = question.split(/^Text \d+:$/m).length - 1;
      return JSON.stringify({
        scores: Array.from({ length: count }, (_, index) => (question.includes("d22") && index === 2 ? 1 : 0)),
      });
    });
    const weights = { semantic: 1, vector: 0, position: 0 };
    expect(ids(await rerank({ model, weights, topK: 1 })("q", many))).toEqual(["d22"]);
    expect(calls).toBe(3);
  });

  it("keeps the order when it fails, and tells handlers; strictly, it fails", async () => {
    const model = answering(() => '{"scores": [2]}');
    const events: unknown[] = [];
    const ctx = toolContext({ progress: (event) => void events.push(event) });
    expect(ids(await rerank({ model })("q", found, ctx))).toEqual(["a", "b", "c"]);
    expect(events).toMatchObject([{ kind: "rerank_failed" }]);
    await expect(rerank({ model, strict: true })("q", found)).rejects.toMatchObject({ code: "RETRIEVAL_FAILED" });
  });
});

describe("mmr and fuse", () => {
  it("choose what differs, and join by ranks", () => {
    const items = [
      { id: "a", vector: [1, 0] },
      { id: "a2", vector: [0.999, 0.01] },
      { id: "b", vector: [0.6, 0.8] },
    ];
    const chosen = (lambda: number) => mmr(items, { queryVector: [1, 0.1], topK: 2, lambda }).map(({ id }) => id);
    expect(chosen(1)).toEqual(["a2", "a"]);
    expect(chosen(0.3)).toEqual(["a2", "b"]);
    const [a, b, c] = ["a", "b", "c"].map((id) => document(id));
    if (a === undefined || b === undefined || c === undefined) throw new Error();
    expect(
      ids(
        fuse([
          [a, b],
          [b, c],
        ]),
      ),
    ).toEqual(["b", "a", "c"]);
    expect(
      ids(
        fuse(
          [
            [a, b],
            [b, c],
          ],
          { weights: [10, 1], topK: 1 },
        ),
      ),
    ).toEqual(["b"]);
    expect(() => fuse([[a]], { weights: [1, 2] })).toThrow(/weights/);
    expect(() => fuse([[a, b]], { topK: -1 })).toThrow(/topK/);
  });
});

describe("retrievers of retrievers", () => {
  it("ask in several words, the original ones too, and merge what is found", async () => {
    const retriever = fixed({ q: ["a", "b"], other: ["b", "c"] });
    expect(ids(await multiQueryRetriever({ retriever, rewrite: () => ["other"] }).retrieve("q"))).toEqual([
      "b",
      "a",
      "c",
    ]);
    const model = answering(() => "1. other\n2. none");
    expect(ids(await multiQueryRetriever({ retriever, model }).retrieve("q"))).toEqual(["b", "a", "c"]);
    const text = multiQueryRetriever({ retriever, rewrite: () => "other" as unknown as string[] });
    await expect(text.retrieve("q")).rejects.toThrow(/The result of rewrite must be a list of strings/);
  });

  it("ask those that fit; unknown ones are errors, and failing ones unless they are optional", async () => {
    const failing: QueryRetriever = { component: "retriever", retrieve: () => Promise.reject(new Error("down")) };
    const retrievers = { a: fixed({ q: ["a"] }), b: failing };
    const router = (route: string[], optional = false) => routerRetriever({ retrievers, route: () => route, optional });
    expect(ids(await router(["a"]).retrieve("q"))).toEqual(["a"]);
    await expect(router(["c"]).retrieve("q")).rejects.toThrow(/unknown retriever "c".*a, b/);
    await expect(router(["a", "b"]).retrieve("q")).rejects.toThrow("down");
    expect(ids(await router(["a", "b"], true).retrieve("q"))).toEqual(["a"]);
  });

  it("run with a partial context, and pass it on", async () => {
    const echo: QueryRetriever = {
      component: "retriever",
      retrieve: async (query: string, ctx?: Partial<NodeContext<unknown, RetrieverOptions>>) => [
        document(`${query} ${ctx?.options?.topK} ${ctx?.signal instanceof AbortSignal}`),
      ],
    };
    const all: QueryRetriever[] = [
      multiQueryRetriever({ retriever: echo, rewrite: () => [] }),
      routerRetriever({ retrievers: { echo }, route: () => "echo" }),
      parentRetriever({ retriever: echo, parents: (wanted) => wanted.map((id) => document(id)) }),
    ];
    for (const retriever of all) {
      expect(ids(await retriever.retrieve("q", {}))).toEqual(["q undefined true"]);
      expect(ids(await retriever.retrieve("q", { options: { topK: 3 } }))).toEqual(["q 3 true"]);
    }
    const failing: QueryRetriever = { component: "retriever", retrieve: () => Promise.reject(new Error("down")) };
    const router = routerRetriever({ retrievers: { failing }, route: () => "failing", optional: true });
    expect(await router.retrieve("q", {})).toEqual([]);
  });

  it("give whole documents for chunks, each once", async () => {
    const retriever = fixed({ q: ["x:0-5", "y:2-9", "x:5-9#2"] });
    const parents = parentRetriever({ retriever, parents: (wanted) => wanted.toReversed().map((id) => document(id)) });
    expect(ids(await parents.retrieve("q"))).toEqual(["x", "y"]);
  });
});
