import type { NodeContext } from "../components/context.js";
import type { ModelOptions } from "../components/model.js";
import type { StateKey } from "../components/state-key.js";
import { CompiledPlan } from "../run/compiled-plan.js";
import type { DeclaredConcat } from "../schema/concat/rule.js";
import type { AgenticMessage } from "../schema/message/agentic-message.js";
import type { StreamReader } from "../schema/stream/reader.js";
import type { ToolsNodeOptions } from "../tools/node/options.js";
import type { CompileOptions } from "./compile-options.js";
import { GraphBuilder } from "./graph-builder.js";
import type { GraphOptions } from "./graph-options.js";
import { describePlan } from "./plan/describe.js";
import { type NodeDefinition, nodeDefinition } from "./plan/node-definition.js";
import { type MermaidOptions, toMermaid } from "./plan/picture/mermaid.js";
import type { AnyCallOptions, OptionsFor } from "./types/call-options.js";
import type { AnyChoice, CheckedChoice } from "./types/choice.js";
import type { ChunkBefore, CompiledInChunks } from "./types/chunked.js";
import type { BranchTo, BroughtByBranch, ChunkAtEnd, EdgeTo, InAt, OutAt } from "./types/edge-check.js";
import type { ErrorChoice, FailureAt } from "./types/error-branch.js";
import type { NoChunks, ValueOf } from "./types/joined.js";
import type { BeforeNodes, CheckedKeys, NewKey, StopKey } from "./types/node-key.js";
import type { Built, builds, ModelFor, NodeLike, ToolsNode } from "./types/node-like.js";
import type { AnyNodeEntry, CheckedOptions, ShapesOf } from "./types/node-map.js";
import type { NodeOptions } from "./types/node-options.js";
import type { AddedNode, Brought, KeysOf } from "./types/shape.js";
import type { AnyString, BroughtBySwitch, CheckedCases, SwitchField } from "./types/switch.js";
import type { Proof } from "./types/unfed.js";
import type { UntypedGraph } from "./untyped-graph.js";

/**
 * A builder of graphs: nodes and the edges between them. Each method adds to the graph and returns it with a more specific type.
 * A type that does not fit is an error in the editor, and at run time too.
 *
 * You write only `I` and `O`; the rest is inferred. A node may be a plain function (annotate its input), a Runnable, another graph
 * or chain, or a component. `compile()` takes a snapshot; the builder can be used further.
 *
 * @example
 * const graph = new Graph<string, string>()
 *   .addNode("length", (text: string) => text.length)
 *   .addNode("format", (count: number) => `${count} characters`)
 *   .addEdge(START, "length")
 *   .addEdge("length", "format")
 *   .addEdge("format", END);
 * console.log(await graph.compile().invoke("hello"));
 */
export class Graph<I, O, State = undefined, Nodes = unknown, Fed = never, Given = I, Result = O> {
  /** Its type as a node of another graph. Exists in types only. */
  declare readonly [builds]: Proof<I, O, Nodes, Fed, KeysOf<Nodes>, Built<Given, Result, Nodes>>;
  readonly #builder: GraphBuilder;

  constructor(options: GraphOptions<I, O, Given, Result> = {}) {
    this.#builder = new GraphBuilder(options);
  }

  /**
   * Gives each run a state of its own, for `ctx.state` and the state handlers of nodes. Must come before the first node.
   *
   * @example
   * const graph = new Graph<string, number>()
   *   .withState(() => ({ seen: [] as string[] })).addNode("count", (text: string, ctx) => ctx.state.seen.push(text));
   */
  withState<NewState>(
    create: BeforeNodes<KeysOf<Nodes>, (() => NewState) | StateKey<NewState>>,
  ): Graph<I, O, NewState, Nodes, Fed, Given, Result> {
    this.#builder.setState(create);
    return this as never;
  }

  /**
   * Adds a node of any kind.
   *
   * @example
   * const graph = new Graph<string, { size: number }>().addNode("size", async (text: string) => text.length, {
   *   outputKey: "size",
   * });
   */
  addNode<
    const Key extends string,
    In,
    Out,
    Inner = undefined,
    const InputKey extends string | undefined = undefined,
    const OutputKey extends string | undefined = undefined,
    Options = AnyCallOptions,
    Chunk = NoChunks,
    const Concat extends DeclaredConcat | undefined = undefined,
  >(
    key: NewKey<KeysOf<Nodes>, Key>,
    node: NodeLike<In, Out, State, Inner, Options, Chunk>,
    options?: NodeOptions<
      NoInfer<In>,
      NoInfer<ValueOf<Out, Chunk, Concat>>,
      State,
      InputKey,
      OutputKey,
      OptionsFor<NoInfer<Options>, NoInfer<Inner>>,
      Concat
    >,
  ): Graph<
    I,
    O,
    State,
    Nodes & AddedNode<Key, In, ValueOf<Out, Chunk, Concat>, Inner, Options, InputKey, OutputKey>,
    Fed,
    Given,
    Result
  > {
    this.#builder.addNode(key, node, options);
    return this as never;
  }

