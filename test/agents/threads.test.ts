import {
  assistantMessage,
  type CheckpointStore,
  createTool,
  KumikoError,
  memoryStore,
  textOf,
  toolResultsOf,
  userMessage,
} from "kumiko";
import { createAgent, createMiddleware, messagesOf, ThreadWaitingError, type Turn, threads } from "kumiko/agents";
import { scriptedModel } from "kumiko/testing";
import { describe, expect, it } from "vitest";
import { z } from "zod";
import { call, canBeSent, eventsOf, failureOf, resultTexts, weatherCall, weatherTool } from "./agents.js";

async function turnsOf(store: ReturnType<typeof memoryStore>, id: string): Promise<Turn[]> {
  const turns: Turn[] = [];
  for await (const turn of threads(store).turns(id)) turns.push(turn);
  return turns;
}

async function keysOf(store: ReturnType<typeof memoryStore>): Promise<string[]> {
  const keys: string[] = [];
  for await (const key of store.list("~thread/")) keys.push(key);
  return keys;
}

describe("a thread", () => {
  it("remembers what was said", async () => {
    const store = memoryStore();
    const model = scriptedModel("Hello Ann.", "You are Ann.");
    const agent = createAgent({ model, store, instructions: "Be brief." });
    await agent.generate("I am Ann", { threadId: "u/1" });
    const second = await agent.generate("Who am I?", { threadId: "u/1" });
    expect(model.calls[1]?.messages.map(textOf)).toEqual(["Be brief.", "I am Ann", "Hello Ann.", "Who am I?"]);
    expect(second).toMatchObject({ threadId: "u/1", text: "You are Ann." });
    expect(second.messages.map(textOf)).toEqual(["Who am I?", "You are Ann."]);
    expect((await threads(store).messages("u/1")).map(textOf)).toHaveLength(4);
    const turns = await turnsOf(store, "u/1");
    expect(turns.map(({ number, status, agent: name }) => [number, status, name])).toEqual([
      [1, "done", "agent"],
      [2, "done", "agent"],
    ]);
  });

  it("keeps the ids of messages, which models do not see", async () => {
    const store = memoryStore();
    const model = scriptedModel(assistantMessage("Hello.", { id: "answer-1" }), "Bye.");
    const agent = createAgent({ model, store });
    await agent.generate(userMessage("Hi", { id: "question-1" }), { threadId: "u" });
    await agent.generate("Bye", { threadId: "u" });
    expect((await threads(store).messages("u")).map(({ id }) => id)).toEqual([
      "question-1",
      "answer-1",
      undefined,
      undefined,
    ]);
  });

  it("is kept in the store under names of its own, one record per turn", async () => {
    const store = memoryStore();
    const agent = createAgent({ model: scriptedModel("a", "b"), store });
    await agent.generate("1", { threadId: "u/1" });
    await agent.generate("2", { threadId: "u/1" });
    const ids: string[] = [];
    for await (const id of store.list("~")) ids.push(id);
    expect(ids).toEqual(["~thread/u%2F1/00000001", "~thread/u%2F1/00000002", "~threads/head/u%2F1"]);
    for await (const id of store.list("")) ids.push(id);
    expect(ids).toHaveLength(3);
  });

  it("waits for answers, by its id", async () => {
    const store = memoryStore();
    const { tool, ran } = weatherTool({ requireApproval: true });
    const model = scriptedModel([weatherCall("1", "Kyoto")], "Warm.", "Bye.");
    const agent = createAgent({ model, tools: [tool], store });
    const held = await agent.generate("Weather?", { threadId: "u" });
    expect(held.finishReason).toBe("waiting");
    expect((await turnsOf(store, "u"))[0]).toMatchObject({ status: "waiting" });
    const error = await failureOf(agent.generate("Hello?", { threadId: "u" }));
    expect(error.code).toBe("THREAD_WAITING");
    expect(error.message).toMatch(/^Thread "u" waits for an answer\. Answer with /);
    expect(ThreadWaitingError.is(error) && error.interrupts).toEqual(held.interrupts);
    const answers = { [held.interrupts[0]?.id ?? ""]: { approved: true } };
    expect((await failureOf(agent.resume({ threadId: "u" }, { nobody: 1 }))).code).toBe("UNKNOWN_INTERRUPT");
    const done = await agent.resume({ threadId: "u" }, answers);
    expect(done).toMatchObject({ text: "Warm.", threadId: "u" });
    expect(ran).toEqual(["Kyoto"]);
    expect((await failureOf(agent.resume({ threadId: "u" }))).code).toBe("UNKNOWN_CHECKPOINT");
    expect((await agent.generate("Bye", { threadId: "u" })).text).toBe("Bye.");
    expect(canBeSent(model.calls[2]?.messages ?? [])).toBe(true);
  });

  it("is resumed with the result that waits", async () => {
    const store = memoryStore();
    const { tool } = weatherTool({ requireApproval: true });
    const agent = createAgent({ model: scriptedModel([weatherCall("1", "Kyoto")], "Warm."), tools: [tool], store });
    const held = await agent.generate("Weather?", { threadId: "u" });
    const events = await eventsOf(agent.resumeStream(held, { [held.interrupts[0]?.id ?? ""]: { approved: true } }));
    expect(events.at(-1)).toMatchObject({ type: "finish", finishReason: "stop" });
    expect((await turnsOf(store, "u")).map(({ status }) => status)).toEqual(["done"]);
  });

  it("closes its questions when something new is asked, if that is wanted", async () => {
    const store = memoryStore();
    const { tool, ran } = weatherTool({ requireApproval: true });
    const model = scriptedModel([weatherCall("1", "Kyoto")], "Never mind.");
    const agent = createAgent({ model, tools: [tool], store });
    await agent.generate("Weather?", { threadId: "u" });
    const result = await agent.generate("Forget it", { threadId: "u", onWaiting: "close" });
    expect(result.text).toBe("Never mind.");
    expect(ran).toEqual([]);
    const messages = await threads(store).messages("u");
    expect(canBeSent(messages)).toBe(true);
    expect(messages.flatMap(toolResultsOf)[0]?.errorKind).toBe("not_executed");
  });

  it("shows and keeps the results of calls that have run beside a question, also when the question is closed", async () => {
    const store = memoryStore();
    const weather = weatherTool();
    const pay = weatherTool({ requireApproval: true });
    const model = scriptedModel(
      [weatherCall("1", "Kyoto"), call("2", "pay", { city: "Nara" }), weatherCall("3", "Uji")],
      "Never mind.",
    );
    const agent = createAgent({ model, tools: { get_weather: weather.tool, pay: pay.tool }, store });
    await agent.generate("Pay", { threadId: "u" });
    const [waiting] = await turnsOf(store, "u");
    expect(resultTexts(waiting?.results ?? [])).toEqual(["Kyoto: 21 °C", "Uji: 21 °C"]);
    await agent.generate("Forget it", { threadId: "u", onWaiting: "close" });
    const results = (await threads(store).messages("u")).flatMap(toolResultsOf);
    expect(results.map(({ callId, result, errorKind }) => [callId, errorKind ?? result])).toEqual([
      ["1", "Kyoto: 21 °C"],
      ["2", "not_executed"],
      ["3", "Uji: 21 °C"],
    ]);
    expect((await turnsOf(store, "u")).map(({ status, results: open }) => [status, open])).toEqual([
      ["aborted", []],
      ["done", []],
    ]);
    expect(canBeSent(model.calls[1]?.messages ?? [])).toBe(true);
  });

  it("keeps the results of a round of which some questions have been answered", async () => {
    const store = memoryStore();
    const pay = weatherTool({ requireApproval: true });
    const calls = [call("1", "pay", { city: "Kyoto" }), call("2", "pay", { city: "Nara" })];
    const model = scriptedModel(calls, "Never mind.");
    const agent = createAgent({ model, tools: { pay: pay.tool }, store });
    const held = await agent.generate("Pay", { threadId: "u" });
    await agent.resume({ threadId: "u" }, { [held.interrupts[1]?.id ?? ""]: { approved: true } });
    expect(resultTexts((await turnsOf(store, "u"))[0]?.results ?? [])).toEqual(["Nara: 21 °C"]);
    // what nobody has answered changes nothing
    await agent.resume({ threadId: "u" });
    expect(resultTexts((await turnsOf(store, "u"))[0]?.results ?? [])).toEqual(["Nara: 21 °C"]);
    await agent.generate("Forget it", { threadId: "u", onWaiting: "close" });
    expect(model.calls[1]?.messages.flatMap(toolResultsOf).map(({ callId, isError }) => [callId, isError])).toEqual([
      ["1", true],
      ["2", undefined],
    ]);
    expect(pay.ran).toEqual(["Nara"]);
  });

  it("has no results left over once they are messages, although a later step asks", async () => {
    const store = memoryStore();
    const weather = weatherTool();
    const pay = weatherTool({ requireApproval: true });
    const asking = createMiddleware({
      name: "asking",
      async beforeStep({ steps, ctx }) {
        if (steps.length === 1) await ctx.ask("go on", "Go on?");
      },
    });
    const model = scriptedModel([weatherCall("1", "Kyoto"), call("2", "pay", { city: "Nara" })], "Done.");
    const tools = { get_weather: weather.tool, pay: pay.tool };
    const agent = createAgent({ model, tools, middleware: [asking], store });
    const held = await agent.generate("Pay", { threadId: "u" });
    const later = await agent.resume({ threadId: "u" }, { [held.interrupts[0]?.id ?? ""]: { approved: true } });
    expect(later.interrupts).toMatchObject([{ info: "Go on?" }]);
    const [turn] = await turnsOf(store, "u");
    expect([resultTexts(turn?.results ?? []), resultTexts(turn?.messages ?? [])]).toEqual([
      [],
      ["Kyoto: 21 °C", "Nara: 21 °C"],
    ]);
  });

  it("lets one turn run at a time", async () => {
    const store = memoryStore();
    let release = (): void => undefined;
    const gate = new Promise<void>((resolve) => {
      release = resolve;
    });
    const model = scriptedModel(async () => {
      await gate;
      return "first";
    }, "second");
    const agent = createAgent({ model, store });
    const first = agent.generate("1", { threadId: "u" });
    while (model.calls.length === 0) await new Promise((resolve) => setTimeout(resolve, 1));
    expect((await failureOf(agent.generate("2", { threadId: "u" }))).code).toBe("THREAD_BUSY");
    const second = agent.generate("2", { threadId: "u", onBusy: "wait" });
    release();
    expect((await first).text).toBe("first");
    expect((await second).text).toBe("second");
    expect(model.calls[1]?.messages.map(textOf)).toEqual(["1", "first", "2"]);
  });

  it("whose process died is free again: at once where the store knows, else when it is taken over", async () => {
    const dead = async (alive?: boolean) => {
      const inner = memoryStore();
      await threads(inner).append("u", [userMessage("before")]);
      const key = "~thread/u/00000002";
      const record = { version: 1, number: 2, status: "open", messages: [userMessage("lost")], agent: "agent" };
      const more = { usage: { promptTokens: 0, completionTokens: 0, totalTokens: 0 }, startedAt: 0, owner: "gone:1" };
      await inner.put(key, new TextEncoder().encode(JSON.stringify({ ...record, ...more, claim: "c" })), undefined);
      const { get, put, delete: remove, list } = inner;
      const bound = { get: get.bind(inner), put: put.bind(inner), delete: remove.bind(inner), list: list.bind(inner) };
      return alive === undefined ? bound : { ...bound, isOwnerAlive: async () => alive };
    };
    const free = createAgent({ model: scriptedModel("new"), store: await dead(false) });
    expect((await free.generate("now", { threadId: "u" })).text).toBe("new");
    for (const alive of [true, undefined]) {
      const store = await dead(alive);
      const agent = createAgent({ model: scriptedModel("new", "again"), store });
      const busy = await failureOf(agent.generate("now", { threadId: "u" }));
      expect(busy).toMatchObject({ code: "THREAD_BUSY", message: expect.stringContaining("takeover: true") });
      expect((await failureOf(agent.resume({ threadId: "u" }))).code).toBe("THREAD_BUSY");
      expect((await agent.generate("now", { threadId: "u", takeover: true })).text).toBe("new");
      const turns: unknown[] = [];
      for await (const { status, messages } of threads(store).turns("u")) turns.push([status, ...messages.map(textOf)]);
      expect(turns).toEqual([
        ["done", "before"],
        ["failed", "lost"],
        ["done", "now", "new"],
      ]);
    }
    const resumed = createAgent({ model: scriptedModel("again"), store: await dead() });
    expect((await resumed.resume({ threadId: "u" }, undefined, { takeover: true })).messages.map(textOf)).toEqual([
      "lost",
      "again",
    ]);
  });

  it("keeps the prompt of a turn whose process died in its first step", async () => {
    const store = memoryStore();
    const stop = new AbortController();
    const first = createAgent({ model: scriptedModel(() => new Promise(() => undefined)), store });
    const hanging = failureOf(first.generate("lost", { threadId: "u", signal: stop.signal }));
    while ((await keysOf(store)).length < 2) await new Promise((resolve) => setTimeout(resolve, 1));
    const model = scriptedModel("new");
    await createAgent({ model, store }).generate("now", { threadId: "u", takeover: true });
    expect(model.calls[0]?.messages.map(textOf)).toEqual(["lost", "now"]);
    stop.abort();
    await hanging;
    expect((await threads(store).messages("u")).map(textOf)).toEqual(["lost", "now", "new"]);
  });

  it("is written by one of two who come at once", async () => {
    const store = memoryStore();
    const slow = async () => {
      await new Promise((resolve) => setTimeout(resolve, 5));
      return "ok";
    };
    const agents = [1, 2, 3].map(() => createAgent({ model: scriptedModel(slow), store }));
    const settled = await Promise.allSettled(agents.map((agent) => agent.generate("Hi", { threadId: "u" })));
    expect(settled.filter(({ status }) => status === "fulfilled")).toHaveLength(1);
    const codes = settled.flatMap((one) => (one.status === "rejected" ? [one.reason.code] : []));
    expect(codes).toEqual(["THREAD_BUSY", "THREAD_BUSY"]);
  });

  it("keeps the rounds of a turn that failed, which can be resumed or left", async () => {
    const store = memoryStore();
    const { tool, ran } = weatherTool();
    const model = scriptedModel([weatherCall("1", "Kyoto")], new Error("down"), new Error("down"), "Warm.", "Bye.");
    const agent = createAgent({ model, tools: [tool], retry: false, store });
    await failureOf(agent.generate("Weather?", { threadId: "u" }));
    expect((await turnsOf(store, "u"))[0]?.status).toBe("failed");
    expect((await threads(store).messages("u")).map(({ role }) => role)).toEqual(["user", "assistant", "user"]);
    await failureOf(agent.resume({ threadId: "u" }));
    expect((await agent.resume({ threadId: "u" })).text).toBe("Warm.");
    expect(ran).toEqual(["Kyoto"]);
    await agent.generate("Bye", { threadId: "u" });
    expect(canBeSent(model.calls.at(-1)?.messages ?? [])).toBe(true);
  });

  it("is as it was when a call is refused before it runs", async () => {
    const store = memoryStore();
    const { tool } = weatherTool();
    const model = scriptedModel([weatherCall("1", "Nara")], new Error("Down."), "Warm.");
    const agent = createAgent({ model, tools: [tool], store, retry: false });
    const wrong = { timeoutMs: -1 };
    await failureOf(agent.generate("?", { threadId: "u", ...wrong }));
    expect(await turnsOf(store, "u")).toEqual([]);
    await failureOf(agent.generate("?", { threadId: "u" }));
    const before = await turnsOf(store, "u");
    expect(before).toMatchObject([{ status: "failed" }]);
    expect(before[0]?.messages).toHaveLength(3);
    const error = await failureOf(agent.resume({ threadId: "u" }, undefined, wrong));
    expect(error.code).toBe("INVALID_OPTION");
    expect(messagesOf(error)).toEqual(before[0]?.messages);
    expect(await turnsOf(store, "u")).toEqual(before);
    expect((await agent.resume({ threadId: "u" })).text).toBe("Warm.");
  });

  it("has a result for each call of a round that an abort kept from starting", async () => {
    const store = memoryStore();
    const { tool, ran } = weatherTool();
    const stop = new AbortController();
    const middleware = createMiddleware({ name: "stops", afterModel: () => stop.abort(new Error("Stop.")) });
    const agent = createAgent({
      model: scriptedModel([weatherCall("1", "Nara")]),
      tools: [tool],
      middleware: [middleware],
      store,
    });
    const stream = agent.stream("?", { threadId: "u", signal: stop.signal });
    await expect(stream.result).rejects.toThrow("Stop.");
    expect(ran).toEqual([]);
    expect(stream.messages().flatMap(toolResultsOf)).toMatchObject([{ callId: "1", errorKind: "not_executed" }]);
    expect(await threads(store).messages("u")).toEqual(stream.messages());
  });

  it("keeps the results of a round after which a hook fails", async () => {
    const store = memoryStore();
    const { tool } = weatherTool();
    const middleware = createMiddleware({
      name: "fails",
      afterStep: () => {
        throw new Error("No.");
      },
    });
    const agent = createAgent({
      model: scriptedModel([weatherCall("1", "Nara")]),
      tools: [tool],
      middleware: [middleware],
      store,
    });
    const error = await failureOf(agent.generate("?", { threadId: "u" }));
    expect(resultTexts(messagesOf(error))).toEqual(["Nara: 21 °C"]);
    expect(await threads(store).messages("u")).toEqual(messagesOf(error));
  });

  it("keeps the text of an aborted turn", async () => {
    const store = memoryStore();
    const controller = new AbortController();
    const model = scriptedModel(
      (async function* () {
        yield assistantMessage("Once");
        await new Promise(() => undefined);
      })(),
      "Again.",
    );
    const agent = createAgent({ model, store });
    const stream = agent.stream("Tell", { threadId: "u", signal: controller.signal });
    await failureOf(
      (async () => {
        for await (const { type } of stream) if (type === "text_delta") controller.abort();
      })(),
    );
    await failureOf(stream.result);
    expect((await turnsOf(store, "u"))[0]?.status).toBe("aborted");
    expect(await threads(store).messages("u")).toEqual([
      userMessage("Tell"),
      assistantMessage("Once", { extra: { aborted: true } }),
    ]);
    expect((await agent.generate("Go on", { threadId: "u" })).text).toBe("Again.");
  });

  it("is aborted by any reason, also one that looks like an error of a library", async () => {
    for (const reason of [
      Object.assign(new Error("left"), { code: "CLIENT_LEFT" }),
      new KumikoError("INVALID_OPTION", "x"),
    ]) {
      const store = memoryStore();
      const controller = new AbortController();
      const answer = (async function* () {
        yield assistantMessage("Once");
        controller.abort(reason);
        await new Promise(() => undefined);
      })();
      const stream = createAgent({ model: scriptedModel(answer), store }).stream("Tell", {
        threadId: "u",
        signal: controller.signal,
      });
      expect(await failureOf(stream.result)).toBe(reason);
      expect((await turnsOf(store, "u"))[0]?.status).toBe("aborted");
      expect(stream.messages().map(textOf)).toEqual(["Tell", "Once"]);
    }
  });

  it("goes on without a new message", async () => {
    const store = memoryStore();
    const model = scriptedModel("Hi.", "More.");
    const agent = createAgent({ model, store });
    await agent.generate("Hello", { threadId: "u" });
    expect((await agent.generate([], { threadId: "u" })).text).toBe("More.");
    const error = await failureOf(agent.generate([], { threadId: "new" }));
    expect(error).toMatchObject({ code: "INVALID_MESSAGE", message: expect.stringContaining('"new" has no turn yet') });
  });

  it("takes what several writers add at once, and nothing while it waits", async () => {
    const store = memoryStore();
    const all = threads(store);
    await Promise.all(["a", "b", "c", "d"].map((text) => all.append("u", [userMessage(text)])));
    expect((await all.messages("u")).map(textOf).toSorted()).toEqual(["a", "b", "c", "d"]);
    const { tool } = weatherTool({ requireApproval: true });
    await createAgent({ model: scriptedModel([weatherCall("1", "Nara")]), tools: [tool], store }).generate("?", {
      threadId: "u",
    });
    const error = await failureOf(all.append("u", [userMessage("e")]));
    expect(ThreadWaitingError.is(error) && error.interrupts).toHaveLength(1);
  });

  it("can be read, added to, shortened and removed", async () => {
    const store = memoryStore();
    const all = threads(store);
    const agent = createAgent({ model: scriptedModel("a", "b", "c"), store });
    await all.append("u-1", [userMessage("old"), { role: "assistant", content: "answer" }]);
    for (const prompt of ["1", "2", "3"]) await agent.generate(prompt, { threadId: "u-1" });
    await all.append("u-2", [userMessage("x")]);
    const names: string[] = [];
    for await (const { id } of all.list({ prefix: "u-" })) names.push(id);
    expect(names).toEqual(["u-1", "u-2"]);
    await all.truncate("u-1", 2);
    expect((await all.messages("u-1")).map(textOf)).toEqual(["old", "answer", "1", "a"]);
    await all.delete("u-1");
    expect(await all.messages("u-1")).toEqual([]);
    expect((await failureOf(all.truncate("u-1", 3))).code).toBe("UNKNOWN_CHECKPOINT");
  });

  it("is listed by a prefix of its id, for which the store is asked", async () => {
    const inner = memoryStore();
    const all = threads(inner);
    const ids = ["a", "a b", "a/1", "b", "bö", "b😀1", "b😀2"];
    for (const id of ids) await all.append(id, [userMessage("x")]);
    const read: string[] = [];
    const store: CheckpointStore = {
      get: (id) => inner.get(id),
      put: (id, data, ifVersion) => inner.put(id, data, ifVersion),
      delete: (id) => inner.delete(id),
      async *list(prefix) {
        for await (const id of inner.list(prefix)) {
          read.push(id);
          yield id;
        }
      },
    };
    const listed = async (prefix?: string): Promise<string[]> => {
      read.length = 0;
      const found: string[] = [];
      for await (const { id } of threads(store).list({ prefix })) found.push(id);
      return found;
    };
    for (const prefix of ["", "a", "a ", "a/", "b", "bö", "b😀", "b😀2", "c", "b\ud83d", "\udc00"]) {
      const fits = ids.filter((id) => id.startsWith(prefix));
      expect((await listed(prefix)).toSorted(), prefix).toEqual(fits.toSorted());
      // half of a character selects what the whole rest does
      if (!prefix.endsWith("\ud83d")) expect(read, prefix).toHaveLength(fits.length);
    }
    await expect(listed(5 as never)).rejects.toMatchObject({ code: "INVALID_OPTION" });
  });

  it("needs an id that fits, a store, and no parent or checkpoint", async () => {
    const agent = createAgent({ model: scriptedModel(), store: memoryStore() });
    for (const threadId of ["", "ü".repeat(100), "\ud800"]) {
      expect((await failureOf(agent.generate("Hi", { threadId }))).code).toBe("INVALID_KEY");
    }
    const lone = createAgent({ model: scriptedModel() });
    expect((await failureOf(lone.generate("Hi", { threadId: "u" }))).code).toBe("NO_STORE");
    expect((await failureOf(agent.generate("Hi", { threadId: "u", checkpointId: "c" }))).code).toBe("INVALID_OPTION");
  });

  it("reads answers to suspended tools out of the next message, where that is wanted", async () => {
    const pick = createTool({
      id: "pick",
      description: "Picks.",
      inputSchema: z.object({}),
      suspendSchema: z.object({ options: z.array(z.string()) }),
      resumeSchema: z.object({ choice: z.string() }),
      execute: async (_input, { resumeData, suspend }) =>
        resumeData === undefined ? suspend({ options: ["a", "b"] }) : `picked ${resumeData.choice}`,
    });
    const model = scriptedModel(
      [{ type: "function_tool_call", callId: "1", name: "pick", arguments: "{}" }],
      '{"question_1":{"choice":"b"}}',
      "You have b.",
    );
    const agent = createAgent({ model, tools: [pick], store: memoryStore(), autoResumeSuspendedTools: true });
    await agent.generate("Pick", { threadId: "u" });
    const result = await agent.generate("The second one", { threadId: "u" });
    expect(result.text).toBe("You have b.");
    expect(result.messages.flatMap(toolResultsOf)[0]?.result).toBe("picked b");
  });

  it("reads them with the model of the turn, its retries and the values of the request, and counts what that uses", async () => {
    const pick = createTool({
      id: "pick",
      description: "Picks.",
      inputSchema: z.object({}),
      suspendSchema: z.object({ options: z.array(z.string()) }),
      resumeSchema: z.object({ choice: z.string() }),
      execute: async (_input, { resumeData, suspend }) =>
        resumeData === undefined ? suspend({ options: ["a", "b"] }) : `picked ${resumeData.choice}`,
    });
    const using = (text: string) =>
      assistantMessage(text, {
        responseMeta: { model: "m/1", tokenUsage: { promptTokens: 10, completionTokens: 1, totalTokens: 11 } },
      });
    const model = scriptedModel(
      [{ type: "function_tool_call", callId: "1", name: "pick", arguments: "{}" }],
      Object.assign(new Error("busy"), { status: 503 }),
      using('{"question_1":{"choice":"b"}}'),
      using("You have b."),
    );
    const users: unknown[] = [];
    const agent = createAgent({
      model: ({ requestContext, messages }) => {
        users.push([requestContext.get("user"), messages.length]);
        return model;
      },
      retry: { attempts: 2, delayMs: 0 },
      tools: [pick],
      store: memoryStore(),
      autoResumeSuspendedTools: true,
    });
    await agent.generate("Pick", { threadId: "u", requestContext: { user: "Ada" } });
    const result = await agent.generate("The second one", { threadId: "u", requestContext: { user: "Eve" } });
    expect(result.text).toBe("You have b.");
    expect(result.usage).toMatchObject({ promptTokens: 20, totalTokens: 22 });
    expect(result.usageByModel["m/1"]).toMatchObject({ completionTokens: 2 });
    expect(users).toEqual([
      ["Ada", 1],
      ["Eve", 3],
      ["Eve", 2],
    ]);
  });
});
