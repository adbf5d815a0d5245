import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import {
  type Document,
  type Embedder,
  type Indexer,
  type Loader,
  type Retriever,
  StreamReader,
  type Transformer,
  userMessage,
} from "kumiko";
import type { Parser, Template } from "kumiko/components";
import { aiSdkEmbedder } from "kumiko/models";
import { memoryVectors, splitter, vectorIndexer, vectorRetriever } from "kumiko/rag";
import { fileLoader } from "kumiko/rag/files";
import { placeholder, promptTemplate } from "kumiko/templates";
import {
  cacheStoreConformance,
  checkpointStoreConformance,
  embedderConformance,
  handlerConformance,
  indexerConformance,
  loaderConformance,
  modelConformance,
  parserConformance,
  retrieverConformance,
  runnableConformance,
  scriptedModel,
  templateConformance,
  transformerConformance,
  vectorStoreConformance,
} from "kumiko/testing";
import { afterAll, describe, expect, it } from "vitest";

const folder = mkdtempSync(join(tmpdir(), "kumiko-conformance-"));
afterAll(() => rmSync(folder, { recursive: true }));
const file = join(folder, "a.md");
writeFileSync(file, "# Maples\n\nLeaves turn red.\n");

const page = (id: string): Document => ({ id, content: `About ${id}.`, metadata: { from: "test" } });
const documents = [page("maples"), page("kumiko")];

const embedder: Embedder = {
  component: "embedder",
  async embed(texts, { signal }) {
    signal.throwIfAborted();
    return texts.map((text) => [text.length, text.charCodeAt(0)]);
  },
};
const retriever: Retriever = {
  component: "retriever",
  async retrieve(_query, { options, signal }) {
    signal.throwIfAborted();
    return documents.slice(0, options.topK);
  },
};
const indexer: Indexer = {
  component: "indexer",
  async store(given, { signal }) {
    signal.throwIfAborted();
    return given.map(({ id }) => id);
  },
};
const loader: Loader = {
  component: "loader",
  async load({ uri }, { signal }) {
    signal.throwIfAborted();
    return [page(uri)];
  },
};
const transformer: Transformer = { component: "transformer", transform: async (given) => [...given] };
const template: Template<{ question: string }> = {
  component: "template",
  format: async ({ question }) => [userMessage(question)],
};
const lines: Parser = {
  async parse(source, { uri = "lines", metadata = {} } = {}) {
    const chunks: Uint8Array[] = source instanceof Uint8Array ? [source] : [];
    if (!(source instanceof Uint8Array))
      for await (const chunk of StreamReader.from<Uint8Array>(source)) chunks.push(chunk);
    const text = Buffer.concat(chunks).toString("utf8");
    return text.split("\n").map((content, line) => ({ id: `${uri}#${line}`, content, metadata: { ...metadata } }));
  },
};

const question = { variables: { question: "Why?" } };
const bytes = { source: new TextEncoder().encode("größe\ntwo") };
const vectors = memoryVectors();

/** A store that is filled before it is asked. */
function filled(): Retriever {
  const found = vectorRetriever(vectors, { index: "docs", embedder });
  return {
    component: "retriever",
    async retrieve(query, ctx) {
      await vectors.createIndex({ indexName: "docs", dimension: 2 });
      await vectorIndexer(vectors, { index: "docs", embedder }).store(documents, ctx as never);
      return found.retrieve(query, ctx);
    },
  };
}

async function stored(given: Parameters<Indexer["store"]>[0], ctx: Parameters<Indexer["store"]>[1]): Promise<string[]> {
  await vectors.createIndex({ indexName: "docs", dimension: 2 });
  return vectorIndexer(vectors, { index: "docs", embedder }).store(given, ctx);
}

const openAiEmbedder = () =>
  aiSdkEmbedder({
    specificationVersion: "v4",
    provider: "test",
    modelId: "small",
    maxEmbeddingsPerCall: 1,
    supportsParallelCalls: true,
    doEmbed: async ({ values }: { values: string[] }) => ({ embeddings: values.map((text) => [text.length, 1]) }),
  } as never);

const history = { question: "Why?", history: [userMessage("Hi")] };
const prompt = () => promptTemplate([["system", "Be brief."], placeholder("history"), ["user", "{question}"]]);