  /**
   * Adds many nodes at once, which the compiler checks faster. A value is a node, or `{ node, options }`; annotate the inputs of
   * state handlers in such options.
   *
   * @example
   * const graph = new Graph<string, string>().addNodes({
   *   trim: (text: string) => text.trim(),
   *   shout: { node: (text: string) => text.toUpperCase(), options: { name: "Shout" } },
   * });
   */
  addNodes<const Entries extends Readonly<Record<string, AnyNodeEntry<State>>>>(
    nodes: Entries & CheckedKeys<KeysOf<Nodes>, Entries> & CheckedOptions<State, Entries>,
  ): Graph<I, O, State, Nodes & ShapesOf<Entries>, Fed, Given, Result> {
    this.#builder.addNodes(nodes);
    return this as never;
  }

  /** `addNode` for a model, also for one of a provider package of the AI SDK; its `options` are the model's call options. */
  addModelNode<
    const Key extends string,
    Options = ModelOptions,
    const InputKey extends string | undefined = undefined,
    const OutputKey extends string | undefined = undefined,
  >(
    key: NewKey<KeysOf<Nodes>, Key>,
    model: ModelFor<readonly AgenticMessage[], Options>,
    options?: NodeOptions<readonly AgenticMessage[], AgenticMessage, State, InputKey, OutputKey, Partial<Options>>,
  ): Graph<
    I,
    O,
    State,
    Nodes & AddedNode<Key, readonly AgenticMessage[], AgenticMessage, undefined, Options, InputKey, OutputKey>,
    Fed,
    Given,
    Result
  > {
    this.#builder.addNode(key, model, options);
    return this as never;
  }

  /** `addNode` for a tools node. */
  addToolsNode<
    const Key extends string,
    const InputKey extends string | undefined = undefined,
    const OutputKey extends string | undefined = undefined,
  >(
    key: NewKey<KeysOf<Nodes>, Key>,
    tools: ToolsNode,
    options?: NodeOptions<AgenticMessage, AgenticMessage[], State, InputKey, OutputKey, ToolsNodeOptions>,
  ): Graph<
    I,
    O,
    State,
    Nodes & AddedNode<Key, AgenticMessage, AgenticMessage[], undefined, ToolsNodeOptions, InputKey, OutputKey>,
    Fed,
    Given,
    Result
  > {
    this.#builder.addToolsNode(key, tools, options);
    return this as never;
  }

  /** The same as `addToolsNode`, under its name in Eino. */
  declare readonly addAgenticToolsNode: Graph<I, O, State, Nodes, Fed, Given, Result>["addToolsNode"];

  /**
   * Connects a node (or START) to a node (or END), which gets its output. Several edges into one node provide parts of its input.
   *
   * @example
   * const graph = new Graph<string, string>()
   *   .addNode("trim", (text: string) => text.trim())
   *   .addEdge(START, "trim")
   *   .addEdge("trim", END);
   */
  addEdge<const From extends KeysOf<Nodes> | "start", const To extends KeysOf<Nodes> | "end">(
    from: From,
    to: EdgeTo<KeysOf<Nodes>, OutAt<I, Nodes, Fed, From>, InAt<O, Nodes, To>, From, To>,
  ): Graph<I, O, State, Nodes, Fed | Brought<From, To, OutAt<I, Nodes, Fed, From>, InAt<O, Nodes, To>>, Given, Result> {
    this.#builder.addEdge(from, to);
    return this as never;
  }

  /**
   * Lets a function choose which targets get the output of a node: one, several or none. Each target must accept the whole output.
   *
   * @example
   * const graph = new Graph<number, string>()
   *   .addNode("even", (count: number) => `${count} is even`)
   *   .addNode("odd", (count: number) => `${count} is odd`)
   *   .addBranch(START, ["even", "odd"], (count) => (count % 2 === 0 ? "even" : "odd"))
   *   .addEdge("even", END)
   *   .addEdge("odd", END);
   */
  addBranch<
    const From extends KeysOf<Nodes> | "start",
    const Target extends KeysOf<Nodes> | "end",
    const Chosen extends AnyChoice,
  >(
    from: From,
    targets: readonly BranchTo<O, Nodes, OutAt<I, Nodes, Fed, From>, From, Target>[],
    choose: (
      value: OutAt<I, Nodes, Fed, From>,
      ctx: NodeContext<State>,
    ) => Chosen & CheckedChoice<Chosen, NoInfer<Target>>,
  ): Graph<I, O, State, Nodes, Fed | BroughtByBranch<O, Nodes, OutAt<I, Nodes, Fed, From>, Target>, Given, Result> {
    this.#builder.addBranch(from, targets, choose, false);
    return this as never;
  }

