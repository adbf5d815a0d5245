// The agent, the same on every platform. OPENAI_API_KEY is its key; OPENAI_BASE_URL leads to a gateway, if there is one.
import { openai } from "@ai-sdk/openai";
import { type CheckpointStore, createTool } from "kumiko";
import { type Agent, createAgent } from "kumiko/agents";
import type { Model } from "kumiko/models";
import { z } from "zod";

const findOrder = createTool({
  id: "find_order",
  description: "Where an order is.",
  inputSchema: z.object({ number: z.string() }),
  execute: ({ number }) => ({ number, status: "on its way", arrives: "tomorrow" }),
});

export function createAssistant(store: CheckpointStore, model: Model = openai("gpt-5")): Agent {
  return createAgent({
    name: "assistant",
    model,
    store,
    tools: [findOrder],
    instructions: "You answer questions about orders, in one or two sentences.",
    modelIdleTimeoutMs: 60_000, // a model that has said nothing for a minute is asked again
  });
}
