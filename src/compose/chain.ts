import type { NodeContext } from "../components/context.js";
import type { ModelOptions } from "../components/model.js";
import type { StateKey } from "../components/state-key.js";
import { CompiledPlan } from "../run/compiled-plan.js";
import type { DeclaredConcat } from "../schema/concat/rule.js";
import type { AgenticMessage } from "../schema/message/agentic-message.js";
import type { StandardSchemaV1 } from "../schema/standard-schema.js";
import type { StreamReader } from "../schema/stream/reader.js";
import type { ToolsNodeOptions } from "../tools/node/options.js";
import { ChainBuilder } from "./chain-builder.js";
import type { ChainCompileOptions } from "./compile-options.js";
import { describePlan } from "./plan/describe.js";
import { type NodeDefinition, nodeDefinition } from "./plan/node-definition.js";
import { type MermaidOptions, toMermaid } from "./plan/picture/mermaid.js";
import type { AnyCallOptions, OptionsFor } from "./types/call-options.js";
import type {
  After,
  BranchMembers,
  CheckedSwitch,
  FieldOf,
  InputField,
  JoinedOuts,
  Joins,
  Members,
  NumberedNodes,
  StepOptions,
  SwitchMembers,
  WithStep,
} from "./types/chain-step.js";
import type { Choice } from "./types/choice.js";
import type { ChunkBefore, ChunkBehind, CompiledInChunks, PartOf, PassedChunk } from "./types/chunked.js";
import type { GraphTypeError } from "./types/graph-type-error.js";
import type { NoChunks, ValueOf } from "./types/joined.js";
import type { CheckedMembers } from "./types/node-key.js";
import type { Built, builds, ModelFor, NodeLike, ToolsNode } from "./types/node-like.js";
import type { Keyed } from "./types/node-shape.js";
import type { SwitchField } from "./types/switch.js";

/** Schemas of the input and output: types are inferred from them, and values are validated by them. */
export interface ChainOptions<I, O, Wanted, Result> {
  /** Validates, and may transform, the input. */
  readonly input?: StandardSchemaV1<I, O> | undefined;
  /** Validates, and may transform, the output. */
  readonly output?: StandardSchemaV1<Wanted, Result> | undefined;
}

/** Marks a chain without an output schema: the output of the last step is the result. @internal */
type Unchanged = { readonly unchanged: true };

/** @internal */
type ResultOf<O, Result> = [Result] extends [Unchanged] ? O : Result;

/** The value to which chunks are joined: the one that an output schema takes. @internal */
type JoinedOf<O, Wanted, Result> = [Result] extends [Unchanged] ? O : Wanted;

/** Checks the output of the last step against the output schema, if there is one. @internal */
type Finished<O, Wanted, Then> = unknown extends Wanted
  ? Then
  : [O] extends [Wanted]
    ? Then
    : GraphTypeError<"the last step does not fit the output schema">;

/**
 * A sequence of steps, each of which gets the output of the one before. `new Chain<I>()` starts with the type of the input; the
 * inputs of inline functions are inferred. A chain is immutable: each method returns a new one.
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
  /** Its type as a node of another graph or chain. Exists in types only. */
  declare readonly [builds]: Finished<O, Wanted, Built<I, ResultOf<O, Result>, Nodes>>;
  readonly #builder: ChainBuilder;

  constructor(options: ChainOptions<I, O, Wanted, Result> = {}) {
    this.#builder = options instanceof ChainBuilder ? options : ChainBuilder.start(options);
  }

  /** Gives each run a state of its own, for `ctx.state` and the state handlers of steps. Must come before the first step. */
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
    const InputKey extends InputField<O> | undefined = undefined,
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
      OptionsFor<NoInfer<Options>, NoInfer<Inner>>,
      Concat
    >,
  ): Chain<
    I,
    After<FieldOf<O, InputKey>, ValueOf<Out, NoInfer<Chunk>, NoInfer<Concat>>, Inner, OutputKey>,
    State,
    WithStep<Nodes, Key, Inner, OptionsFor<Options, Inner>>,
    Wanted,
    Result,
    ChunkBehind<NoInfer<Chunk>, NoInfer<Concat>, NoInfer<OutputKey>, PassedChunk<Inner, InputKey, Chunks>>
  > {
    return this.#next(this.#builder.append("append", node, options));
  }

  /**
   * `append` for a model, also for one of a provider package of the AI SDK; its `options` have the type of the model's call options.
   */
  appendModel<
    Options = ModelOptions,
    const InputKey extends InputField<O> | undefined = undefined,
    const OutputKey extends string | undefined = undefined,
    const Key extends string = never,
  >(
    model: ModelFor<FieldOf<O, InputKey>, Options>,
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
    const InputKey extends InputField<O> | undefined = undefined,
    const OutputKey extends string | undefined = undefined,
    const Key extends string = never,
  >(
    tools: ToolsNode<FieldOf<O, InputKey>>,
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
  declare readonly appendAgenticToolsNode: Chain<I, O, State, Nodes, Wanted, Result, Chunks>["appendToolsNode"];

  /**
   * Runs all members in parallel on the same input; the output is a record of their outputs. A member is a node, or
   * `{ node, options }`; with the option `inputKey` it gets one field of the input.
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
   * Runs the members that a function chooses: one or several. The output is that of the chosen member; the outputs of several
   * must be records, which are merged.
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

  /** Like `appendBranch`, but the function reads the value as a stream and may choose before its end. */
  appendStreamBranch<const Chosen extends string, Outs, const InputKeys, const Concats, Inside>(
    choose: (stream: StreamReader<unknown extends Chunks ? O : Chunks>, ctx: NodeContext<State>) => Choice<Chosen>,
    members: Members<O, Outs, InputKeys, State> &
      Joins<Concats, Inside> &
      BranchMembers<NoInfer<Chosen>, NoInfer<Outs>>,
  ): Chain<I, JoinedOuts<Outs, Concats, Inside>[keyof Outs], State, Nodes, Wanted, Result> {
    return this.#next(this.#builder.appendBranch(choose, members, true));
  }

  /**
   * Runs the member whose key is the value of a field of the input. The field discriminates a union: each member gets its part.
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

  /** Compiles the steps so far into a Runnable. */
  get compile(): Finished<
    O,
    Wanted,
    (
      options?: ChainCompileOptions<string>,
    ) => CompiledInChunks<
      I,
      ResultOf<O, Result>,
      Nodes,
      ChunkBefore<Chunks, JoinedOf<O, Wanted, Result>, ResultOf<O, Result>>,
      JoinedOf<O, Wanted, Result>
    >
  > {
    return ((options?: ChainCompileOptions<string>) => new CompiledPlan(this.#builder.makePlan(options))) as never;
  }

  /** Draws the chain so far as a Mermaid flowchart. Throws where `compile()` would. */
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

Object.defineProperty(Chain.prototype, "appendAgenticToolsNode", { value: Chain.prototype.appendToolsNode });
