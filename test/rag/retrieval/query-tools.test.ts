import fc from "fast-check";
import {
  AgenticToolsNode,
  assistantMessage,
  type Embedder,
  functionToolCall,
  RequestContext,
  toolResultsOf,
} from "kumiko";
import {
  createGraphRAGTool,
  createVectorQueryTool,
  type Filter,
  GraphRAG,
  memoryVectors,
  type QueryToolResult,
} from "kumiko/rag";
import { toolContext } from "kumiko/testing";
import { describe, expect, it } from "vitest";
import { cosine } from "../../../src/rag/vector-math.js";

const model: Embedder = {
  component: "embedder",
  embed: async (texts) => texts.map((text) => (text.includes("b") ? [0, 1] : [1, 0])),
};

async function stores() {
  const store = memoryVectors();
  for (const indexName of ["docs", "other"]) {
    await store.createIndex({ indexName, dimension: 2 });
    const names = ["a1", "a2", "b1", "b2"];
    await store.upsert({
      indexName,
      ids: names.map((name) => `${indexName}-${name}`),
      documents: names.map((name) => `${indexName} ${name}`),
      vectors: [
        [1, 0],
        [1, 0.2],
        [0, 1],
        [0.2, 1],
      ],
      metadata: names.map((name) => ({ group: name[0], n: Number(name[1]) })),
    });
  }
  return { "my-store": store };
}

const request = (values: Record<string, unknown>) =>
  toolContext<Record<never, never>>({ requestContext: new RequestContext(values) as RequestContext });
const call = async (
  tool: ReturnType<typeof createGraphRAGTool>,
  input: Record<string, unknown>,
  ctx = toolContext<Record<never, never>>(),
) => (await tool.execute(input, ctx)) as QueryToolResult;

describe.each([
  ["createVectorQueryTool", createVectorQueryTool],
  ["createGraphRAGTool", createGraphRAGTool],
])("%s", (_, create) => {
  it("finds texts with all that is known of them", async () => {
    const tool = create({ vectorStoreName: "my-store", indexName: "docs", model, vectorStores: await stores() });
    const { relevantContext, text, sources } = await call(tool, { queryText: "a", topK: 2 });
    expect(relevantContext).toEqual(["docs a1", "docs a2"]);
    expect(text).toBe("[1] docs a1\n\n[2] docs a2");
    expect(sources[0]).toMatchObject({ id: "docs-a1", document: "docs a1", metadata: { group: "a", n: 1 } });
  });

  it("takes settings from the request before those it was made with, for every call anew", async () => {
    const tool = create({ vectorStoreName: "none", indexName: "docs", model, vectorStores: await stores() });
    const settings = {
      vectorStoreName: "my-store",
      indexName: "other",
      topK: 1,
      filter: { group: "b" },
      randomWalkSteps: 100,
      restartProb: 0.15,
    };
    expect((await call(tool, { queryText: "a" }, request(settings))).relevantContext).toEqual(["other b2"]);
    const others = { vectorStoreName: "my-store", includeSources: false };
    expect(await call(tool, { queryText: "b", topK: 1 }, request(others))).toMatchObject({
      relevantContext: ["docs b1"],
      sources: [],
    });
  });

  it("takes settings from the input before those of the request", async () => {
    const tool = create({ vectorStoreName: "my-store", indexName: "docs", model, vectorStores: await stores() });
    const input = { queryText: "a", indexName: "other", topK: 1, includeSources: false };
    const ctx = request({ indexName: "gone", topK: 2, includeSources: true });
    expect(await call(tool, input, ctx)).toMatchObject({ relevantContext: ["other a1"], sources: [] });
  });

  it("lets the model filter only when it may, and never past the filter it was made with", async () => {
    const options = {
      vectorStoreName: "my-store",
      indexName: "docs",
      model,
      vectorStores: await stores(),
      filter: { group: "a" },
    };
    const open = create({ ...options, enableFilter: true });
    expect((await call(open, { queryText: "a", filter: '{"n": 2}' })).relevantContext).toEqual(["docs a2"]);
    expect((await call(open, { queryText: "b", filter: { group: "b" } })).relevantContext).toEqual([]);
    const closed = create(options);
    expect((await call(closed, { queryText: "b", filter: { group: "b" } })).relevantContext).toHaveLength(2);
    expect(closed.info.toJsonSchema()).not.toHaveProperty("properties.filter");
  });

  it("names what is missing or unknown", async () => {
    const vectorStores = await stores();
    await expect(call(create({ indexName: "docs", model, vectorStores }), { queryText: "a" })).rejects.toThrow(
      /vectorStoreName is missing/,
    );
    await expect(
      call(create({ vectorStoreName: "my-store", model, vectorStores }), { queryText: "a" }),
    ).rejects.toThrow(/indexName is missing/);
    const other = create({ vectorStoreName: "pinecone", indexName: "docs", model, vectorStores });
    await expect(call(other, { queryText: "a" })).rejects.toThrow(/"pinecone".*my-store/);
    const gone = create({ vectorStoreName: "my-store", indexName: "gone", model, vectorStores });
    await expect(call(gone, { queryText: "a" })).rejects.toMatchObject({ code: "UNKNOWN_INDEX" });
  });

  it("is a tool of a tools node, whose result is the text", async () => {
    const tool = create({
      id: "look_up",
      vectorStoreName: "my-store",
      indexName: "docs",
      model,
      vectorStores: await stores(),
    });
    const message = assistantMessage([
      functionToolCall({ callId: "1", name: "look_up", arguments: '{"queryText":"a","topK":1}' }),
    ]);
    const [result] = await new AgenticToolsNode([tool]).invoke(message);
    expect(result && toolResultsOf(result)[0]?.result).toBe("[1] docs a1");
  });
});

