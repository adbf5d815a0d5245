import type { JsonSchema } from "../../schema/standard-schema.js";

/** A value in a box, because `undefined` is a value too. */
export interface Slot {
  readonly value: unknown;
}

/** A question of an invocation, and its answer. */
export interface Question {
  id: string;
  readonly kind: "ask" | "interrupt";
  /** The key of an `ask`. */
  readonly key: string;
  readonly address: string;
  readonly info: unknown;
  readonly schema: JsonSchema | undefined;
  /** The state that was given to `ctx.interrupt`. */
  readonly state: Slot | undefined;
  /** When its deadline passes, in milliseconds since 1970. */
  readonly expiresAt?: number | undefined;
  answer: Answer | undefined;
  /** It was answered, and the invocation has neither used the answer nor stopped again since. */
  fresh: boolean;
}

export interface Answer {
  /** Whether the answer has data: an invocation can also be resumed without. */
  readonly hasData: boolean;
  readonly data: unknown;
  /** Its deadline has passed: that counts as an answer. */
  readonly isLate?: boolean | undefined;
}

/** The answer to a question whose deadline has passed. */
export const lateAnswer: Answer = { hasData: false, data: undefined, isLate: true };

/** A stop before or after nodes of a graph. */
export interface NodeStop {
  id: string;
  readonly before: readonly string[];
  readonly after: readonly string[];
  answer: Answer | undefined;
}

/** One run of one graph, stopped: all that is needed to continue it, as plain data. */
export interface RunSnapshot {
  readonly address: string;
  /** The last finished step, from which the run continues; -1 when it starts over, which needs the input again. */
  readonly base: number;
  /** The state of this graph; `undefined` when it has none. */
  state: Slot | undefined;
  readonly tasks: readonly TaskSnapshot[];
  readonly stop: NodeStop | undefined;
  /** Stops that the run has already passed: `before:key` and `after:key`. */
  readonly passed: readonly string[];
  /** The steps of a chain in order, if some of their keys are positions. */
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
  /** Its output, as long as it is still needed. */
  output: Slot | undefined;
  /** The output as chunks, when a reader takes the stream chunk by chunk. */
  chunks?: readonly unknown[] | undefined;
  /** The error of joining these chunks, when a resumed process could not find it out again. */
  unjoinable?: Slot | undefined;
  /** Its output is its failure, which goes to its error branch. */
  readonly failed?: boolean | undefined;
  /** Where its output goes; `undefined` while that is not decided. */
  readonly targets: readonly string[] | undefined;
  /** It has not finished, and has changed a state, which it will do again: `false` once that has been reported. */
  readonly keepsState?: boolean | undefined;
  readonly visit: InvocationSnapshot | undefined;
  /** The invocation of the branches behind it. */
  readonly route: InvocationSnapshot | undefined;
}

/** The saved form of one invocation. */
export interface InvocationSnapshot {
  readonly address: string;
  /** It stopped to wait: it neither failed nor was cut off. */
  readonly settled: boolean;
  readonly questions: readonly Question[];
  readonly once: readonly (readonly [string, unknown])[];
  /** The input after the node's `before`. */
  readonly prepared: Slot | undefined;
  /** The output before the node's `after`. */
  readonly produced?: Slot | undefined;
  /** The run of the node's own graph (under ""), and child runs. */
  readonly inner: readonly InnerSnapshot[];
  /** The calls of a tools node. */
  readonly calls: readonly CallSnapshot[];
}

/** A run inside an invocation: its result, or how far it came. */
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
