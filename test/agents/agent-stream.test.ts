import fc from "fast-check";
import {
  type AgenticMessage,
  assistantMessage,
  type ContentBlock,
  concatMessages,
  createTool,
  memoryStore,
  textOf,
  userMessage,
} from "kumiko";
import { createAgent, createMiddleware } from "kumiko/agents";
import { scriptedModel } from "kumiko/testing";
import { describe, expect, it } from "vitest";
import { z } from "zod";
import { call, canBeSent, eventsOf, failureOf, weatherCall, weatherTool } from "./agents.js";

const text = (words: string): AgenticMessage => ({
  role: "assistant",
  contentBlocks: [{ type: "assistant_gen_text", text: words, streamingMeta: { index: 0 } }],
});

const whole = (chunk: AgenticMessage): AgenticMessage => concatMessages([chunk]);

async function* broken(...chunks: AgenticMessage[]): AsyncGenerator<AgenticMessage> {
  yield* chunks;
  throw Object.assign(new Error("overloaded"), { statusCode: 503 });
}

describe("the stream of an agent", () => {
  it("does nothing before it is read", async () => {
    const model = scriptedModel("Hi.");
    const stream = createAgent({ model }).stream("Hello");
    await new Promise((resolve) => setTimeout(resolve, 5));
    expect(model.calls).toHaveLength(0);
    expect((await stream.result).text).toBe("Hi.");
    expect(model.calls[0]?.method).toBe("stream");
  });

  it.each(["events", "text"])("rejects a read that waits when the stream is cancelled: %s", async (what) => {
    const stream = createAgent({ model: scriptedModel("Hi.") }).stream("Hello");
    const reader = what === "text" ? stream.textStream : stream;
    const reads = [reader.next(), reader.next()];
    await reader.cancel("enough");
    for (const read of reads) expect(await failureOf(read)).toMatchObject({ code: "STREAM_CANCELLED" });
  });

  it("counts steps from 1, and the end of a step belongs to it", async () => {
    const { tool } = weatherTool();
    const model = scriptedModel([weatherCall("1", "Kyoto")], "Warm.");
    const events = await eventsOf(createAgent({ model, tools: [tool] }).stream("Weather?"));
    expect(events.map(({ type, step }) => `${type} ${step}`)).toEqual([
      "start 0",
      "step_start 1",
      "tool_call_start 1",
      "tool_call_delta 1",
      "tool_call 1",
      "message 1",
      "tool_result 1",
      "step_finish 1",
      "step_start 2",
      "text_delta 2",
      "message 2",
      "step_finish 2",
      "finish 2",
    ]);
  });

  it("keeps its events for later when only the result is awaited", async () => {
    const stream = createAgent({ model: scriptedModel([text("a"), text("b")]) }).stream("Hello");
    expect((await stream.result).text).toBe("ab");
    const events = await eventsOf(stream);
    expect(events.flatMap((event) => (event.type === "text_delta" ? [event.delta] : []))).toEqual(["a", "b"]);
  });

  it("runs when only its text is awaited, once for both", async () => {
    const model = scriptedModel([text("a"), text("b")]);
    const stream = createAgent({ model }).stream("Hello");
    const { text: promise } = stream;
    expect(stream.text).toBe(promise);
    expect(await promise).toBe("ab");
    expect((await stream.result).text).toBe("ab");
    expect(model.calls).toHaveLength(1);
  });

  it("has no unhandled rejection when nobody awaits the text of a run that fails", async () => {
    const unhandled: unknown[] = [];
    const listen = (reason: unknown): unknown => unhandled.push(reason);
    process.on("unhandledRejection", listen);
    try {
      const stream = createAgent({ model: scriptedModel(), retry: false }).stream("Hello");
      void stream.text;
      const error = await failureOf(stream.result);
      await new Promise((resolve) => setTimeout(resolve, 5));
      expect(await failureOf(stream.text)).toBe(error);
      expect(unhandled).toEqual([]);
    } finally {
      process.off("unhandledRejection", listen);
    }
  });

  it("gives the text of all steps, with a blank line between them", async () => {
    const { tool } = weatherTool();
    const looking = assistantMessage([weatherCall("1", "Kyoto")]);
    const model = scriptedModel([text("Let me "), text("look."), { ...looking }].map(whole), [text("Warm.")]);
    const stream = createAgent({ model, tools: [tool] }).stream("Weather?");
    let joined = "";
    for await (const piece of stream.textStream) joined += piece;
    expect(joined).toBe("Let me look.\n\nWarm.");
  });

  it("waits for its readers, as long as nobody asks for the result", async () => {
    let sent = 0;
    async function* many(): AsyncGenerator<AgenticMessage> {
      for (; sent < 1_000; sent++) yield text("x");
    }
    const stream = createAgent({ model: scriptedModel(many()) }).stream("Go");
    const iterator = stream[Symbol.asyncIterator]();
    for (let n = 0; n < 5; n++) await iterator.next();
    await new Promise((resolve) => setTimeout(resolve, 10));
    expect(sent).toBeLessThan(100);
    await stream.result;
    expect(sent).toBe(1_000);
  });

  it("aborts the run when it is left", async () => {
    const aborted: unknown[] = [];
    const model = scriptedModel(async (_messages, ctx) => {
      ctx.signal.addEventListener("abort", () => aborted.push(ctx.signal.reason));
      return [text("a"), text("b")];
    });
    const stream = createAgent({ model }).stream("Go");
    for await (const event of stream) if (event.type === "text_delta") break;
    await failureOf(stream.result);
    expect(stream.messages()).toEqual([userMessage("Go"), assistantMessage("a", { extra: { aborted: true } })]);
  });

  it("keeps the text that was delivered before an abort, without calls", async () => {
    const controller = new AbortController();
    async function* slow(): AsyncGenerator<AgenticMessage> {
      yield text("Once upon");
      yield { role: "assistant", contentBlocks: [{ ...weatherCall("1", "Kyoto"), streamingMeta: { index: 1 } }] };
      await new Promise(() => undefined);
    }
    const stream = createAgent({ model: scriptedModel(slow()) }).stream("Go", { signal: controller.signal });
    const types: string[] = [];
    const reason = new Error("enough");
    const error = await failureOf(
      (async () => {
        for await (const event of stream) {
          types.push(event.type);
          if (event.type === "tool_call_start") controller.abort(reason);
        }
      })(),
    );
    expect(error).toBe(reason);
    expect(types.at(-1)).toBe("error");
    expect(stream.messages()).toEqual([userMessage("Go"), assistantMessage("Once upon", { extra: { aborted: true } })]);
  });

  it.each(["afterModel", "afterStep", "afterAgent"] as const)(
    "keeps what was delivered when it is left in %s",
    async (hook) => {
      const { tool } = weatherTool();
      let calls = 0;
      const controller = new AbortController();
      // it answers, calls a tool, and is left in the hook of its last answer
      const isLast = (): boolean => ++calls === 2 || hook === "afterAgent";
      const hanging = async (): Promise<void> => {
        if (!isLast()) return;
        controller.abort(new Error("enough"));
        await new Promise(() => undefined);
      };
      const looking = [text("Let me look."), assistantMessage([weatherCall("1", "Kyoto")])].map(whole);
      const agent = createAgent({
        model: scriptedModel(looking, [text("It is "), text("warm.")]),
        tools: [tool],
        middleware: [createMiddleware({ name: "hanging", [hook]: hanging })],
      });
      const stream = agent.stream("Go", { signal: controller.signal });
      expect((await failureOf(eventsOf(stream))).message).toBe("enough");
      const texts = stream.messages().map(textOf).filter(Boolean);
      expect(texts).toEqual(["Go", "Let me look.", "It is warm."]);
      expect(stream.messages().at(-1)?.extra).toEqual({ aborted: true });
      expect(canBeSent(stream.messages())).toBe(true);
    },
  );

  it("ends with an error event, and then rejects", async () => {
    const stream = createAgent({ model: scriptedModel(new Error("no key")), retry: false }).stream("Go");
    const types: string[] = [];
    const error = await failureOf(
      (async () => {
        for await (const event of stream) types.push(event.type);
      })(),
    );
    expect(error.code).toBe("NODE_FAILED");
    expect(types).toEqual(["start", "step_start", "error"]);
    expect(await failureOf(stream.result)).toBe(error);
  });

  it("voids what was streamed when the model begins again", async () => {
    const model = scriptedModel(broken(text("Hel")), [text("Hello")]);
    const agent = createAgent({ model, retry: { attempts: 2, delayMs: 0 } });
    const stream = agent.stream("Go");
    const events = await eventsOf(stream);
    expect(events.find(({ type }) => type === "restart")).toMatchObject({ reason: "retry", step: 1 });
    const from = events.findLastIndex(({ type }) => type === "restart");
    const joined = events.slice(from).flatMap((event) => (event.type === "text_delta" ? [event.delta] : []));
    expect(joined.join("")).toBe("Hello");
    expect((await stream.result).text).toBe("Hello");
  });

  it("falls back to another model", async () => {
    const first = scriptedModel(broken(text("Hel")));
    const agent = createAgent({ model: first, fallbacks: [scriptedModel([text("Bonjour")])], retry: false });
    const events = await eventsOf(agent.stream("Go"));
    expect(events.find(({ type }) => type === "restart")).toMatchObject({ reason: "fallback" });
    expect(events.at(-1)?.type).toBe("finish");
  });

  it("fails its text, and nothing else, when a part of it is void that was read", async () => {
    const model = scriptedModel(broken(text("Hel")), [text("Hello")]);
    const stream = createAgent({ model, retry: { attempts: 2, delayMs: 0 } }).stream("Go");
    const error = await failureOf(
      (async () => {
        for await (const _piece of stream.textStream);
      })(),
    );
    expect(error.code).toBe("STREAM_RESTARTED");
    expect((await stream.result).text).toBe("Hello");
  });

  it("tells pieces, progress and results of tools", async () => {
    const tail = createTool({
      id: "tail",
      description: "Follows a log.",
      inputSchema: z.object({}),
      execute: async function* (_input, { progress }) {
        progress({ percent: 50 });
        yield "one ";
        yield "two";
      },
    });
    const model = scriptedModel([call("1", "tail")], "Done.");
    const events = await eventsOf(createAgent({ model, tools: [tail] }).stream("Go"));
    const told = events.filter(({ type }) => type.startsWith("tool_"));
    expect(told.map(({ type }) => type)).toEqual([
      "tool_call_start",
      "tool_call_delta",
      "tool_call",
      "tool_progress",
      "tool_output_delta",
      "tool_output_delta",
      "tool_result",
    ]);
    expect(told[3]).toMatchObject({ callId: "1", value: { percent: 50 } });
  });

  it("has events of JSON, whatever tools tell and ask", async () => {
    const when = new Date(0);
    const tool = createTool({
      id: "count",
      description: "Counts.",
      inputSchema: z.object({}),
      execute: async (_input, ctx) => {
        ctx.progress({ when, total: 5n });
        return ctx.ask("go", { when, total: 5n }, z.boolean());
      },
    });
    const agent = createAgent({ model: scriptedModel([call("1", "count")]), tools: [tool], store: memoryStore() });
    const stream = agent.stream("Count");
    const events = await eventsOf(stream);
    const told = { when: "1970-01-01T00:00:00.000Z", total: "5" };
    expect(events).toMatchObject(JSON.parse(JSON.stringify(events)));
    expect(events.find(({ type }) => type === "tool_progress")).toMatchObject({ value: told });
    expect(events.find(({ type }) => type === "interrupt")).toMatchObject({ interrupt: { info: told } });
    expect((await stream.result).interrupts[0]?.info).toEqual({ when, total: 5n });
  });

  it("tells results in the order in which they come", async () => {
    let resolve = (): void => undefined;
    const gate = new Promise<void>((open) => {
      resolve = open;
    });
    const slow = createTool({ id: "slow", description: "Slow.", execute: () => gate.then(() => "slow") });
    const fast = createTool({
      id: "fast",
      description: "Fast.",
      execute: () => {
        setTimeout(resolve, 1);
        return "fast";
      },
    });
    const model = scriptedModel([call("1", "slow"), call("2", "fast")], "Done.");
    const stream = createAgent({ model, tools: [slow, fast] }).stream("Go");
    const events = await eventsOf(stream);
    expect(events.flatMap((event) => (event.type === "tool_result" ? [event.name] : []))).toEqual(["fast", "slow"]);
    const { steps } = await stream.result;
    expect(steps[0]?.results.map((message) => JSON.stringify(message).includes("slow"))).toEqual([true, false]);
  });

  it("gives the growing output", async () => {
    const chunks = ['{"city":', '"Kyo', 'to","celsius":2', "1}"].map(text);
    const agent = createAgent({
      model: scriptedModel(chunks),
      output: z.object({ city: z.string(), celsius: z.number() }),
    });
    const stream = agent.stream("Weather?");
    const seen: unknown[] = [];
    for await (const value of stream.partialOutputStream) seen.push(value);
    expect(seen.at(-1)).toEqual({ city: "Kyoto", celsius: 21 });
    expect(seen).toContainEqual({ city: "Kyo" });
  });

  it("gives the output that grows in a tool of another name, where its own is taken", async () => {
    const taken = {
      final_answer: { description: "Mine.", inputSchema: z.object({ n: z.number() }), execute: () => "mine" },
    };
    const model = scriptedModel([call("1", "final_answer", { n: 1 })], [call("2", "final_answer_2", { n: 2 })]);
    const stream = createAgent({ model, tools: taken, output: z.object({ n: z.number() }) }).stream("Count");
    const seen: unknown[] = [];
    for await (const value of stream.partialOutputStream) seen.push(value);
    expect(seen).toEqual([{ n: 2 }, { n: 2 }]);
  });

  it("gives the output to those who ask for the growing one after the run", async () => {
    const agent = createAgent({ model: scriptedModel('{"city":"Kyoto"}'), output: z.object({ city: z.string() }) });
    const stream = agent.stream("Weather?");
    await stream.result;
    const seen: unknown[] = [];
    for await (const value of stream.partialOutputStream) seen.push(value);
    expect(seen).toEqual([{ city: "Kyoto" }]);
  });
});

