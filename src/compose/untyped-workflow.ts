import type { NodeContext } from "../components/context.js";
import type { NodeFailure } from "../components/policies.js";
import type { StreamReader } from "../schema/stream/reader.js";
import type { WorkflowCompileOptions } from "./compile-options.js";
import type { CompiledGraph } from "./compiled-graph.js";
import type { ErrorChoice } from "./types/error-branch.js";
import type { Built, builds, ModelFor, NodeLike } from "./types/node-like.js";
import type { UnkeyedNodeOptions } from "./types/node-options.js";
import type { Mapping } from "./types/workflow/sources.js";

/** Options of a node in an untyped workflow; a typed one takes the same, and the compiler checks `input` and `runAfter`. */
export interface UntypedNodeOptions<State> extends UnkeyedNodeOptions<never, unknown, State> {
  /** The node's sources: fields of other nodes' outputs. */
  readonly input?: Mapping | undefined;
  /** Nodes that must be done before this one, whose outputs it does not read. */
  readonly runAfter?: readonly string[] | undefined;
}

/** Options of `end(…)` of a workflow. */
export interface WorkflowEndOptions<After> {
  /** Nodes that must be done before the workflow ends, beside those that its output reads. */
  readonly runAfter?: readonly After[] | undefined;
}

/**
 * The result of `workflow.untyped()`: keys are any strings, nodes may be referred to before they are added, and errors are found by
 * `compile()` and by runs instead of the compiler.
 */
export interface UntypedWorkflow<I, O, State = undefined> {
  readonly [builds]: Built<I, O, Record<never, never>>;
  /** Adds a node of any kind under a key. */
  addNode(
    key: string,
    node: NodeLike<never, unknown, State, unknown>,
    options?: UntypedNodeOptions<State>,
  ): UntypedWorkflow<I, O, State>;
  /** Adds a model as a node. */
  addModelNode(
    key: string,
    model: ModelFor<never, never>,
    options?: UntypedNodeOptions<State>,
  ): UntypedWorkflow<I, O, State>;
  /** Adds a tools node, or the list of its tools. */
  addToolsNode: UntypedWorkflow<I, O, State>["addNode"];
  /** Adds a branch: a function chooses which of the targets run. */
  addBranch(
    from: string,
    targets: readonly string[],
    choose: (value: never, ctx: NodeContext<State>) => unknown,
  ): UntypedWorkflow<I, O, State>;
  /** Adds a branch whose function reads the output as a stream. */
  addStreamBranch(
    from: string,
    targets: readonly string[],
    choose: (value: StreamReader<never>, ctx: NodeContext<State>) => unknown,
  ): UntypedWorkflow<I, O, State>;
  /** Adds a branch for failures of a node. */
  addErrorBranch(
    from: string,
    targets: readonly string[],
    choose: (failure: NodeFailure<never>, ctx: NodeContext<State>) => ErrorChoice<string>,
  ): UntypedWorkflow<I, O, State>;
  /** Adds a branch that chooses by the value of a field. */
  addSwitch(from: string, field: string, cases: Readonly<Record<string, string>>): UntypedWorkflow<I, O, State>;
  /** Says what the output of the workflow is made of. */
  end(mapping: Mapping, options?: WorkflowEndOptions<string>): UntypedWorkflow<I, O, State>;
  /** Checks the workflow and makes it runnable. */
  compile(options?: WorkflowCompileOptions<string>): CompiledGraph<I, O>;
}
