import { type AgenticMessage, type AgenticModel, END, Graph, START, toolCallsOr } from "kumiko";
import { tools } from "./tools.js";

/** The loop that every agent is made of: the model speaks, tools do what it asks for, and the model goes on. */
export function createAgent(model: AgenticModel) {
  return new Graph<AgenticMessage[], AgenticMessage>()
    .withState(() => ({ history: [] as AgenticMessage[] }))
    .addModelNode("model", model, {
      options: { tools: tools.infos },
      before: (input, state) => {
        state.history.push(...input);
        return [...state.history];
      },
    })
    .addToolsNode("tools", tools, {
      before: (message, state) => {
        state.history.push(message);
        return message;
      },
    })
    .addEdge(START, "model")
    .addStreamBranch("model", ["tools", END], toolCallsOr("tools", END))
    .addEdge("tools", "model")
    .compile({ name: "folder-agent", maxSteps: 40 });
}
