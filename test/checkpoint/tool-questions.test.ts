import {
  type AgenticMessage,
  AgenticToolsNode,
  type AgenticToolsNodeConfig,
  assistantMessage,
  Chain,
  createTool,
  END,
  Graph,
  type Interrupt,
  memoryStore,
  START,
} from "kumiko";
import { describe, expect, it } from "vitest";
import { z } from "zod";
import { gate } from "../run/gate.js";
import { blocksOf, call, calls, textsOf } from "../tools/node/calls.js";
import { asks, chainOf, streams, works } from "./asking-tools.js";
import { type Effects, effects, idOf, infosOf, interruptOf, questionOf } from "./interrupt-of.js";

const run = { checkpointId: "run" };

describe("A tool call that asks", () => {
  const five = (ran: Effects, options: Partial<AgenticToolsNodeConfig> = {}) =>
    chainOf({ ...options, tools: [works("fine", ran), asks("asks", ran)] });
  const message = calls(
    call("fine", {}, "1"),
    call("asks", {}, "2"),
    call("fine", {}, "3"),
    call("asks", {}, "4"),
    call("fine", {}, "5"),
  );

  it("lets the others finish; on resume only it runs", async () => {
    const ran = effects();
    const app = chainOf({ tools: [works("fine", ran), asks("asks", ran)] });
    const one = calls(call("fine", {}, "1"), call("asks", {}, "2"), call("fine", {}, "3"));
    const question = await questionOf(app.invoke(one, run));
    expect(question).toMatchObject({ info: "2?", address: "runnable:app;node:tools;tool:asks:2" });
    expect(ran.counts()).toEqual({ 1: 1, 2: 1, 3: 1 });
    const results = await app.resume("run", { [question.id]: "yes" });
    expect(textsOf(results)).toEqual(["1 done", "2: yes", "3 done"]);
    expect(blocksOf(results).map(({ callId }) => callId)).toEqual(["1", "2", "3"]);
    expect(ran.counts()).toEqual({ 1: 1, 2: 2, 3: 1 });
  });

  it("has what stands around it as parents, shared with the calls beside it", async () => {
    const { interrupts } = await interruptOf(five(effects()).invoke(message, run));
    const [second, fourth] = interrupts;
    const addresses = (question: Interrupt | undefined): unknown[] =>
      question === undefined ? [] : [question.address, ...addresses(question.parent)];
    expect(addresses(second)).toEqual([
      "runnable:app;node:tools;tool:asks:2",
      "runnable:app;node:tools",
      "runnable:app",
    ]);
    expect(second?.parent).toBe(fourth?.parent);
  });

  it.each(["invoke", "stream"] as const)("is asked about in call order, whichever asks first (%s)", async (mode) => {
    const first = gate();
    const tool = (id: string, before: () => Promise<void> | undefined, after?: () => void) =>
      createTool({
        id,
        description: id,
        inputSchema: z.object({}),
        execute: async (_input, ctx) => {
          await before();
          after?.();
          return ctx.ask<string>("key", id);
        },
      });
    const app = chainOf({
      tools: [tool("slow", () => first.promise), tool("fast", () => undefined, first.open)],
    });
    const both = calls(call("slow", {}, "1"), call("fast", {}, "2"));
    const asked = await interruptOf(mode === "invoke" ? app.invoke(both, run) : app.stream(both, run).concat());
    expect(infosOf(asked)).toEqual(["slow", "fast"]);
  });

  it.each([
    ["2?", "4?"],
    ["4?", "2?"],
  ])("may be one of several: %s is answered, then %s", async (first, second) => {
    const ran = effects();
    const app = five(ran);
    const both = await interruptOf(app.invoke(message, run));
    expect(infosOf(both)).toEqual(["2?", "4?"]);
    const rest = await interruptOf(app.resume("run", { [idOf(both, first)]: "a" }));
    expect(rest.interrupts).toEqual(both.interrupts.filter(({ info }) => info === second));
    const results = await app.resume("run", { [idOf(both, second)]: "a" });
    expect(textsOf(results)).toEqual(["1 done", "2: a", "3 done", "4: a", "5 done"]);
    expect(ran.counts()).toEqual({ 1: 1, 2: 2, 3: 1, 4: 2, 5: 1 });
  });

  it.each(["result", () => "told"] as const)(
    "stays open when something beside it fails (onToolError: %s)",
    async (onToolError) => {
      const both = createTool({
        id: "both",
        description: "Asks while it fails.",
        execute: async (_input, ctx) => {
          await Promise.all([Promise.reject(new Error("boom")), ctx.ask("n", "N?")]);
        },
      });
      const app = chainOf({ tools: [both], onToolError });
      const question = await questionOf(app.invoke(calls(call("both")), run));
      expect(question).toMatchObject({ key: "n", info: "N?" });
      const results = await app.resume("run", { [question.id]: "yes" });
      expect(blocksOf(results)).toMatchObject([{ isError: true }]);
    },
  );

  it("may be one of several that are answered together, with falsy answers", async () => {
    const app = five(effects());
    const both = await interruptOf(app.invoke(message, run));
    const results = await app.resume("run", { [idOf(both, "2?")]: false, [idOf(both, "4?")]: 0 });
    expect(textsOf(results)).toEqual(["1 done", "2: false", "3 done", "4: 0", "5 done"]);
  });

  it("is reached by its address", async () => {
    const app = five(effects());
    await interruptOf(app.invoke(message, run));
    const byAddress = {
      "runnable:app;node:tools;tool:asks:4": "four",
      "runnable:app;node:tools;tool:asks:2": "two",
    };
    expect(textsOf(await app.resume("run", { byAddress }))).toEqual([
      "1 done",
      "2: two",
      "3 done",
      "4: four",
      "5 done",
    ]);
  });

  it.each([
    ["invoke", "resumeStream"],
    ["stream", "resume"],
    ["stream", "resumeStream"],
  ])("in a run of %s goes on with %s", async (start, goOn) => {
    const ran = effects();
    const app = five(ran);
    const started = start === "invoke" ? app.invoke(message, run) : app.stream(message, run).concat();
    const both = await interruptOf(started);
    const answers = { [idOf(both, "2?")]: "a", [idOf(both, "4?")]: "b" };
    const results = await (goOn === "resume" ? app.resume("run", answers) : app.resumeStream("run", answers).concat());
    expect(textsOf(results)).toEqual(["1 done", "2: a", "3 done", "4: b", "5 done"]);
    expect(blocksOf(results).map(({ callId }) => callId)).toEqual(["1", "2", "3", "4", "5"]);
    expect(ran.counts()).toEqual({ 1: 1, 2: 2, 3: 1, 4: 2, 5: 1 });
  });

  it("in sequence stops the calls behind it: they run after the answer", async () => {
    const ran = effects();
    const app = five(ran, { executeSequentially: true });
    const second = await questionOf(app.invoke(message, run));
    expect(ran.counts()).toEqual({ 1: 1, 2: 1 });
    const fourth = await questionOf(app.resume("run", { [second.id]: "a" }));
    expect(fourth.info).toBe("4?");
    expect(ran.counts()).toEqual({ 1: 1, 2: 2, 3: 1, 4: 1 });
    const results = await app.resume("run", { [fourth.id]: "b" });
    expect(textsOf(results)).toEqual(["1 done", "2: a", "3 done", "4: b", "5 done"]);
    expect(ran.counts()).toEqual({ 1: 1, 2: 2, 3: 1, 4: 2, 5: 1 });
  });

  it("in sequence as a stream, too", async () => {
    const ran = effects();
    const app = five(ran, { executeSequentially: true });
    const second = await questionOf(app.stream(message, run).concat());
    const fourth = await questionOf(app.resumeStream("run", { [second.id]: "a" }).concat());
    const results = await app.resumeStream("run", { [fourth.id]: "b" }).concat();
    expect(textsOf(results)).toEqual(["1 done", "2: a", "3 done", "4: b", "5 done"]);
    expect(ran.counts()).toEqual({ 1: 1, 2: 2, 3: 1, 4: 2, 5: 1 });
  });

  it("with maxConcurrency runs every call in the end, each finished one once", async () => {
    const ran = effects();
    const app = five(ran, { maxConcurrency: 2 });
    let error = await interruptOf(app.invoke(message, run));
    const results = await (async () => {
      for (;;) {
        const answers = Object.fromEntries(error.interrupts.map(({ id }) => [id, "a"]));
        const outcome = await app.resume("run", answers).catch((again: unknown) => again);
        if (Array.isArray(outcome)) return outcome as AgenticMessage[];
        error = await interruptOf(Promise.reject(outcome));
      }
    })();
    expect(textsOf(results)).toEqual(["1 done", "2: a", "3 done", "4: a", "5 done"]);
    expect(ran.counts()).toMatchObject({ 1: 1, 3: 1, 5: 1 });
  });

  it("may ask twice, and remember its work", async () => {
    const ran = effects();
    const twice = createTool({
      id: "twice",
      description: "Asks twice.",
      execute: async (_input, ctx) => {
        const work = await ctx.once("work", () => ran.did("work"));
        return [work, await ctx.ask("1", "1?"), await ctx.ask("2", "2?")].join(" ");
      },
    });
    const app = chainOf({ tools: [twice] });
    const first = await questionOf(app.invoke(calls(call("twice")), run));
    const second = await questionOf(app.resume("run", { [first.id]: "a" }));
    expect(textsOf(await app.resume("run", { [second.id]: "b" }))).toEqual(["1 a b"]);
    expect(ran.counts()).toEqual({ work: 1 });
  });

  it("gets its arguments again, and has them checked once more or not, but never sees others", async () => {
    const inputs: unknown[] = [];
    const book = createTool({
      id: "book",
      description: "Books.",
      inputSchema: z.object({ city: z.string().transform((city) => city.toUpperCase()) }),
      execute: async (input, ctx) => {
        inputs.push(input);
        return ctx.ask("q", "?", z.object({ ok: z.boolean() }));
      },
    });
    const app = chainOf({ tools: [book] });
    const question = await questionOf(app.invoke(calls(call("book", { city: "rome" })), run));
    expect(question.schema).toMatchObject({ properties: { ok: { type: "boolean" } } });
    expect(textsOf(await app.resume("run", { [question.id]: { ok: true } }))).toEqual(['{"ok":true}']);
    expect(inputs).toEqual([{ city: "ROME" }, { city: "ROME" }]);
  });

  it("may use ctx.interrupt and ctx.resume", async () => {
    const tool = createTool({
      id: "transfer",
      description: "Transfers.",
      execute: (_input, ctx) => {
        if (ctx.resume.hasData) return `${ctx.resume.state}: ${ctx.resume.data}`;
        return ctx.interrupt("sure?", { state: "was asked" });
      },
    });
    const app = chainOf({ tools: [tool] });
    const { id } = await questionOf(app.invoke(calls(call("transfer")), run));
    expect(textsOf(await app.resume("run", { [id]: "yes" }))).toEqual(["was asked: yes"]);
  });

  it("asks anew when the model calls it again with the same id", async () => {
    const ran = effects();
    const tools = new AgenticToolsNode([asks("asks", ran)]);
    const app = new Graph<AgenticMessage, unknown>()
      .withState(() => ({ rounds: 0 }))
      .addToolsNode("tools", tools)
      .addNode("again", (results: AgenticMessage[], ctx) => {
        ctx.state.rounds += 1;
        return assistantMessage([...calls(call("asks", {}, "1")).contentBlocks, ...textBlocks(textsOf(results))]);
      })
      .addEdge(START, "tools")
      .addEdge("tools", "again")
      .addBranch("again", ["tools", END], (_message, ctx) => (ctx.state.rounds < 2 ? "tools" : END))
      .compile({ store: memoryStore() });
    const first = await questionOf(app.invoke(calls(call("asks", {}, "1")), run));
    const second = await questionOf(app.resume("run", { [first.id]: "a" }));
    expect(second.id).not.toBe(first.id);
    await app.resume("run", { [second.id]: "b" });
    expect(ran.counts()).toEqual({ 1: 4 });
  });

  it("rejects when the node is used alone", async () => {
    const node = new AgenticToolsNode([asks("asks", effects())]);
    expect(await questionOf(node.invoke(calls(call("asks", {}, "1"))))).toMatchObject({ info: "1?" });
    expect(await questionOf(node.stream(calls(call("asks", {}, "1"))).concat())).toMatchObject({ info: "1?" });
  });

  it("in a child run of a node goes on there", async () => {
    const ran = effects();
    const node = new AgenticToolsNode([asks("asks", ran), works("fine", ran)]);
    const app = new Chain<AgenticMessage>()
      .append((message, ctx) => node.invoke(message, { parent: ctx }))
      .compile({ store: memoryStore() });
    const { id } = await questionOf(app.invoke(calls(call("asks", {}, "1"), call("fine", {}, "2")), run));
    expect(textsOf(await app.resume("run", { [id]: "yes" }))).toEqual(["1: yes", "2 done"]);
    expect(ran.counts()).toEqual({ 1: 2, 2: 1 });
  });
});

