import {
  type AgenticMessage,
  assistantMessage,
  createTool,
  memoryStore,
  textOf,
  toolResultsOf,
  userMessage,
} from "kumiko";
import { type AgentEvent, createAgent, type GuardOptions, guard, threads } from "kumiko/agents";
import { scriptedModel } from "kumiko/testing";
import { describe, expect, it } from "vitest";
import { z } from "zod";
import { call, eventsOf } from "../agents.js";

const noSecrets: GuardOptions = {
  name: "no-secrets",
  output: (text) => (text.includes("secret") ? { block: "It tells a secret." } : undefined),
  reply: "Sorry.",
};

function pieces(text: string, size: number): AgenticMessage[] {
  const parts = text.match(new RegExp(`[^]{1,${size}}`, "g")) ?? [];
  return parts.map((part) => ({
    role: "assistant",
    contentBlocks: [{ type: "assistant_gen_text", text: part, streamingMeta: { index: 0 } }],
  }));
}

/** What a reader has in the end who drops what is void. */
function readText(events: readonly AgentEvent[]): string {
  let text = "";
  for (const event of events) {
    if (event.type === "restart") text = "";
    if (event.type === "text_delta") text += event.delta;
  }
  return text;
}

describe("a guard of inputs", () => {
  const rude: GuardOptions = {
    name: "polite",
    input: (message) => {
      const text = textOf(message);
      if (text.includes("idiot")) return { block: "Rude.", reply: "Let us stay polite." };
      return text.includes("4711") ? { replace: text.replaceAll("4711", "####") } : undefined;
    },
  };

  it.each(["generate", "stream"] as const)("ends the turn before the model is asked, with %s", async (method) => {
    const model = scriptedModel("never", "fine");
    const store = memoryStore();
    const agent = createAgent({ model, store, middleware: [guard(rude)] });
    const stream = method === "stream" ? agent.stream("You idiot", { threadId: "t" }) : undefined;
    const events = stream && (await eventsOf(stream));
    const result = await (stream?.result ?? agent.generate("You idiot", { threadId: "t" }));
    expect(model.calls).toEqual([]);
    expect(result).toMatchObject({
      text: "Let us stay polite.",
      finishReason: "content_filter",
      blocked: { guard: "polite", reason: "Rude.", on: "input" },
    });
    if (events !== undefined) {
      expect(readText(events)).toBe("Let us stay polite.");
      expect(events).toContainEqual(expect.objectContaining({ type: "blocked", guard: "polite", on: "input" }));
      expect(JSON.stringify(events)).not.toContain("Rude.");
    }
    expect(JSON.stringify(await threads(store).messages("t"))).not.toContain("Rude.");
    await agent.generate("Hello", { threadId: "t" });
    expect(model.calls[0]?.messages.map(textOf)).toEqual(["Hello"]);
    const all = await threads(store).messages("t");
    expect(all.map(({ extra }) => extra?.blocked)).toEqual([
      { guard: "polite", on: "input" },
      { guard: "polite", on: "input" },
      undefined,
      undefined,
    ]);
  });

  it("replaces what it replaces in the log, and nothing else keeps it", async () => {
    const model = scriptedModel("fine", "again");
    const store = memoryStore();
    const agent = createAgent({ model, store, middleware: [guard(rude)] });
    const prompt = userMessage(
      [
        { type: "user_input_text", text: "My pin is 4711." },
        { type: "user_input_image", url: "https://example.com/a.png" },
      ],
      { id: "m-1" },
    );
    const result = await agent.generate(prompt, { threadId: "t", requestId: "r-1" });
    expect(model.calls[0]?.messages.map(textOf)).toEqual(["My pin is ####."]);
    expect(result.messages[0]).toMatchObject({ id: "m-1", contentBlocks: [{}, { type: "user_input_image" }] });
    const rows: string[] = [];
    for await (const key of store.list("~")) rows.push(new TextDecoder().decode((await store.get(key))?.data));
    expect(rows.join("\n")).toContain("My pin is ####.");
    expect(rows.join("\n")).not.toContain("4711");
    // the same request is known by its prompt as it was
    expect((await agent.generate(prompt, { threadId: "t", requestId: "r-1" })).text).toBe("fine");
    await expect(agent.generate("My pin is 4712.", { threadId: "t", requestId: "r-1" })).rejects.toMatchObject({
      code: "INVALID_OPTION",
    });
    expect(model.calls).toHaveLength(1);
  });

  it("blocks when it throws or answers rubbish", async () => {
    for (const input of [
      () => {
        throw new Error("broken");
      },
      async () => Promise.reject(new Error("broken")),
      () => "no" as never,
    ]) {
      const agent = createAgent({ model: scriptedModel("x"), middleware: [guard({ name: "g", input })] });
      const { text, blocked } = await agent.generate("Hi");
      expect(text).toBe("I cannot help with that.");
      expect(blocked?.on).toBe("input");
    }
  });

  it("judges each message once, also where a turn goes on", async () => {
    const judged: string[] = [];
    const counting: GuardOptions = { name: "count", input: (message) => void judged.push(textOf(message)) };
    const tool = createTool({
      id: "book",
      description: "Books.",
      inputSchema: z.object({}),
      requireApproval: true,
      execute: () => "ok",
    });
    const store = memoryStore();
    const agent = createAgent({
      model: scriptedModel([call("1", "book")], "done", "more"),
      store,
      tools: [tool],
      middleware: [guard(counting)],
    });
    const waiting = await agent.generate("one", { threadId: "t" });
    await agent.resume({ threadId: "t" }, { [waiting.interrupts[0]?.id ?? ""]: { approved: true } });
    await agent.generate("two", { threadId: "t" });
    expect(judged).toEqual(["one", "two"]);
  });
});