describe.each([
  ["createVectorQueryTool", createVectorQueryTool],
  ["createGraphRAGTool", createGraphRAGTool],
])("%s", (name, create) => {
  const setUp = async () => ({
    vectorStoreName: "my-store",
    indexName: "docs",
    model,
    vectorStores: await stores(),
  });
  const alone = (tool: ReturnType<typeof create>, input: Record<string, unknown>, ctx?: unknown) =>
    (tool.execute as (input: unknown, ctx?: unknown) => Promise<QueryToolResult>)(input, ctx);

  it("runs without a context, and with a partial one", async () => {
    const tool = create(await setUp());
    const input = { queryText: "a", topK: 1 };
    for (const ctx of [undefined, {}, { signal: undefined }, { requestContext: { topK: 4 } }])
      expect((await alone(tool, input, ctx)).relevantContext).toEqual(["docs a1"]);
    const unset = create({ ...(await setUp()), indexName: undefined });
    expect((await alone(unset, input, { requestContext: { indexName: "other" } })).relevantContext).toEqual([
      "other a1",
    ]);
    await expect(alone(unset, input, {})).rejects.toThrow("indexName is missing.");
    const aborted = { signal: AbortSignal.abort(new Error("stopped")) };
    await expect(alone(tool, input, aborted)).rejects.toThrow("stopped");
  });

  it("refuses a filter with an undefined value, wherever it comes from", async () => {
    const options = await setUp();
    const lost = { tenant: undefined } as unknown as Filter;
    expect(() => create({ ...options, filter: lost })).toThrow('The filter is invalid: "tenant" is undefined');
    expect(() => create({ ...options, filter: undefined as unknown as Filter })).toThrow(/filter of .* is undefined/);
    const tool = create({ ...options, enableFilter: true });
    const input = { queryText: "a" };
    await expect(alone(tool, { ...input, filter: { n: { $in: [1, undefined] } } })).rejects.toThrow('"n.$in[1]"');
    await expect(alone(tool, { ...input, filter: undefined })).rejects.toMatchObject({ code: "INVALID_OPTION" });
    await expect(call(tool, input, request({ filter: lost }))).rejects.toThrow('"tenant"');
    await expect(call(tool, input, request({ filter: undefined }))).rejects.toThrow(/filter of the request context/);
  });

  it("checks the filter before a store of another library sees it", async () => {
    const asked: unknown[] = [];
    const foreign = {
      query: async (options: unknown) => {
        asked.push(options);
        return [];
      },
    };
    const tool = create({ ...(await setUp()), vectorStores: { "my-store": foreign }, enableFilter: true });
    const filter = { $and: [{ tenant: undefined }] };
    await expect(alone(tool, { queryText: "a", filter })).rejects.toThrow('"$and[0].tenant"');
    expect(asked).toEqual([]);
    await alone(tool, { queryText: "a", filter: { tenant: { $regex: "^a" } } });
    expect(asked).toMatchObject([{ filter: { tenant: { $regex: "^a" } } }]);
  });

  it("numbers what the model reads in the order of the sources", async () => {
    const tool = create(await setUp());
    const { text, sources } = await call(tool, { queryText: "b", topK: 2 });
    expect(text).toBe(sources.map(({ document }, index) => `[${index + 1}] ${document}`).join("\n\n"));
    if (name === "createVectorQueryTool") expect(tool.description).toContain("[1]");
  });
});

