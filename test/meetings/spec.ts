/** How a graph is put together. Levels: each node reads all nodes of the level before. Free: each node names what it reads. */
export type Builder = "chain" | "graph" | "levels" | "dag" | "workflow";

/** What a node does. "early" leaves its input stream after the first chunk; "child" runs its flow with `parent: ctx`. */
export type NodeKind =
  | "value"
  | "sync"
  | "stream"
  | "transform"
  | "collect"
  | "early"
  | "pass"
  | "each"
  | "flow"
  | "child";

/** All properties but `kind` are optional, so that a smaller program is one with fewer properties. */
export interface NodeSpec {
  readonly kind: NodeKind;
  /** What a flow, a child and each item of `each` run. Without it, an item is a plain function. */
  readonly flow?: FlowSpec;
  readonly asks?: number;
  /** A piece of work that `ctx.once` remembers, after the first question. */
  readonly once?: boolean;
  /** Milliseconds on the clock. */
  readonly waits?: number;
  /** How often it fails for one input (99: always), at its beginning or in the middle (of a stream: after a chunk). */
  readonly fails?: { readonly times: number; readonly mid?: boolean };
  /** How often it does not end by itself, for one input; a deaf one does not heed its signal either. */
  readonly hangs?: { readonly times: number; readonly deaf?: boolean };
  /** Attempts. */
  readonly retry?: number;
  readonly buffer?: boolean;
  readonly limited?: boolean;
  readonly fallback?: boolean;
  /** It has an error branch to a node of its own. */
  readonly caught?: boolean;
  readonly cache?: "own" | "coalesce";
  /** Of `each`. */
  readonly items?: number;
  readonly concurrency?: number;
  readonly streamed?: boolean;
  readonly unordered?: boolean;
  /** In levels: in the level of the node before. */
  readonly beside?: boolean;
  /** In levels: chooses among the nodes of the next level. */
  readonly branch?: BranchSpec;
  /** In a graph: how often it runs, one after the other. */
  readonly loop?: number;
  /** Free: what it reads. */
  readonly reads?: readonly ReadSpec[];
  /** Of a workflow: `runAfter`. */
  readonly after?: readonly number[];
  /** Free: a branch that stands before it and chooses among it and the nodes that follow. */
  readonly chosen?: BranchSpec & { readonly from: number; readonly targets: number };
  /** Free: END does not read it (but waits for it). */
  readonly unread?: boolean;
}

export interface BranchSpec {
  /** Bits of the targets that are taken. */
  readonly takes: number;
  /** Decides at the first chunk. */
  readonly stream?: boolean;
  /** Decides otherwise whenever it is asked. */
  readonly whim?: boolean;
}

export interface ReadSpec {
  /** Counts back: 0 is the node before, the first beyond all is START. */
  readonly from: number;
  /** Of a workflow. */
  readonly how?: "dataOnly" | "default" | "first";
}

export interface FlowSpec {
  readonly builder: Builder;
  readonly nodes: readonly NodeSpec[];
  /** Given to the graph around it as a compiled graph. */
  readonly compiled?: boolean;
}

export type Mode = "invoke" | "stream" | "collect" | "transform";

/** What ends a process, or a run, before its end. */
export interface Stop {
  readonly kind: "request" | "cut off" | "abort" | "leave" | "store fails" | "gone" | "gone after";
  /** Before the work of this number, or in the write of this number. */
  readonly at: number;
}

/** How a program is run. */
export interface Way {
  readonly mode: Mode;
  readonly durability?: "exit" | "step";
  readonly appends?: boolean;
  readonly handlers?: "values" | "streams";
  /** A RunControl that nobody uses. */
  readonly control?: boolean;
  /** A signal that nobody aborts. */
  readonly signal?: boolean;
  readonly limit?: number;
  /** One number a resume: which questions are answered, in what order, and whether it streams. */
  readonly answers?: readonly number[];
  /** One for each process, until there are no more. */
  readonly stops?: readonly Stop[];
  /** A second run with the same cache: afterwards, or at the same time. */
  readonly twice?: "after" | "beside";
  readonly keep?: boolean;
}

export interface Case {
  readonly flow: FlowSpec;
  readonly way: Way;
}

/** What a value may be in these programs. */
export type Value = string | undefined | { readonly [key: string]: Value } | readonly Value[];

/** Always. */
export const forever = 99;