function textBlocks(texts: readonly string[]) {
  return texts.map((text) => ({ type: "assistant_gen_text", text }) as const);
}

describe("Streaming tools and questions", () => {
  it("give all of their chunks again, joined, when they have finished", async () => {
    const ran = effects();
    const app = chainOf({ tools: [streams("streams", ran, ["a", "b", "c"]), asks("asks", ran)] });
    const { id } = await questionOf(app.stream(calls(call("streams", {}, "1"), call("asks", {}, "2")), run).concat());
    const results = await app.resumeStream("run", { [id]: "yes" }).concat();
    expect(textsOf(results)).toEqual(["abc", "2: yes"]);
    expect(ran.counts()).toEqual({ 1: 1, 2: 2 });
  });

  it("may ask in mid-stream: what was read stays read, and the tool starts over", async () => {
    const ran = effects();
    const tool = createTool({
      id: "tail",
      description: "Follows.",
      async *execute(_input, ctx) {
        ran.did("tail");
        yield "before ";
        yield `${await ctx.ask("q", "?")}`;
        yield " after";
      },
    });
    const app = chainOf({ tools: [tool, streams("streams", ran, ["x", "y"])] });
    const message = calls(call("tail"), call("streams"));
    const seen: string[] = [];
    const reading = (async () => {
      for await (const chunk of app.stream(message, run)) seen.push(...textsOf(chunk.filter(Boolean)));
    })();
    const { id } = await questionOf(reading);
    expect([...seen].sort()).toEqual(["before ", "x", "y"]);
    expect(textsOf(await app.resumeStream("run", { [id]: "yes" }).concat())).toEqual(["before yes after", "xy"]);
    expect(ran.counts()).toEqual({ tail: 2, streams: 1 });
  });

  it("may ask in an invoke", async () => {
    const tool = createTool({
      id: "tail",
      description: "Follows.",
      async *execute(_input, ctx) {
        yield "a";
        yield `${await ctx.ask("q", "?")}`;
      },
    });
    const app = chainOf({ tools: [tool] });
    const { id } = await questionOf(app.invoke(calls(call("tail")), run));
    expect(textsOf(await app.resume("run", { [id]: "b" }))).toEqual(["ab"]);
  });
});
