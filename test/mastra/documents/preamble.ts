/**
 * What the blocks of the documents use without making it. `openai` says what it is told to, and tools do no more than they
 * must: the blocks themselves are what is looked at.
 */
import { createServer } from "node:http";
import {
  assistantMessage,
  functionToolCall,
  createTool as nativeTool,
  RequestContext as RuntimeContext,
  toolCallsOf,
  toolResultsOf,
} from "kumiko";
import { Agent, createStep, createTool, createWorkflow, Mastra } from "kumiko/mastra";
import { MCPServer } from "kumiko/mcp";
import { createGraphRAGTool as graphTool, MDocument, memoryVectors } from "kumiko/rag";
import { type ScriptEntry, scriptedModel } from "kumiko/testing";
import { z } from "zod";

export { Agent, createTool, Mastra, MCPServer, RuntimeContext, z };

/** What models are asked, and what they say next. Each block starts with none. */
export const script: ScriptEntry[] = [];
export const asked: { model: string; messages: readonly unknown[]; tools: readonly string[] }[] = [];

const say =
  (model: string): ScriptEntry =>
  (messages, ctx) => {
    asked.push({ model, messages, tools: (ctx.options.tools ?? []).map(({ name }) => name) });
    const next = script.shift() ?? "Done.";
    return typeof next === "function" ? (next(messages, ctx) as never) : next;
  };

/** What `import { openai } from "@ai-sdk/openai"` brings. */
export const openai = Object.assign((model: string) => scriptedModel(...Array.from({ length: 20 }, () => say(model))), {
  embedding: (_model: string) => ({
    component: "embedder" as const,
    embed: async (texts: readonly string[]) =>
      texts.map((text) => Array.from({ length: 1536 }, (_, index) => (index === text.length % 7 ? 1 : 0.1))),
  }),
});

/** An answer that calls a tool. */
export const calls = (name: string, input: object) =>
  assistantMessage(functionToolCall({ callId: "call-1", name, arguments: JSON.stringify(input) }));

/** The results of tools that a model was shown. */
export const resultsShown = (messages: readonly unknown[]): string[] =>
  (messages as never[]).flatMap((message) => toolResultsOf(message).map(({ result }) => result));
export { toolCallsOf };

/** The same in chunks, as a provider streams it. */
export const streamedCall = (name: string, text: string) =>
  ["", text].map((piece) =>
    assistantMessage(functionToolCall({ callId: "call-1", name, arguments: piece, streamingMeta: { index: 0 } })),
  );

/** A store whose indexes have names of letters, digits and `_`, and one that takes those of the documents. */
export const myStore = memoryVectors();
type Query = Parameters<typeof myStore.query>[0];
export const vectorStores = {
  pinecone: memoryVectors(),
  "my-store": { query: (query: Query) => myStore.query({ ...query, indexName: query.indexName.replace("-", "_") }) },
};

export const createGraphRAGTool = (options: Parameters<typeof graphTool>[0]) => graphTool({ vectorStores, ...options });

export { MDocument };
export const doc = MDocument.fromMarkdown("# Title\n\nSome text.\n\n## Section\n\nMore text.");

/** For the extraction of block 7, which names no model. */
export const summarizer = scriptedModel(
  ...Array.from({ length: 20 }, (): ScriptEntry => () => JSON.stringify({ summary: "A text.", keywords: "text" })),
);

export const weather = createTool({
  id: "getWeather",
  description: "Weather of a city.",
  inputSchema: z.object({ location: z.string() }),
  execute: async ({ context, runtimeContext }) => `${context.location}: 20 ${runtimeContext.get("temperature-scale")}`,
});

export const agent = new Agent({
  name: "weather",
  description: "Knows the weather.",
  instructions: "Answer briefly.",
  model: openai("test"),
  tools: { weather, graph: createGraphRAGTool({ model: openai.embedding("test") }) },
});
export const weatherAgent = agent;
export const mastra = new Mastra({ agents: { weatherAgent: agent }, logger: false });

const knowledge = (id: string) => nativeTool({ id, description: id, execute: async () => id });
export const knowledgeBase = knowledge("knowledgeBase");
export const ticketSystem = knowledge("ticketSystem");
export const advancedAnalytics = knowledge("advancedAnalytics");
export const customIntegration = knowledge("customIntegration");

export const fetchWeather = async (location: string) => `sunny in ${location}`;
export const weatherApi = { fetch: async (location: string, unit: string) => ({ location, unit }) };

const city = z.object({ city: z.string() });
const step = createStep({
  id: "look",
  inputSchema: city,
  outputSchema: z.object({ report: z.string() }),
  execute: async ({ inputData }) => ({ report: `sunny in ${inputData.city}` }),
});
export const weatherWorkflow = createWorkflow({
  id: "weather-workflow",
  description: "Reports the weather of a city.",
  inputSchema: city,
  outputSchema: z.object({ report: z.string() }),
})
  .then(step)
  .commit();
export const dataProcessingWorkflow = weatherWorkflow;

export const step1 = createStep({
  id: "step1",
  inputSchema: z.object({ startValue: z.string() }),
  outputSchema: z.object({ nestedValue: z.string() }),
  execute: async ({ inputData }) => ({ nestedValue: `nested ${inputData.startValue}` }),
});
export const step2 = createStep({
  id: "step2",
  inputSchema: z.object({
    transformedValue: z.string(),
    runtimeContextValue: z.number(),
    constantValue: z.number(),
    initDataValue: z.string(),
  }),
  outputSchema: z.unknown(),
  execute: async ({ inputData }) => inputData,
});
export const myWorkflow = createWorkflow({ id: "my-workflow", inputSchema: z.object({ startValue: z.string() }) });

export const vercelWeatherTool = {
  description: "Weather in the format of the AI SDK",
  parameters: z.object({ city: z.string() }),
  execute: async ({ city: name }: { city: string }) => ({ name }),
};
export const mastraTool = weather;

export const server = new MCPServer({ name: "Documents", version: "1.0.0", tools: { weather } });
export const PORT = 0;
export const http = { createServer };

export const serverWithResources = new MCPServer({
  name: "Resourceful",
  version: "1.0.0",
  tools: {},
  resources: { listResources: async () => [], getResourceContent: async () => ({ text: "" }) },
});
