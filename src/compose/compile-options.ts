import type { Handler } from "../callbacks/handler.js";
import type { Runtime } from "./runtime.js";

/** How a builder is compiled. */
export interface CompileOptions extends ChainCompileOptions {
  /**
   * When a node runs: as soon as any of its predecessors has given something (steps; loops are allowed), or once all of
   * them have given or will not give (no loops). @default "anyPredecessor"
   */
  readonly triggerMode?: "anyPredecessor" | "allPredecessor" | undefined;
}

/** How a chain is compiled: it runs step by step. */
export interface ChainCompileOptions {
  /** The name of the graph in traces and addresses. @default "" */
  readonly name?: string | undefined;
  /** How many steps a run may take; only with `anyPredecessor`. @default the number of nodes + 10 */
  readonly maxSteps?: number | undefined;
  /** Handlers of every run; they come after those of the runtime and before those of the run. */
  readonly callbacks?: readonly Handler[] | undefined;
  /** What is shared with other graphs: handlers, concat rules, the schema validator. @default `Runtime.default` */
  readonly runtime?: Runtime | undefined;
}
