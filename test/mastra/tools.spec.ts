// Tools that the real @mastra/core makes, in a tools node. Run by ../mastra.test.ts in a Node.js that Mastra accepts.
import { createTool } from "@mastra/core/tools";
import {
  type AgenticMessage,
  AgenticToolsNode,
  assistantMessage,
  Chain,
  functionToolCall,
  type Handler,
  InterruptError,
  memoryStore,
  RequestContext,
  StreamReader,
  ToolError,
  toolResultsOf,
} from "kumiko";
import type { AnyTool } from "kumiko/components";
import { describe, expect, it } from "vitest";
import { z } from "zod";

const message = (name: string, input: unknown, callId = "1") =>
  assistantMessage(functionToolCall({ callId, name, arguments: JSON.stringify(input) }));
const blocksOf = (messages: readonly AgenticMessage[]) => messages.flatMap(toolResultsOf);
const textsOf = (messages: readonly AgenticMessage[]) => blocksOf(messages).map(({ result }) => result);

async function rejection(promise: Promise<unknown>): Promise<unknown> {
  return promise.then(
    () => expect.unreachable("the promise did not reject"),
    (error: unknown) => error,
  );
}

function appOf(tool: AnyTool) {
  return new Chain<AgenticMessage>()
    .appendToolsNode(new AgenticToolsNode([tool]), { key: "tools" })
    .compile({ name: "app", store: memoryStore() });
}

async function questionOf(promise: Promise<unknown>) {
  const error = await rejection(promise);
  if (!InterruptError.is(error)) throw error;
  const [question] = error.interrupts;
  if (question === undefined) throw error;
  return question;
}

const reverse = createTool({
  id: "test-tool",
  description: "Reverse the input string",
  inputSchema: z.object({ input: z.string().describe("what to reverse") }),
  outputSchema: z.object({ output: z.string() }),
  execute: async ({ input }) => ({ output: input.split("").reverse().join("") }),
});

describe("a tool of Mastra's createTool", () => {
  it("works as it is, in a list and in a record", async () => {
    const list = new AgenticToolsNode([reverse]);
    expect(list.infos[0]).toMatchObject({ name: "test-tool", description: "Reverse the input string" });
    expect(list.infos[0]?.toJsonSchema()).toMatchObject({
      type: "object",
      properties: { input: { type: "string", description: "what to reverse" } },
      required: ["input"],
    });
    expect(textsOf(await list.invoke(message("test-tool", { input: "abc" })))).toEqual(['{"output":"cba"}']);
    const record = new AgenticToolsNode({ tools: { other: reverse } });
    expect(textsOf(await record.invoke(message("other", { input: "ab" })))).toEqual(['{"output":"ba"}']);
  });

  it("takes a plain JSON Schema too", async () => {
    const plain = createTool({
      id: "plain",
      description: "",
      inputSchema: { type: "object", properties: { n: { type: "number" } }, required: ["n"] },
      execute: async (input) => (input as { n: number }).n + 1,
    });
    const node = new AgenticToolsNode([plain]);
    expect(node.infos[0]?.toJsonSchema()).toMatchObject({ type: "object", required: ["n"] });
    expect(textsOf(await node.invoke(message("plain", { n: 1 })))).toEqual(["2"]);
    const error = await rejection(node.invoke(message("plain", { n: "one" })));
    expect(error).toMatchObject({ kind: "validation", toolName: "plain" });
  });

  it("does not run with arguments that do not fit", async () => {
    const node = new AgenticToolsNode([reverse]);
    const error = await rejection(node.invoke(message("test-tool", { input: 7 })));
    expect(ToolError.is(error)).toBe(true);
    expect(error).toMatchObject({ kind: "validation", toolName: "test-tool" });
  });

  it("has its defaults and transforms made once", async () => {
    const times = createTool({
      id: "times",
      description: "",
      inputSchema: z.object({ text: z.string().transform((text) => text.length), by: z.number().default(2) }),
      execute: async ({ text, by }) => text * by,
    });
    expect(textsOf(await new AgenticToolsNode([times]).invoke(message("times", { text: "abc" })))).toEqual(["6"]);
  });

  it("output that does not fit is an error of that kind", async () => {
    const wrong = createTool({
      id: "wrong",
      description: "",
      outputSchema: z.object({ n: z.number() }),
      execute: async () => ({ n: "one" }) as never,
    });
    const node = new AgenticToolsNode({ tools: [wrong], onToolError: "result" });
    const [block] = blocksOf(await node.invoke(message("wrong", {})));
    expect(block).toMatchObject({ isError: true, errorKind: "output_validation" });
  });

  it("shows the model what its toModelOutput makes", async () => {
    const shown = createTool({
      id: "shown",
      description: "",
      outputSchema: z.object({ secret: z.number(), text: z.string() }),
      execute: async () => ({ secret: 1, text: "hello" }),
      toModelOutput: ({ text }) => ({ type: "text", value: text }),
    });
    expect(textsOf(await new AgenticToolsNode([shown]).invoke(message("shown", {})))).toEqual(["hello"]);
  });

  it("an error that it throws is one of kind execution", async () => {
    const failing = createTool({
      id: "failing",
      description: "",
      execute: async () => {
        throw new RangeError("too far");
      },
    });
    const error = await rejection(new AgenticToolsNode([failing]).invoke(message("failing", {})));
    expect(error).toMatchObject({ kind: "execution", cause: expect.objectContaining({ message: "too far" }) });
  });
});

