import type { NodeContext } from "../components/context.js";
import type { ModelOptions } from "../components/model.js";
import type { StateKey } from "../components/state-key.js";
import { CompiledPlan } from "../run/compiled-plan.js";
import type { DeclaredConcat } from "../schema/concat/rule.js";
import type { AgenticMessage } from "../schema/message/agentic-message.js";
import type { ToolsNodeOptions } from "../tools/node/options.js";
import type { CompileOptions, WorkflowCompileOptions } from "./compile-options.js";
import type { GraphOptions } from "./graph-options.js";
import { describePlan } from "./plan/describe.js";
import { type NodeDefinition, nodeDefinition } from "./plan/node-definition.js";
import { type MermaidOptions, toMermaid } from "./plan/picture/mermaid.js";
import type { AnyCallOptions, OptionsFor } from "./types/call-options.js";
import type { AnyChoice, CheckedChoice, Seen } from "./types/choice.js";
import type { ChunkBefore, CompiledInChunks } from "./types/chunked.js";
import type { OutAt } from "./types/edge-check.js";
import type { ErrorChoice, FailureAt } from "./types/error-branch.js";
import type { NoChunks, ValueOf } from "./types/joined.js";
import type { BeforeNodes, StopKey } from "./types/node-key.js";
import type { Built, builds, ModelFor, NodeLike, ToolsNode } from "./types/node-like.js";
import type { UnkeyedNodeOptions } from "./types/node-options.js";
import type { KeysOf } from "./types/shape.js";
import type { SwitchField } from "./types/switch.js";
import type { CheckMapping, NewTarget, NewWiredKey } from "./types/workflow/check-mapping.js";
import type {
  ControlsOf,
  ErrorFork,
  FollowsOf,
  Fork,
  ImpliedByAll,
  MaybeSkipped,
  ReasonsOf,
  WiredNode,
} from "./types/workflow/controls.js";
import type { CheckedTargets, ChoosesOne, FinishedWorkflow, LastAdded, SwitchTargets } from "./types/workflow/fork.js";
import type { Around, ResolvedInput } from "./types/workflow/resolve.js";
import type { FailureKey, Mapping } from "./types/workflow/sources.js";
import type { UntypedWorkflow, WorkflowEndOptions } from "./untyped-workflow.js";
import { WorkflowBuilder } from "./workflow-builder.js";

/** The context for checking the mapping of a node. @internal */
type At<I, Nodes, Maybe, Forks, Key, M, After> = Around<
  I,
  Nodes,
  Maybe,
  Forks,
  Key,
  ControlsOf<Nodes, Forks, Key, ReasonsOf<M> | After>
>;

/** The options of a workflow's node about its input. @internal */
interface WiredOptions<M, Check, Keys, After> {
  /** Where the input comes from: a source for the whole input, or a record with the shape of the input and a source per field. */
  readonly input?: M & Unread<Check>;
  /** Further nodes to wait for. The node runs only if at least one of these, or of those that it reads, has run. */
  readonly runAfter?: readonly KnownKey<Keys, After>[] | undefined;
}

/** The same type. It keeps the compiler from searching for inference candidates, which would be the largest cost of a node. */
type Unread<Check> = [Check] extends [infer Same] ? Same : never;

/** An existing key, or all of them. With keys as a constraint the compiler would compare all of them for each node. */
type KnownKey<Keys, Key> = [Key] extends [Keys | "start"] ? Key : Keys | "start";

/**
 * A builder of workflows, whose nodes declare what they read. Each node takes its input from nodes before it, field by field, and
 * runs at most once, when they are done; independent nodes run in parallel.
 *
 * You write only `I` and `O`; the rest is inferred, including the inputs of plain functions. A mapping that does not fit is an error
 * in the editor at its field.
 *
 * @example
 * const flow = new Workflow<{ question: string }, { answer: string }>()
 *   .addNode("search", ({ query }) => [`about ${query}`], { input: { query: from(START, "question") } })
 *   .addNode("write", ({ passages }) => passages.join(), { input: { passages: from("search") } })
 *   .end({ answer: from("write") });
 * console.log(await flow.compile().invoke({ question: "wood" }));
 */
export class Workflow<
  I,
  O,
  State = undefined,
  Nodes = unknown,
  Maybe = never,
  Forks = never,
  Last = never,
  Given = I,
  Result = O,
