import type { NodeContext } from "../../components/context.js";
import { scoreOf } from "../../schema/document.js";
import type { JsonSchema } from "../../schema/standard-schema.js";
import { type CreatedTool, createTool } from "../../tools/define/create-tool.js";
import type { AnyEmbedder } from "../embedding/any-embedder.js";
import { embedTexts } from "../embedding/embed-texts.js";
import { invalidRagOption, missingSetting } from "../errors.js";
import { wholeContext } from "../lone-context.js";
import { mostResults } from "../vectors/requests.js";
import type { QueryResult } from "../vectors/vector-store.js";
import { GraphRAG, type GraphRAGOptions } from "./graph-rag.js";
import {
  checkToolOptions,
  type QuerySettings,
  type QueryToolOptions,
  querySchema,
  queryToolNames,
  readQuerySettings,
  type StoreHit,
  toolId,
} from "./query-settings.js";
import type { Reranker } from "./rerank.js";
import { selectionOf } from "./vector-retriever.js";

/** The result of both query tools. The model sees only `text`. */
export interface QueryToolResult {
  /** The texts found, best first. */
  readonly relevantContext: readonly string[];
  /** The same texts with their numbers, `[1]`, `[2]` and so on, which the model can cite: `[n]` is `sources[n - 1]`. */
  readonly text: string;
  /** The full results; empty if `includeSources` is `false`. */
  readonly sources: readonly QueryResult[];
}

/** A tool that finds texts. `execute` returns a {@link QueryToolResult}. */
export type QueryTool = CreatedTool<JsonSchema, undefined, Record<never, never>, false>;

/** Options of {@link createVectorQueryTool}. */
export interface VectorQueryToolOptions extends QueryToolOptions {
  /** Reorders the results, such as one made with `rerank`. */
  readonly reranker?: Reranker | undefined;
}

/**
 * Creates a tool with which a model queries an index of a vector store: by vectors if there is an embedding `model`, otherwise by
 * words. The model reads the results with their numbers and can cite them.
 *
 * @example
 * const lookUp = createVectorQueryTool({
 *   vectorStoreName: "main",
 *   indexName: "docs",
 *   model: embedder,
 *   vectorStores: { main: memoryVectors() },
 * });
 */
export function createVectorQueryTool(options: VectorQueryToolOptions): QueryTool {
  checkToolOptions("createVectorQueryTool", options, [...queryToolNames, "reranker"]);
  const { reranker } = options;
  return makeTool(options, {
    kind: "VectorQuery",
    description:
      "Access the knowledge base to find information needed to answer user questions. Results are numbered; cite them as [1], [2].",
    needsText: false,
    find: async (settings, ctx) => {
      const { queryText, topK } = settings;
      if (queryText === undefined) return queryStore(settings, { topK });
      const found = await queryStore(settings, { topK, ...(await questionOf(queryText, options.model, ctx)) });
      return reranker === undefined ? found : reorder(found, reranker, { query: queryText, ctx });
    },
  });
}

/** Options of {@link createGraphRAGTool}. */
export interface GraphRAGToolOptions extends QueryToolOptions {
  /** Embeds the query text. */
  readonly model: AnyEmbedder;
  /** How entries are connected and ranked; `randomWalkSteps` and `restartProb` can also come from the input or the request context. */
  readonly graphOptions?: GraphRAGOptions | undefined;
}

/**
 * Creates a tool with which a model finds texts that are similar to a question, and texts that are connected with those. Each
 * call builds its own graph.
 *
 * @example
 * const explore = createGraphRAGTool({
 *   vectorStoreName: "main",
 *   indexName: "docs",
 *   model: embedder,
 *   vectorStores: { main: memoryVectors() },
 *   graphOptions: { threshold: 0.7, randomWalkSteps: 100, restartProb: 0.15 },
 * });
 */
