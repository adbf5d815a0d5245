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
  addNode(key: string, node: NodeLike<never, unknown, State, unknown>, options?: AnyNodeOptions<State>): this;
  addNodes(nodes: Readonly<Record<string, AnyNodeEntry<State>>>): this;
  addModelNode(key: string, model: ModelFor<never, never>, options?: AnyNodeOptions<State>): this;
  addToolsNode(key: string, tools: ToolsNode, options?: AnyNodeOptions<State>): this;
  addAgenticToolsNode(key: string, tools: ToolsNode, options?: AnyNodeOptions<State>): this;
  addEdge(from: string, to: string): this;
  addBranch(from: string, targets: readonly string[], choose: (value: never, ctx: NodeContext<State>) => unknown): this;
  addStreamBranch(
    from: string,
    targets: readonly string[],
    choose: (value: StreamReader<never>, ctx: NodeContext<State>) => unknown,
  ): this;
  addErrorBranch(
    from: string,
    targets: readonly string[],
    choose: (failure: NodeFailure<never>, ctx: NodeContext<State>) => ErrorChoice<string>,
  ): this;
  addSwitch(from: string, field: string, cases: Readonly<Record<string, string>>): this;
  compile(options?: CompileOptions<string>): CompiledGraph<I, O>;
  toMermaid(options?: MermaidOptions): string;
}