> {
  /** Its type as a node of another graph. Exists in types only. */
  declare readonly [builds]: FinishedWorkflow<KeysOf<Nodes>, Forks, Last, Built<Given, Result, Nodes>>;
  readonly #builder: WorkflowBuilder;

  constructor(options: GraphOptions<I, O, Given, Result> = {}) {
    this.#builder = new WorkflowBuilder(options);
  }

  /** Gives each run a state of its own, for `ctx.state` and the state handlers of nodes. Must come before the first node. */
  withState<NewState>(
    create: BeforeNodes<KeysOf<Nodes>, (() => NewState) | StateKey<NewState>>,
  ): Workflow<I, O, NewState, Nodes, Maybe, Forks, Last, Given, Result> {
    this.#builder.setState(create);
    return this as never;
  }

  /**
   * Adds a node of any kind, with a mapping of its input. Without `input` it gets `undefined`.
   *
   * @example
   * const flow = new Workflow<{ text: string }, number>()
   *   .addNode("count", (text: string) => text.length, { input: from(START, "text") })
   *   .end(from("count"));
   */
  addNode<
    const Key extends string,
    const M extends Mapping | undefined = undefined,
    const After extends string = never,
    In = M extends Mapping ? ResolvedInput<At<I, Nodes, Maybe, Forks, Key, M, After>, M> : undefined,
    Out = unknown,
    Inner = undefined,
    Options = AnyCallOptions,
    Chunk = NoChunks,
    const Concat extends DeclaredConcat | undefined = undefined,
  >(
    key: NewWiredKey<KeysOf<Nodes>, Key, M, In>,
    node: NodeLike<In, Out, State, Inner, Options, Chunk>,
    options?: WiredOptions<M, CheckMapping<At<I, Nodes, Maybe, Forks, Key, M, After>, M, In>, KeysOf<Nodes>, After> &
      UnkeyedNodeOptions<
        NoInfer<In>,
        NoInfer<ValueOf<Out, Chunk, Concat>>,
        State,
        OptionsFor<NoInfer<Options>, NoInfer<Inner>>,
        Concat
      >,
  ): Workflow<
    I,
    O,
    State,
    Nodes &
      WiredNode<
        Key,
        In,
        ValueOf<Out, Chunk, Concat>,
        Inner,
        Options,
        ImpliedByAll<Nodes, ControlsOf<Nodes, Forks, Key, ReasonsOf<M> | After>> & string,
        FollowsOf<Nodes, Maybe, Forks, Key, ControlsOf<Nodes, Forks, Key, ReasonsOf<M> | After>>
      >,
    Maybe | MaybeSkipped<Forks, Maybe, Key, ControlsOf<Nodes, Forks, Key, ReasonsOf<M> | After>>,
    Forks,
    Key,
    Given,
    Result
  > {
    this.#builder.addNode(key, node, options);
    return this as never;
  }

  /** `addNode` for a model, also for one of a provider package of the AI SDK; its `options` are the model's call options. */
  addModelNode<
    const Key extends string,
    const M extends Mapping | undefined = undefined,
    const After extends string = never,
    Options = ModelOptions,
  >(
    key: NewWiredKey<KeysOf<Nodes>, Key, M, readonly AgenticMessage[]>,
    model: ModelFor<readonly AgenticMessage[], Options>,
    options?: WiredOptions<
      M,
      CheckMapping<At<I, Nodes, Maybe, Forks, Key, M, After>, M, readonly AgenticMessage[]>,
      KeysOf<Nodes>,
      After
    > &
      UnkeyedNodeOptions<readonly AgenticMessage[], AgenticMessage, State, Partial<Options>>,
  ): Workflow<
    I,
    O,
    State,
    Nodes &
      WiredNode<
        Key,
        readonly AgenticMessage[],
        AgenticMessage,
        undefined,
        Options,
        ImpliedByAll<Nodes, ControlsOf<Nodes, Forks, Key, ReasonsOf<M> | After>> & string,
        FollowsOf<Nodes, Maybe, Forks, Key, ControlsOf<Nodes, Forks, Key, ReasonsOf<M> | After>>
      >,
    Maybe | MaybeSkipped<Forks, Maybe, Key, ControlsOf<Nodes, Forks, Key, ReasonsOf<M> | After>>,
    Forks,
    Key,
    Given,
    Result
  > {
    this.#builder.addNode(key, model, options);
    return this as never;
  }

  /** `addNode` for a tools node. */
  addToolsNode<
    const Key extends string,
    const M extends Mapping | undefined = undefined,
    const After extends string = never,
  >(
    key: NewWiredKey<KeysOf<Nodes>, Key, M, AgenticMessage>,
    tools: ToolsNode,
    options?: WiredOptions<
      M,
      CheckMapping<At<I, Nodes, Maybe, Forks, Key, M, After>, M, AgenticMessage>,
      KeysOf<Nodes>,
      After
    > &
      UnkeyedNodeOptions<AgenticMessage, AgenticMessage[], State, ToolsNodeOptions>,
  ): Workflow<
    I,
    O,
    State,
    Nodes &
      WiredNode<
        Key,
        AgenticMessage,
        AgenticMessage[],
        undefined,
        ToolsNodeOptions,
        ImpliedByAll<Nodes, ControlsOf<Nodes, Forks, Key, ReasonsOf<M> | After>> & string,
        FollowsOf<Nodes, Maybe, Forks, Key, ControlsOf<Nodes, Forks, Key, ReasonsOf<M> | After>>
      >,
    Maybe | MaybeSkipped<Forks, Maybe, Key, ControlsOf<Nodes, Forks, Key, ReasonsOf<M> | After>>,
    Forks,
    Key,
    Given,
    Result
  > {
    this.#builder.addToolsNode(key, tools, options);
    return this as never;
  }

  /**
   * Lets a function choose which targets run: one, several or none. It passes no data: each target declares what it reads. Add the
   * targets after the branch, which alone decides whether they run.
   *
   * @example
   * const flow = new Workflow<number, string | undefined>()
   *   .addBranch(START, ["even", "odd"], (count) => (count % 2 === 0 ? "even" : "odd"))
   *   .addNode("even", (count: number) => `${count} is even`, { input: from(START) })
   *   .addNode("odd", (count: number) => `${count} is odd`, { input: from(START) })
   *   .end(firstOf(from("even"), from("odd")));
   */
  addBranch<const From extends KeysOf<Nodes> | "start", const Target extends string, const Chosen extends AnyChoice>(
    from: From,
    targets: readonly NewTarget<KeysOf<Nodes>, Target>[],
    choose: (value: Whole<I, Nodes, From>, ctx: NodeContext<State>) => Chosen & CheckedChoice<Chosen, NoInfer<Target>>,
  ): Workflow<I, O, State, Nodes, Maybe, Forks | Fork<From, Target, ChoosesOne<Chosen, Target>>, never, Given, Result> {
    this.#builder.addBranch(from, targets, choose, false);
    return this as never;
  }

  /** Like `addBranch`, but the function reads the output as a stream and may choose before its end. */
  addStreamBranch<
    const From extends KeysOf<Nodes> | "start",
    const Target extends string,
    const Chosen extends AnyChoice,
  >(
    from: From,
    targets: readonly NewTarget<KeysOf<Nodes>, Target>[],
    choose: (
      value: Seen<Whole<I, Nodes, From>, true>,
      ctx: NodeContext<State>,
    ) => Chosen & CheckedChoice<Chosen, NoInfer<Target>>,
  ): Workflow<I, O, State, Nodes, Maybe, Forks | Fork<From, Target, ChoosesOne<Chosen, Target>>, never, Given, Result> {
    this.#builder.addBranch(from, targets, choose, true);
    return this as never;
  }

  /**
   * Lets a function choose a target for the failure, after retries, of the node that was added last. Targets read the failure with
   * `failureOf`; for other readers the node's output is missing. If the function returns `undefined`, the run fails. The node's
   * output stream is buffered to its end.
   *
   * @example
   * const flow = new Workflow<string, string>()
   *   .addNode("search", (text: string) => text.trim(), { input: from(START) })
   *   .addErrorBranch("search", ["sorry"], ({ attempts }) => (attempts > 1 ? "sorry" : undefined))
   *   .addNode("sorry", (why: string) => `failed: ${why}`, { input: failureOf("search", "error.message") })
   *   .end(firstOf(from("search"), from("sorry")));
   */
  addErrorBranch<const From extends string, const Target extends string>(
    from: LastAdded<Last, From>,
    targets: readonly NewTarget<KeysOf<Nodes>, Target>[],
    choose: (failure: FailureAt<Nodes, From>, ctx: NodeContext<State>) => ErrorChoice<NoInfer<Target>>,
  ): Workflow<
    I,
    O,
    State,
    Nodes,
    Maybe | From | FailureKey<From>,
    Forks | ErrorFork<Maybe, From, Target>,
    never,
    Given,
    Result
  > {
    this.#builder.addErrorBranch(from, targets, choose);
    return this as never;
  }

  /**
   * Chooses the target by a field of an output, which discriminates a union. A target that reads the source gets the members of the
   * union that lead to it.
   *
   * @example
   * type Plan = { kind: "search"; query: string } | { kind: "answer"; text: string };
   * const flow = new Workflow<Plan, string>()
   *   .addSwitch(START, "kind", { search: "search", answer: "answer" })
   *   .addNode("search", ({ query }) => `searched for ${query}`, { input: from(START) })
   *   .addNode("answer", ({ text }) => text, { input: from(START) })
   *   .end(firstOf(from("search"), from("answer")));
   */
  addSwitch<
    const From extends KeysOf<Nodes> | "start",
    const Field extends string,
    const Cases extends Readonly<Record<string, string>>,
  >(
    from: From,
    field: SwitchField<Whole<I, Nodes, From>, Field, `"${From}"`>,
    cases: Cases & CheckedTargets<KeysOf<Nodes>, Whole<I, Nodes, From>, Field, NoInfer<Cases>>,
  ): Workflow<
    I,
    O,
    State,
    Nodes,
    Maybe,
    | Forks
    | Fork<
        From,
        Cases[keyof Cases] & string,
        ChoosesOne<unknown, Cases[keyof Cases] & string>,
        SwitchTargets<Whole<I, Nodes, From>, Field, Cases>
      >,
    never,
    Given,
    Result
  > {
    this.#builder.addSwitch(from, field, cases);
    return this as never;
  }

  /**
   * Defines the output of the workflow. It ends when all nodes that are read here, or named in `runAfter`, are done; other nodes that
   * still run are then aborted.
   *
   * @example
   * const flow = new Workflow<string, { size: number }>()
   *   .addNode("log", (text: string) => console.log(text), { input: from(START) })
   *   .end({ size: from(START, (text: string) => text.length) }, { runAfter: ["log"] });
   */
  end<const M extends Mapping, const After extends KeysOf<Nodes> = never>(
    mapping: M & CheckMapping<Around<I, Nodes, Maybe, Forks, "end", never>, M, O>,
    options?: WorkflowEndOptions<After>,
  ): Workflow<I, O, State, Nodes, Maybe, Forks, "end", Given, Result> {
    this.#builder.end(mapping, options);
    return this as never;
  }

  /**
   * The same workflow without types for its keys, for loops, generated and generic code. Nodes may be referred to before they are
   * added; `compile()` finds errors.
   *
   * @example
   * const flow = new Workflow<string, string[]>().untyped();
   * for (const key of ["a", "b"]) flow.addNode(key, (text: string) => text + key, { input: from(START) });
   * const both = flow.end({ a: from("a"), b: from("b") }).compile();
   */
  untyped(): UntypedWorkflow<Given, Result, State> {
    return this as never;
  }

  /** Checks the workflow as a whole and compiles it into a Runnable. The builder can be used further. */
  readonly compile: FinishedWorkflow<
    KeysOf<Nodes>,
    Forks,
    Last,
    (
      options?: WorkflowCompileOptions<StopKey<KeysOf<Nodes>>>,
    ) => CompiledInChunks<Given, Result, Nodes, ChunkBefore<unknown, O, Result>, O>
  > = ((options?: CompileOptions<string>) => new CompiledPlan(this.#builder.makePlan(options))) as never;

  /** Draws the workflow as a Mermaid flowchart. Throws where `compile()` would. */
  toMermaid(options?: MermaidOptions): string {
    return toMermaid(describePlan(this.#builder.makePlan(undefined)), options);
  }

  get [nodeDefinition](): NodeDefinition {
    return { component: "workflow", type: "", body: { kind: "graph", plan: this.#builder.makePlan(undefined) } };
  }
}

/** The output that a branch gets from its source. */
type Whole<I, Nodes, Key> = OutAt<I, Nodes, unknown, Key>;
