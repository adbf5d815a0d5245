import type { NodeContext } from "../components/context.js";
import type { AgenticModel, ModelOptions } from "../components/model.js";
import type { StateKey } from "../components/state-key.js";
import { CompiledGraph as CompiledPlan } from "../run/compiled-graph.js";
import type { DeclaredConcat } from "../schema/concat/rule.js";
import type { AgenticMessage } from "../schema/message/agentic-message.js";
import type { StandardSchemaV1 } from "../schema/standard-schema.js";
import type { StreamReader } from "../schema/stream/reader.js";
import type { ToolsNodeOptions } from "../tools/node/options.js";
import { ChainBuilder } from "./chain-builder.js";
import type { ChainCompileOptions } from "./compile-options.js";
import { passthrough } from "./lambda.js";
import { describePlan } from "./plan/describe.js";
import { type NodeDefinition, nodeDefinition } from "./plan/node-definition.js";
import { type MermaidOptions, toMermaid } from "./plan/picture/mermaid.js";
import type { Runnable } from "./runnable.js";
import type { AnyCallOptions, CallOptions } from "./types/call-options.js";
import type {
  After,
  BranchMembers,
  CheckedSwitch,
  FieldOf,
  JoinedOuts,
  Joins,
  Members,
  NumberedNodes,
  StepOptions,
  SwitchMembers,
  WithStep,
} from "./types/chain-step.js";
import type { Choice } from "./types/choice.js";
import type { ChunkBehind, CompiledInChunks, PartOf } from "./types/chunked.js";
import type { GraphTypeError } from "./types/graph-type-error.js";
import type { NoChunks, ValueOf } from "./types/joined.js";
import type { CheckedMembers } from "./types/node-key.js";
import type { BuilderNode, Built, builds, FunctionNode, ModelNode, NodeLike, RunnableNode } from "./types/node-like.js";
import type { Keyed, SameAsInput } from "./types/node-shape.js";
import type { SwitchField } from "./types/switch.js";

/** Schemas of the two ends: types are inferred from them, values are checked with them. */
export interface ChainOptions<I, O, Wanted, Result> {
  /** Checks (and may change) what comes in. */
  readonly input?: StandardSchemaV1<I, O> | undefined;
  /** Checks (and may change) what goes out. */
  readonly output?: StandardSchemaV1<Wanted, Result> | undefined;
}

/** No output schema: what flows last goes out as it is. */
type Unchanged = { readonly unchanged: true };

type ResultOf<O, Result> = [Result] extends [Unchanged] ? O : Result;

/** Without an output schema everything may flow last. */
type Finished<O, Wanted, Then> = unknown extends Wanted
  ? Then
  : [O] extends [Wanted]
    ? Then
    : GraphTypeError<"the last step does not fit the output schema">;

/**
 * Steps one after the other: each gets what the one before gives. `new Chain<I>()` starts with the type of the input; each
 * step changes what flows on, and the inputs of inline functions are inferred.
 *
 * @example
 * const chain = new Chain<string>()
 *   .append((text) => text.trim())
 *   .appendParallel({ size: (text) => text.length, loud: async (text) => text.toUpperCase() })
 *   .append(({ size, loud }) => `${loud} (${size})`);
 * console.log(await chain.compile().invoke(" hello "));
 */
export class Chain<
  I,
  O = I,
  State = undefined,
  Nodes = NumberedNodes,
  Wanted = unknown,
  Result = Unchanged,
  Chunks = unknown,
