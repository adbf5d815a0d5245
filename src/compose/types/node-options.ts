import type { NodeContext } from "../../components/context.js";
import type { CachePolicy, NodeFailure, RetryPolicy } from "../../components/policies.js";
import type { DeclaredConcat } from "../../schema/concat/rule.js";
import type { StreamReader } from "../../schema/stream/reader.js";
import type { StreamSource } from "../../schema/stream/source.js";
import type { GraphTypeError } from "./graph-type-error.js";
import type { Keyed } from "./node-shape.js";

/** What stands beside a node, whatever it is. */
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
  /** The node gets this field of its input, instead of the whole. */
  readonly inputKey?: InputKey | undefined;
  /** The output becomes a record with this one field. */
  readonly outputKey?: OutputKey | undefined;
  /** Makes one input of several that arrive in one step. @default records with different keys are joined; anything else is an error */
  readonly merge?:
    | ((values: readonly Keyed<In, InputKey>[], sources: readonly string[]) => Keyed<In, InputKey>)
    | undefined;
}

/** The options of a node, however its input is made. */
export interface SharedNodeOptions<In, Out, State, Concat = DeclaredConcat> extends StateHandlers<In, Out, State> {
  /** The name in traces. @default the key */
  readonly name?: string | undefined;
  /** How the chunks of this node become one value. */
  readonly concat?: Concat | undefined;
}

/** The call options of a node, by what the node itself takes. */
export interface NodeCallDefaults<In, State, Options = object> {
  /**
   * Default call options of this node (of a model: temperature, tools …); options of a run are laid over them. A function works them
   * out for each task, once for all its attempts: it waits for the whole input, and is alone with the state of the graph.
   *
   * @example
   * const graph = new Graph<AgenticMessage[], AgenticMessage>()
   *   .withState(() => ({ isStrict: true }))
   *   .addNode("model", model, { options: (_messages, state) => ({ temperature: state.isStrict ? 0 : 1 }) });
   */
  readonly options?: Options | CallOptionsMaker<In, State, Options> | undefined;
}

/** Works out the call options of a node for one task. */
export type CallOptionsMaker<in In, in State, out Options = object> = (
  input: In,
  state: State,
  ctx: NodeContext<State>,
) => Options | undefined | Promise<Options | undefined>;

/** What happens when a node fails or takes too long, by what the node itself takes and gives. */
export interface PolicyOptions<In, Out, State> {
  /** Tries the node again when it fails: as the policy says, or `true` for its defaults. `false` turns `nodeDefaults` off. */
  readonly retry?: boolean | RetryPolicy | undefined;
  /** How long an attempt may take; while nobody reads the output stream, the time stands. `false` turns `nodeDefaults` off. */
  readonly timeoutMs?: number | false | undefined;
  /** How long an attempt may give no sign of life: a chunk, `ctx.progress` or `ctx.heartbeat()`. */
  readonly idleTimeoutMs?: number | false | undefined;
  /** Keeps what the node gives, and gives it again for the same input. */
  readonly cache?: boolean | CachePolicy<In> | undefined;
  /** What the node gives where it has failed for good. Its output stream is held back until it is whole. */
  readonly fallback?: ((failure: NodeFailure<In>, ctx: NodeContext<State>) => Out | Promise<Out>) | undefined;
}

/** The options of a node whose input is said field by field. */
export interface UnkeyedNodeOptions<In, Out, State, Options = object, Concat = DeclaredConcat>
  extends SharedNodeOptions<In, Out, State, Concat>,
    NodeCallDefaults<In, State, Options>,
    PolicyOptions<In, Out, State> {}

/** Handlers around a node, with the state of its graph: alone with it, also across awaits. */
export interface StateHandlers<In, Out, State> {
  /** Gives the input of the node; waits for the whole of it. It sees the input before `inputKey` is applied. */
  readonly before?: NeedsState<State, Handler<In, In, State>> | undefined;
  /** Gives the output of the node; waits for the whole of it. It sees the output after `outputKey` is applied. */
  readonly after?: NeedsState<State, Handler<Out, Out, State>> | undefined;
  /** Like `before`, on the stream that comes in; chunks flow on. */
  readonly streamBefore?: NeedsState<State, Handler<StreamReader<In>, StreamSource<In>, State>> | undefined;
  /** Like `after`, on the stream that goes out; chunks flow on. */
  readonly streamAfter?: NeedsState<State, Handler<StreamReader<Out>, StreamSource<Out>, State>> | undefined;
}

type Handler<Given, Wanted, State> = (given: Given, state: State, ctx: NodeContext<State>) => Wanted | Promise<Wanted>;

export type NeedsState<State, Then> = [State] extends [undefined]
  ? GraphTypeError<"state handlers need a state: call withState(...) before the first node">
  : Then;
