import {
  Chain,
  createTool,
  END,
  each,
  Graph,
  InterruptError,
  lambda,
  mapChunks,
  memoryStore,
  RunControl,
  START,
  StreamReader,
  userMessage,
} from "kumiko";
import { type AgentEvent, createAgent, createMiddleware } from "kumiko/agents";
import { retryModel } from "kumiko/models";
import { scriptedModel } from "kumiko/testing";
import { z } from "zod";

async function* letters(text: string): AsyncGenerator<string, void> {
  for (const letter of text) yield letter;
}

const upper = async (text: string): Promise<string> => text.toUpperCase();
const line = () => new Graph<string, string>().addNode("a", upper).addEdge(START, "a").addEdge("a", END);
const streaming = () => new Graph<string, string>().addNode("a", letters).addEdge(START, "a").addEdge("a", END);
const branching = () =>
  new Graph<number, string>()
    .addNode("even", () => "even")
    .addNode("odd", () => "odd")
    .addBranch(START, ["even", "odd"], (value) => (value % 2 === 0 ? "even" : "odd"))
    .addEdge("even", END)
    .addEdge("odd", END);
const parallel = () =>
  new Graph<string, { upper: string; letters: string }>()
    .addNode("upper", upper, { outputKey: "upper" })
    .addNode("letters", letters, { outputKey: "letters" })
    .addEdge(START, "upper")
    .addEdge(START, "letters")
    .addEdge("upper", END)
    .addEdge("letters", END);

const chunksOf = async <T>(stream: StreamReader<T>): Promise<T[]> => {
  const chunks: T[] = [];
  for await (const chunk of stream) chunks.push(chunk);
  return chunks;
};