describe("createVectorQueryTool without a model", () => {
  const setUp = async () => {
    const store = memoryVectors();
    await store.createIndex({ indexName: "notes" });
    await store.upsert({
      indexName: "notes",
      ids: ["tea", "wood", "paper"],
      documents: ["Tea is hot.", "Wood is joined.", "Paper is thin."],
      metadata: [{ lang: "en" }, { lang: "en" }, { lang: "ja" }],
    });
    return { vectorStoreName: "main", indexName: "notes", vectorStores: { main: store } };
  };

  it("finds by words in an index without vectors", async () => {
    const { text, sources } = await call(createVectorQueryTool(await setUp()), { queryText: "Is wood joined?" });
    expect(text.split("\n")[0]).toBe("[1] Wood is joined.");
    expect(sources[0]).toMatchObject({ id: "wood", metadata: { lang: "en" } });
  });

  it("lists what a filter alone matches, if the model may pass one", async () => {
    let reranked = 0;
    const tool = createVectorQueryTool({
      ...(await setUp()),
      enableFilter: true,
      reranker: async (_query, documents) => {
        reranked++;
        return [...documents];
      },
    });
    expect(tool.info.toJsonSchema()).toMatchObject({ required: [] });
    for (const input of [{ filter: { lang: "en" } }, { queryText: " ", filter: '{"lang": "en"}' }])
      expect((await call(tool, input)).relevantContext).toEqual(["Tea is hot.", "Wood is joined."]);
    expect(reranked).toBe(0);
    await expect(call(tool, {})).rejects.toThrow("queryText is missing");
    const closed = createVectorQueryTool(await setUp());
    expect(closed.info.toJsonSchema()).toMatchObject({ required: ["queryText"] });
  });

  it("has no graph, which needs vectors", async () => {
    const options = { ...(await setUp()), model: undefined as unknown as Embedder };
    expect(() => createGraphRAGTool(options)).toThrow("createGraphRAGTool needs a model");
    const tool = createGraphRAGTool({ ...(await setUp()), model, enableFilter: true });
    expect(tool.info.toJsonSchema()).toMatchObject({ required: ["queryText"] });
    await expect(call(tool, { filter: { lang: "en" } })).rejects.toThrow("queryText is missing");
  });
});

it("takes the walk of a graph from the input before the request", async () => {
  const tool = createGraphRAGTool({
    vectorStoreName: "my-store",
    indexName: "docs",
    model,
    vectorStores: await stores(),
  });
  const ctx = request({ randomWalkSteps: 0, restartProb: 1 });
  await expect(call(tool, { queryText: "a" }, ctx)).rejects.toThrow(/randomWalkSteps/);
  await expect(call(tool, { queryText: "a", randomWalkSteps: 5 }, ctx)).rejects.toThrow(/restartProb/);
  const input = { queryText: "a", topK: 1, randomWalkSteps: 5, restartProb: 0.5 };
  expect((await call(tool, input, ctx)).relevantContext).toEqual(["docs a1"]);
});

describe("names and descriptions", () => {
  it("are those of the page when nobody gives others", () => {
    const tool = createGraphRAGTool({ vectorStoreName: "pinecone", indexName: "docs", model });
    expect(tool.id).toBe("GraphRAG pinecone docs Tool");
    expect(tool.description).toBe(
      "Access and analyze relationships between information in the knowledge base to answer complex questions about connections and patterns.",
    );
    expect(createGraphRAGTool({ id: "x", model, description: "Mine." })).toMatchObject({
      id: "x",
      description: "Mine.",
    });
    expect(() => createGraphRAGTool({ model, graphOptions: { dimension: 1536, threshold: 1.1 } })).toThrow(/threshold/);
  });

  it("take stores of Mastra, which keep the text in the metadata", async () => {
    const mastra = {
      getVector: () => ({ query: async () => [{ id: "m", score: 1, metadata: { text: "from Mastra" } }] }),
    };
    const tool = createVectorQueryTool({ vectorStoreName: "any", indexName: "docs", model, mastra });
    expect((await call(tool, { queryText: "a" })).relevantContext).toEqual(["from Mastra"]);
  });
});

it("names the stores that there are when neither list nor Mastra has one", async () => {
  const mastra = {
    getVector: (name: string) => {
      throw new Error(`Vector ${name} not found`);
    },
    listVectors: () => ({ libsql: {} }),
  };
  const vectorStores = await stores();
  const tool = createVectorQueryTool({ vectorStoreName: "pinecone", indexName: "docs", model, vectorStores, mastra });
  await expect(call(tool, { queryText: "a" })).rejects.toThrow(
    'Unknown vector store "pinecone". Stores: my-store, libsql.',
  );
});

it("looks at no more entries for a graph than a store gives at once", async () => {
  const tool = createGraphRAGTool({
    vectorStoreName: "my-store",
    indexName: "docs",
    model,
    vectorStores: await stores(),
  });
  expect((await call(tool, { queryText: "a", topK: 4_000 })).relevantContext).toHaveLength(4);
});

