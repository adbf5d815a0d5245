import type { JsonSchema } from "../schema/standard-schema.js";
import type { ComponentKind } from "./component-kind.js";

/** A compiled graph as plain data. START and END are not in `nodes`; edges refer to them as `start` and `end`. */
export interface GraphInfo {
  /** The name of the graph; `""` without one. */
  readonly name: string;
  /** What it is. */
  readonly component: "graph" | "chain" | "workflow" | "agent";
  /** The JSON Schema of its input, if it was given a schema that converts to one. */
  readonly input?: JsonSchema;
  /** The JSON Schema of its output. */
  readonly output?: JsonSchema;
  /** Set if it has a state of its own. */
  readonly state?: true;
  /** The nodes, without START and END. */
  readonly nodes: readonly GraphNodeInfo[];
  /** The edges, in the order in which they were added. */
  readonly edges: readonly GraphEdgeInfo[];
}

/** A node of a compiled graph, as plain data. */
export interface GraphNodeInfo {
  /** The key of the node. */
  readonly key: string;
  /** Its name in traces, if it is not the key. */
  readonly name?: string;
  /** The component that the node runs. The node of an agent that asks its model is a `model`. */
  readonly component: ComponentKind | "passthrough";
  /** The component's own type; of a model of the AI SDK `provider/model`. */
  readonly type?: string;
  /** The inner graph, if the node is one or runs one for each item. */
  readonly graph?: GraphInfo;
  /** Of a tools node: its tools, as far as they are known without a run. */
  readonly tools?: readonly ToolDescription[];
  /** The policies around it. */
  readonly policies?: readonly ("retry" | "timeout" | "cache" | "fallback")[];
}

/** An edge of a compiled graph, as plain data. */
export interface GraphEdgeInfo {
  /** The key of the node that it leads from, or `start`. */
  readonly from: string;
  /** The key of the node that it leads to, or `end`. */
  readonly to: string;
  /** The kind of the edge. A branch has one edge for each of its targets. */
  readonly kind: "edge" | "branch" | "error" | "data" | "control";
  /** For a switch: the values that lead there. For data in a workflow: `path → field`, unless both are empty. */
  readonly label?: string;
}

/** A tool as plain data. */
export interface ToolDescription {
  /** The name by which models call it. */
  readonly name: string;
  /** What it does, for the model. */
  readonly description?: string;
  /** The JSON Schema of its arguments. */
  readonly parameters?: JsonSchema;
  /** Whether each call needs approval, or a function decides; absent if no call does. */
  readonly approval?: "always" | "sometimes";
  /** Where it runs: here, at a client, at the provider of the model, or as an agent. */
  readonly kind: "local" | "client" | "provider" | "agent";
}