> {
  /** What it is as a node of a graph or chain; only in types. */
  declare readonly [builds]: Finished<O, Wanted, Built<I, ResultOf<O, Result>, Nodes>>;
  readonly #builder: ChainBuilder;

  constructor(options: ChainOptions<I, O, Wanted, Result> = {}) {
    this.#builder = options instanceof ChainBuilder ? options : ChainBuilder.start(options);
  }

  /** Gives each run a state of its own, for `ctx.state` and the handlers of steps. Stands before the first step. */
  withState<S>(create: (() => S) | StateKey<S>): Chain<I, O, S, Nodes, Wanted, Result> {
    return this.#next(this.#builder.withState(create));
  }

  /**
   * Adds a step of any kind.
   *
   * @example
   * const chain = new Chain<{ question: string }>().append((question) => question.length, {
   *   key: "count",
   *   inputKey: "question",
   * });
   */
  append<
    Out,
    Inner = undefined,
    const InputKey extends (keyof O & string) | undefined = undefined,
    const OutputKey extends string | undefined = undefined,
    const Key extends string = never,
    Options = AnyCallOptions,
    Chunk = NoChunks,
    const Concat extends DeclaredConcat | undefined = undefined,
  >(
    node: NodeLike<FieldOf<O, InputKey>, Out, State, Inner, Options, Chunk>,
    options?: StepOptions<
      O,
      NoInfer<ValueOf<Out, Chunk, Concat>>,
      State,
      InputKey,
      OutputKey,
      Key,
      CallOptions<NoInfer<Options>, NoInfer<Inner>>,
      Concat
    >,
  ): Chain<
    I,
    After<FieldOf<O, InputKey>, ValueOf<Out, NoInfer<Chunk>, NoInfer<Concat>>, Inner, OutputKey>,
    State,
    WithStep<Nodes, Key, Inner, CallOptions<Options, Inner>>,
    Wanted,
    Result,
    ChunkBehind<NoInfer<Chunk>, NoInfer<Concat>, NoInfer<OutputKey>>
  > {
    return this.#next(this.#builder.append("append", node, options));
  }

  /** `append` for a model; its `options` have the type of the model's call options. */
  appendModel<
    Options = ModelOptions,
    const InputKey extends (keyof O & string) | undefined = undefined,
    const OutputKey extends string | undefined = undefined,
    const Key extends string = never,
  >(
    model: AgenticModel<Options> & ModelNode<FieldOf<O, InputKey>, AgenticMessage>,
    options?: StepOptions<O, AgenticMessage, State, InputKey, OutputKey, Key, Partial<Options>>,
  ): Chain<
    I,
    Keyed<AgenticMessage, OutputKey>,
    State,
    WithStep<Nodes, Key, undefined, Partial<Options>>,
    Wanted,
    Result
  > {
    return this.#next(this.#builder.append("appendModel", model, options));
  }

  /** `append` for a tools node. */
  appendToolsNode<
    const InputKey extends (keyof O & string) | undefined = undefined,
    const OutputKey extends string | undefined = undefined,
    const Key extends string = never,
  >(
    tools: Runnable<FieldOf<O, InputKey>, AgenticMessage[]> & { readonly component: "tools_node" },
    options?: StepOptions<O, AgenticMessage[], State, InputKey, OutputKey, Key, ToolsNodeOptions>,
  ): Chain<
    I,
    Keyed<AgenticMessage[], OutputKey>,
    State,
    WithStep<Nodes, Key, undefined, ToolsNodeOptions>,
    Wanted,
    Result
  > {
    return this.#next(this.#builder.append("appendToolsNode", tools, options));
  }

  /** The same as `appendToolsNode`, under its name in Eino. */
  appendAgenticToolsNode<
    const InputKey extends (keyof O & string) | undefined = undefined,
    const OutputKey extends string | undefined = undefined,
    const Key extends string = never,
  >(
    tools: Runnable<FieldOf<O, InputKey>, AgenticMessage[]> & { readonly component: "tools_node" },
    options?: StepOptions<O, AgenticMessage[], State, InputKey, OutputKey, Key, ToolsNodeOptions>,
  ): Chain<
    I,
    Keyed<AgenticMessage[], OutputKey>,
    State,
    WithStep<Nodes, Key, undefined, ToolsNodeOptions>,
    Wanted,
    Result
  > {
    return this.#next(this.#builder.append("appendAgenticToolsNode", tools, options));
  }

  /** `append` for a function or a lambda. */
  appendLambda<
    Out,
    const InputKey extends (keyof O & string) | undefined = undefined,
    const OutputKey extends string | undefined = undefined,
    const Key extends string = never,
  >(
    lambda: FunctionNode<FieldOf<O, InputKey>, Out, State> | Runnable<FieldOf<O, InputKey>, Out>,
    options?: StepOptions<O, NoInfer<Out>, State, InputKey, OutputKey, Key>,
  ): Chain<I, Keyed<Out, OutputKey>, State, WithStep<Nodes, Key, undefined>, Wanted, Result> {
    return this.#next(this.#builder.append("appendLambda", lambda, options));
  }

  /** `append` for a graph or chain, compiled or not. */
  appendGraph<
    Out,
    Inner = undefined,
    const InputKey extends (keyof O & string) | undefined = undefined,
    const OutputKey extends string | undefined = undefined,
    const Key extends string = never,
  >(
    graph: RunnableNode<FieldOf<O, InputKey>, Out, Inner> | BuilderNode<FieldOf<O, InputKey>, Out, Inner>,
    options?: StepOptions<O, NoInfer<Out>, State, InputKey, OutputKey, Key, CallOptions<unknown, NoInfer<Inner>>>,
  ): Chain<I, Keyed<Out, OutputKey>, State, WithStep<Nodes, Key, Inner>, Wanted, Result> {
    return this.#next(this.#builder.append("appendGraph", graph, options));
  }

  /** Adds a step that gives on what it gets: a place between two parallel steps or branches, or a name in a path. */
  appendPassthrough<const Key extends string = never>(
    options?: StepOptions<O, O, State, undefined, undefined, Key, CallOptions<unknown, SameAsInput>>,
  ): Chain<I, O, State, WithStep<Nodes, Key, undefined>, Wanted, Result, Chunks> {
    return this.#next(this.#builder.append("appendPassthrough", passthrough(), options));
  }

  /**
   * Gives what flows to all members at once; a record of their outputs flows on. A value is a node, or `{ node, options }`;
   * with the option `inputKey` a member gets one field of what flows.
   *
   * @example
   * const chain = new Chain<string>().appendParallel({ size: (text) => text.length, loud: (text) => text.toUpperCase() });
   */
  appendParallel<Outs, const InputKeys, const Concats, Inside>(
    members: Members<O, Outs, InputKeys, State> & Joins<Concats, Inside> & CheckedMembers<NoInfer<Outs>>,
  ): Chain<I, JoinedOuts<Outs, Concats, Inside>, State, Nodes, Wanted, Result, PartOf<Outs>> {
    return this.#next(this.#builder.appendParallel(members));
  }

  /**
   * Lets a function choose which members get what flows: one, or several. The output of the chosen one flows on; outputs of
   * several must be records, and are joined.
   *
   * @example
   * const chain = new Chain<number>().appendBranch((count) => (count > 9 ? "many" : "few"), {
   *   many: (count) => `as many as ${count}`,
   *   few: (count) => `only ${count}`,
   * });
   */
  appendBranch<const Chosen extends string, Outs, const InputKeys, const Concats, Inside>(
    choose: (value: O, ctx: NodeContext<State>) => Choice<Chosen>,
    members: Members<O, Outs, InputKeys, State> &
      Joins<Concats, Inside> &
      BranchMembers<NoInfer<Chosen>, NoInfer<Outs>>,
  ): Chain<I, JoinedOuts<Outs, Concats, Inside>[keyof Outs], State, Nodes, Wanted, Result> {
    return this.#next(this.#builder.appendBranch(choose, members, false));
  }

  /** Like `appendBranch`, for a function that reads what flows as a stream and may choose before its end. */
  appendStreamBranch<const Chosen extends string, Outs, const InputKeys, const Concats, Inside>(
    choose: (stream: StreamReader<unknown extends Chunks ? O : Chunks>, ctx: NodeContext<State>) => Choice<Chosen>,
    members: Members<O, Outs, InputKeys, State> &
      Joins<Concats, Inside> &
      BranchMembers<NoInfer<Chosen>, NoInfer<Outs>>,
  ): Chain<I, JoinedOuts<Outs, Concats, Inside>[keyof Outs], State, Nodes, Wanted, Result> {
    return this.#next(this.#builder.appendBranch(choose, members, true));
  }

  /**
   * Leads what flows to the member that stands at the value of one of its fields, which tells the members of a union apart.
   *
   * @example
   * type Plan = { kind: "search"; query: string } | { kind: "answer"; text: string };
   * const chain = new Chain<Plan>().appendSwitch("kind", {
   *   search: ({ query }) => `searched for ${query}`,
   *   answer: ({ text }) => text,
   * });
   */
  appendSwitch<const Field extends string, Outs, const InputKeys, const Concats, Inside>(
    field: SwitchField<O, Field, "what flows">,
    members: SwitchMembers<O, Field, Outs, InputKeys, State> &
      Joins<Concats, Inside> &
      CheckedSwitch<O, Field, NoInfer<Outs>>,
  ): Chain<I, JoinedOuts<Outs, Concats, Inside>[keyof Outs], State, Nodes, Wanted, Result> {
    return this.#next(this.#builder.appendSwitch(field, members));
  }

  /** Makes a runnable of the steps so far. */
  get compile(): Finished<
    O,
    Wanted,
    (options?: ChainCompileOptions<string>) => CompiledInChunks<I, ResultOf<O, Result>, Nodes, Chunks>
  > {
    return ((options?: ChainCompileOptions<string>) => new CompiledPlan(this.#builder.makePlan(options))) as never;
  }

  /** The chain so far as a Mermaid flowchart, as its compiled form draws it. It is checked as `compile()` does. */
  toMermaid(options?: MermaidOptions): string {
    return toMermaid(describePlan(this.#builder.makePlan(undefined)), options);
  }

  get [nodeDefinition](): NodeDefinition {
    return { component: "chain", type: "", body: { kind: "graph", plan: this.#builder.makePlan(undefined) } };
  }

  #next(builder: ChainBuilder): never {
    return new Chain(builder as object) as never;
  }
}
