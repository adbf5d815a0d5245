import type {
  DocumentSource,
  Embedder,
  EmbedderOptions,
  Indexer,
  IndexerOptions,
  Loader,
  Retriever,
  RetrieverOptions,
  Transformer,
} from "../components/retrieval.js";
import type { Document } from "../schema/document.js";
import { abortCheck, type ComponentCase, checkOf, componentChecks, expectDocuments } from "./component-stage.js";
import { type ConformanceCheck, checkedCase, checkMake, expectSame, expectThat } from "./conformance.js";

/** A case of {@link retrieverConformance}. */
export interface RetrieverCase<Options> {
  /** A query for which the retriever finds at least two documents. */
  readonly query: string;
  /** Call options of the retriever. */
  readonly options?: Options | undefined;
}

/**
 * Checks for a `Retriever`, for any test runner: it returns documents, no more than `topK`, and can be aborted. `make` is called
 * for each check.
 *
 * @example
 * const page = (id: string) => ({ id, content: `About ${id}.`, metadata: {} });
 * const make = (): Retriever => ({
 *   component: "retriever",
 *   async retrieve(query, { options, signal }) {
 *     signal.throwIfAborted();
 *     return [page(query), page("maples")].slice(0, options.topK);
 *   },
 * });
 * for (const { run } of retrieverConformance(make, { query: "kumiko" })) await run();
 */
export function retrieverConformance<Options = RetrieverOptions>(
  make: () => Retriever<Options>,
  retrieverCase: RetrieverCase<Options>,
): ConformanceCheck[] {
  const { query, options } = checkedCase("retrieverConformance", make, retrieverCase, { query: '"kumiko"' });
  const called: ComponentCase<Retriever<Options>, string, Document[], Options> = {
    make,
    component: "retriever",
    input: query,
    options,
    call: (retriever, input, ctx) => retriever.retrieve(input, ctx),
  };
  return [
    ...componentChecks(called, (documents) => {
      expectDocuments(documents);
      expectThat(documents.length >= 2, "The query of the case must find at least two documents.");
    }),
    checkOf(called)("returns no more than topK documents", async (stage) => {
      const documents = await stage.call(query, { options: { topK: 1 } });
      expectSame(documents.length, 1, "The number of documents with topK: 1");
    }),
    abortCheck(called),
  ];
}

/** A case of {@link embedderConformance}. */
export interface EmbedderCase<Options> {
  /** At least two texts, all different. @default two sentences */
  readonly texts?: readonly string[] | undefined;
  /** Call options of the embedder. */
  readonly options?: Options | undefined;
}

/**
 * Checks for an `Embedder`, for any test runner: it returns one vector per text, in order and all of the same length. `make` is
 * called for each check.
 *
 * @example
 * const make = (): Embedder => ({
 *   component: "embedder",
 *   async embed(texts, { signal }) {
 *     signal.throwIfAborted();
 *     return texts.map((text) => [text.length, 1]);
 *   },
 * });
 * for (const { run } of embedderConformance(make)) await run();
 */
export function embedderConformance<Options = EmbedderOptions>(
  make: () => Embedder<Options>,
  { texts = ["Maple leaves turn red.", "Kumiko is joined without nails."], options }: EmbedderCase<Options> = {},
): ConformanceCheck[] {
  checkMake("embedderConformance", make);
  type Texts = readonly string[];
  const called: ComponentCase<Embedder<Options>, Texts, number[][], Options> = {
    make,
    component: "embedder",
    input: texts,
    options,
    call: (embedder, input, ctx) => embedder.embed(input, ctx),
  };
  const check = checkOf(called);
  return [
    ...componentChecks(called, expectVectors),
    check("returns the vectors in the order of the texts", async (stage) => {
      const straight = await stage.call(texts);
      const reversed = await stage.call([...texts].reverse());
      expectThat(straight.length > 1, "The case needs at least two texts.");
      const closest = reversed.map((vector) => straight.indexOf(nearest(vector, straight)));
      expectSame(closest.join(), [...straight.keys()].reverse().join(), "The order of the vectors of reversed texts");
    }),
    check("returns nothing for no texts", async (stage) => {
      expectSame((await stage.call([])).length, 0, "The number of vectors for no texts");
    }),
    abortCheck(called),
  ];
}

function expectVectors(vectors: unknown, texts: readonly string[]): void {
  const areVectors =
    Array.isArray(vectors) &&
    vectors.every((vector) => Array.isArray(vector) && vector.length > 0 && vector.every(Number.isFinite));
  expectThat(areVectors, "The output is not a list of vectors of finite numbers.");
  const lengths = (vectors as readonly (readonly number[])[]).map(({ length }) => length);
  expectSame(lengths.length, texts.length, "The number of vectors");
  expectSame(new Set(lengths).size, 1, "The number of different lengths of the vectors");
}

