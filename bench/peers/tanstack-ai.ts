import {
  type AnyTextAdapter,
  type ChatMiddleware,
  chat,
  maxIterations,
  type StreamChunk,
  toolDefinition,
} from "@tanstack/ai";
import { type Call, type Contender, type Pipe, weather } from "../contender.js";

/** Tools and middlewares belong to chats: here with an adapter that answers at once. */
export const tanStackAi: Contender = {
  name: "TanStack AI",
  tools,
  maps,
};

const messages = [{ role: "user" as const, content: "How is the weather?" }];

function adapterOf(answer: () => AsyncIterable<StreamChunk>): AnyTextAdapter {
  return {
    kind: "text",
    name: "bench",
    model: "bench",
    "~types": {} as AnyTextAdapter["~types"],
    chatStream: answer as AnyTextAdapter["chatStream"],
    structuredOutput: () => Promise.reject(new Error("Nothing is structured here.")),
  };
}

function tools(calls: readonly Call[]): () => Promise<readonly unknown[]> {
  const { name, description, schema: inputSchema, execute } = weather;
  const weatherTool = toolDefinition({ name, description, inputSchema }).server(execute);
  async function* answer(): AsyncGenerator<StreamChunk> {
    const timestamp = 0;
    yield { type: "RUN_STARTED", runId: "1", threadId: "1", timestamp } as StreamChunk;
    for (const { id, arguments: text } of calls) {
      yield { type: "TOOL_CALL_START", toolCallId: id, toolCallName: name, toolName: name, timestamp } as StreamChunk;
      yield { type: "TOOL_CALL_ARGS", toolCallId: id, delta: text, timestamp } as StreamChunk;
      yield { type: "TOOL_CALL_END", toolCallId: id, toolCallName: name, toolName: name, timestamp } as StreamChunk;
    }
    yield { type: "RUN_FINISHED", runId: "1", threadId: "1", timestamp, finishReason: "tool_calls" } as StreamChunk;
  }
  const adapter = adapterOf(answer);
  return async () => {
    const results: unknown[] = [];
    const chunks = chat({ adapter, messages, tools: [weatherTool], agentLoopStrategy: maxIterations(1) });
    for await (const chunk of chunks) if (chunk.type === "TOOL_CALL_RESULT") results.push(chunk.content);
    return results;
  };
}

function maps(count: number): Pipe {
  const addOne: ChatMiddleware = {
    name: "add one",
    onChunk: (_context, chunk) =>
      chunk.type === "TEXT_MESSAGE_CONTENT" ? { ...chunk, delta: String(Number(chunk.delta) + 1) } : chunk,
  };
  return async (source) => {
    async function* answer(): AsyncGenerator<StreamChunk> {
      const timestamp = 0;
      yield { type: "RUN_STARTED", runId: "1", threadId: "1", timestamp } as StreamChunk;
      yield { type: "TEXT_MESSAGE_START", messageId: "1", role: "assistant", timestamp } as StreamChunk;
      for await (const chunk of source) {
        yield { type: "TEXT_MESSAGE_CONTENT", messageId: "1", delta: String(chunk), timestamp } as StreamChunk;
      }
      yield { type: "TEXT_MESSAGE_END", messageId: "1", timestamp } as StreamChunk;
      yield { type: "RUN_FINISHED", runId: "1", threadId: "1", timestamp, finishReason: "stop" } as StreamChunk;
    }
    const middleware = Array.from({ length: count }, () => addOne);
    let sum = 0;
    for await (const chunk of chat({ adapter: adapterOf(answer), messages, middleware })) {
      if (chunk.type === "TEXT_MESSAGE_CONTENT") sum += Number(chunk.delta);
    }
    return sum;
  };
}
