import {
  type AgenticMessage,
  assistantMessage,
  createTool,
  END,
  Graph,
  memoryStore,
  START,
  textOf,
  toolResultsOf,
  userMessage,
} from "kumiko";
import { createAgent, createMiddleware, type Turn, threads } from "kumiko/agents";
import { scriptedModel } from "kumiko/testing";
import { describe, expect, it } from "vitest";
import { call, canBeSent, failureOf } from "./agents.js";

const inputSchema = { type: "object" } as const;
const pay = createTool({ id: "pay", description: "Pays.", inputSchema, requireApproval: true, execute: () => "paid" });
const look = createTool({ id: "look", description: "Looks.", inputSchema, execute: () => "seen" });

function gate() {
  let open: () => void = () => undefined;
  const opened = new Promise<void>((resolve) => {
    open = resolve;
  });
  return { open, opened };
}

/** An agent whose first answer comes when it is let. */
function slow(...later: string[]) {
  const { open, opened } = gate();
  const { open: begin, opened: begun } = gate();
  const first = async () => {
    begin();
    await opened;
    return "one";
  };
  const store = memoryStore();
  return { agent: createAgent({ model: scriptedModel(first, ...later), store }), open, begun, store };
}

describe("a tool that is gone when its approved call is resumed", () => {
  it.each(["fixed", "worked out"] as const)("leaves the question open (tools are %s)", async (kind) => {
    const store = memoryStore();
    const tools = (list: (typeof pay)[]) => (kind === "fixed" ? list : () => list);
    const agent = createAgent({ model: scriptedModel([call("1", "pay")], "Done."), tools: tools([pay]), store });
    const held = await agent.generate("Pay", { threadId: "t" });
    const answers = { [held.interrupts[0]?.id ?? ""]: { approved: true } };
    const other = createAgent({ model: scriptedModel("No."), tools: tools([look as never]), store });
    expect((await failureOf(other.resume(held, answers))).code).toBe("UNKNOWN_TOOL");
    expect((await failureOf(other.generate("And?", { threadId: "t" }))).code).toBe("THREAD_WAITING");
    expect((await agent.resume({ threadId: "t" }, answers)).text).toBe("Done.");
  });
});

describe("a second turn of a thread", () => {
  it("waits its turn where it may, and is refused where not", async () => {
    const { agent, open, begun, store } = slow("two");
    const first = agent.generate("1", { threadId: "t" });
    await begun;
    expect((await failureOf(agent.generate("2", { threadId: "t" }))).code).toBe("THREAD_BUSY");
    const second = agent.generate("2", { threadId: "t", onBusy: "wait" });
    open();
    expect([(await first).text, (await second).text]).toEqual(["one", "two"]);
    expect((await threads(store).messages("t")).map(textOf)).toEqual(["1", "one", "2", "two"]);
  });

  it("stops waiting with its signal, its time, and its reader", async () => {
    const { agent, open, begun } = slow();
    const first = agent.generate("1", { threadId: "t" });
    await begun;
    const waiting = { threadId: "t", onBusy: "wait" } as const;
    const stop = new AbortController();
    const stopped = failureOf(agent.generate("2", { ...waiting, signal: stop.signal }));
    stop.abort(new Error("enough"));
    expect((await stopped).message).toBe("enough");
    expect((await failureOf(agent.generate("2", { ...waiting, timeoutMs: 20 }))).name).toBe("TimeoutError");
    const stream = agent.stream("2", waiting);
    const left = failureOf(stream.result);
    await stream.cancel(new Error("left"));
    expect((await left).message).toBe("left");
    open();
    expect((await first).text).toBe("one");
  });

  it("is one of many that come at once: one goes first, and those that wait come one after another", async () => {
    const store = memoryStore();
    const agent = createAgent({ model: scriptedModel(...Array.from({ length: 10 }, () => "x")), store });
    const numbers = ["1", "2", "3", "4"];
    const first = await Promise.allSettled(numbers.map((text) => agent.generate(text, { threadId: "t" })));
    expect(first.filter(({ status }) => status === "fulfilled")).toHaveLength(1);
    await Promise.all(numbers.map((text) => agent.generate(text, { threadId: "u", onBusy: "wait" })));
    const log = await threads(store).messages("u");
    expect(log.map(({ role }) => role)).toEqual(numbers.flatMap(() => ["user", "assistant"]));
  });

  it("closes what waits where it is told to: open calls are not executed, and there is nothing to resume", async () => {
    const store = memoryStore();
    const agent = createAgent({ model: scriptedModel([call("1", "pay")], "After."), tools: [pay], store });
    await agent.generate("1", { threadId: "t" });
    await agent.generate("2", { threadId: "t", onWaiting: "close" });
    const turns: Turn[] = [];
    for await (const turn of threads(store).turns("t")) turns.push(turn);
    expect(turns.map(({ status, checkpointId }) => [status, checkpointId])).toEqual([
      ["aborted", undefined],
      ["done", undefined],
    ]);
    expect(canBeSent(await threads(store).messages("t"))).toBe(true);
    expect((await failureOf(agent.resume({ threadId: "t" }))).code).toBe("UNKNOWN_CHECKPOINT");
  });

  it("can be resumed when it failed or was aborted", async () => {
    const store = memoryStore();
    const stop = new AbortController();
    const model = scriptedModel(
      new Error("down"),
      "up",
      () => {
        stop.abort(new Error("stop"));
        throw stop.signal.reason;
      },
      "on",
    );
    const agent = createAgent({ model, store, retry: false });
    await failureOf(agent.generate("1", { threadId: "t" }));
    expect((await agent.resume({ threadId: "t" })).text).toBe("up");
    await failureOf(agent.generate("2", { threadId: "t", signal: stop.signal }));
    expect((await agent.resume({ threadId: "t" })).text).toBe("on");
    expect((await threads(store).messages("t")).map(textOf)).toEqual(["1", "up", "2", "on"]);
  });
});

