import { generateText, stepCountIs, streamText, type TextStreamPart, tool } from "ai";
import { MockLanguageModelV4 } from "ai/test";
import { type Call, type Contender, type Pipe, weather } from "../contender.js";

type Answer = Awaited<ReturnType<MockLanguageModelV4["doGenerate"]>>;
type AnswerPart =
  Awaited<ReturnType<MockLanguageModelV4["doStream"]>>["stream"] extends ReadableStream<infer P> ? P : never;

const usage = {
  inputTokens: { total: 1, noCache: 1, cacheRead: 0, cacheWrite: 0 },
  outputTokens: { total: 1, text: 1, reasoning: 0 },
};

/** Tools and transforms belong to calls of a model: here one that answers at once, what it says being made beforehand. */
export const aiSdk: Contender = {
  name: "AI SDK",
  tools,
  generators,
};

function tools(calls: readonly Call[]): () => Promise<readonly unknown[]> {
  const { name, description, schema: inputSchema, execute } = weather;
  const answer: Answer = {
    content: calls.map(({ id, arguments: input }) => ({ type: "tool-call", toolCallId: id, toolName: name, input })),
    finishReason: { unified: "tool-calls", raw: undefined },
    usage,
    warnings: [],
  };
  const model = new MockLanguageModelV4({ doGenerate: async () => answer });
  // It keeps every call that it gets, for tests to look at.
  const forget = () => model.doGenerateCalls.splice(0);
  const weatherTool = tool({ description, inputSchema, execute });
  return async () => {
    const { toolResults } = await generateText({
      model,
      tools: { [name]: weatherTool },
      prompt: "How is the weather?",
      stopWhen: stepCountIs(1),
    });
    forget();
    return toolResults.map(({ output }) => output);
  };
}

type Part = TextStreamPart<Record<string, never>>;

function generators(count: number): Pipe {
  const addOne = () =>
    new TransformStream<Part, Part>({
      transform(part, controller) {
        controller.enqueue(part.type === "text-delta" ? { ...part, text: String(Number(part.text) + 1) } : part);
      },
    });
  return async (source) => {
    const model = new MockLanguageModelV4({ doStream: async () => ({ stream: partsOf(source) }) });
    const { textStream } = streamText({
      model,
      prompt: "Count.",
      experimental_transform: Array.from({ length: count }, () => addOne),
    });
    let sum = 0;
    for await (const text of textStream) sum += Number(text);
    return sum;
  };
}

function partsOf(source: AsyncIterable<number>): ReadableStream<AnswerPart> {
  async function* parts(): AsyncGenerator<AnswerPart> {
    yield { type: "stream-start", warnings: [] };
    yield { type: "text-start", id: "1" };
    for await (const chunk of source) yield { type: "text-delta", id: "1", delta: String(chunk) };
    yield { type: "text-end", id: "1" };
    yield { type: "finish", usage, finishReason: { unified: "stop", raw: undefined } };
  }
  const iterator = parts();
  return new ReadableStream({
    async pull(controller) {
      const { done, value } = await iterator.next();
      if (done === true) controller.close();
      else controller.enqueue(value);
    },
  });
}
