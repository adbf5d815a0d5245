import type { NodeContext } from "../../components/context.js";
import type { CachePolicy, NodeFailure, RetryPolicy } from "../../components/policies.js";
import type { DeclaredConcat } from "../../schema/concat/rule.js";
import type { StreamReader } from "../../schema/stream/reader.js";
import type { StreamSource } from "../../schema/stream/source.js";
import type { GraphTypeError } from "./graph-type-error.js";
import type { Keyed } from "./node-shape.js";

/** Options of a node in a graph. */
export interface NodeOptions<
  In,
  Out,
  State,
  InputKey = undefined,
  OutputKey = undefined,
  Options = object,
  Concat = DeclaredConcat,
> extends SharedNodeOptions<Keyed<In, InputKey>, Keyed<Out, OutputKey>, State, Concat>,
    NodeCallDefaults<In, State, Options>,
    PolicyOptions<In, Out, State> {
  /** The node gets this field of its input instead of the whole. */
  readonly inputKey?: InputKey | undefined;
  /** The output becomes a record with this one field. */
  readonly outputKey?: OutputKey | undefined;
  /** Merges several inputs that arrive in one step. @default merges records with different keys; anything else is an error */
  readonly merge?:
    | ((values: readonly Keyed<In, InputKey>[], sources: readonly string[]) => Keyed<In, InputKey>)
    | undefined;
}

/** Options that nodes of graphs, chains and workflows share. */
export interface SharedNodeOptions<In, Out, State, Concat = DeclaredConcat> extends StateHandlers<In, Out, State> {
  /** The name in traces. @default the key */
  readonly name?: string | undefined;
  /** How the chunks of this node are joined to one value. */
  readonly concat?: Concat | undefined;
}

/** The call options of a node, by what the node itself takes. */
export interface NodeCallDefaults<In, State, Options = object> {
  /**
   * Default call options of this node (of a model: temperature, tools …); options of a run are merged over them. A function makes
   * them for each task, once for all its attempts: it waits for the whole input, and has exclusive access to the state.
   *
   * @example
   * const graph = new Graph<AgenticMessage[], AgenticMessage>()
   *   .withState(() => ({ isStrict: true }))
   *   .addNode("model", model, { options: (_messages, state) => ({ temperature: state.isStrict ? 0 : 1 }) });
   */
  readonly options?: Options | CallOptionsMaker<In, State, Options> | undefined;
}

/** Makes the call options of a node for one task. */
export type CallOptionsMaker<in In, in State, out Options = object> = (
  input: In,
  state: State,
  ctx: NodeContext<State>,
) => Options | undefined | Promise<Options | undefined>;

/** Options for a node that fails or takes too long. `In` and `Out` are the node's own input and output. */
export interface PolicyOptions<In, Out, State> {
  /** Retries the node when it fails: by a policy, or `true` for its defaults. `false` turns `nodeDefaults` off. */
  readonly retry?: boolean | RetryPolicy | undefined;
  /** How long an attempt may take, in milliseconds, without the time in which its output stream is not read. `false` turns `nodeDefaults` off. */
  readonly timeoutMs?: number | false | undefined;
  /** How long an attempt may go without a chunk, `ctx.progress` or `ctx.heartbeat()`, in milliseconds. */
  readonly idleTimeoutMs?: number | false | undefined;
  /** Caches the output of the node by its input. */
  readonly cache?: boolean | CachePolicy<In> | undefined;
  /** Returns the output to use when the node has finally failed. Its output stream is buffered to its end. */
  readonly fallback?: ((failure: NodeFailure<In>, ctx: NodeContext<State>) => Out | Promise<Out>) | undefined;
}

/** Options of a node whose input is defined by a mapping. */
export interface UnkeyedNodeOptions<In, Out, State, Options = object, Concat = DeclaredConcat>
  extends SharedNodeOptions<In, Out, State, Concat>,
    NodeCallDefaults<In, State, Options>,
    PolicyOptions<In, Out, State> {}

/** Handlers before and after a node, with exclusive access to the state of its graph, also across awaits. */
export interface StateHandlers<In, Out, State> {
  /** Returns the input for the node. It waits for the whole input, and gets it before `inputKey` is applied. */
  readonly before?: NeedsState<State, Handler<In, In, State>> | undefined;
  /** Returns the output of the node. It waits for the whole output, and gets it after `outputKey` is applied. */
  readonly after?: NeedsState<State, Handler<Out, Out, State>> | undefined;
  /** Like `before`, but gets and returns the input as a stream. */
  readonly streamBefore?: NeedsState<State, Handler<StreamReader<In>, StreamSource<In>, State>> | undefined;
  /** Like `after`, but gets and returns the output as a stream. */
  readonly streamAfter?: NeedsState<State, Handler<StreamReader<Out>, StreamSource<Out>, State>> | undefined;
}

/** @internal */
type Handler<Given, Wanted, State> = (given: Given, state: State, ctx: NodeContext<State>) => Wanted | Promise<Wanted>;

/** `Then` if the graph has a state, otherwise an error. @internal */
export type NeedsState<State, Then> = [State] extends [undefined]
  ? GraphTypeError<"state handlers need a state: call withState(...) before the first node">
  : Then;