describe.each([
  ["a template", templateConformance(prompt, { variables: history })],
  ["a template written by hand", templateConformance(() => template, question)],
  ["a retriever on vectors", retrieverConformance(filled, { query: "maples" })],
  ["a retriever written by hand", retrieverConformance(() => retriever, { query: "maples" })],
  ["an embedder of the AI SDK", embedderConformance(openAiEmbedder)],
  ["an embedder written by hand", embedderConformance(() => embedder, { texts: ["a", "bb", "ccc"] })],
  ["an indexer on vectors", indexerConformance(() => ({ component: "indexer", store: stored }), { documents })],
  ["an indexer written by hand", indexerConformance(() => indexer, { documents })],
  ["a loader of files", loaderConformance(() => fileLoader(), { source: { uri: file } })],
  ["a loader written by hand", loaderConformance(() => loader, { source: { uri: "a" } })],
  ["a splitter", transformerConformance(() => splitter("recursive", { maxSize: 8, overlap: 0 }), { documents })],
  ["a transformer written by hand", transformerConformance(() => transformer, { documents })],
  ["a parser", parserConformance(() => lines, bytes)],
  [
    "a model, still",
    modelConformance(
      () =>
        scriptedModel(
          () => prompted,
          () => prompted,
        ),
      { messages: [userMessage("Hi")] },
    ),
  ],
] as const)("the suite holds for %s", (_name, checks) => {
  it.each(checks.map(({ name, run }) => [name, run] as const))("%s", async (_check, run) => {
    await run();
  });
});

const prompted = { role: "assistant", contentBlocks: [{ type: "assistant_gen_text", text: "Hello" }] } as const;

/** The checks that an implementation fails. */
async function failed(checks: readonly { name: string; run(): Promise<void> }[]): Promise<string[]> {
  const names: string[] = [];
  for (const { name, run } of checks) {
    await run().catch(() => names.push(name));
  }
  return names;
}

describe("the suite finds", () => {
  let calls = 0;
  it.each([
    [
      "another component",
      templateConformance(() => ({ ...template, component: "model" }) as never, question),
      'has the component "template"',
    ],
    [
      "a template without messages",
      templateConformance(() => ({ ...template, format: async () => [] }), question),
      "returns a valid output",
    ],
    [
      "a template that counts",
      templateConformance(() => ({ ...template, format: async () => [userMessage(`${calls++}`)] }), question),
      "returns the same output when called again",
    ],
    ["calls that meet", templateConformance(meeting, question), "returns the same output to concurrent calls"],
    [
      "a transformer that sorts its input",
      transformerConformance(() => ({ ...transformer, transform: async (given) => (given as Document[]).reverse() }), {
        documents,
      }),
      "does not change its input",
    ],
    [
      "documents without ids",
      transformerConformance(() => ({ ...transformer, transform: async () => [{ content: "" }] as never }), {
        documents,
      }),
      "returns a valid output",
    ],
    [
      "a retriever that ignores topK",
      retrieverConformance(() => ({ ...retriever, retrieve: async () => documents }), { query: "a" }),
      "returns no more than topK documents",
    ],
    [
      "a retriever that cannot be stopped",
      retrieverConformance(
        () => ({ ...retriever, retrieve: async (_, { options }) => documents.slice(0, options.topK) }),
        { query: "a" },
      ),
      "rejects when its signal is aborted",
    ],
    [
      "vectors of different lengths",
      embedderConformance(() => ({
        ...embedder,
        embed: async (texts) => texts.map((_, index) => Array(index + 1).fill(1)),
      })),
      "returns a valid output",
    ],
    [
      "a vector with a hole",
      embedderConformance(() => ({ ...embedder, embed: async (texts) => texts.map(() => [Number.NaN]) })),
      "returns a valid output",
    ],
    [
      "vectors in the wrong order",
      embedderConformance(() => ({
        ...embedder,
        embed: async (texts) => [...texts].sort().map((text) => [text.length]),
      })),
      "returns the vectors in the order of the texts",
    ],
    [
      "a vector for nothing",
      embedderConformance(() => ({
        ...embedder,
        embed: async (texts) => (texts.length === 0 ? [[1, 1]] : texts.map((text) => [text.length, 1])),
      })),
      "returns nothing for no texts",
    ],
    [
      "an indexer that gives one id",
      indexerConformance(() => ({ ...indexer, store: async () => ["1"] }), { documents }),
      "returns a valid output",
    ],
    [
      "an indexer that gives the same ids",
      indexerConformance(() => ({ ...indexer, store: async () => ["1", "1"] }), { documents }),
      "returns a valid output",
    ],
    [
      "a loader that finds nothing",
      loaderConformance(() => ({ ...loader, load: async () => [] }), { source: { uri: "a" } }),
      "returns a valid output",
    ],
    [
      "a parser of bytes only",
      parserConformance(
        () => ({ parse: async (source, options) => lines.parse(new Uint8Array(source as Uint8Array), options) }),
        bytes,
      ),
      "returns the same documents for a web stream",
    ],
    [
      "a parser that decodes piece by piece",
      parserConformance(decoding, bytes),
      "returns the same documents for an async iterable, byte by byte",
    ],
    [
      "a parser that drops metadata",
      parserConformance(() => ({ parse: async (source) => lines.parse(source) }), bytes),
      "adds the given metadata to every document",
    ],
    [
      "a parser that writes into the bytes",
      parserConformance(
        () => ({
          parse: async (source, options) =>
            lines.parse(source instanceof Uint8Array ? source.fill(65) : source, options),
        }),
        { source: bytes.source.slice() },
      ),
      "does not change the bytes",
    ],
    [
      "a parser that swallows failures",
      parserConformance(() => ({ parse: (source, options) => lines.parse(source, options).catch(() => []) }), bytes),
      "rejects when its stream fails",
    ],
    [
      "a parser without ids",
      parserConformance(
        () => ({
          parse: async (source, options) => (await lines.parse(source, options)).map((line) => ({ ...line, id: "1" })),
        }),
        bytes,
      ),
      "returns documents",
    ],
  ] as const)("%s", async (_name, checks, expected) => {
    expect(await failed(checks)).toContain(expected);
  });
});