/** What the ranks of a walk are, by Gaussian elimination: ranks = restart × start + (1 − restart) × (moves of ranks). */
function solve(vectors: readonly number[][], query: readonly number[], threshold: number, restart: number): number[] {
  const count = vectors.length;
  const raw = vectors.map((vector) => Math.max(0, cosine(vector, query)));
  const total = raw.reduce((sum, value) => sum + value, 0);
  const start = raw.map((value) => (total === 0 ? 1 / count : value / total));
  const moves = vectors.map((one, from) => {
    const weights = vectors.map((other, to) => {
      const weight = from === to ? 0 : cosine(one, other);
      return weight >= threshold && weight > 0 ? weight : 0;
    });
    const sum = weights.reduce((all, weight) => all + weight, 0);
    return weights.map((weight, to) => (sum === 0 ? (start[to] ?? 0) : weight / sum));
  });
  const rows = start.map((value, to) => [
    ...moves.map((move, from) => (from === to ? 1 : 0) - (1 - restart) * (move[to] ?? 0)),
    restart * value,
  ]);
  for (let pivot = 0; pivot < count; pivot++) {
    const best = rows
      .slice(pivot)
      .reduce(
        (at, row, index) => (Math.abs(row[pivot] ?? 0) > Math.abs(rows[at]?.[pivot] ?? 0) ? index + pivot : at),
        pivot,
      );
    const [one, other] = [rows[pivot] ?? [], rows[best] ?? []];
    rows[pivot] = other;
    if (best !== pivot) rows[best] = one;
    for (let index = 0; index < count; index++) {
      if (index === pivot) continue;
      const row = rows[index] ?? [];
      const factor = (row[pivot] ?? 0) / (other[pivot] ?? 1);
      for (let column = pivot; column <= count; column++)
        row[column] = (row[column] ?? 0) - factor * (other[column] ?? 0);
    }
  }
  return rows.map((row, index) => (row[count] ?? 0) / (row[index] ?? 1));
}

describe("GraphRAG", () => {
  it("ranks as the equations of the walk say", () => {
    const vector = fc.array(fc.integer({ min: -9, max: 9 }), { minLength: 3, maxLength: 3 });
    const options = fc.record({
      threshold: fc.constantFrom(0, 0.3, 0.7),
      restartProb: fc.constantFrom(0.1, 0.15, 0.5, 0.9),
    });
    fc.assert(
      fc.property(fc.array(vector, { minLength: 1, maxLength: 8 }), vector, options, (vectors, queryVector, given) => {
        const nodes = vectors.map((values, index) => ({ id: `n${index}`, vector: values }));
        const graph = new GraphRAG({ ...given, randomWalkSteps: 1_000 });
        const ranked = new Map(graph.rank(nodes, { queryVector, topK: 100 }).map(({ id, score }) => [id, score]));
        for (const [index, rank] of solve(vectors, queryVector, given.threshold, given.restartProb).entries()) {
          expect(ranked.get(`n${index}`)).toBeCloseTo(rank, 8);
        }
      }),
    );
  });

  it("finds what is connected with what is like the query", () => {
    const nodes = [
      { id: "like", vector: [1, 0, 0] },
      { id: "bridge", vector: [1, 1, 0] },
      { id: "far", vector: [0.1, 1, 0] },
      { id: "alone", vector: [0.1, 0, 1] },
    ];
    const ranked = new GraphRAG({ threshold: 0.6 }).rank(nodes, { queryVector: [1, 0, 0] });
    expect(ranked.map(({ id }) => id)).toEqual(["bridge", "like", "far", "alone"]);
  });

  it("refuses ranges and dimensions that make no sense", () => {
    for (const options of [
      { threshold: -0.1 },
      { restartProb: 0 },
      { restartProb: 1 },
      { randomWalkSteps: 0 },
      { dimension: 1.5 },
    ])
      expect(() => new GraphRAG(options)).toThrow(/must be/);
    const graph = new GraphRAG({ dimension: 3 });
    expect(() => graph.rank([], { queryVector: [1, 0] })).toThrow(/The query has a vector of 2/);
    expect(() => new GraphRAG().rank([{ id: "a" }], { queryVector: [1] })).toThrow(/"a" has a vector of 0/);
    const broken = [{ id: "a", vector: [Number.NaN, 1] }];
    expect(() => new GraphRAG().rank(broken, { queryVector: [1, 0] })).toThrow(/"a" has .* not finite/);
    expect(graph.rank([], { queryVector: [1, 0, 0] })).toEqual([]);
  });
});
