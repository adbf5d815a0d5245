// viewer() with agents: threads that wait, go on, and are asked again.
import { assistantMessage, createTool, functionToolCall, memoryStore, textOf } from "kumiko";
import { createAgent, threads } from "kumiko/agents";
import { scriptedModel } from "kumiko/testing";
import { expect, it, vi } from "vitest";
import type { QuestionList, RunList, RunResult, RunView, TurnList } from "../../../src/viewer/api.js";
import { serve } from "./serve.js";

it("lists an agent's thread that waits, shows its turns, and goes on where its answer was recorded", async () => {
  const pay = createTool({ id: "pay", description: "Pays.", requireApproval: true, execute: () => "paid" });
  const call = functionToolCall({ callId: "c-1", name: "pay", arguments: "{}" });
  const model = scriptedModel("Hello.", [call], "Paid it.");
  const store = memoryStore();
  const agent = createAgent({ name: "clerk", model, tools: [pay], store, history: true });
  const onAnswer = vi.fn();
  const { get, post } = serve({ apps: { clerk: agent }, onAnswer });
  await agent.generate("Hi", { threadId: "t-1" });
  await agent.generate("Pay", { threadId: "t-1" });
  const [question] = (await get<QuestionList>("questions")).questions;
  expect(question).toMatchObject({ kind: "approval", run: { threadId: "t-1" } });
  const ref = encodeURIComponent(question?.run.ref ?? "");
  const view = await get<RunView>(`runs/${ref}`);
  expect(view.turns?.map(({ turn, status }) => [turn, status])).toEqual([
    [1, "done"],
    [2, "waiting"],
  ]);
  const earlier = await get<TurnList>(`runs/${ref}/turns?before=2`);
  expect(earlier).toMatchObject({
    turns: [{ turn: 1, prompt: [{ role: "user" }], messages: [{ role: "assistant" }] }],
    more: false,
  });
  const answers = { [question?.id ?? ""]: { approved: true } };
  expect((await post("answer", { ref: question?.run.ref, answers })).status).toBe(202);
  await expect.poll(async () => (await get<QuestionList>("questions")).questions).toEqual([]);
  await expect
    .poll(async () => textOf((await threads(store).messages("t-1")).at(-1) ?? assistantMessage("")))
    .toBe("Paid it.");
  expect(onAnswer).toHaveBeenCalledTimes(1);
});

it("keeps an agent without a store for the session: it asks, and is forked", async () => {
  const pay = createTool({ id: "pay", description: "Pays.", requireApproval: true, execute: () => "paid" });
  const call = functionToolCall({ callId: "c-1", name: "pay", arguments: "{}" });
  const agent = createAgent({ name: "clerk", model: scriptedModel([call], "Paid.", "Paid again."), tools: [pay] });
  const { get, post } = serve({ apps: { clerk: agent } });
  await post("start", { app: "clerk", input: { message: "Pay" } });
  await expect.poll(async () => (await get<QuestionList>("questions")).questions.length).toBe(1);
  const [question] = (await get<QuestionList>("questions")).questions;
  const ref = question?.run.ref ?? "";
  const { run } = (await (await post("fork", { ref })).json()) as RunResult;
  expect(run.threadId).not.toBe(question?.run.threadId);
  await expect.poll(async () => (await get<QuestionList>("questions")).questions.length).toBe(2);
  for (const { id, run: asked } of (await get<QuestionList>("questions")).questions)
    expect((await post("answer", { ref: asked.ref, answers: { [id]: { approved: true } } })).status).toBe(202);
  await expect.poll(async () => (await get<QuestionList>("questions")).questions).toEqual([]);
});

it("runs a turn again in a thread of its own, after the same turns and for the same user", async () => {
  const store = memoryStore();
  const model = scriptedModel("One.", "Two.", "Two again.");
  const agent = createAgent({ name: "clerk", model, store, history: true });
  const call = { threadId: "t-1", userId: "u-1" };
  await agent.generate("First", call);
  await agent.generate("Second", call);
  const { get, post } = serve({ apps: { clerk: agent } });
  const [second] = (await get<RunList>("runs")).runs;
  const { run } = (await (await post("again", { ref: second?.ref })).json()) as RunResult;
  expect(run).toMatchObject({ graph: "clerk", userId: "u-1" });
  expect(run.threadId).not.toBe("t-1");
  const said = async (id: string) => (await threads(store, { userId: "u-1" }).messages(id)).map(textOf);
  await expect.poll(() => said(run.threadId ?? "")).toEqual(["First", "One.", "Second", "Two again."]);
  expect(model.calls.at(-1)?.messages.map(textOf)).toEqual(["First", "One.", "Second"]);
  expect(await said("t-1")).toEqual(["First", "One.", "Second", "Two."]);
});

it("shows with a turn those before it, not what the thread has said since", async () => {
  const store = memoryStore();
  const agent = createAgent({ name: "clerk", model: scriptedModel("One.", "Two.", "Three."), store, history: true });
  for (const text of ["First", "Second", "Third"]) await agent.generate(text, { threadId: "t-1" });
  const { get } = serve({ apps: { clerk: agent } });
  const { runs } = await get<RunList>("runs");
  const shown = await Promise.all(
    runs.map(async ({ ref }) => (await get<RunView>(`runs/${encodeURIComponent(ref)}`)).turns?.map(({ turn }) => turn)),
  );
  expect(shown).toEqual([[1, 2, 3], [1, 2], [1]]);
});
