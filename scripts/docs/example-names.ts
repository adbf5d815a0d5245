/**
 * Names that an `@example` of a doc comment may use without making them: what a reader who hovers over a name has at hand. They
 * are type-checked only. Code in README.md and docs/ has nothing but what stands on its page.
 */
import { createOpenAI } from "@ai-sdk/openai";
import {
  type AgenticMessage,
  type AgenticModel,
  AgenticToolsNode,
  assistantMessage,
  createTool,
  type Embedder,
  END,
  functionToolCall,
  Graph,
  memoryStore,
  type Runnable,
  START,
  StreamReader,
} from "kumiko";
import { type AgentEvent, createAgent } from "kumiko/agents";
import makeLimit from "p-limit";
import { z } from "zod";

export { z };

export const input = "hello";

/** Where threads and what is known of users are kept. */
export const store = memoryStore();

/** Gives back what it gets. */
export const app: Runnable<string, string> = {
  invoke: async (text) => text,
  stream: (text) => StreamReader.from([text]),
  collect: (chunks) => StreamReader.from(chunks).concat(),
  transform: (chunks) => StreamReader.from(chunks),
};

/** What `import { openai } from "@ai-sdk/openai"` brings, for examples. */
export const openai = createOpenAI({ apiKey: "none" });

/** What `import pLimit from "p-limit"` brings. */
export const pLimit = makeLimit;

/** Always says hello. */
export const model: AgenticModel = {
  component: "model",
  generate: async () => assistantMessage("Hello!"),
  stream: () => StreamReader.from([assistantMessage("Hello!")]),
};

/** Tells texts apart by their length. */
export const embedder: Embedder = {
  component: "embedder",
  embed: async (texts) => texts.map((text) => [text.length, 1]),
};

/** An assistant message with one tool call. */
export const message: AgenticMessage = assistantMessage([
  functionToolCall({ callId: "1", name: "get_weather", arguments: '{"city":"深圳"}' }),
]);

export const readStation = async (
  _city: string,
  _options?: { readonly signal?: AbortSignal },
): Promise<{ celsius: number }> => ({
  celsius: 22,
});

export const retryLater = (): void => {};

/** A graph that gives back what it gets. */
export const graph = new Graph<string, string>().addEdge(START, END);

export const getWeather = createTool({
  id: "get_weather",
  description: "Current weather of a city.",
  inputSchema: z.object({ city: z.string() }),
  execute: ({ city }) => readStation(city),
});

export const tools = new AgenticToolsNode([getWeather]);

export const signal = new AbortController().signal;

/** Says hello, whatever it is asked. */
export const agent = createAgent({ model, tools: [getWeather], store: memoryStore() });
/** What `agent.stream(prompt)` gives. */
export const agentEvents: AsyncIterable<AgentEvent> = StreamReader.from<AgentEvent>([]);

/** The messages of a conversation. */
export const history: AgenticMessage[] = [];
