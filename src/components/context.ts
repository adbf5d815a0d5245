import type { RunInfo } from "../callbacks/run-info.js";
import type { AnyStandardSchema, JsonSchema, SchemaOutput } from "../schema/standard-schema.js";
import type { RequestContext } from "./request-context.js";
import type { ResumeInfo } from "./resume-info.js";
import type { StateKey } from "./state-key.js";

/**
 * What a node gets beside its input. Nothing in it costs anything before it is read; its methods may be destructured.
 *
 * @example
 * const fetchPage = async (url: string, { signal }: NodeContext) => (await fetch(url, { signal })).text();
 */
export interface NodeContext<State = unknown, Options = unknown> {
  /** Aborted when the run is cancelled, runs out of time, or a sibling fails. */
  readonly signal: AbortSignal;
  /** The values of this request; an empty one when the run was given none. */
  readonly requestContext: RequestContext;
  /** The state of the graph that this node belongs to; `undefined` without `withState`. */
  readonly state: State;
  /** Where this node runs, the same in every run: `runnable:agent;node:model`. */
  readonly address: string;
  readonly runInfo: RunInfo;
  /** The call options of this node: its own defaults, then the run's for its kind, then the run's for its path. */
  readonly options: Options;
  /**
   * The same for every repetition of this task after a crash, and for no other task: a key for idempotent effects. It
   * belongs to the run, this node and this invocation of it.
   */
  readonly taskKey: string;
  /** Which attempt of its node this is, counted from 1: see `retry`. */
  readonly attempt: number;
  /** Reports that work is going on: restarts the `idleTimeoutMs` of the node. */
  readonly heartbeat: () => void;
  /** Tells handlers about something on the way (`onEvent`). Never seen by a model. */
  readonly progress: (event: unknown) => void;
  /**
   * Uses the state of the nearest enclosing graph made `withState(key)`, with exclusive access until `use` is done, also
   * across awaits.
   */
  readonly processState: <S, R>(key: StateKey<S>, use: (state: S) => R | Promise<R>) => Promise<R>;
  /**
   * Asks a question: the run stops with an `InterruptError`. When it is resumed with an answer, this place runs again and
   * gets the answer here. The usual form of {@link interrupt}: a place may ask several times, each time under its
   * own key. Rejects with `DUPLICATE_KEY`, and with `ANSWER_MISMATCH` when an answer does not fit the schema.
   */
  readonly ask: Ask;
  /** Stops the run here: it never returns. When this place is entered again, `ctx.resume` has its state and the answer. */
  readonly interrupt: (info: unknown, options?: InterruptOptions) => never;
  /** Runs `work` and remembers what it gave, so that this place does not repeat it when it is entered again. */
  readonly once: <T>(key: string, work: () => T | Promise<T>) => Promise<T>;
  /** What became of an {@link interrupt} in this place. */
  readonly resume: ResumeInfo;
  /** A copy of this context with some fields replaced. (Spreading loses them: they are getters.) */
  readonly with: (fields: Record<string, unknown>) => NodeContext<State, Options>;
}

/** Options of `ctx.interrupt`. */
export interface InterruptOptions {
  /** Kept for this place, and given back as `ctx.resume.state`. */
  readonly state?: unknown;
  /** Answers must fit it. A Standard Schema needs a JSON Schema form, with which the question travels. */
  readonly schema?: AnyStandardSchema | JsonSchema | undefined;
}

/** With a schema, an answer is what the schema makes of it; without one it is what was answered. */
export interface Ask {
  <Schema extends AnyStandardSchema>(key: string, info: unknown, schema: Schema): Promise<SchemaOutput<Schema>>;
  <Answer = unknown>(key: string, info: unknown, schema?: JsonSchema): Promise<Answer>;
}
