import type { NodeContext } from "../components/context.js";
import type { NodeFailure } from "../components/policies.js";
import type { StreamReader } from "../schema/stream/reader.js";
import type { CompileOptions } from "./compile-options.js";
import type { CompiledGraph } from "./compiled-graph.js";
import type { MermaidOptions } from "./plan/picture/mermaid.js";
import type { ErrorChoice } from "./types/error-branch.js";
import type { Built, builds, ModelFor, NodeLike, ToolsNode } from "./types/node-like.js";
import type { AnyNodeEntry, AnyNodeOptions } from "./types/node-map.js";

/**
 * The result of `graph.untyped()`: keys are any strings, nodes may be referred to before they are added, and errors are found by
 * `compile()` and by runs instead of the compiler.
 */
export interface UntypedGraph<I, O, State = undefined> {
  readonly [builds]: Built<I, O, Record<never, never>>;
  /** Adds a node of any kind under a key. */
  addNode(key: string, node: NodeLike<never, unknown, State, unknown>, options?: AnyNodeOptions<State>): this;
  /** Adds several nodes, by their keys. */
  addNodes(nodes: Readonly<Record<string, AnyNodeEntry<State>>>): this;
  /** Adds a model as a node. */
  addModelNode(key: string, model: ModelFor<never, never>, options?: AnyNodeOptions<State>): this;
  /** Adds a tools node, or the list of its tools. */
  addToolsNode(key: string, tools: ToolsNode, options?: AnyNodeOptions<State>): this;
  /** The same as `addToolsNode`. */
  addAgenticToolsNode(key: string, tools: ToolsNode, options?: AnyNodeOptions<State>): this;
  /** Adds an edge: what one node returns flows into another. */
  addEdge(from: string, to: string): this;
  /** Adds a branch: a function chooses among the targets. */
  addBranch(from: string, targets: readonly string[], choose: (value: never, ctx: NodeContext<State>) => unknown): this;
  /** Adds a branch whose function reads the output as a stream. */
  addStreamBranch(
    from: string,
    targets: readonly string[],
    choose: (value: StreamReader<never>, ctx: NodeContext<State>) => unknown,
  ): this;
  /** Adds a branch for failures of a node. */
  addErrorBranch(
    from: string,
    targets: readonly string[],
    choose: (failure: NodeFailure<never>, ctx: NodeContext<State>) => ErrorChoice<string>,
  ): this;
  /** Adds a branch that chooses by the value of a field. */
  addSwitch(from: string, field: string, cases: Readonly<Record<string, string>>): this;
  /** Checks the graph and makes it runnable. */
  compile(options?: CompileOptions<string>): CompiledGraph<I, O>;
  /** Draws the graph as text for Mermaid. */
  toMermaid(options?: MermaidOptions): string;
}