const answers = fc.array(
  fc.record({
    words: fc.array(fc.string({ minLength: 1 }), { maxLength: 4 }),
    cities: fc.array(fc.constantFrom("Kyoto", "Nara", "Osaka"), { maxLength: 3 }),
  }),
  { maxLength: 4 },
);

describe("any run of an agent", () => {
  it("comes to the same streamed and generated, and its log can be sent", async () => {
    await fc.assert(
      fc.asyncProperty(
        answers,
        fc.array(fc.string({ minLength: 1 }), { minLength: 1, maxLength: 5 }),
        async (steps, last) => {
          const script = [...steps.map((step, number) => chunksOf(step.words, step.cities, number)), last.map(text)];
          const make = () => createAgent({ model: scriptedModel(...script), tools: [weatherTool().tool], maxSteps: 3 });
          const generated = await make().generate("Go");
          const stream = make().stream("Go");
          const events = await eventsOf(stream);
          expect(await stream.result).toEqual(generated);
          expect(canBeSent(generated.messages)).toBe(true);
          const deltas = events.flatMap((event) => (event.type === "text_delta" ? [event.delta] : [])).join("");
          expect(deltas).toBe(generated.steps.map(({ message }) => textOf(message)).join(""));
          expect(events.map(({ seq }) => seq)).toEqual(events.map((_, index) => index));
        },
      ),
      { numRuns: 60 },
    );
  });
});

function chunksOf(words: readonly string[], cities: readonly string[], step: number): AgenticMessage[] {
  const blocks: ContentBlock[] = cities.map((city, index) => ({
    ...weatherCall(`${step}-${index}`, city),
    streamingMeta: { index: index + 1 },
  }));
  const chunks = [
    ...words.map(text),
    ...blocks.map((block): AgenticMessage => ({ role: "assistant", contentBlocks: [block] })),
  ];
  return chunks.length === 0 ? [{ role: "assistant", contentBlocks: [] }] : chunks;
}
