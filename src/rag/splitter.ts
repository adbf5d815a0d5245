import type { NodeContext } from "../components/context.js";
import type { Transformer } from "../components/retrieval.js";
import type { Document } from "../schema/document.js";
import { checkChunkOptions } from "./chunking/check-options.js";
import type { ChunkOptions, ChunkStrategy, DefaultChunkOptions, StrategyOptions } from "./chunking/chunk-options.js";
import { strategyFor } from "./chunking/source-document.js";
import { type PartialContext, wholeContext } from "./lone-context.js";
import { chunkToDocument } from "./m-document.js";

/** The options of one strategy, without its name. */
export type SplitterOptions<Strategy extends ChunkStrategy> = Omit<
  Extract<StrategyOptions, { readonly strategy: Strategy }>,
  "strategy"
>;

/** A splitter that can also be called directly, without a run. */
export interface DocumentSplitter extends Transformer {
  /** Splits documents into chunks, which are documents again. */
  readonly transform: Transformer["transform"] &
    ((documents: readonly Document[], ctx?: Partial<NodeContext>) => Promise<Document[]>);
}

/**
 * A node that splits documents. With `"auto"`, the strategy of each document follows from `mimeType` or `uri` in its metadata,
 * or else from the extension of its id. Chunks of JSON documents never overlap.
 *
 * @example
 * const pipeline = new Chain<Document[]>()
 *   .append(splitter("markdown", { headers: [["#", "title"]], size: 1_000 }))
 *   .compile();
 */
export function splitter(strategy: "auto", options?: DefaultChunkOptions): DocumentSplitter;
export function splitter<Strategy extends Exclude<ChunkStrategy, "semantic">>(
  strategy: Strategy,
  options?: SplitterOptions<Strategy>,
): DocumentSplitter;
export function splitter(strategy: "semantic", options: SplitterOptions<"semantic">): DocumentSplitter;
export function splitter(strategy: ChunkStrategy | "auto", options: object = {}): DocumentSplitter {
  const all = strategy === "auto" ? { ...options } : { ...options, strategy };
  checkChunkOptions(all, "recursive"); // throws when the splitter is created, not when it first runs
  return {
    component: "transformer",
    type: "Splitter",
    transform: async (documents: readonly Document[], given?: PartialContext) => {
      const ctx = wholeContext(given);
      const { chunkDocument } = await import("./chunking/chunk-document.js");
      const split = [];
      for (const { id, content, metadata } of documents) {
        ctx.signal.throwIfAborted();
        const source = { text: content, id, strategy: strategyFor(metadata.mimeType, metadata.uri ?? id), metadata };
        const isAutoJson = strategy === "auto" && source.strategy === "json";
        const own = isAutoJson ? { ...all, overlap: undefined } : all;
        split.push(...(await chunkDocument(source, own as ChunkOptions, ctx)));
      }
      return split.map(chunkToDocument);
    },
  };
}