describe("wrapModelCall", () => {
  const answered = async (wrap: object) => {
    const model = scriptedModel("a", "b");
    const middleware = [createMiddleware({ name: "m", ...wrap })];
    const { text } = await createAgent({ model, middleware }).generate("x");
    return { text, asked: model.calls.map(({ messages }) => messages.map(textOf)) };
  };
  type Next = (request?: unknown) => AsyncIterable<AgenticMessage> & { message(): Promise<AgenticMessage> };

  it("may call the model twice, with another request", async () => {
    const wrapModelCall = async (request: object, next: Next) => {
      await next().message();
      return next({ ...request, messages: [userMessage("changed")] });
    };
    expect(await answered({ wrapModelCall })).toEqual({ text: "b", asked: [["x"], ["changed"]] });
  });

  it("may give a stream, or a message of its own without a call", async () => {
    async function* wrapModelCall(_request: object, next: Next) {
      yield* next();
    }
    expect((await answered({ wrapModelCall })).text).toBe("a");
    const own = { wrapModelCall: () => assistantMessage("cached") };
    expect(await answered(own)).toEqual({ text: "cached", asked: [] });
  });

  it("must give something, and a call that nobody reads is not made", async () => {
    await expect(answered({ wrapModelCall: () => undefined })).rejects.toThrow(
      'Middleware "m" failed in wrapModelCall',
    );
    const wrapModelCall = (_request: object, next: Next) => {
      next();
      return assistantMessage("own");
    };
    expect(await answered({ wrapModelCall })).toEqual({ text: "own", asked: [] });
  });
});

describe("wrapToolCall", () => {
  it.each(["generate", "stream"] as const)("stands around tools that stream, and others (%s)", async (way) => {
    const pieces = createTool({
      id: "pieces",
      description: "x",
      inputSchema,
      async *execute() {
        yield "a";
        yield "b";
      },
    });
    const seen: unknown[] = [];
    const middleware = createMiddleware({
      name: "m",
      async wrapToolCall({ name }, next) {
        const output = await next();
        seen.push([name, output]);
        return output;
      },
    });
    const model = scriptedModel([call("1", "look"), call("2", "pieces")], "Done.");
    const agent = createAgent({ model, tools: [look, pieces], middleware: [middleware] });
    if (way === "generate") await agent.generate("x");
    else await agent.stream("x").result;
    expect(seen).toEqual(
      expect.arrayContaining([
        ["look", "seen"],
        ["pieces", "ab"],
      ]),
    );
  });
});

