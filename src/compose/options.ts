import type { Handler } from "../callbacks/handler.js";
import type { NodeContext } from "../components/context.js";
import type { ModelOptions } from "../components/model.js";
import type { AnyRequestContext } from "../components/request-context.js";
import type { EmbedderOptions, IndexerOptions, RetrieverOptions } from "../components/retrieval.js";
import type { ToolOption } from "../components/tool-options.js";
import type { ToolsNodeOptions } from "../tools/node/options.js";
import type { RunControl } from "./run-control.js";
import type { OptionsAt } from "./types/call-options.js";

/** Call options by kind of component. A component uses the options that it supports. */
export interface KindOptions {
  /** For models: temperature, tools, and what the provider understands. */
  readonly model?: (ModelOptions & Readonly<Record<string, unknown>>) | undefined;
  /** Values for options that tools declare with `toolOptions`. */
  readonly tool?: readonly ToolOption[] | undefined;
  /** For tools nodes. */
  readonly toolsNode?: ToolsNodeOptions | undefined;
  /** For templates. */
  readonly template?: object | undefined;
  /** For retrievers, such as `topK`. */
  readonly retriever?: (RetrieverOptions & Readonly<Record<string, unknown>>) | undefined;
  /** For embedders. */
  readonly embedder?: (EmbedderOptions & Readonly<Record<string, unknown>>) | undefined;
  /** For indexers. */
  readonly indexer?: (IndexerOptions & Readonly<Record<string, unknown>>) | undefined;
  /** For loaders. */
  readonly loader?: object | undefined;
  /** For transformers. */
  readonly transformer?: object | undefined;
  /** For functions as nodes: `ctx.options`. */
  readonly lambda?: object | undefined;
}

/** Options of a run for one node: call options for the node, and handlers for it and everything inside it. */
export interface NodeCallOptions<Options = object> {
  /** Call options, merged over those of the node. */
  readonly options?: Options | undefined;
  /** Handlers for the node and everything inside it. */
  readonly callbacks?: readonly Handler[] | undefined;
}

/**
 * Options for one run.
 *
 * @example
 * await app.invoke(input, { signal: AbortSignal.timeout(5_000), options: { model: { temperature: 0 } } });
 */
export interface RunOptions<Paths extends string = string, Inner = unknown> {
  /** Makes this run a child of a node or tool, by its context: it gets the signal, handlers and request values of the parent. */
  readonly parent?: NodeContext | undefined;
  /** The key of this run among the children of `parent`. @default the name of the graph */
  readonly key?: string | undefined;
  /** Stops the run; it then rejects with the signal's reason. */
  readonly signal?: AbortSignal | undefined;
  /** Stops the run after this time in milliseconds from its start; it then rejects with a `TimeoutError`. */
  readonly timeoutMs?: number | undefined;
  /** How many nodes may run at a time, including inner graphs and child runs. Tools have their own limit. @default no limit */
  readonly maxConcurrency?: number | undefined;
  /** Handlers for the graph and everything in it. */
  readonly callbacks?: readonly Handler[] | undefined;
  /** Values of this request, for every node and tool: a `RequestContext` or a plain record. */
  readonly requestContext?: AnyRequestContext | Readonly<Record<string, unknown>> | undefined;
  /** How many steps the outermost graph may take. @default the compiled limit: number of nodes + 10 */
  readonly maxSteps?: number | undefined;
  /** Call options by kind of component. */
  readonly options?: KindOptions | undefined;
  /** Call options and handlers by path: node keys joined by `/`. */
  readonly nodes?: { readonly [Path in Paths]?: NodeCallOptions<OptionsAt<Inner, Path>> | undefined } | undefined;
  /** Stops the run from outside so that it can be resumed: `control.interrupt()`. */
  readonly control?: RunControl | undefined;
  /** Saves the run in the store of the graph under this id, of up to 512 characters. */
  readonly checkpointId?: string | undefined;
  /** Saves under this id instead. A resume then continues a copy of the run, and leaves the original as it was. */
  readonly writeToCheckpointId?: string | undefined;
  /** Starts a new run even if there is an unfinished run under the id, which is discarded. @default false */
  readonly forceNewRun?: boolean | undefined;
  /** Takes the run over from a process that has claimed it and may still be running it. @default false */
  readonly takeover?: boolean | undefined;
  /** On resume: returns a new state for each graph with a state, by its path (`""` for the outermost); `undefined` keeps it. */
  readonly modifyState?: ((state: unknown, path: string) => unknown) | undefined;
}

/** Options of a resume: those of a run, without those that identify the run. */
export type ResumeOptions<Paths extends string = string, Inner = unknown> = Omit<
  RunOptions<Paths, Inner>,
  "parent" | "key" | "checkpointId"
>;

/** Answers for a resume, by interrupt id or by address. The answer `undefined` resumes without data. */
export type Answers = Readonly<Record<string, unknown>> | { readonly byAddress: Readonly<Record<string, unknown>> };
