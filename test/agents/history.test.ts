import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { type CheckpointStore, memoryStore, textOf } from "kumiko";
import { type Agent, createAgent, createMiddleware, type Turn, threads } from "kumiko/agents";
import { sqliteStore } from "kumiko/sqlite";
import { scriptedModel } from "kumiko/testing";
import { afterAll, beforeEach, describe, expect, it } from "vitest";
import { canBeSent, eventsOf, failureOf, weatherCall, weatherTool } from "./agents.js";

const folder = mkdtempSync(join(tmpdir(), "agent-history-"));
let files = 0;
afterAll(() => rmSync(folder, { recursive: true }));

describe.each([
  ["memory", (): CheckpointStore => memoryStore()],
  ["SQLite", (): CheckpointStore => sqliteStore(join(folder, `${++files}.db`))],
])("the history of an agent, in %s", (_name, makeStore) => {
  let store: CheckpointStore;
  beforeEach(() => {
    store = makeStore();
    return async () => {
      await (store as Partial<AsyncDisposable>)[Symbol.asyncDispose]?.();
    };
  });

  /** Two turns: a city whose weather a tool knows, and thanks. */
  async function twoTurns(history = true) {
    const { tool, ran } = weatherTool();
    const model = scriptedModel([weatherCall("1", "Kyoto")], "Warm.", "You are welcome.", "Forked.", "More.");
    const agent = createAgent({ model, tools: [tool], store, history });
    await agent.generate("Weather?", { threadId: "u" });
    await agent.generate("Thanks", { threadId: "u" });
    return { agent, model, ran };
  }

  it("keeps the run of each turn, entry by entry", async () => {
    const { agent } = await twoTurns();
    const [first, second] = await turnsOf("u");
    expect([first?.checkpointId, second?.checkpointId]).toEqual(["~thread/u/00000001/run", "~thread/u/00000002/run"]);
    const entries = await all(agent.graph.history(first?.checkpointId ?? ""));
    expect(entries.map(({ cause }) => cause)).toContain("task");
    expect([entries[0], entries.at(-1)]).toMatchObject([
      { cause: "end", next: [] },
      { cause: "start", next: ["model"] },
    ]);
    expect(new Set(entries.flatMap(({ ran }) => ran))).toEqual(new Set(["model", "model/attempt", "tools"]));
    const { state } = await agent.graph.stateAt(first?.checkpointId ?? "", await beforeAnswer(agent));
    expect(state()).toMatchObject({ phase: "round" });
  });

  it("forks a thread at an earlier turn, which goes on without the later ones", async () => {
    const { agent, model } = await twoTurns(false);
    const copy = await threads(store).fork("u", { turn: 1 });
    expect((await agent.generate("And now?", { threadId: copy })).text).toBe("Forked.");
    expect(model.calls.at(-1)?.messages.map(textOf).filter(Boolean)).toEqual(["Weather?", "Warm.", "And now?"]);
    expect((await threads(store).messages("u")).map(textOf).at(-1)).toBe("You are welcome.");
    expect(new Set((await all(threads(store).list())).map(({ id }) => id))).toEqual(new Set(["u", copy]));
    expect(await threads(store).fork("u", { to: "whole" })).toBe("whole");
    expect(await threads(store).messages("whole")).toEqual(await threads(store).messages("u"));
  });

  it("forks a turn at a save: what had finished does not run again", async () => {
    const { agent, model, ran } = await twoTurns();
    const fork = await agent.fork({ threadId: "u" }, { turn: 1, entry: await beforeAnswer(agent), to: "other" });
    expect(fork).toEqual({ threadId: "other", checkpointId: "~thread/other/00000001/run" });
    expect(await turnsOf("other")).toMatchObject([{ number: 1, status: "cut_off", checkpointId: fork.checkpointId }]);
    expect(await agent.resume(fork)).toMatchObject({ text: "Forked.", threadId: "other" });
    expect(ran).toEqual(["Kyoto"]);
    expect(canBeSent(model.calls.at(-1)?.messages ?? [])).toBe(true);
    expect((await threads(store).messages("u")).map(textOf).at(-1)).toBe("You are welcome.");
    expect((await agent.generate("More?", { threadId: "other" })).text).toBe("More.");
    expect(model.calls.at(-1)?.messages.map(textOf).filter(Boolean)).toEqual(["Weather?", "Forked.", "More?"]);
  });

  it("gives a fork of a later turn what was said before it", async () => {
    const { agent, model } = await twoTurns();
    const fork = await agent.fork({ threadId: "u" }, { entry: "1" });
    const events = await eventsOf(agent.resumeStream(fork));
    expect(events.at(-1)).toMatchObject({ type: "finish", finishReason: "stop" });
    expect(model.calls.at(-1)?.messages.map(textOf).filter(Boolean)).toEqual(["Weather?", "Warm.", "Thanks"]);
    expect((await turnsOf(fork.threadId ?? "")).map(({ number, status }) => [number, status])).toEqual([
      [1, "done"],
      [2, "done"],
    ]);
  });

  it("leaves a fork behind when something new is asked in it", async () => {
    const { agent, model } = await twoTurns();
    const { threadId = "" } = await agent.fork({ threadId: "u" }, { turn: 1, entry: await beforeAnswer(agent) });
    expect((await agent.generate("Something else", { threadId })).text).toBe("Forked.");
    expect((await turnsOf(threadId)).map(({ status }) => status)).toEqual(["failed", "done"]);
    expect(canBeSent(model.calls.at(-1)?.messages ?? [])).toBe(true);
  });

  it("asks again in a fork of a turn that waits, which still waits itself", async () => {
    const { tool, ran } = weatherTool({ requireApproval: true });
    const model = scriptedModel([weatherCall("1", "Kyoto")], "Cold.", "Warm.");
    const agent = createAgent({ model, tools: [tool], store });
    const held = await agent.generate("Weather?", { threadId: "u" });
    const asked = await agent.resume(await agent.fork(held));
    expect(asked.interrupts[0]?.info).toEqual(held.interrupts[0]?.info);
    expect(asked.interrupts[0]?.id).not.toBe(held.interrupts[0]?.id);
    const declined = { [asked.interrupts[0]?.id ?? ""]: { approved: false } };
    expect((await agent.resume(asked, declined)).text).toBe("Cold.");
    expect(ran).toEqual([]);
    expect((await agent.resume(held, { [held.interrupts[0]?.id ?? ""]: { approved: true } })).text).toBe("Warm.");
    expect(ran).toEqual(["Kyoto"]);
  });

  it("edits the state of a fork", async () => {
    const { agent, model } = await twoTurns();
    const fork = await agent.fork(
      { threadId: "u" },
      {
        turn: 1,
        entry: await beforeAnswer(agent),
        editState: (state) => JSON.parse(JSON.stringify(state).replaceAll("21 °C", "3 °C")),
      },
    );
    await agent.resume(fork);
    expect(JSON.stringify(model.calls.at(-1)?.messages)).toContain("Kyoto: 3 °C");
  });

  it("keeps what middlewares know of a thread as it was before the forked turn", async () => {
    const counter = createMiddleware({
      name: "counter",
      scope: "thread",
      state: () => ({ turns: 0 }),
      beforeAgent: ({ state }) => {
        state.turns += 1;
      },
      afterAgent: ({ text }, { state }) => void seen.push(`${text} ${state.turns}`),
    });
    const seen: string[] = [];
    const model = scriptedModel("a", "b", "c", "d", "e");
    const agent = createAgent({ model, middleware: [counter], store, history: true });
    for (const prompt of ["1", "2", "3"]) await agent.generate(prompt, { threadId: "u" });
    await agent.resume(await agent.fork({ threadId: "u" }, { turn: 2, entry: "1" }));
    await agent.generate("4", { threadId: await threads(store).fork("u", { turn: 1 }) });
    expect(seen).toEqual(["a 1", "b 2", "c 3", "d 2", "e 2"]);
  });

  it("is there for runs with a checkpointId, and goes with runs that had no id", async () => {
    const { tool } = weatherTool({ requireApproval: true });
    const model = scriptedModel([weatherCall("1", "Kyoto")], "Warm.", "Plain.", "Forked.");
    const agent = createAgent({ model, tools: [tool], store, history: true });
    const held = await agent.generate("Weather?");
    await agent.resume(held, { [held.interrupts[0]?.id ?? ""]: { approved: true } });
    expect(await all(store.list(""))).toEqual([]);
    expect(await all(store.list("~"))).toEqual([]);
    await agent.generate("Hi", { checkpointId: "mine" });
    expect(await all(store.list(""))).toEqual(["mine"]);
    expect((await all(agent.graph.history("mine"))).at(-1)?.cause).toBe("start");
    const copy = await agent.fork("mine", { entry: "1", to: "copy" });
    expect(copy).toEqual({ checkpointId: "copy" });
    expect((await agent.resume(copy)).text).toBe("Forked.");
  });

  it("goes with its turns when a thread is shortened or removed", async () => {
    const { tool } = weatherTool();
    const calls = Array.from({ length: 12 }, (_, n) => [weatherCall(String(n), `City ${n}`)]);
    const agent = createAgent({ model: scriptedModel("Hi.", ...calls, "Warm."), tools: [tool], store, history: true });
    for (const prompt of ["Hi", "Weather?"]) await agent.generate(prompt, { threadId: "u" });
    const rows = async (part: string) => (await all(store.list("~"))).filter((id) => id.includes(part)).length;
    expect(await rows("~history/")).toBeGreaterThan(0);
    await threads(store).truncate("u", 1);
    expect(await rows("00000002")).toBe(0);
    expect(await rows("00000001")).toBeGreaterThan(0);
    await threads(store).delete("u");
    expect(await all(store.list("~"))).toEqual([]);
  });

  it("says what cannot be forked", async () => {
    const { agent } = await twoTurns();
    const code = async (work: Promise<unknown>) => (await failureOf(work)).code;
    expect(await code(agent.fork({ threadId: "u" }, { entry: "99" }))).toBe("UNKNOWN_ENTRY");
    expect(await code(agent.fork({ threadId: "u" }, { turn: 7 }))).toBe("UNKNOWN_CHECKPOINT");
    expect(await code(agent.fork({ threadId: "nobody" }))).toBe("UNKNOWN_CHECKPOINT");
    expect(await code(agent.fork({}))).toBe("INVALID_OPTION");
    expect(await code(agent.fork("mine", { turn: 1 }))).toBe("INVALID_OPTION");
    expect(await code(agent.fork({ threadId: "u" }, { step: 1 } as never))).toBe("INVALID_OPTION");
    expect(await code(agent.fork({ threadId: "u" }, { entry: "1", to: "u" }))).toBe("CHECKPOINT_CONFLICT");
    expect(await code(threads(store).fork("u", { to: "u" }))).toBe("CHECKPOINT_CONFLICT");
    expect(await code(threads(store).fork("u", { turn: 7 }))).toBe("UNKNOWN_CHECKPOINT");
    expect(await code(threads(store).fork("nobody"))).toBe("UNKNOWN_CHECKPOINT");
    const { threadId = "" } = await agent.fork({ threadId: "u" }, { turn: 1, entry: "2" });
    expect(await code(threads(store).fork(threadId, { turn: 1 }))).toBe("THREAD_BUSY");
    const lone = createAgent({ model: scriptedModel() });
    expect(await code(lone.fork("x"))).toBe("NO_STORE");
  });

  /** The save of the first turn after its tool has run. */
  async function beforeAnswer(agent: Agent): Promise<string> {
    const entries = await all(agent.graph.history("~thread/u/00000001/run"));
    return entries.find(({ ran }) => ran.includes("tools"))?.id ?? "";
  }

  async function turnsOf(id: string): Promise<Turn[]> {
    return all(threads(store).turns(id));
  }
});

describe("the option history", () => {
  const { append: _, ...withoutAppend } = memoryStore() as CheckpointStore & { append: unknown };
  it.each([
    [{ history: true }, /history of an agent needs a store that appends/],
    [{ history: true, store: withoutAppend }, /history of an agent needs a store that appends/],
    [{ history: "all", store: memoryStore() }, /history of an agent must be true, false or/],
    [{ history: { last: 0 }, store: memoryStore() }, /history\.last/],
    [{ history: { first: 1 }, store: memoryStore() }, /Unknown option "first"/],
  ])("refuses %j", (options, message) => {
    expect(() => createAgent({ model: scriptedModel(), ...(options as object) })).toThrow(message);
  });
});

async function all<T>(source: AsyncIterable<T>): Promise<T[]> {
  const items: T[] = [];
  for await (const item of source) items.push(item);
  return items;
}
