/** Which kind of thing a run is: a component's literal field, or what the library itself runs. */
export type ComponentKind =
  | "model"
  | "template"
  | "tools_node"
  | "retriever"
  | "embedder"
  | "indexer"
  | "loader"
  | "transformer"
  | "lambda"
  | "tool"
  | "graph"
  | "chain"
  | "workflow";

/** Who is running: given to every handler at every timing, and to nodes as `ctx.runInfo`. */
export interface RunInfo {
  /** Unique for this run of this node, tool call or graph. */
  readonly runId: string;
  /** The `runId` of what contains this run; `undefined` for a root. */
  readonly parentRunId: string | undefined;
  /** The display name: the `name` option, else the node's key; `""` for a graph without a name. */
  readonly name: string;
  /** What the component calls itself (`type`), else `""`. */
  readonly type: string;
  readonly component: ComponentKind;
  /** Where it runs: the same in every run, for example `runnable:agent;node:tools;tool:search:call_1`. */
  readonly address: string;
  /** Set for tool calls only. */
  readonly toolCallId?: string | undefined;
}