export function createGraphRAGTool(options: GraphRAGToolOptions): QueryTool {
  checkToolOptions("createGraphRAGTool", options, [...queryToolNames, "graphOptions"]);
  if (options.model === undefined)
    throw invalidRagOption("createGraphRAGTool needs a model that embeds the query text.");
  new GraphRAG(options.graphOptions); // throws for invalid options when the tool is created
  return makeTool(options, {
    kind: "GraphRAG",
    description:
      "Access and analyze relationships between information in the knowledge base to answer complex questions about connections and patterns.",
    needsText: true,
    find: async (settings, ctx) => {
      const { topK, queryText } = settings;
      if (queryText === undefined) throw missingSetting("queryText");
      const graph = new GraphRAG(graphOptionsOf(options.graphOptions ?? {}, settings));
      const pool = Math.max(50, Math.min(mostResults, 5 * topK), topK);
      const [queryVector = []] = await embedTexts(options.model, [queryText], {}, ctx);
      const found = await queryStore(settings, { queryVector, topK: pool, includeVector: true });
      return graph.rank(found, { queryVector, topK });
    },
  });
}

function graphOptionsOf(options: GraphRAGOptions, { pick }: QuerySettings): GraphRAGOptions {
  const given = (name: "randomWalkSteps" | "restartProb"): number | undefined =>
    (pick(name) as number | undefined) ?? options[name];
  return { ...options, randomWalkSteps: given("randomWalkSteps"), restartProb: given("restartProb") };
}

interface ToolKind {
  readonly kind: string;
  readonly description: string;
  readonly needsText: boolean;
  find(settings: QuerySettings, ctx: NodeContext): Promise<QueryResult[]>;
}

function makeTool(options: QueryToolOptions, { kind, description, needsText, find }: ToolKind): QueryTool {
  selectionOf(`the ${kind} tool`, options); // throws when the tool is created
  const inputSchema: JsonSchema = querySchema(options.enableFilter === true, needsText);
  return createTool({
    id: toolId(kind, options),
    description: options.description ?? description,
    inputSchema,
    execute: async (input, given): Promise<QueryToolResult> => {
      const ctx = wholeContext(given);
      const settings = readQuerySettings(options, input, ctx);
      const found = await find(settings, ctx);
      const relevantContext = found.map(({ document }) => document);
      const text = relevantContext.map((document, index) => `[${index + 1}] ${document}`).join("\n\n");
      return { relevantContext, text, sources: settings.includeSources ? found : [] };
    },
    toModelOutput: ({ output }) => (output as QueryToolResult).text,
  });
}

interface StoreQuery {
  readonly topK: number;
  readonly queryVector?: number[];
  readonly queryText?: string;
  readonly includeVector?: boolean;
}

/** What to ask a store for: a vector if there is a model, otherwise words. */
async function questionOf(
  queryText: string,
  model: AnyEmbedder | undefined,
  ctx: NodeContext,
): Promise<Pick<StoreQuery, "queryVector" | "queryText">> {
  if (model === undefined) return { queryText };
  const [queryVector = []] = await embedTexts(model, [queryText], {}, ctx);
  return { queryVector };
}

async function queryStore({ store, indexName, filter }: QuerySettings, asking: StoreQuery): Promise<QueryResult[]> {
  const hits = await store.query({ indexName, ...asking, ...(filter === undefined ? {} : { filter }) });
  return hits.map(resultOf);
}

function resultOf({ id, score, document, metadata = {}, vector }: StoreHit): QueryResult {
  const text = document ?? metadata.text;
  const result = { id, score, document: typeof text === "string" ? text : "", metadata };
  return vector === undefined ? result : { ...result, vector: [...vector] };
}

async function reorder(
  found: readonly QueryResult[],
  reranker: Reranker,
  { query, ctx }: { readonly query: string; readonly ctx: NodeContext },
): Promise<QueryResult[]> {
  const documents = found.map(({ id, score, document, metadata }) => ({
    id,
    content: document,
    metadata: { ...metadata, _score: score },
  }));
  const results = new Map(found.map((result) => [result.id, result]));
  return (await reranker(query, documents, ctx)).flatMap((document) => {
    const result = results.get(document.id);
    return result === undefined ? [] : [{ ...result, score: scoreOf(document) ?? result.score }];
  });
}
