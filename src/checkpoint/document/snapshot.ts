import type { JsonSchema } from "../../schema/standard-schema.js";

/** A value, in a box: `undefined` is a value too. */
export interface Slot {
  readonly value: unknown;
}

/** What an invocation asks, and what it was answered. */
export interface Question {
  id: string;
  readonly kind: "ask" | "interrupt";
  /** The key of an `ask`. */
  readonly key: string;
  readonly address: string;
  readonly info: unknown;
  readonly schema: JsonSchema | undefined;
  /** What `ctx.interrupt` keeps. */
  readonly state: Slot | undefined;
  answer: Answer | undefined;
  /** Answered, and the invocation has not come to its end or to another stop since. */
  fresh: boolean;
}

export interface Answer {
  /** Whether there is data: an invocation can be told to go on without. */
  readonly hasData: boolean;
  readonly data: unknown;
}

/** A stop before or after nodes of a graph. */
export interface NodeStop {
  id: string;
  readonly before: readonly string[];
  readonly after: readonly string[];
  answer: Answer | undefined;
}

/** One run of one graph, stopped: all that is needed to go on, as plain data. */
export interface RunSnapshot {
  readonly address: string;
  /** The step that is done as a whole, from which the run goes on; -1 when that is its start, which needs the input anew. */
  readonly base: number;
  /** The own state of the graph; `undefined` when it has none. */
  state: Slot | undefined;
  readonly tasks: readonly TaskSnapshot[];
  readonly stop: NodeStop | undefined;
  /** Stops that are behind it: `before:key` and `after:key`. */
  readonly passed: readonly string[];
  /** What the steps of a chain are, in order, if some of them were named by their position. */
  readonly chain?: readonly ChainStep[] | undefined;
}

/** One step of a chain: its key, its kind, and the name of its function. */
export type ChainStep = readonly [key: string, kind: string, name: string];

/** One node in one step. START is a task too, whose output is the input of the run. */
export interface TaskSnapshot {
  readonly node: string;
  readonly kind: string;
  /** 0 in graphs without steps. */
  readonly step: number;
  readonly done: boolean;
  /** What it gave, as long as somebody still needs it. */
  output: Slot | undefined;
  /** The same of a stream that somebody takes chunk by chunk. */
  chunks?: readonly unknown[] | undefined;
  /** The error of joining these chunks, where only this process can tell. */
  unjoinable?: Slot | undefined;
  /** What it gave is its failure, which its error branch takes. */
  readonly failed?: boolean | undefined;
  /** Where its output went; `undefined` when that was not decided. */
  readonly targets: readonly string[] | undefined;
  readonly visit: InvocationSnapshot | undefined;
  /** Of the branches behind it. */
  readonly route: InvocationSnapshot | undefined;
}

/** What one invocation left behind. */
export interface InvocationSnapshot {
  readonly address: string;
  /** It stopped to wait; it did not fail, and was not cut off. */
  readonly settled: boolean;
  readonly questions: readonly Question[];
  readonly once: readonly (readonly [string, unknown])[];
  /** What `before` made of the input. */
  readonly prepared: Slot | undefined;
  /** What the node gave to `after`. */
  readonly produced?: Slot | undefined;
  /** The graph that the node is (under ""), and child runs. */
  readonly inner: readonly InnerSnapshot[];
  /** The calls of a tools node. */
  readonly calls: readonly CallSnapshot[];
}

/** A run inside an invocation: what it gave, or how far it came. */
export interface InnerSnapshot {
  readonly key: string;
  readonly result: Slot | undefined;
  readonly run: RunSnapshot | undefined;
}

/** One tool call: its result blocks, or how far it came. */
export interface CallSnapshot {
  readonly index: number;
  readonly callId: string;
  readonly result: Slot | undefined;
  readonly visit: InvocationSnapshot | undefined;
}
