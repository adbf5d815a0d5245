import { createTool, functionToolCall, memoryStore, RunControl } from "kumiko";
import { type Agent, createAgent, threads } from "kumiko/agents";
import type { SavedRun } from "kumiko/compose";
import { scriptedModel } from "kumiko/testing";
import { eventLog } from "kumiko/ui";
import { describe, expect, it } from "vitest";
import { gate } from "../../run/gate.js";
import { errorOf, rejectedBy } from "../../run/rejected-by.js";

const call = functionToolCall({ callId: "c1", name: "pay", arguments: "{}" });

function agentOf(...answers: readonly unknown[]) {
  const paid: string[] = [];
  const pay = createTool({
    id: "pay",
    description: "",
    inputSchema: { type: "object" },
    requireApproval: true,
    execute: () => {
      paid.push("paid");
      return "paid";
    },
  });
  const store = memoryStore();
  const model = scriptedModel(...(answers as never[]));
  const agent = createAgent({ name: "clerk", store, tools: [pay], model, retry: false });
  const statuses = async () => {
    const all: string[] = [];
    for await (const { number, status } of threads(store).turns("t")) all.push(`${number} ${status}`);
    return all;
  };
  return { agent, store, model, paid, statuses };
}

const turn = { threadId: "t", requestId: "r1" };
const json = (value: unknown): unknown => JSON.parse(JSON.stringify(value));
const yes = (run: SavedRun<unknown>) => ({ [run.interrupts[0]?.id ?? ""]: { approved: true } });

describe.each([
  ["by its id", "run-7"],
  ["that a request has named", turn],
] as const)("a run of an agent %s", (_, target) => {
  it("starts, waits, goes on with an answer, and is kept", async () => {
    const { agent, model, paid } = agentOf([call], "Paid.");
    const first = await agent.segment(target, { input: "Pay" });
    expect(first).toMatchObject({ status: "waiting", graph: "clerk", attempts: 0 });
    expect(first.interrupts).toHaveLength(1);
    expect(json(await agent.segment(target))).toEqual(json(first));
    const done = await agent.segment(target, { answers: yes(first) });
    expect(done).toMatchObject({ status: "finished", output: { text: "Paid.", finishReason: "stop" } });
    const again = await agent.segment(target, { answers: yes(first), input: "Pay" });
    expect(json((again as { output?: unknown }).output)).toEqual(json((done as { output?: unknown }).output));
    expect(model.calls).toHaveLength(2);
    expect(paid).toEqual(["paid"]);
  });

  it("starts once, however many call at once", async () => {
    const { agent, model } = agentOf("Hello.");
    const runs = await Promise.all(Array.from({ length: 8 }, () => agent.segment(target, { input: "Hi" })));
    expect(model.calls).toHaveLength(1);
    expect(runs.map(({ status }) => status)).toEqual(runs.map(() => "finished"));
  });

  it("fails as a value, and goes on with retry", async () => {
    const { agent } = agentOf(new Error("no"), "Hello.");
    const failed = await agent.segment(target, { input: "Hi" });
    expect(failed).toMatchObject({ status: "failed" });
    expect(failed.error?.message).toContain("no");
    expect((await agent.segment(target)).status).toBe("failed");
    expect(await agent.segment(target, { retry: true })).toMatchObject({
      status: "finished",
      output: { text: "Hello." },
    });
  });

  it("is ready when it was aborted or interrupted, and goes on", async () => {
    const { agent, statuses } = agentOf(
      (_messages: unknown, options: { signal?: AbortSignal }) => untilAborted(options.signal),
      (_messages: unknown, options: { signal?: AbortSignal }) => untilAborted(options.signal),
      "Hello.",
    );
    waiting = gate();
    const stop = new AbortController();
    const running = rejectedBy(agent.segment(target, { input: "Hi", signal: stop.signal }));
    await waiting.promise;
    stop.abort(new Error("enough"));
    expect(await running).toMatchObject({ message: "enough" });
    if (typeof target !== "string") expect(await statuses()).toEqual(["1 cut_off"]);
    const control = new RunControl();
    waiting = gate();
    const second = agent.segment(target, { control });
    await waiting.promise;
    control.interrupt({ timeoutMs: 0 });
    expect(await second).toMatchObject({ status: "ready", interrupts: [] });
    expect(await agent.segment(target)).toMatchObject({ status: "finished", output: { text: "Hello." } });
    if (typeof target !== "string") expect(await statuses()).toEqual(["1 done"]);
  });

  it("records its events under one id", async () => {
    const { agent, store } = agentOf([call], "Paid.");
    const record = eventLog(store);
    const id = typeof target === "string" ? target : target.threadId;
    const first = await agent.segment(target, { input: "Pay", record });
    await agent.segment(target, { answers: yes(first), record });
    const types: string[] = [];
    for await (const { type } of record.replay(id)) types.push(type);
    expect(types).toContain("tool_result");
    expect(types.at(-1)).toBe("finish");
  });

  it("is unknown without an input", async () => {
    const { agent } = agentOf();
    expect((await errorOf(agent.segment(target))).code).toBe("UNKNOWN_CHECKPOINT");
  });
});

