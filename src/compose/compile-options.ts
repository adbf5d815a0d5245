import type { Handler } from "../callbacks/handler.js";
import type { CheckpointStore } from "../checkpoint/checkpoint-store.js";
import type { CachePolicy, RetryPolicy } from "../components/policies.js";
import type { Runtime } from "./runtime.js";

/** Options of `compile()` of a graph. */
export interface CompileOptions<Key extends string = never> extends ChainCompileOptions<Key> {
  /**
   * When a node runs: in the step after any of its predecessors has run (loops are allowed), or once each predecessor has either
   * run or been skipped (no loops). @default "anyPredecessor"
   */
  readonly triggerMode?: "anyPredecessor" | "allPredecessor" | undefined;
}

/** Options of `compile()` of a workflow, which has no trigger mode and no steps. */
export type WorkflowCompileOptions<Key extends string = never> = Omit<CompileOptions<Key>, "triggerMode" | "maxSteps">;

/** Options of `compile()` of a chain. */
export interface ChainCompileOptions<Key extends string = never> {
  /** The name of the graph in traces and addresses. @default "" */
  readonly name?: string | undefined;
  /** How many steps a run may take; only with `anyPredecessor`. @default the number of nodes + 10 */
  readonly maxSteps?: number | undefined;
  /** Handlers of every run, called after those of the runtime and before those of the run. */
  readonly callbacks?: readonly Handler[] | undefined;
  /** The handlers, concat rules, schema validator and other parts shared with other graphs. @default `Runtime.default` */
  readonly runtime?: Runtime | undefined;
  /** The store for runs with a `checkpointId`, which can then be resumed. Of nested graphs, only that of the outermost is used. */
  readonly store?: CheckpointStore | undefined;
  /**
   * When a run is saved: with `"exit"` when it stops (pauses, fails, is aborted or times out); with `"step"` also after every
   * finished node, tool call and `ctx.once`, before what follows starts, so that it survives a crash.
   * @default "exit"; for what a segment drives, "step"
   */
  readonly durability?: "exit" | "step" | undefined;
  /** Keeps the checkpoint of a finished run, with its result. @default false */
  readonly keepCheckpoint?: boolean | undefined;
  /**
   * Keeps earlier saves of a run: `app.history(id)` lists them, `app.fork(id, { entry })` continues from one. Needs a store with
   * `append`. With durability `"step"` there is an entry for every finished task, otherwise one for every stop. A finished run
   * keeps its checkpoint. At least the `last` entries are kept. @default no history; for `true`, the last 1,000 entries
   */
  readonly history?:
    | boolean
    | { readonly last?: number | undefined; readonly maxAgeMs?: number | undefined }
    | undefined;
  /** Pauses before these nodes run. `resume` continues; an answer replaces the state of the graph. */
  readonly interruptBefore?: readonly Key[] | undefined;
  /** Pauses after these nodes have run. */
  readonly interruptAfter?: readonly Key[] | undefined;
  /** Policies for nodes of this graph without their own. They do not apply inside inner graphs. */
  readonly nodeDefaults?: NodeDefaults | undefined;
}

/** Policies for all nodes of a graph. A node can turn one off with `false`. */
export interface NodeDefaults {
  /** Retries failed nodes, except tools nodes and graphs, which may have side effects. */
  readonly retry?: true | RetryPolicy | undefined;
  /** How long a node may take, in milliseconds. */
  readonly timeoutMs?: number | undefined;
  /** How long a streaming node may take until its next chunk, in milliseconds. */
  readonly idleTimeoutMs?: number | undefined;
  /** Caches the outputs of nodes. */
  readonly cache?: true | CachePolicy<unknown> | undefined;
}
