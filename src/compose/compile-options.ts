import type { Handler } from "../callbacks/handler.js";
import type { CheckpointStore } from "../checkpoint/checkpoint-store.js";
import type { CachePolicy, RetryPolicy } from "../components/policies.js";
import type { Runtime } from "./runtime.js";

/** How a builder is compiled. */
export interface CompileOptions<Key extends string = never> extends ChainCompileOptions<Key> {
  /**
   * When a node runs: as soon as any of its predecessors has given something (steps; loops are allowed), or once all of
   * them have given or will not give (no loops). @default "anyPredecessor"
   */
  readonly triggerMode?: "anyPredecessor" | "allPredecessor" | undefined;
}

/** How a workflow is compiled: it has no trigger mode and no steps. */
export type WorkflowCompileOptions<Key extends string = never> = Omit<CompileOptions<Key>, "triggerMode" | "maxSteps">;

/** How a chain is compiled: it runs step by step. */
export interface ChainCompileOptions<Key extends string = never> {
  /** The name of the graph in traces and addresses. @default "" */
  readonly name?: string | undefined;
  /** How many steps a run may take; only with `anyPredecessor`. @default the number of nodes + 10 */
  readonly maxSteps?: number | undefined;
  /** Handlers of every run; they come after those of the runtime and before those of the run. */
  readonly callbacks?: readonly Handler[] | undefined;
  /** What is shared with other graphs: handlers, concat rules, the schema validator. @default `Runtime.default` */
  readonly runtime?: Runtime | undefined;
  /** Where runs with a `checkpointId` are saved, so that they can be resumed. Of nested graphs only the outermost counts. */
  readonly store?: CheckpointStore | undefined;
  /**
   * When a run is saved: where it stops (waits, fails, is cancelled, runs out of time), or besides after every finished task
   * (node, tool call, `ctx.once`), before what follows it starts. `"step"` survives a crash of the process. @default "exit"
   */
  readonly durability?: "exit" | "step" | undefined;
  /** Keeps the checkpoint of a run that has ended well. @default false */
  readonly keepCheckpoint?: boolean | undefined;
  /**
   * Keeps earlier saves of a run: `app.history(id)` lists them, `app.fork(id, { entry })` goes on from one. Needs a store that
   * appends. With `"step"` there is one for every finished task, otherwise one for every stop. A finished run keeps its
   * checkpoint. `last` counts saves, and up to some more than these stay. @default none; of `true`, the last 1,000
   */
  readonly history?:
    | boolean
    | { readonly last?: number | undefined; readonly maxAgeMs?: number | undefined }
    | undefined;
  /** Stops before these nodes run. `resume` goes on; an answer replaces the state of the graph. */
  readonly interruptBefore?: readonly Key[] | undefined;
  /** Stops after these nodes have run. */
  readonly interruptAfter?: readonly Key[] | undefined;
  /** Policies of every node of this graph that has none of its own; not of nodes inside inner graphs. */
  readonly nodeDefaults?: NodeDefaults | undefined;
}

/** Policies for all nodes of a graph. A node turns one off with `false`. */
export interface NodeDefaults {
  /** Tools nodes and graphs are left out: what they do may have effects. */
  readonly retry?: true | RetryPolicy | undefined;
  readonly timeoutMs?: number | undefined;
  readonly idleTimeoutMs?: number | undefined;
  readonly cache?: true | CachePolicy<unknown> | undefined;
}
