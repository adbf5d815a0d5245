import { Agent, type Model, Runner, RunState, tool, Usage } from "@openai/agents";
import { z } from "zod";
import { type Call, type Contender, type Run, weather } from "../contender.js";

/** Tools belong to runs of an agent: here with a model that asks for the calls at once. */
export const openAiAgents: Contender = {
  name: "OpenAI Agents",
  tools,
  askAndResume,
};

const runner = new Runner({ tracingDisabled: true });

function modelThatAsks(name: string, calls: readonly Call[]): Model {
  const output = calls.map(({ id, arguments: text }) => ({
    type: "function_call" as const,
    callId: id,
    name,
    status: "completed" as const,
    arguments: text,
  }));
  return {
    getResponse: async () => ({ usage: new Usage(), output: [...output] }),
    getStreamedResponse: () => {
      throw new Error("Nothing is streamed here.");
    },
  };
}

function tools(calls: readonly Call[]): () => Promise<readonly unknown[]> {
  const { name, description, execute } = weather;
  // Strict schemas of this package have no optional fields.
  const parameters = z.object({ city: z.string(), days: z.number().int().nullable() });
  const weatherTool = tool({ name, description, parameters, execute: ({ city }) => execute({ city }) });
  const model = modelThatAsks(name, calls);
  const agent = new Agent({ name: "bench", model, tools: [weatherTool], toolUseBehavior: "stop_on_first_tool" });
  return async () => {
    const { newItems } = await runner.run(agent, "How is the weather?");
    return newItems.flatMap((item) => (item.type === "tool_call_output_item" ? [item.output] : []));
  };
}

/** The approval of a tool call is its way to ask; the run is kept as text. */
function askAndResume(): Run {
  const add = tool({
    name: "add",
    description: "Adds 1.",
    parameters: z.object({ value: z.number() }),
    needsApproval: true,
    execute: async ({ value }) => value + 1,
  });
  return async (input) => {
    const model = modelThatAsks("add", [{ id: "call_1", arguments: JSON.stringify({ value: input }) }]);
    const agent = new Agent({ name: "bench", model, tools: [add], toolUseBehavior: "stop_on_first_tool" });
    const stopped = await runner.run(agent, "Add 1.");
    const state = await RunState.fromString(agent, stopped.state.toString());
    for (const question of state.getInterruptions()) state.approve(question);
    const { finalOutput } = await runner.run(agent, state);
    return Number(finalOutput);
  };
}