/** Programs with one run each, which give the same wherever they run. */
export const firstRuns: Readonly<Record<string, () => Promise<unknown>>> = {
  "a function that is called before `invoke` returns": startsAtOnce,
  "a line": () => line().compile().invoke("tea"),
  "a line, streamed": () => chunksOf(line().compile().stream("tea")),
  "a node that streams": () => streaming().compile().invoke("tea"),
  "a node that streams, streamed": () => chunksOf(streaming().compile().stream("tea")),
  collect: () => streaming().compile().collect(letters("tea")),
  "transform, joined": () => line().compile().transform(letters("tea")).concat(),
  "a branch": () => branching().compile().invoke(3),
  "parallel nodes": () => parallel().compile().invoke("tea"),
  "parallel nodes, streamed": () => parallel().compile().stream("tea").concat(),
  "a graph in a graph": () =>
    new Chain<string>().append(parallel(), { concat: "record" }).append(upperOf).compile().invoke("tea"),
  "handlers of streams": async () => {
    const seen: unknown[] = [];
    const onEnd = (_info: unknown, value: unknown): void => void seen.push(value);
    const result = await streaming()
      .compile()
      .invoke("tea", { callbacks: [{ onEnd }] });
    return { result, seen };
  },
  "state handlers on streams": () =>
    new Graph<string, string>()
      .withState(() => ({ count: 0 }))
      .addNode("a", upper, {
        streamBefore: (input) => StreamReader.from(input).map((chunk) => `${chunk}!`),
        streamAfter: (output) => StreamReader.from(output).map((chunk) => `${chunk}?`),
      })
      .addEdge(START, "a")
      .addEdge("a", END)
      .compile()
      .invoke("tea"),
  "an output key after a state handler on streams": () =>
    new Graph<string, { a: string }>()
      .withState(() => ({ count: 0 }))
      .addNode("a", letters, { outputKey: "a", streamAfter: (output) => output })
      .addEdge(START, "a")
      .addEdge("a", END)
      .compile()
      .invoke("tea"),
  "a lone node that collects": () => lambda<string, number>({ collect: count }).invoke("tea"),
  "a lone node, collected": () => lambda({ invoke: upper }).collect(letters("tea")),
  "a lone node of chunks": () => chunksOf(mapChunks((text: string) => `${text}.`).transform(letters("tea"))),
  each: () => each(line()).invoke(["a", "b"]),
  "messages joined": () => StreamReader.from([userMessage("t"), userMessage("ea")]).concat(),
  "an output schema in a stream": () => chunksOf(checked().stream("tea")),
  "a run that may be stopped": () => branching().compile().invoke(2, { control: new RunControl() }),
  "a question and its answer": async () => {
    const app = new Chain<string>()
      .append((order, ctx) => ctx.ask<string>("approval", `Send ${order}?`))
      .compile({ store: memoryStore() });
    const question = await app.invoke("tea", { checkpointId: "order" }).then(undefined, (error: unknown) => error);
    if (!InterruptError.is(question)) throw question;
    return app.resume("order", { [question.interrupts[0].id]: "yes" });
  },
  "an input that is refused": () =>
    checked()
      .invoke("")
      .then(undefined, (error: unknown) => String(error)),
  "an output that is cancelled at once": async () => {
    const output = streaming().compile().stream("tea");
    const first = output.next();
    await output.cancel();
    return first.then(undefined, String);
  },
  "the events of an agent": async () => typesOf(await chunksOf(weatherAgent().stream("Weather?"))),
  "the text of an agent, and its result": async () => {
    const stream = weatherAgent().stream("Weather?");
    const text = await chunksOf(stream.textStream);
    const { usage, finishReason } = await stream.result;
    return { text, usage, finishReason };
  },
  "the result of an agent before its events": async () => {
    const stream = weatherAgent().stream("Weather?");
    const { text } = await stream.result;
    return { text, events: typesOf(await chunksOf(stream)) };
  },
  "the growing output of an agent": () =>
    chunksOf(
      createAgent({ model: scriptedModel('{"celsius":24}'), output: z.object({ celsius: z.number() }) }).stream(
        "How warm?",
      ).partialOutputStream,
    ),
  "a result of an agent that nobody awaits": async () => {
    const stream = failingAgent().stream("Hi");
    void stream.result;
    return chunksOf(stream).then(undefined, String);
  },
  "events of an agent that are left at once": async () => {
    const stream = weatherAgent().stream("Weather?");
    const first = stream.next();
    await stream.cancel();
    return {
      first: await first.then(undefined, String),
      result: await stream.result.then(undefined, String),
    };
  },
  "an answer that a middleware reads": async () => {
    const words = createMiddleware({
      name: "words",
      async *wrapModelCall(request, next) {
        for await (const chunk of next(request)) yield chunk;
      },
    });
    return (await createAgent({ model: scriptedModel("Hi."), middleware: [words] }).generate("Hello")).text;
  },
  "a retried model, streamed": () => {
    const patient = retryModel(scriptedModel(new Error("overloaded"), "Hi."), { delayMs: 0, retryOn: () => true });
    return chunksOf(
      new Chain<ReturnType<typeof userMessage>[]>()
        .append(patient)
        .compile()
        .stream([userMessage("Hi")]),
    );
  },
};

const weatherAgent = () =>
  createAgent({
    model: scriptedModel([toolCall], "It is warm."),
    tools: [
      createTool({
        id: "weather",
        description: "",
        inputSchema: { type: "object" },
        async *execute() {
          yield "24 ";
          yield "°C";
        },
      }),
    ],
  });

const failingAgent = () => createAgent({ model: scriptedModel(new Error("no credit")), retry: false });

const toolCall = { type: "function_tool_call", callId: "1", name: "weather", arguments: "{}" } as const;

const typesOf = (events: readonly AgentEvent[]): string[] => events.map(({ type, step }) => `${type} ${step}`);

/** Whether the first run of a graph with a branch has called its first function by the time that `invoke` returns. */
async function startsAtOnce(): Promise<boolean> {
  let isCalled = false;
  const choose = (): "odd" => {
    isCalled = true;
    return "odd";
  };
  const app = new Graph<string, string>()
    .addNode("odd", () => "odd")
    .addBranch(START, ["odd", END], choose)
    .addEdge("odd", END)
    .compile();
  const result = app.invoke("odd");
  const isAtOnce = isCalled;
  await result;
  return isAtOnce;
}

const upperOf = (given: { upper: string }): string => given.upper;

async function count(stream: AsyncIterable<string>): Promise<number> {
  let chunks = 0;
  for await (const _chunk of stream) chunks += 1;
  return chunks;
}

const checked = () =>
  new Graph({ input: notEmpty, output: notEmpty }).addNode("a", upper).addEdge(START, "a").addEdge("a", END).compile();

const notEmpty = z.string().min(1);
