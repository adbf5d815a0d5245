import { checkOptions } from "../../check-options.js";
import type { NodeContext } from "../../components/context.js";
import type { JsonSchema } from "../../schema/standard-schema.js";
import { type CreatedTool, createTool } from "../../tools/define/create-tool.js";
import { invalidRagOption } from "../errors.js";
import { wholeContext } from "../lone-context.js";
import { GraphRAG } from "./graph-rag.js";
import {
  type GraphRAGToolOptions,
  type QueryToolOptions,
  type QueryToolResult,
  querySchema,
  queryToolNames,
  toolId,
  type VectorQueryToolOptions,
} from "./query-tool-options.js";
import { selectionOf } from "./vector-retriever.js";

/** A tool that finds texts. `execute` returns a {@link QueryToolResult}. */
export type QueryTool = CreatedTool<JsonSchema, undefined, Record<never, never>, false>;

/**
 * Creates a tool with which a model queries an index of a vector store: by vectors if there is an embedding `model`, otherwise by
 * words. The model calls it with `queryText`, reads the results with their numbers and can cite them. Only what `execute` returns has
 * the `sources`: an agent keeps the text that the model reads.
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
  checkOptions("createVectorQueryTool", options, [...queryToolNames, "reranker"]);
  return makeTool(options, {
    kind: "VectorQuery",
    description:
      "Access the knowledge base to find information needed to answer user questions. Results are numbered; cite them as [1], [2].",
    needsText: false,
    run: async (input, ctx) => (await import("./run-query.js")).runVectorQuery(options, input, ctx),
  });
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
  checkOptions("createGraphRAGTool", options, [...queryToolNames, "graphOptions"]);
  if (options.model === undefined)
    throw invalidRagOption("createGraphRAGTool needs a model that embeds the query text.");
  new GraphRAG(options.graphOptions); // throws for invalid options when the tool is created
  return makeTool(options, {
    kind: "GraphRAG",
    description:
      "Access and analyze relationships between information in the knowledge base to answer complex questions about connections and patterns.",
    needsText: true,
    run: async (input, ctx) => (await import("./run-query.js")).runGraphQuery(options, input, ctx),
  });
}

interface ToolKind {
  readonly kind: string;
  readonly description: string;
  readonly needsText: boolean;
  run(input: Readonly<Record<string, unknown>>, ctx: NodeContext): Promise<QueryToolResult>;
}

function makeTool(options: QueryToolOptions, { kind, description, needsText, run }: ToolKind): QueryTool {
  selectionOf(`the ${kind} tool`, options); // throws when the tool is created
  const inputSchema: JsonSchema = querySchema(options.enableFilter === true, needsText);
  return createTool({
    id: toolId(kind, options),
    description: options.description ?? description,
    inputSchema,
    execute: (input, given): Promise<QueryToolResult> => run(input, wholeContext(given)),
    toModelOutput: ({ output }) => (output as QueryToolResult).text,
  });
}