describe("a guard of outputs", () => {
  it.each([1, 7, 150, 1_000])("voids what is out, in pieces of %i", async (size) => {
    const text = `${"All is well. ".repeat(40)}The secret is out. ${"And on. ".repeat(40)}`;
    const agent = createAgent({ model: scriptedModel(pieces(text, size)), middleware: [guard(noSecrets)] });
    const stream = agent.stream("Hi");
    const events = await eventsOf(stream);
    expect(readText(events)).toBe("Sorry.");
    expect(events.some((event) => event.type === "text_delta" && event.delta.includes("secret"))).toBe(false);
    const streamed = await stream.result;
    const whole = await createAgent({ model: scriptedModel(text), middleware: [guard(noSecrets)] }).generate("Hi");
    expect(streamed).toMatchObject({ text: "Sorry.", finishReason: "content_filter", blocked: { on: "output" } });
    expect(streamed.messages).toEqual(whole.messages);
    expect(whole).toMatchObject({ text: "Sorry.", finishReason: "content_filter", blocked: streamed.blocked });
    if (size < 300) expect(events).toContainEqual(expect.objectContaining({ type: "restart", reason: "guard" }));
  });

  it("makes the same of every split of a text", async () => {
    const swap: GuardOptions = {
      name: "swap",
      output: (text) => (/fo+/.test(text) ? { replace: text.replaceAll(/fo+/g, "BAR") } : undefined),
    };
    const text = `${"x".repeat(190)} foo ${"y".repeat(150)} fooo ${"z".repeat(230)} fo`;
    const expected = text.replaceAll(/fo+/g, "BAR");
    for (let at = 1; at < text.length; at += 7) {
      const parts = [...pieces(text.slice(0, at), 9), ...pieces(text.slice(at), 31)];
      const stream = createAgent({ model: scriptedModel(parts), middleware: [guard(swap)] }).stream("Hi");
      expect(readText(await eventsOf(stream))).toBe(expected);
      expect((await stream.result).text).toBe(expected);
    }
  });

  it("judges structured answers whole, and never reasoning", async () => {
    const seen: string[] = [];
    const watch: GuardOptions = {
      name: "watch",
      output: (text, { done }) => {
        seen.push(`${done} ${text}`);
        return text.includes("Rome") ? { replace: text.replace("Rome", "Paris") } : undefined;
      },
    };
    const parts = pieces('{"city":"Rome"}', 4);
    const model = scriptedModel([
      assistantMessage([{ type: "reasoning", text: "Rome?", streamingMeta: { index: 1 } }]),
      ...parts,
    ]);
    const output = z.object({ city: z.string() });
    const agent = createAgent({ model, output, outputMode: "native", middleware: [guard(watch)] });
    const stream = agent.stream("Where?");
    await eventsOf(stream);
    expect((await stream.result).output).toEqual({ city: "Paris" });
    expect(seen).toEqual(['true {"city":"Rome"}']);
  });
});

