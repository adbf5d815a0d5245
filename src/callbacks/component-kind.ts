/** The kind of a run: the `component` of what runs. */
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
  | "workflow"
  | "agent";
