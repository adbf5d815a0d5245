import { generateText, isStepCount, streamText, tool } from "ai";
import { weather } from "../contender.js";
import { packageModel } from "./package-model.js";
import { type AgentWorks, instructions, question, STEPS } from "./tasks.js";

const { name, description, schema: inputSchema, execute } = weather;
const call = {
  model: packageModel,
  instructions,
  prompt: question,
  tools: { [name]: tool({ description, inputSchema, execute }) },
  stopWhen: isStepCount(STEPS + 1),
};

/** The same turn with the functions of the AI SDK. */
export const agentsOfAiSdk: AgentWorks = {
  "generate-package": () => async () => (await generateText(call)).text,
  events: () => async () => {
    let text = "";
    for await (const part of streamText(call).fullStream) if (part.type === "text-delta") text += part.text;
    return text;
  },
};