describe("a guard of tool calls", () => {
  it.each(["generate", "stream"] as const)("denies and replaces calls, with %s", async (method) => {
    const ran: unknown[] = [];
    const pay = createTool({
      id: "pay",
      description: "Pays.",
      inputSchema: z.object({ amount: z.number() }),
      execute: (input) => {
        ran.push(input);
        return "paid";
      },
    });
    const limit: GuardOptions = {
      name: "limit",
      toolCall: ({ arguments: text }) => {
        const { amount } = JSON.parse(text) as { amount: number };
        if (amount > 100) return { block: "Too much." };
        return amount > 50 ? { replace: '{"amount":50}' } : undefined;
      },
    };
    const model = scriptedModel(
      [call("1", "pay", { amount: 10 }), call("2", "pay", { amount: 70 }), call("3", "pay", { amount: 700 })],
      "done",
    );
    const agent = createAgent({ model, tools: [pay], middleware: [guard(limit)] });
    const stream = method === "stream" ? agent.stream("Pay") : undefined;
    const events = stream && (await eventsOf(stream));
    const result = await (stream?.result ?? agent.generate("Pay"));
    expect(ran).toEqual([{ amount: 10 }, { amount: 50 }]);
    expect(result.messages.flatMap(toolResultsOf).map(({ errorKind, result: text }) => errorKind ?? text)).toEqual([
      "paid",
      "paid",
      "denied",
    ]);
    expect(JSON.stringify(result.messages)).not.toContain("Too much");
    expect(JSON.stringify(result.messages[1])).toContain("50");
    expect(result.finishReason).toBe("stop");
    if (events !== undefined) {
      const calls = events.flatMap((event) => (event.type === "tool_call" ? [event.arguments] : []));
      expect(calls).toEqual(['{"amount":10}', '{"amount":50}', '{"amount":700}']);
    }
  });
});

describe("after a handoff", () => {
  it("the guards of the first agent still apply, with those of the second", async () => {
    const second = createAgent({
      name: "second",
      description: "Second.",
      model: scriptedModel("the secret password"),
      middleware: [guard({ name: "own", output: (text) => ({ replace: text.replace("password", "***") }) })],
    });
    const first = createAgent({
      name: "first",
      model: scriptedModel([call("1", "transfer_to_second")]),
      handoffs: [second],
      middleware: [guard({ name: "outer", output: (text) => ({ replace: text.replace("secret", "***") }) })],
    });
    expect((await first.generate("Hi")).text).toBe("the *** ***");
  });
});

describe("bad input", () => {
  it("is refused when the guard is made", () => {
    expect(() => guard({ name: "x" })).toThrow("judges nothing");
    expect(() => guard({ name: "", input: () => undefined })).toThrow("name");
    expect(() => guard({ name: "x", input: 5 as never })).toThrow("functions");
    expect(() => guard({ name: "x", inputs: () => undefined } as never)).toThrow("inputs");
    const one = guard({ name: "x", input: () => undefined });
    expect(() => createAgent({ model: scriptedModel("a"), middleware: [one, one] })).toThrow('"x"');
  });
});
