import type { Handler } from "../callbacks/handler.js";
import type { CheckpointStore } from "../checkpoint/checkpoint-store.js";
import type { Runtime } from "./runtime.js";

/** How a builder is compiled. */
export interface CompileOptions<Key extends string = never> extends ChainCompileOptions<Key> {
  /**
   * When a node runs: as soon as any of its predecessors has given something (steps; loops are allowed), or once all of
   * them have given or will not give (no loops). @default "anyPredecessor"
   */
  readonly triggerMode?: "anyPredecessor" | "allPredecessor" | undefined;
}

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
  /** Stops before these nodes run. `resume` goes on; an answer replaces the state of the graph. */
  readonly interruptBefore?: readonly Key[] | undefined;
  /** Stops after these nodes have run. */
  readonly interruptAfter?: readonly Key[] | undefined;
}
