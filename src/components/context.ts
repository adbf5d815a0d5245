import type { RunInfo } from "../callbacks/run-info.js";
import type { RequestContext } from "./request-context.js";
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
  /** Tells handlers about something on the way (`onEvent`). Never seen by a model. */
  readonly progress: (event: unknown) => void;
  /**
   * Uses the state of the nearest enclosing graph made `withState(key)`, with exclusive access until `use` is done, also
   * across awaits.
   */
  readonly processState: <S, R>(key: StateKey<S>, use: (state: S) => R | Promise<R>) => Promise<R>;
  /** A copy of this context with some fields replaced. (Spreading loses them: they are getters.) */
  readonly with: (fields: Record<string, unknown>) => NodeContext<State, Options>;
}