  /** Like `addBranch`, but the function reads the output as a stream and may choose before its end. */
  addStreamBranch<
    const From extends KeysOf<Nodes> | "start",
    const Target extends KeysOf<Nodes> | "end",
    const Chosen extends AnyChoice,
  >(
    from: From,
    targets: readonly BranchTo<O, Nodes, OutAt<I, Nodes, Fed, From>, From, Target>[],
    choose: (
      value: StreamReader<OutAt<I, Nodes, Fed, From>>,
      ctx: NodeContext<State>,
    ) => Chosen & CheckedChoice<Chosen, NoInfer<Target>>,
  ): Graph<I, O, State, Nodes, Fed | BroughtByBranch<O, Nodes, OutAt<I, Nodes, Fed, From>, Target>, Given, Result> {
    this.#builder.addBranch(from, targets, choose, true);
    return this as never;
  }

  /**
   * Lets a function choose a target for the failure of a node, after its retries. The target gets a `NodeFailure`, and what would
   * follow on success does not run. If it returns `undefined`, the run fails. The node's output stream is buffered to its end.
   */
  addErrorBranch<const From extends KeysOf<Nodes>, const Target extends KeysOf<Nodes> | "end">(
    from: From,
    targets: readonly BranchTo<O, Nodes, FailureAt<Nodes, From>, From, Target>[],
    choose: (failure: FailureAt<Nodes, From>, ctx: NodeContext<State>) => ErrorChoice<NoInfer<Target>>,
  ): Graph<I, O, State, Nodes, Fed | BroughtByBranch<O, Nodes, FailureAt<Nodes, From>, Target>, Given, Result> {
    this.#builder.addErrorBranch(from, targets, choose);
    return this as never;
  }

  /**
   * Chooses the target of an output by one of its fields, which discriminates a union. A target gets the members of the union that
   * its values select. Several values may lead to the same target, and END can be a target too.
   *
   * @example
   * type Plan = { kind: "search"; query: string } | { kind: "answer"; text: string };
   * const graph = new Graph<Plan, string>()
   *   .addNode("search", ({ query }: { query: string }) => `searched for ${query}`)
   *   .addNode("answer", ({ text }: { text: string }) => text)
   *   .addSwitch(START, "kind", { search: "search", answer: "answer" })
   *   .addEdge("search", END)
   *   .addEdge("answer", END);
   */
  addSwitch<
    const From extends KeysOf<Nodes> | "start",
    const Field extends string,
    const Cases extends Readonly<Record<string, KeysOf<Nodes> | "end" | AnyString>>,
  >(
    from: From,
    field: SwitchField<OutAt<I, Nodes, Fed, From>, Field, `"${From}"`>,
    cases: Cases & CheckedCases<O, Nodes, OutAt<I, Nodes, Fed, From>, Field, `"${From}"`, NoInfer<Cases>>,
  ): Graph<
    I,
    O,
    State,
    Nodes,
    Fed | BroughtBySwitch<O, Nodes, OutAt<I, Nodes, Fed, From>, Field, Cases>,
    Given,
    Result
  > {
    this.#builder.addSwitch(from, field, cases);
    return this as never;
  }

  /**
   * Checks the graph as a whole and compiles it into a Runnable. A node that lacks input makes `compile` an error that names it.
   *
   * @example
   * const graph = new Graph<string, string>().addEdge(START, END);
   * const same = graph.compile({ name: "same" });
   */
  readonly compile: Proof<
    I,
    O,
    Nodes,
    Fed,
    KeysOf<Nodes>,
    (
      options?: CompileOptions<StopKey<KeysOf<Nodes>>>,
    ) => CompiledInChunks<Given, Result, Nodes, ChunkBefore<ChunkAtEnd<O, Fed>, O, Result>, O>
  > = ((options?: CompileOptions<string>) => new CompiledPlan(this.#builder.makePlan(options))) as never;

  /**
   * The same graph without types for its keys, for loops, generated and generic code. Nodes may be referred to before they are
   * added; `compile()` finds errors.
   */
  untyped(): UntypedGraph<Given, Result, State> {
    this.#builder.untyped();
    return this as never;
  }

  /** Draws the graph so far as a Mermaid flowchart. Throws where `compile()` would. */
  toMermaid(options?: MermaidOptions): string {
    return toMermaid(describePlan(this.#builder.makePlan(undefined)), options);
  }

  get [nodeDefinition](): NodeDefinition {
    return { component: "graph", type: "", body: { kind: "graph", plan: this.#builder.makePlan(undefined) } };
  }
}

Object.defineProperty(Graph.prototype, "addAgenticToolsNode", { value: Graph.prototype.addToolsNode });
