import type { ComponentKind } from "./component-kind.js";
import type { GraphInfo } from "./graph-info.js";

/** Recorded runs as plain JSON, which `readTrace` reads again. */
export interface Trace {
  /** The version of the format. */
  readonly version: 1;
  /** One tree per root, in the order in which they started. */
  readonly runs: readonly TraceNode[];
  /** The graphs that ran, by name. Where two of a name differ, the second one is `name#2`. */
  readonly graphs: Readonly<Record<string, GraphInfo>>;
}

/** One run in a recorded trace, as plain JSON. */
export interface TraceNode {
  /** The `runId`, unique for this run of this node, tool call or graph. */
  readonly id: string;
  /** The display name of the run. */
  readonly name: string;
  /** The kind of component that ran. */
  readonly component: ComponentKind;
  /** The component's own `type`; otherwise `""`. */
  readonly type: string;
  /** Where in the graph it ran, the same in every run. */
  readonly address: string;
  /** Of a tool call: its id. */
  readonly toolCallId?: string | undefined;
  /** Of a graph that is not a node of another: its key in the `graphs` of the trace. */
  readonly graph?: string | undefined;
  /** Of a root: identifies the run, also after a resume, which is another root. */
  readonly runKey?: string | undefined;
  /** Of a root: the id to resume the run with. */
  readonly checkpointId?: string | undefined;
  /** Of a root: the thread of the first agent in it. */
  readonly threadId?: string | undefined;
  /** Milliseconds since 1970. */
  readonly startedAt: number;
  /** The duration; of a run that is still open, until now. */
  readonly durationMs: number;
  /** Set while the run is open. */
  readonly running?: true | undefined;
  /** The input; chunks of a streamed input are concatenated. */
  readonly input?: unknown;
  /** The output; chunks of a streamed output are concatenated. */
  readonly output?: unknown;
  /** The error of a failed run: `{ name, message, code?, cause? }`. */
  readonly error?: unknown;
  /** The question for which the run waits. */
  readonly interrupt?: unknown;
  /** Of a streamed output: how its text grew. */
  readonly chunks?: TraceChunks | undefined;
  /** Of a model: the tokens that it reported. */
  readonly usage?: TraceUsage | undefined;
  /** Of a model: the one that answered, as `provider/model` if that is known. */
  readonly model?: string | undefined;
  /** Of an attempt of a model, and of a node that was tried again: which attempt it is, or was in the end. The first is 1. */
  readonly attempt?: number | undefined;
  /** What happened beside inputs and outputs, such as progress and retries, in order. */
  readonly events?: readonly TraceEvent[] | undefined;
  /** The runs inside this one, in the order of their starts. */
  readonly children: readonly TraceNode[];
}

/** The chunks of a streamed output. */
export interface TraceChunks {
  /** How many there were. */
  readonly count: number;
  /** At most 200 of them: milliseconds since the start, and the length of the text so far. */
  readonly at: readonly (readonly [ms: number, textLength: number])[];
}

/** The tokens that a model has reported. */
export interface TraceUsage {
  /** Of the request: instructions, messages and descriptions of tools. */
  readonly promptTokens: number;
  /** Of the answer, reasoning included. */
  readonly completionTokens: number;
  /** Of the request and the answer together. */
  readonly totalTokens: number;
  /** The part of `completionTokens` that was reasoning. */
  readonly reasoningTokens?: number | undefined;
  /** The part of `promptTokens` that was read from the provider's cache. */
  readonly cachedTokens?: number | undefined;
  /** The part of `promptTokens` that was written to the provider's cache. */
  readonly cacheWriteTokens?: number | undefined;
}

/** A side event; further fields depend on its kind. */
export interface TraceEvent {
  /** Milliseconds since 1970. */
  readonly at: number;
  /** The kind of event, such as `"retry"`. */
  readonly kind: string;
  readonly [field: string]: unknown;
}
