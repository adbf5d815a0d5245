import type { RunInfo } from "../callbacks/run-info.js";
import type { AnyStandardSchema, JsonSchema, SchemaOutput } from "../schema/standard-schema.js";
import type { RequestContext } from "./request-context.js";
import type { ResumeInfo } from "./resume-info.js";
import type { StateKey } from "./state-key.js";

/**
 * The context of a node: everything that it receives besides its input. Nothing in it costs anything before it is read; its
 * methods can be destructured.
 *
 * @example
 * const fetchPage = async (url: string, { signal }: NodeContext) => (await fetch(url, { signal })).text();
 */
export interface NodeContext<State = unknown, Options = unknown> {
  /** Aborted when the run is cancelled, runs out of time, or a sibling fails. */
  readonly signal: AbortSignal;
  /** The request context of this run; empty if none was passed. */
  readonly requestContext: RequestContext;
  /** The state of the graph that this node belongs to; `undefined` without `withState`. */
  readonly state: State;
  /** Where this node runs, the same in every run: `runnable:agent;node:model`. */
  readonly address: string;
  /** How handlers and traces see this run. */
  readonly runInfo: RunInfo;
  /** The call options of this node: its own defaults, then the run's for its kind, then the run's for its path. */
  readonly options: Options;
  /**
   * The same for every repetition of this task after a crash, and for no other task: a key for idempotent effects. It
   * belongs to the run, this node and this invocation of it.
   */
  readonly taskKey: string;
  /** The number of this attempt of the node, starting at 1: see `retry`. */
  readonly attempt: number;
  /** Reports that work is in progress: restarts the `idleTimeoutMs` of the node. */
  readonly heartbeat: () => void;
  /** Sends an event to handlers (`onEvent`). Models never see it. */
  readonly progress: (event: unknown) => void;
  /**
   * Uses the state of the nearest enclosing graph with `withState(key)`. `use` has exclusive access until it returns, also
   * across awaits.
   */
  readonly processState: <S, R>(key: StateKey<S>, use: (state: S) => R | Promise<R>) => Promise<R>;
  /**
   * Asks a question: the run stops with an `InterruptError`. When it is resumed with an answer, the node or tool call runs
   * again, and `ask` returns the answer. It is the simple form of {@link interrupt}: you can ask several times, each time
   * with another key. Rejects with `DUPLICATE_KEY`, and with `ANSWER_MISMATCH` if an answer does not match the schema.
   */
  readonly ask: Ask;
  /** Stops the run: it never returns. When the node or tool call runs again, `ctx.resume` has its state and the answer. */
  readonly interrupt: (info: unknown, options?: InterruptOptions) => never;
  /** Runs `work` and remembers its result, so that `work` is not repeated when the node or tool call runs again. */
  readonly once: <T>(key: string, work: () => T | Promise<T>) => Promise<T>;
  /** The fate of an earlier {@link interrupt} of this node or tool call. */
  readonly resume: ResumeInfo;
  /** Returns a copy of this context with some fields replaced. (Spreading loses fields, because they are getters.) */
  readonly with: (fields: Record<string, unknown>) => NodeContext<State, Options>;
}

/** Options of `ctx.interrupt`. */
export interface InterruptOptions {
  /** Kept for this node or tool call, and returned as `ctx.resume.state`. */
  readonly state?: unknown;
  /** Answers must match it. A Standard Schema needs a JSON Schema form, which is sent along with the question. */
  readonly schema?: AnyStandardSchema | JsonSchema | undefined;
}

/** Options of `ctx.ask`. */
export interface AskOptions {
  /**
   * How long the question is open, in milliseconds since it was first asked. Afterwards `ask` rejects with `QUESTION_EXPIRED`, once
   * something continues the run: a worker does so by itself. @default forever
   */
  readonly expiresMs?: number | undefined;
}

/** With a schema, an answer is the output of the schema; without one, it is the value that was passed to `resume`. */
export interface Ask {
  <Schema extends AnyStandardSchema>(
    key: string,
    info: unknown,
    schema: Schema,
    options?: AskOptions,
  ): Promise<SchemaOutput<Schema>>;
  <Answer = unknown>(key: string, info: unknown, schema?: JsonSchema, options?: AskOptions): Promise<Answer>;
}