describe("the context of a Mastra tool", () => {
  it("has the call, the signal, the request, and writers", async () => {
    const events: unknown[] = [];
    const handler: Handler = { onEvent: (_info, event) => void events.push(event) };
    let seen: Record<string, unknown> = {};
    const spy = createTool({
      id: "spy",
      description: "",
      execute: async (_input, context) => {
        seen = { ...context };
        await context.writer?.write({ percent: 10 });
        await context.writer?.custom({ type: "data-step", data: 1 });
        const writer = context.writer?.getWriter();
        await writer?.write("piped");
        writer?.releaseLock();
        context.observe.log("info", "half way", { n: 5 });
        context.requestContext.set("seen", true);
        return context.observe.span("work", async () => [
          context.requestContext.get("user"),
          context.requestContext.all,
        ]);
      },
    });
    const requestContext = new RequestContext<Record<string, unknown>>([["user", "u-1"]]);
    const controller = new AbortController();
    const asked = message("spy", {}, "c-1");
    const results = await new AgenticToolsNode([spy]).invoke(asked, {
      requestContext,
      signal: controller.signal,
      callbacks: [handler],
    });
    expect(textsOf(results)).toEqual(['["u-1",{"user":"u-1","seen":true}]']);
    expect(requestContext.get("seen")).toBe(true);
    expect(seen.agent).toMatchObject({ toolCallId: "c-1", messages: [asked] });
    expect(seen.abortSignal).toBeInstanceOf(AbortSignal);
    expect(events).toMatchObject([
      { kind: "progress", event: { percent: 10 } },
      { kind: "progress", event: { type: "data-step", data: 1 } },
      { kind: "progress", event: "piped" },
      { kind: "progress", event: { type: "log", level: "info", message: "half way", data: { n: 5 } } },
    ]);
  });

  it("values of the request that do not fit its schema: it does not run, and the model reads why", async () => {
    let ran = 0;
    const guarded = createTool({
      id: "guarded",
      description: "",
      requestContextSchema: z.object({ user: z.string().transform((user) => user.toUpperCase()) }),
      execute: async (_input, { requestContext }) => {
        ran++;
        return requestContext.get("user");
      },
    });
    const node = new AgenticToolsNode([guarded]);
    const [refused] = blocksOf(await node.invoke(message("guarded", {})));
    expect(refused).toMatchObject({ isError: true, errorKind: "validation" });
    expect(ran).toBe(0);
    const results = await node.invoke(message("guarded", {}), {
      requestContext: new RequestContext([["user", "ada"]]),
    });
    expect(textsOf(results)).toEqual(["ADA"]);
  });
});

describe("the hooks of a Mastra tool", () => {
  it("are called in their order", async () => {
    const log: unknown[] = [];
    const listening = createTool({
      id: "listening",
      description: "",
      inputSchema: z.object({ city: z.string() }),
      onInputStart: ({ toolCallId }) => void log.push(["start", toolCallId]),
      onInputDelta: ({ inputTextDelta }) => void log.push(["delta", inputTextDelta]),
      onInputAvailable: ({ input }) => void log.push(["input", input]),
      onOutput: ({ output, toolName }) => void log.push(["output", output, toolName]),
      execute: async ({ city }) => {
        log.push("execute");
        return city;
      },
    });
    const piece = (text: string) =>
      assistantMessage(
        functionToolCall({ callId: "1", name: "listening", arguments: text, streamingMeta: { index: 0 } }),
      );
    const node = new AgenticToolsNode([listening]);
    await node.transform(StreamReader.from([piece('{"city":'), piece('"Kyoto"}')])).concat();
    expect(log).toEqual([
      ["start", "1"],
      ["delta", '{"city":'],
      ["delta", '"Kyoto"}'],
      ["input", { city: "Kyoto" }],
      "execute",
      ["output", "Kyoto", "listening"],
    ]);
  });
});

