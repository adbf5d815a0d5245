// A supervisor gives work to other agents, which are its tools, and answers itself. What they use counts as its own.
// The models follow a script.
// expect: researcher was asked: Why do maples turn red?
// expect: writer was asked: Write a line about: cold nights make them red.
// expect: Cold nights paint the maples red.
// expect: asked by: supervisor, researcher, writer
import { functionToolCall } from "kumiko";
import { type AgentEvent, createAgent } from "kumiko/agents";
import { scriptedModel } from "kumiko/testing";

const researcher = createAgent({
  name: "researcher",
  description: "Finds out facts.",
  model: scriptedModel("Cold nights make them red."),
});
const writer = createAgent({
  name: "writer",
  description: "Writes one line from facts.",
  model: scriptedModel("Cold nights paint the maples red."),
});

const ask = (callId: string, name: string, prompt: string) => [
  functionToolCall({ callId, name, arguments: JSON.stringify({ prompt }) }),
];
const supervisor = createAgent({
  name: "supervisor",
  instructions: "Let the researcher find the facts, and the writer write. Answer with what the writer has written.",
  tools: [researcher.asTool(), writer.asTool()],
  model: scriptedModel(
    ask("1", "researcher", "Why do maples turn red?"),
    ask("2", "writer", "Write a line about: cold nights make them red."),
    "Cold nights paint the maples red.",
  ),
});

const heard = new Set<string>();
const tell = (event: AgentEvent): void => {
  heard.add(event.agentPath.at(-1) ?? "");
  if (event.type === "tool_call") console.log(`${event.name} was asked: ${JSON.parse(event.arguments).prompt}`);
};
const stream = supervisor.stream("A line about maples, please.");
for await (const event of stream) tell(event);
console.log((await stream.result).text);
console.log(`asked by: ${[...heard].join(", ")}`);