/** The nearest vector, because services do not return exactly the same numbers twice. */
function nearest(vector: readonly number[], vectors: readonly number[][]): number[] {
  const distance = (other: readonly number[]): number =>
    vector.reduce((sum, value, index) => sum + (value - (other[index] ?? 0)) ** 2, 0);
  return vectors.reduce((best, other) => (distance(other) < distance(best) ? other : best));
}

const documentsNeeded = { documents: '[{ id: "kumiko", content: "Joined without nails.", metadata: {} }]' };

/** A case of {@link indexerConformance} and {@link transformerConformance}. */
export interface DocumentsCase<Options> {
  /** The documents to use. */
  readonly documents: readonly Document[];
  /** Call options of the component. */
  readonly options?: Options | undefined;
}

/**
 * Checks for an `Indexer`, for any test runner: it returns one id per document, in order, and can store the same documents
 * again. `make` is called for each check.
 *
 * @example
 * const make = (): Indexer => ({
 *   component: "indexer",
 *   async store(documents, { signal }) {
 *     signal.throwIfAborted();
 *     return documents.map(({ id }) => id);
 *   },
 * });
 * const documents = [{ id: "kumiko", content: "Joined without nails.", metadata: {} }];
 * for (const { run } of indexerConformance(make, { documents })) await run();
 */
export function indexerConformance<Options = IndexerOptions>(
  make: () => Indexer<Options>,
  documentsCase: DocumentsCase<Options>,
): ConformanceCheck[] {
  const { documents, options } = checkedCase("indexerConformance", make, documentsCase, documentsNeeded);
  type Documents = readonly Document[];
  const called: ComponentCase<Indexer<Options>, Documents, string[], Options> = {
    make,
    component: "indexer",
    input: documents,
    options,
    call: (indexer, input, ctx) => indexer.store(input, ctx),
  };
  return [
    ...componentChecks(called, (ids) => {
      expectThat(
        Array.isArray(ids) && ids.every((id) => typeof id === "string" && id !== ""),
        "An id is not a string.",
      );
      expectSame(ids.length, documents.length, "The number of ids");
      expectSame(new Set(ids).size, documents.length, "The number of different ids");
    }),
    abortCheck(called),
  ];
}

/** A case of {@link loaderConformance}. */
export interface LoaderCase<Options> {
  /** The source to read. */
  readonly source: DocumentSource;
  /** Call options of the loader. */
  readonly options?: Options | undefined;
}

/**
 * Checks for a `Loader`, for any test runner: it returns documents, and can be aborted. `make` is called for each check.
 *
 * @example
 * const make = (): Loader => ({
 *   component: "loader",
 *   async load({ uri }, { signal }) {
 *     signal.throwIfAborted();
 *     return [{ id: uri, content: "Joined without nails.", metadata: { uri } }];
 *   },
 * });
 * for (const { run } of loaderConformance(make, { source: { uri: "guide.md" } })) await run();
 */
export function loaderConformance<Options = unknown>(
  make: () => Loader<Options>,
  loaderCase: LoaderCase<Options>,
): ConformanceCheck[] {
  const { source, options } = checkedCase("loaderConformance", make, loaderCase, { source: '{ uri: "guide.md" }' });
  const called: ComponentCase<Loader<Options>, DocumentSource, Document[], Options> = {
    make,
    component: "loader",
    input: source,
    options,
    call: (loader, input, ctx) => loader.load(input, ctx),
  };
  return [...componentChecks(called, expectSomeDocuments), abortCheck(called)];
}

/**
 * Checks for a `Transformer`, for any test runner: it returns documents. `make` is called for each check.
 *
 * @example
 * const documents = [{ id: "kumiko", content: "Joined without nails.", metadata: {} }];
 * for (const { run } of transformerConformance(() => splitter("recursive"), { documents })) await run();
 */
export function transformerConformance<Options = unknown>(
  make: () => Transformer<Options>,
  documentsCase: DocumentsCase<Options>,
): ConformanceCheck[] {
  const { documents, options } = checkedCase("transformerConformance", make, documentsCase, documentsNeeded);
  return componentChecks(
    {
      make,
      component: "transformer",
      input: documents,
      options,
      call: (transformer, input, ctx) => transformer.transform(input, ctx),
    },
    expectDocuments,
  );
}

function expectSomeDocuments(documents: readonly Document[]): void {
  expectDocuments(documents);
  expectThat(documents.length > 0, "There are no documents.");
}