describe("a Mastra tool that asks", () => {
  it.each([
    ["always", true],
    ["where its function says so", ({ cents }: { cents: number }) => cents > 10],
  ])("is asked for approval, %s", async (_when, requireApproval) => {
    const pay = createTool({
      id: "pay",
      description: "",
      inputSchema: z.object({ cents: z.number() }),
      requireApproval,
      execute: async ({ cents }) => `paid ${cents}`,
    });
    const app = appOf(pay);
    const { id, info } = await questionOf(app.invoke(message("pay", { cents: 12 }), { checkpointId: "run" }));
    expect(info).toMatchObject({ kind: "tool_approval", toolName: "pay", input: { cents: 12 } });
    const results = await app.resume("run", { [id]: { approved: true, arguments: { cents: 11 } } });
    expect(textsOf(results)).toEqual(["paid 11"]);
  });

  it("is suspended, and goes on with what it was resumed with", async () => {
    const inputs: unknown[] = [];
    const book = createTool({
      id: "book",
      description: "",
      inputSchema: z.object({ people: z.string().transform(Number) }),
      suspendSchema: z.object({ question: z.string() }),
      resumeSchema: z.object({ time: z.string() }),
      execute: async (input, context) => {
        inputs.push(input);
        const { resumeData, suspend } = context.agent ?? {};
        if (resumeData === undefined) return (await suspend?.({ question: "when?" })) as never;
        return `${input.people} at ${resumeData.time}`;
      },
    });
    const app = appOf(book);
    const question = await questionOf(app.invoke(message("book", { people: "3" }), { checkpointId: "run" }));
    expect(question.info).toMatchObject({ kind: "tool_suspended", payload: { question: "when?" } });
    expect(question.schema).toMatchObject({ required: ["time"] });
    const results = await app.resume("run", { [question.id]: { time: "19:00" } });
    expect(textsOf(results)).toEqual(["3 at 19:00"]);
    expect(inputs).toEqual([{ people: 3 }, { people: 3 }]);
  });

  it("a payload that does not fit is an error, and no question", async () => {
    const book = createTool({
      id: "book",
      description: "",
      suspendSchema: z.object({ question: z.string() }),
      execute: async (_input, context) => (await context.agent?.suspend({ question: 7 } as never)) as never,
    });
    const error = await rejection(new AgenticToolsNode([book]).invoke(message("book", {})));
    expect(error).toMatchObject({ kind: "validation" });
  });

  it("without execute: somebody outside does the work", async () => {
    const outside = createTool({ id: "outside", description: "", inputSchema: z.object({ city: z.string() }) });
    const app = appOf(outside);
    const { id, info } = await questionOf(app.invoke(message("outside", { city: "Kyoto" }), { checkpointId: "run" }));
    expect(info).toMatchObject({ kind: "client_tool", input: { city: "Kyoto" } });
    expect(textsOf(await app.resume("run", { [id]: "done" }))).toEqual(["done"]);
  });
});

describe("what a tool of Mastra gives back in place of an output", () => {
  const strict = () =>
    createTool({
      id: "strict",
      description: "",
      inputSchema: z.object({ n: z.number() }),
      outputSchema: z.object({ n: z.number().max(5) }),
      execute: async ({ n }) => ({ n }),
    });

  it("is an error that the model reads, and fails nothing", async () => {
    const [block] = blocksOf(await new AgenticToolsNode([strict()]).invoke(message("strict", { n: 9 })));
    expect(block).toMatchObject({ isError: true, errorKind: "output_validation" });
    expect(block?.result).toContain("Tool output validation failed");
  });

  it("is the output where the tool says that it is not to be validated", async () => {
    const lenient = Object.assign(strict(), { outputValidation: "off" });
    expect(textsOf(await new AgenticToolsNode([lenient]).invoke(message("strict", { n: 9 })))).toEqual(['{"n":9}']);
  });

  it("is an error of its own words, too", async () => {
    const failing = createTool({
      id: "failing",
      description: "",
      execute: async () => ({ error: true, message: "no such city" }),
    });
    const [block] = blocksOf(await new AgenticToolsNode([failing]).invoke(message("failing", {})));
    expect(block).toMatchObject({ isError: true, errorKind: "execution", result: "no such city" });
  });
});

it("a suspended tool of Mastra reads what it was suspended with", async () => {
  const seen: unknown[] = [];
  const asking = createTool({
    id: "asking",
    description: "",
    suspendSchema: z.object({ question: z.string() }),
    resumeSchema: z.object({ answer: z.string() }),
    execute: async (_input, { agent }) => {
      seen.push(agent?.suspendPayload);
      if (agent?.resumeData === undefined) await agent?.suspend({ question: "how?" });
      return "done";
    },
  });
  const app = appOf(asking);
  const { id } = await questionOf(app.invoke(message("asking", {}), { checkpointId: "asking" }));
  await app.resume("asking", { [id]: { answer: "so" } });
  expect(seen).toEqual([undefined, { question: "how?" }]);
});
