import type { NodeContext } from "../components/context.js";
import { stateKey } from "../components/state-key.js";
import type { CompiledGraph } from "../compose/compiled-graph.js";
import { Graph } from "../compose/graph.js";
import { END, START } from "../compose/plan/plan.js";
import type { AgenticMessage } from "../schema/message/agentic-message.js";
import type { AgentNodes } from "./agent.js";
import type { AgentParts } from "./agent-parts.js";
import { type AgentState, newAgentState } from "./agent-state.js";
import { runModelNode } from "./model-node.js";
import { toolsNode } from "./tools-node.js";

/** The graph of an agent: the model, its tools, and the way back. */
export function agentGraph(
  parts: AgentParts,
  durability = parts.options.durability ?? "step",
): CompiledGraph<readonly AgenticMessage[], AgenticMessage, AgentNodes> {
  const { name, options } = parts;
  const { store, callbacks = [], runtime } = options;
  const graph = new Graph<readonly AgenticMessage[], AgenticMessage>()
    .withState(stateKey<AgentState>("agent", () => newAgentState(name)))
    .addNode("model", (input: readonly AgenticMessage[] | AgenticMessage, ctx) =>
      runModelNode(parts, input, ctx as NodeContext<AgentState>),
    )
    .addNode("tools", toolsNode(parts))
    .addEdge(START, "model")
    .addBranch("model", ["tools", "model", END], (_answer, ctx) => nextNode(ctx as NodeContext<AgentState>))
    .addEdge("tools", "model")
    .compile({ name, maxSteps: Number.MAX_SAFE_INTEGER, store, durability, callbacks, runtime });
  return graph;
}

/** Where an answer leads: what it means was decided when it was accepted. */
function nextNode({ state }: NodeContext<AgentState>): "tools" | "model" | typeof END {
  if (state.phase === "tools") return "tools";
  return state.phase === "end" ? END : "model";
}
