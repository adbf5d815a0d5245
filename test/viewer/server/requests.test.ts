// Who may ask, and what is done once.
import { Chain, createTool, functionToolCall, memoryStore } from "kumiko";
import { createAgent, threads } from "kumiko/agents";
import type { CheckpointStore } from "kumiko/compose";
import { runs } from "kumiko/durable";
import { scriptedModel } from "kumiko/testing";
import type { Access, ViewerOptions } from "kumiko/viewer";
import { expect, it } from "vitest";
import type { AnswerResult, Failure, QuestionList, RunResult } from "../../../src/viewer/api.js";
import { serve } from "./serve.js";

const stop = (run: Promise<unknown>): Promise<unknown> => run.catch((error: unknown) => error);

async function twoQuestions(options: Partial<ViewerOptions> = {}) {
  const store = memoryStore();
  const app = new Chain<string>()
    .append((text, ctx) => ctx.ask<string>("q", text), { key: "ask" })
    .compile({ name: "desk", store });
  await stop(app.invoke("a", { checkpointId: "r-1" }));
  await stop(app.invoke("b", { checkpointId: "r-2" }));
  const served = serve({ apps: { desk: app }, ...options });
  const { questions } = await served.get<QuestionList>("questions");
  const answers = questions.map(({ id, run: { ref } }) => ({ key: "same", ref, answers: { [id]: "yes" } }));
  return { ...served, store, answers: answers as [object, object] };
}

it("takes the key of a form for that run only", async () => {
  const { post, store, answers } = await twoQuestions();
  for (const [n, answer] of answers.entries()) {
    const response = await post("answer", answer);
    expect(response.status).toBe(202);
    expect(((await response.json()) as AnswerResult).run.checkpointId).toBe(`r-${n + 1}`);
  }
  for (const id of ["r-1", "r-2"])
    await expect.poll(async () => (await runs(store).get(id))?.status ?? "finished").toBe("finished");
  // pressed twice
  expect((await post("answer", answers[0])).status).toBe(202);
});

it("takes the key of a form for that user only", async () => {
  let user: string | undefined = "ada";
  const told: unknown[] = [];
  const { post, answers } = await twoQuestions({
    authorize: () => ({ can: "act", user }),
    onAnswer: (answer) => void told.push(answer.user),
  });
  expect((await post("answer", answers[0])).status).toBe(202);
  expect((await post("answer", answers[0])).status).toBe(202);
  user = "bob";
  expect((await post("answer", answers[0])).status).toBe(409);
  user = undefined;
  expect((await post("answer", answers[0])).status).toBe(409);
  expect(told).toEqual(["ada"]);
});

it("takes the key of a start form for that app only", async () => {
  const store = memoryStore();
  const [a, b] = ["a", "b"].map((name) => new Chain<string>().append((text) => text).compile({ name, store }));
  const { post } = serve({ apps: { a: a as never, b: b as never } });
  const start = async (app: string) =>
    ((await (await post("start", { app, input: "x", key: "same" })).json()) as RunResult).run.graph;
  expect([await start("a"), await start("b")]).toEqual(["a", "b"]);
});

it.each([undefined, null, false, ""])("answers 401 where authorize returns %j: nobody is signed in", async (nobody) => {
  const { fetch, post } = serve({ authorize: () => nobody as undefined });
  expect((await fetch("about")).status).toBe(401);
  expect((await post("start", { app: "desk", input: 1 })).status).toBe(401);
});

it.each([{ can: "bogus" }, {}, true, "ada", [["act"]]])(
  "answers 500 where authorize returns %j, and says what it must return",
  async (access) => {
    const { fetch } = serve({ authorize: () => access as object as Access });
    const response = await fetch("about");
    expect(response.status).toBe(500);
    const { error } = (await response.json()) as Failure;
    expect(error.code).toBe("INVALID_OPTION");
    expect(error.message).toMatch(/^authorize of viewer must return \{ can: "look" \| "answer" \| "act" \}/);
    expect(error.message).not.toMatch(/bogus|ada/);
  },
);

async function statusesOf(store: CheckpointStore): Promise<string[]> {
  const statuses: string[] = [];
  for await (const { status } of threads(store).turns("t")) statuses.push(status);
  return statuses;
}

it("goes on with a turn whose answer somebody else has just come too late to give", async () => {
  const store = memoryStore();
  let booked = 0;
  const book = createTool({
    id: "book",
    description: "",
    inputSchema: { type: "object" },
    requireApproval: true,
    execute: () => `booked ${++booked}`,
  });
  const model = scriptedModel([functionToolCall({ callId: "1", name: "book", arguments: "{}" })], "Done.");
  const agent = createAgent({ name: "clerk", store, model, tools: [book] });
  const turn = await agent.segment({ threadId: "t", requestId: "r" }, { input: "Book it." });
  const [question] = turn.interrupts;
  const answer = (approved: boolean) => ({ [question?.id ?? ""]: { approved } });
  const { get, post } = serve({ apps: { clerk: agent } });
  const [asked] = (await get<QuestionList>("questions")).questions;
  const [response, late] = await Promise.all([
    post("answer", { key: "k", ref: asked?.run.ref, answers: answer(true) }),
    agent.resume({ threadId: "t" }, answer(false)).catch((error: unknown) => error),
  ]);
  const won = response.status === 202;
  if (won) expect(late).toMatchObject({ code: "ALREADY_ANSWERED" });
  // whoever was first: it goes on
  await expect.poll(() => statusesOf(store)).toEqual(["done"]);
  expect(booked).toBe(won ? 1 : 0);
});