/** Keeps what belongs to a call on itself. */
function meeting(): Template<{ question: string }> {
  let last = 0;
  return {
    ...template,
    async format() {
      last += 1;
      await Promise.resolve();
      const messages = [userMessage(`${last}`)];
      last = 0;
      return messages;
    },
  };
}

function decoding(): Parser {
  return {
    async parse(source, options) {
      if (source instanceof Uint8Array) return lines.parse(source, options);
      let text = "";
      for await (const chunk of StreamReader.from<Uint8Array>(source)) text += new TextDecoder().decode(chunk);
      return lines.parse(new TextEncoder().encode(text), options);
    },
  };
}

describe("a suite", () => {
  const suites: readonly [name: string, suite: (...given: never[]) => unknown, example: string][] = [
    ["modelConformance", modelConformance, 'such as { messages: [userMessage("Hi")] }'],
    ["templateConformance", templateConformance, 'such as { variables: { question: "Why?" } }'],
    ["parserConformance", parserConformance, 'such as { source: new TextEncoder().encode("one") }'],
    ["retrieverConformance", retrieverConformance, 'such as { query: "kumiko" }'],
    ["indexerConformance", indexerConformance, "such as { documents: [{ id: "],
    ["loaderConformance", loaderConformance, 'such as { source: { uri: "guide.md" } }'],
    ["transformerConformance", transformerConformance, "such as { documents: [{ id: "],
    ["runnableConformance", runnableConformance, 'such as { input: "hello", output: "HELLO" }'],
  ];

  it.each(suites)("says what is missing when its case is: %s", (name, suite, example) => {
    const call = suite as (...given: unknown[]) => unknown;
    const refused = expect.objectContaining({
      code: "INVALID_OPTION",
      message: expect.stringContaining(`The second argument of ${name} must be a case, ${example}`),
    });
    expect(() => call(() => undefined)).toThrow(refused);
    expect(() => call(() => undefined, {})).toThrow(refused);
  });

  it.each([
    ...suites.map(([name, suite]) => [name, suite] as const),
    ["embedderConformance", embedderConformance] as const,
    ["handlerConformance", handlerConformance] as const,
    ["cacheStoreConformance", cacheStoreConformance] as const,
    ["checkpointStoreConformance", checkpointStoreConformance] as const,
    ["vectorStoreConformance", vectorStoreConformance] as const,
  ])("says that it takes a function: %s", (name, suite) => {
    expect(() => (suite as (...given: unknown[]) => unknown)({})).toThrow(
      `The first argument of ${name} must be a function that returns what to check (got an object).`,
    );
  });
});