describe("hooks that ask", () => {
  it("afterStep may, after a round and after the last answer; tools do not run again", async () => {
    let ran = 0;
    const count = createTool({ id: "count", description: "x", inputSchema, execute: () => `${++ran}` });
    const middleware = createMiddleware({
      name: "m",
      afterStep: async (_step, { ctx }) => void (await ctx.ask("q", "ok?")),
    });
    const model = scriptedModel([call("1", "count")], "Done.");
    const agent = createAgent({ model, tools: [count], middleware: [middleware], store: memoryStore() });
    let result = await agent.generate("x");
    for (const _ of [1, 2]) {
      expect(result.finishReason).toBe("waiting");
      result = await agent.resume(result, { [result.interrupts[0]?.id ?? ""]: true });
    }
    expect(result).toMatchObject({ text: "Done.", finishReason: "stop" });
    expect([ran, model.calls.length, result.messages.length]).toEqual([1, 2, 4]);
  });

  it("afterStep may, after a round beside an answer that does not fit: each call keeps its own result", async () => {
    const middleware = createMiddleware({
      name: "m",
      afterStep: async ({ results }, { ctx }) => void (results.length > 0 && (await ctx.ask("q", "ok?"))),
    });
    const model = scriptedModel([call("1", "final_answer", { n: "no" }), call("2", "look")], '{"n":1}');
    const output = { type: "object", properties: { n: { type: "number" } }, required: ["n"] } as const;
    const agent = createAgent({ model, tools: [look], output, middleware: [middleware], store: memoryStore() });
    const held = await agent.generate("x");
    const result = await agent.resume(held, { [held.interrupts[0]?.id ?? ""]: true });
    const results = result.messages.flatMap(toolResultsOf);
    expect(results.map(({ callId, name, isError }) => [callId, name, isError])).toEqual([
      ["1", "final_answer", true],
      ["2", "look", undefined],
    ]);
    expect(canBeSent(result.messages)).toBe(true);
  });

  it("afterAgent runs once, on success only", async () => {
    const ended: string[] = [];
    const middleware = createMiddleware({ name: "m", afterAgent: ({ text }) => void ended.push(text) });
    const model = scriptedModel([call("1", "pay")], "Done.", new Error("down"));
    const agent = createAgent({ model, tools: [pay], middleware: [middleware], store: memoryStore(), retry: false });
    const held = await agent.generate("x");
    await agent.resume(held, { [held.interrupts[0]?.id ?? ""]: { approved: true } });
    await failureOf(agent.generate("y"));
    expect(ended).toEqual(["Done."]);
  });
});

describe("an agent in a graph", () => {
  const inner = () => createAgent({ name: "a", model: scriptedModel([call("1", "pay")], "42"), tools: [pay] });

  it("asks through its parent, as a graph and as a typed node, and goes on there", async () => {
    const agents = [inner(), inner()] as const;
    const graph = new Graph<string, string>()
      .addNode("ask", (question: string) => [userMessage(question)])
      .addNode("first", agents[0].graph)
      .addNode("second", (message: AgenticMessage, ctx) =>
        agents[1].generate(textOf(message), { parent: ctx }).then(({ output }) => output),
      )
      .addEdge(START, "ask")
      .addEdge("ask", "first")
      .addEdge("first", "second")
      .addEdge("second", END)
      .compile({ store: memoryStore() });
    let run = graph.invoke("x", { checkpointId: "c" });
    for (const _ of [1, 2]) {
      const error = (await failureOf(run)) as unknown as { code: string; interrupts: { id: string }[] };
      expect(error.code).toBe("INTERRUPTED");
      run = graph.resume("c", { [error.interrupts[0]?.id ?? ""]: { approved: true } });
    }
    expect(await run).toBe("42");
  });

  it("needs a store around it for what may wait, and takes no threadId", async () => {
    const agent = inner();
    const graph = new Graph<AgenticMessage[], AgenticMessage>()
      .addNode("a", agent.graph)
      .addEdge(START, "a")
      .addEdge("a", END)
      .compile();
    expect((await failureOf(graph.invoke([userMessage("x")]))).code).toBe("NO_STORE");
    const stored = createAgent({ name: "s", model: scriptedModel("x"), store: memoryStore() });
    const typed = new Graph<string, string>()
      .addNode("a", (text: string, ctx) => stored.generate(text, { parent: ctx, threadId: "t" }).then((r) => r.output))
      .addEdge(START, "a")
      .addEdge("a", END)
      .compile();
    expect((await failureOf(typed.invoke("x"))).message).toContain("threadId and parent exclude each other");
  });
});