let waiting = gate();
function untilAborted(signal: AbortSignal | undefined): Promise<never> {
  waiting.open();
  return new Promise((_, reject) => signal?.addEventListener("abort", () => reject(signal.reason)));
}

describe("a turn that a request has named", () => {
  it("belongs to its user", async () => {
    const { agent } = agentOf("Hello.");
    await agent.segment(turn, { input: "Hi", userId: "ada" });
    expect((await errorOf(agent.segment(turn, { userId: "bob" }))).code).toBe("THREAD_OF_OTHER_USER");
    const asked = agent.segment(turn, { userId: undefined } as never);
    expect((await errorOf(asked)).code).toBe("INVALID_OPTION");
  });

  it("does not begin while another turn of the thread waits", async () => {
    const { agent } = agentOf([call], "Hello.");
    await agent.segment(turn, { input: "Pay" });
    const other = { threadId: "t", requestId: "r2" };
    expect((await errorOf(agent.segment(other, { input: "Hi" }))).code).toBe("THREAD_WAITING");
    expect(await agent.segment(other, { input: "Hi", onWaiting: "close" })).toMatchObject({ status: "finished" });
    expect((await agent.segment(turn)).status).toBe("cancelled");
  });

  it("is not gone on with for another prompt", async () => {
    const { agent, model } = agentOf([call], "Paid.");
    const first = await agent.segment(turn, { input: "Pay" });
    const error = await errorOf(agent.segment(turn, { input: "Pay twice", answers: yes(first) }));
    expect(error).toMatchObject({ code: "INVALID_OPTION", message: expect.stringContaining("r1") });
    expect(model.calls).toHaveLength(1);
    expect(await agent.segment(turn, { input: "Pay", answers: yes(first) })).toMatchObject({ status: "finished" });
    expect((await errorOf(agent.segment(turn, { input: "Other" }))).code).toBe("INVALID_OPTION");
  });

  it("is reached by the id of its run, too", async () => {
    const { agent } = agentOf([call], "Paid.");
    const first = await agent.segment(turn, { input: "Pay" });
    expect(await agent.segment(first.id, { answers: yes(first) })).toMatchObject({ status: "finished" });
  });
});

it.each<[Parameters<Agent["segment"]>[0], object, RegExp]>([
  ["x", { wrong: 1 }, /Unknown option "wrong"/],
  ["x", { record: {} }, /record of segment/],
  ["x", { onWaiting: 1, onBusy: 1 }, /onBusy/],
  [{ threadId: "t" } as never, {}, /requestId/],
])("segment(%j, %j) is refused", async (target, options, message) => {
  const error = await rejectedBy(agentOf().agent.segment(target, options as never));
  expect(error).toMatchObject({ code: "INVALID_OPTION", message: expect.stringMatching(message) });
});
