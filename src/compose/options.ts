import type { Handler } from "../callbacks/handler.js";
import type { NodeContext } from "../components/context.js";
import type { ModelOptions } from "../components/model.js";
import type { AnyRequestContext } from "../components/request-context.js";
import type { EmbedderOptions, IndexerOptions, RetrieverOptions } from "../components/retrieval.js";
import type { ToolOption } from "../components/tool-options.js";
import type { ToolsNodeOptions } from "../tools/node/options.js";
import type { RunControl } from "./run-control.js";
import type { OptionsAt } from "./types/call-options.js";

/** Options for every component of a kind; a component takes what it knows. */
export interface KindOptions {
  readonly model?: (ModelOptions & Readonly<Record<string, unknown>>) | undefined;
  readonly tool?: readonly ToolOption[] | undefined;
  readonly toolsNode?: ToolsNodeOptions | undefined;
  readonly template?: object | undefined;
  readonly retriever?: (RetrieverOptions & Readonly<Record<string, unknown>>) | undefined;
  readonly embedder?: (EmbedderOptions & Readonly<Record<string, unknown>>) | undefined;
  readonly indexer?: (IndexerOptions & Readonly<Record<string, unknown>>) | undefined;
  readonly loader?: object | undefined;
  readonly transformer?: object | undefined;
  readonly lambda?: object | undefined;
}

/** What a run may give to one place: call options of that node, and handlers for it and everything inside it. */
export interface NodeCallOptions<Options = object> {
  readonly options?: Options | undefined;
  readonly callbacks?: readonly Handler[] | undefined;
}

/**
 * Options for one run.
 *
 * @example
 * await app.invoke(input, { signal: AbortSignal.timeout(5_000), options: { model: { temperature: 0 } } });
 */
export interface RunOptions<Paths extends string = string, Inner = unknown> {
  /** Makes this run a child of the node (or tool) whose context is given: signal, handlers and request values continue. */
  readonly parent?: NodeContext | undefined;
  /** Names this child among the children of `parent`. @default the name of the graph */
  readonly key?: string | undefined;
  /** Stops the run; it then rejects with the signal's reason. */
  readonly signal?: AbortSignal | undefined;
  /** Stops the run after so many milliseconds, counted from its start; it then rejects with a `TimeoutError`. */
  readonly timeoutMs?: number | undefined;
  /** How many nodes may run at a time, inner graphs and child runs included. Tools have a limit of their own. @default no limit */
  readonly maxConcurrency?: number | undefined;
  /** Handlers for the graph and everything in it. */
  readonly callbacks?: readonly Handler[] | undefined;
  /** Values of this request, for every node and tool: a `RequestContext` or a plain record. */
  readonly requestContext?: AnyRequestContext | Readonly<Record<string, unknown>> | undefined;
  /** How many supersteps the top graph may take. @default the compiled limit: number of nodes + 10 */
  readonly maxSteps?: number | undefined;
  /** Call options by kind of component. */
  readonly options?: KindOptions | undefined;
  /** Call options and handlers by place: node keys joined by `/`. */
  readonly nodes?: { readonly [Path in Paths]?: NodeCallOptions<OptionsAt<Inner, Path>> | undefined } | undefined;
  /** Lets somebody outside ask the run to stop where it can be resumed: `control.interrupt()`. */
  readonly control?: RunControl | undefined;
  /** Saves the run in the store of the graph, under this id: up to 512 characters. */
  readonly checkpointId?: string | undefined;
  /** Saves under this id instead. A resume goes on with a copy of the run, and leaves the first one as it was. */
  readonly writeToCheckpointId?: string | undefined;
  /** Starts anew although there is an unfinished run under the id, which is given up. @default false */
  readonly forceNewRun?: boolean | undefined;
  /** Takes the run away from a process that has claimed it and may still be at it. @default false */
  readonly takeover?: boolean | undefined;
  /** On resume: gives the new state of each graph that has one, by its path (`""` for the top); `undefined` keeps it. */
  readonly modifyState?: ((state: unknown, path: string) => unknown) | undefined;
}

/** Options of a resume: those of a run, which is the one that the checkpoint names. */
export type ResumeOptions<Paths extends string = string, Inner = unknown> = Omit<
  RunOptions<Paths, Inner>,
  "parent" | "key" | "checkpointId"
>;

/** Answers of a resume: by the id of an interrupt, or by address. `undefined` as an answer goes on without data. */
export type Answers = Readonly<Record<string, unknown>> | { readonly byAddress: Readonly<Record<string, unknown>> };
