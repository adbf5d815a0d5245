import type { AgenticModel } from "../../components/model.js";
import type { Embedder } from "../../components/retrieval.js";
import type { Tool } from "../../components/tool.js";
import type { AiSdkEmbeddingModel } from "../../models/ai-sdk/provider-model.js";
import type { Model } from "../../models/model.js";
import type { AnyTool } from "../../tools/define/any-tool.js";

/**
 * Where answers come from: `"replay"` only from the tape, `"auto"` from the tape if it has them, and else from the provider, whose
 * answers it keeps, `"record"` all from the provider.
 */
export type TapeMode = "replay" | "auto" | "record";

/** Options of {@link cassette}. */
export interface CassetteOptions {
  /** Where answers come from. @default KUMIKO_TAPE, or else "replay" if CI is set (and not "false" or "0"), else "auto" */
  readonly mode?: TapeMode | undefined;
  /** What they match makes no difference: dates, ids. Requests that are the same without it share answers. @default none */
  readonly ignore?: readonly RegExp[] | undefined;
  /** What they match is masked, in addition to secrets of the environment and of well-known forms. @default none */
  readonly secrets?: readonly RegExp[] | undefined;
}

/** A tape: what models, embedders, tools and functions answered, in a folder of JSON files. */
export interface Tape {
  /** A model that answers from the tape. */
  model(model: Model): AgenticModel;
  /** An embedder that answers from the tape, text by text. */
  embedder(embedder: Embedder | AiSdkEmbeddingModel): Embedder;
  /**
   * Tools whose work comes from the tape; validation, approval, hooks and middlewares are as ever. Tools that run agents or graphs
   * run themselves: what they call is on the tape.
   */
  tools(tools: readonly AnyTool[]): Tool[];
  /** A function that answers from the tape: a reranker, a search, a `fetch`. Its arguments and its result must be plain JSON. */
  wrap<F extends (...args: never[]) => Promise<unknown>>(name: string, work: F): F;
  /** What the tape has done so far. */
  readonly stats: {
    /** How many calls were answered from the tape. */
    readonly replayed: number;
    /** How many answers were put on the tape. */
    readonly recorded: number;
    /** How many replayed calls got an answer again, because there were more calls than answers. */
    readonly reused: number;
  };
}
