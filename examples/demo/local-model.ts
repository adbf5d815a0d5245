import {
  type AgenticMessage,
  type AgenticModel,
  assistantMessage,
  type ContentBlock,
  concatMessages,
  functionToolCall,
  type TokenUsage,
  type ToolInfo,
  textOf,
  toolCallsOf,
  toolResultsOf,
} from "kumiko";
import { assistantGenText } from "kumiko/schema";
import { type Call, type Fact, walk } from "./local-model/plan.js";
import { answerQuestion } from "./local-model/skills.js";

export interface LocalModelOptions {
  /** Makes the streams of a program as slow as those of a model, so that one can watch them. @default no pause */
  readonly wordsPerSecond?: number | undefined;
}

/**
 * A chat model without a language model: rules that read the question, call tools, read their results and write an answer.
 * It needs no key and no network, and stands where any other `AgenticModel` could stand.
 */
export function localModel({ wordsPerSecond = Number.POSITIVE_INFINITY }: LocalModelOptions = {}): AgenticModel {
  const pause = 1_000 / wordsPerSecond;
  return {
    component: "model",
    type: "Local",
    generate: async (messages, { options }) =>
      concatMessages([...chunksOf(decide(messages, options?.tools), messages)]),
    stream: async function* (messages, { signal, options }) {
      for (const chunk of chunksOf(decide(messages, options?.tools), messages)) {
        signal.throwIfAborted();
        if (pause > 0) await new Promise((resolve) => setTimeout(resolve, pause));
        yield chunk;
      }
    },
  };
}

/** What the model says next, and the tools it calls; without calls, that is the answer. */
interface Decision {
  readonly text: string;
  readonly calls: readonly (Call & { readonly callId: string })[];
}

/** A model remembers nothing: all it knows is the conversation, and the tools on offer. */
function decide(messages: readonly AgenticMessage[], tools: readonly ToolInfo[] = []): Decision {
  const start = messages.findLastIndex((message) => message.role === "user" && textOf(message) !== "");
  const question = messages[start];
  if (question === undefined) return { text: "Please ask me something.", calls: [] };
  const facts = factsOf(messages.slice(start + 1));
  const step = walk(answerQuestion(textOf(question)), (call) => facts.get(keyOf(call)));
  if ("answer" in step) return answerOf(step.answer, tools, facts.size);
  const { say, calls } = step.wish;
  return { text: say, calls: calls.map((call, index) => ({ ...call, callId: `call_${facts.size + index + 1}` })) };
}

/** Where an answer must be a value, there is a tool that takes it. */
function answerOf(answer: string, tools: readonly ToolInfo[], called: number): Decision {
  const tool = tools.find(({ name }) => name.startsWith("final_answer"));
  if (tool === undefined || !answer.startsWith("{")) return { text: answer, calls: [] };
  return { text: "", calls: [{ name: tool.name, arguments: answer, callId: `call_${called + 1}` }] };
}

/** What every call so far came to. */
function factsOf(messages: readonly AgenticMessage[]): Map<string, Fact> {
  const results = new Map(messages.flatMap(toolResultsOf).map((result) => [result.callId, result]));
  const facts = new Map<string, Fact>();
  for (const call of messages.flatMap(toolCallsOf)) {
    const found = results.get(call.callId);
    if (found !== undefined) facts.set(keyOf(call), { result: found.result, isError: found.isError ?? false });
  }
  return facts;
}

function keyOf(call: Call): string {
  return `${call.name} ${call.arguments}`;
}

/** The message as models send it: words one by one, then each call in two pieces. `index` says which block goes on. */
function* chunksOf({ text, calls }: Decision, read: readonly AgenticMessage[]): Generator<AgenticMessage> {
  for (const word of text.match(/\s*\S+\s*$|\s*\S+/g) ?? []) {
    yield chunk(assistantGenText({ text: word, streamingMeta: { index: 0 } }));
  }
  for (const [position, { callId, name, arguments: json }] of calls.entries()) {
    const streamingMeta = { index: position + 1 };
    const middle = Math.ceil(json.length / 2);
    yield chunk(functionToolCall({ callId, name, arguments: json.slice(0, middle), streamingMeta }));
    yield chunk(functionToolCall({ callId: "", name: "", arguments: json.slice(middle), streamingMeta }));
  }
  const finishReason = calls.length > 0 ? "tool_calls" : "stop";
  yield assistantMessage([], { responseMeta: { finishReason, model: "local/rules", tokenUsage: usageOf(read, text) } });
}

/** Rules have no tokens: their words are counted in place of them. */
function usageOf(read: readonly AgenticMessage[], text: string): TokenUsage {
  const words = (given: string): number => given.match(/\S+/g)?.length ?? 0;
  const results = read.flatMap(toolResultsOf).map(({ result }) => result);
  const promptTokens = words([...read.map(textOf), ...results].join(" "));
  const completionTokens = words(text);
  return { promptTokens, completionTokens, totalTokens: promptTokens + completionTokens };
}

function chunk(block: ContentBlock): AgenticMessage {
  return assistantMessage([block]);
}
