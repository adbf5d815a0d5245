import type { NodeContext } from "../components/context.js";
import { stateKey } from "../components/state-key.js";
import { Graph } from "../compose/graph.js";
import { planOfAgent } from "../compose/plan/make-plan.js";
import { hasNodeDefinition, nodeDefinition } from "../compose/plan/node-definition.js";
import { END, type Plan, START } from "../compose/plan/plan.js";
import type { Runnable } from "../compose/runnable.js";
import { bareRunnable } from "../run/bare-runnable.js";
import { CompiledPlan } from "../run/compiled-plan.js";
import type { AgenticMessage } from "../schema/message/agentic-message.js";
import { withoutUndefined } from "../schema/without-undefined.js";
import type { AgentGraph } from "./agent.js";
import type { AgentParts } from "./agent-parts.js";
import { type AgentState, newAgentState } from "./agent-state.js";
import { runModelNode } from "./model-node.js";
import { toolsNode } from "./tools-node.js";
import type { AgentCall } from "./turn.js";

/** When a run is saved, and what stays of it. */
type SaveSettings = Pick<AgentParts["options"], "durability" | "history">;

/** The graph of an agent: the model, its tools, and the way back. */
export function agentGraph(parts: AgentParts, saves: SaveSettings = parts.options): AgentGraph {
  const { name, options } = parts;
  const { store, callbacks = [], runtime } = options;
  const { durability = "step", history = false } = saves;
  const graph = new Graph<readonly AgenticMessage[], AgenticMessage>()
    .withState(stateKey<AgentState>("agent", () => newAgentState(name)))
    .addNode("model", modelNode(parts))
    .addNode("tools", toolsNode(parts))
    .addEdge(START, "model")
    .addBranch("model", ["tools", "model", END], (_answer, ctx) => nextNode(ctx as NodeContext<AgentState>))
    .addEdge("tools", "model")
    .compile({ name, maxSteps: Number.MAX_SAFE_INTEGER, store, durability, history, callbacks, runtime });
  return asAgent(graph, parts);
}

/** The same graph; observers see its runs as those of an agent. */
function asAgent(graph: AgentGraph, { name, description }: AgentParts): AgentGraph {
  const body = hasNodeDefinition(graph) ? graph[nodeDefinition].body : undefined;
  if (body?.kind !== "graph") return graph;
  const meta: Plan["meta"] = (optionsOf) => {
    const { threadId } = (optionsOf("model") as { readonly call?: AgentCall } | undefined)?.call ?? {};
    return withoutUndefined({ name, description, threadId });
  };
  return new CompiledPlan(planOfAgent(body.plan, meta));
}

/** It calls models, and takes their options. */
function modelNode(parts: AgentParts): Runnable<readonly AgenticMessage[] | AgenticMessage, AgenticMessage> {
  const call = (input: unknown, ctx: NodeContext<AgentState>) => runModelNode(parts, input, ctx);
  return bareRunnable({ component: "lambda", type: "", takes: "model", body: { kind: "function", call } });
}

/** Where an answer leads: what it means was decided when it was accepted. */
function nextNode({ state }: NodeContext<AgentState>): "tools" | "model" | typeof END {
  if (state.phase === "tools") return "tools";
  return state.phase === "end" ? END : "model";
}
