import type { NodeContext } from "../../components/context.js";
import type { AgenticModel } from "../../components/model.js";
import type { Retriever, RetrieverOptions } from "../../components/retrieval.js";
import { endsRun, messageOf } from "../../errors.js";
import type { Document } from "../../schema/document.js";
import { invalidRagOption, invalidValue } from "../errors.js";
import { contextFor, contextOfCall, type PartialContext, retrieverCall } from "../lone-context.js";
import { askModel } from "../model-answer.js";
import { fuse } from "./fuse.js";
import type { QueryRetriever } from "./vector-retriever.js";

type RetrieverContext = NodeContext<unknown, RetrieverOptions | undefined>;

const retrieveWith = (retriever: Retriever, query: string, ctx: RetrieverContext): Promise<Document[]> =>
  retriever.retrieve(query, contextFor<RetrieverOptions>(ctx, ctx.options ?? {}));

/** Options of {@link multiQueryRetriever}. */
export interface MultiQueryOptions {
  /** The retriever that is asked with each wording. */
  readonly retriever: Retriever;
  /** The model that rephrases the query. Set either this or `rewrite`. */
  readonly model?: AgenticModel | undefined;
  /** Rephrases the query without a model. */
  readonly rewrite?: ((query: string, count: number) => readonly string[] | Promise<readonly string[]>) | undefined;
  /** How many rephrased queries to ask. @default 3 */
  readonly count?: number | undefined;
}

/**
 * Rephrases a query, retrieves documents for it and for each variant, and fuses the results.
 *
 * @example
 * const retriever = multiQueryRetriever({
 *   retriever: vectorRetriever(memoryVectors(), { index: "docs", embedder }),
 *   rewrite: (query) => [query.toLowerCase()],
 * });
 */
export function multiQueryRetriever({ retriever, model, rewrite, count = 3 }: MultiQueryOptions): QueryRetriever {
  if ((model === undefined) === (rewrite === undefined))
    throw invalidRagOption("multiQueryRetriever needs either a model or a rewrite function. Set exactly one of them.");
  if (!Number.isInteger(count) || count < 1) throw invalidValue("count", "a whole number of at least 1", count);
  return {
    component: "retriever",
    type: "MultiQueryRetriever",
    retrieve: async (query: string, given?: PartialContext<RetrieverOptions>) => {
      const ctx = contextOfCall(given, retrieverCall);
      const others =
        model === undefined ? checkQueries(await rewrite?.(query, count)) : await askQueries(model, query, count, ctx);
      const queries = [...new Set([query, ...others])].slice(0, count + 1);
      return fuse(await Promise.all(queries.map((one) => retrieveWith(retriever, one, ctx))), {
        topK: ctx.options?.topK,
      });
    },
  };
}

function checkQueries(queries: readonly string[] | undefined): readonly string[] {
  if (Array.isArray(queries) && queries.every((query) => typeof query === "string")) return queries;
  throw invalidValue("The result of rewrite", "a list of strings", queries);
}

async function askQueries(model: AgenticModel, query: string, count: number, ctx: RetrieverContext): Promise<string[]> {
  const answer = await askModel(
    model,
    `Write ${count} other ways to ask this question, one per line, and nothing else.\n\n${query}`,
    { ctx },
  );
  const lines = answer.split(/\r?\n/).map((line) => line.replace(/^\s*(?:[-*•]|\d+[.)])\s+/, "").trim());
  return lines.filter((line) => line !== "");
}

/** Options of {@link routerRetriever}. */
export interface RouterOptions {
  /** The retrievers, by their names. */
  readonly retrievers: Readonly<Record<string, Retriever>>;
  /** Returns the names of the retrievers to ask. */
  readonly route: (
    query: string,
    names: readonly string[],
  ) => string | readonly string[] | Promise<string | readonly string[]>;
  /** Whether a retriever that fails is skipped; handlers are notified (`onEvent`). @default false: a failure fails the call */
  readonly optional?: boolean | undefined;
}

/**
 * Asks the retrievers that `route` selects for a query, and fuses their results.
 *
 * @example
 * const code = vectorRetriever(memoryVectors(), { index: "code", embedder });
 * const docs = vectorRetriever(memoryVectors(), { index: "docs", embedder });
 * const retriever = routerRetriever({ retrievers: { code, docs }, route: (query) => (query.includes("()") ? "code" : ["code", "docs"]) });
 */
export function routerRetriever({ retrievers, route, optional = false }: RouterOptions): QueryRetriever {
  const names = Object.keys(retrievers);
  return {
    component: "retriever",
    type: "RouterRetriever",
    retrieve: async (query: string, given?: PartialContext<RetrieverOptions>) => {
      const ctx = contextOfCall(given, retrieverCall);
      const chosen = [await route(query, names)].flat();
      const unknown = chosen.find((name) => !Object.hasOwn(retrievers, name));
      if (unknown !== undefined)
        throw invalidRagOption(`route returned an unknown retriever "${unknown}". Retrievers: ${names.join(", ")}.`);
      const lists = await Promise.all(
        chosen.map(async (name) => {
          const retriever = retrievers[name];
          try {
            return retriever === undefined ? [] : await retrieveWith(retriever, query, ctx);
          } catch (error) {
            if (!optional || ctx.signal.aborted || endsRun(error)) throw error;
            ctx.progress({ kind: "retriever_failed", name, message: messageOf(error), error });
            return [];
          }
        }),
      );
      return lists.length === 1 ? (lists[0] ?? []) : fuse(lists, { topK: ctx.options?.topK });
    },
  };
}

/** Options of {@link parentRetriever}. */
export interface ParentOptions {
  /** The retriever of the small pieces. */
  readonly retriever: Retriever;
  /** Returns the documents with these ids, in any order. */
  readonly parents: (ids: readonly string[]) => readonly Document[] | Promise<readonly Document[]>;
  /** Returns the id of the document that a chunk belongs to. @default the chunk's id without its `:<start>-<end>` suffix */
  readonly parentOf?: ((chunk: Document) => string) | undefined;
}

/**
 * Finds chunks, but returns the whole documents that they belong to: each once, with the score of its best chunk.
 *
 * @example
 * const pages = new Map([["guide", { id: "guide", content: "All of the guide.", metadata: {} }]]);
 * const retriever = parentRetriever({
 *   retriever: vectorRetriever(memoryVectors(), { index: "docs", embedder }),
 *   parents: (ids) => ids.flatMap((id) => pages.get(id) ?? []),
 * });
 */
export function parentRetriever({ retriever, parents, parentOf = documentIdOf }: ParentOptions): QueryRetriever {
  return {
    component: "retriever",
    type: "ParentRetriever",
    retrieve: async (query: string, given?: PartialContext<RetrieverOptions>) => {
      const ctx = contextOfCall(given, retrieverCall);
      const best = new Map<string, number | undefined>();
      for (const chunk of await retrieveWith(retriever, query, ctx)) {
        const id = parentOf(chunk);
        if (!best.has(id)) best.set(id, chunk.score);
      }
      const found = new Map((await parents([...best.keys()])).map((document) => [document.id, document]));
      return [...best].flatMap(([id, score]) => {
        const document = found.get(id);
        if (document === undefined) return [];
        return [score === undefined ? document : { ...document, score }];
      });
    },
  };
}

const documentIdOf = ({ id }: Document): string => id.replace(/:\d+-\d+(?:#\d+)?$/, "");
