// kumiko dev and processes: code that hangs or is killed, runs that are open, stores, and other processes.
import { spawn } from "node:child_process";
import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { memoryStore } from "kumiko";
import { runs } from "kumiko/durable";
import { sqliteStore } from "kumiko/sqlite";
import { expect, it, onTestFinished } from "vitest";
import type { AnswerResult, LiveEvent, QuestionList, RunList, RunResult, RunView } from "../../src/viewer/api.js";
import { code, type Dev, folder, followLive, root, soon, startDev } from "./start-dev.js";

const asking = `export const desk = new Chain()
  .append(async (text, ctx) => text + (await ctx.ask("q", text, { type: "string" })), { key: "ask" })
  .compile({ name: "desk" });`;

async function started(dev: Dev, app: string, input: unknown): Promise<RunResult> {
  await soon(dev.apps).toContain(app);
  return dev.post<RunResult>("start", { app, input });
}

it("offers to restart what hangs, and what was killed", async () => {
  const path = folder();
  writeFileSync(
    join(path, "app.ts"),
    code(`import { writeFileSync } from "node:fs";
      writeFileSync(${JSON.stringify(join(path, "pid"))}, String(process.pid));
      export const hang = new Chain().append(() => { for (;;); }, { key: "loop" }).compile({ name: "hang" });`),
  );
  const dev = await startDev(join(path, "app.ts"), "--port", "0");
  const hanging = started(dev, "hang", 1).catch(() => undefined);
  await soon(async () => (await dev.about()).dev).toMatchObject({
    status: "silent",
    message: expect.stringContaining("does not answer"),
  });
  // the page can be opened, and still knows the apps
  expect((await dev.about()).apps).toMatchObject([{ key: "hang" }]);
  expect((await dev.ask("runs")).status).toBe(503);
  await dev.post("restart", {});
  await hanging;
  await soon(async () => (await dev.about()).dev?.status).toBe("running");
  const events: LiveEvent[] = [];
  void followLive(dev, events);
  await soon(() => events.length).toBeGreaterThan(0);
  process.kill(Number(readFileSync(join(path, "pid"), "utf8")), "SIGKILL");
  await soon(() => events).toContainEqual({
    type: "dev",
    id: -1,
    state: { status: "ended", message: "It ended by SIGKILL.", hasChanged: false },
  });
  await dev.post("restart", {});
  await soon(async () => (await dev.ask("runs")).status).toBe(200);
}, 90_000);

it("keeps the runs of an app without a store until it ends, and asks before it ends open ones", async () => {
  const path = folder({
    "app.ts": code(`${asking}
      export const slow = new Chain().append(() => new Promise((done) => setTimeout(done, 60_000)), { key: "wait" })
        .compile({ name: "slow" });`),
  });
  const file = join(path, "app.ts");
  const dev = await startDev(file, "--port", "0");
  await started(dev, "desk", "why?");
  await soon(async () => (await dev.get<QuestionList>("questions")).questions.length).toBe(1);
  const { questions } = await dev.get<QuestionList>("questions");
  const [question] = questions;
  const answers = { [question?.id ?? ""]: " because" };
  expect(await dev.post<AnswerResult>("answer", { ref: question?.run.ref, answers })).toMatchObject({ goesOn: true });
  await soon(async () => (await dev.get<RunView>(`runs/${question?.run.ref}`)).output?.value).toBe("why? because");
  await started(dev, "slow", 1);
  writeFileSync(file, code(asking));
  await soon(async () => (await dev.about()).dev?.hasChanged).toBe(true);
  expect(await dev.apps()).toContain("slow");
  await dev.post("restart", {});
  await soon(dev.apps).toEqual(["desk"]);
  expect((await dev.get<RunList>("runs")).runs).toEqual([]);
}, 60_000);

it("stops what runs when it is interrupted, so that it can go on", async () => {
  const path = folder({
    "app.ts": code(`export const slow = new Chain()
      .append(() => "begun", { key: "begin" })
      .append((_, ctx) => new Promise((done, failed) => ctx.signal.addEventListener("abort", () => failed(ctx.signal.reason))), { key: "wait" })
      .compile({ name: "slow" });`),
  });
  const database = join(path, "runs.db");
  const dev = await startDev(join(path, "app.ts"), "--port", "0", "--store", database);
  const { run } = await started(dev, "slow", 1);
  expect(run).toMatchObject({ store: "store", status: "running" });
  const ended = new Promise((done) => dev.child.once("exit", done));
  dev.child.kill("SIGINT");
  expect(await ended).toBe(130);
  const store = sqliteStore(database);
  onTestFinished(() => store.close());
  expect(await runs(store).get(run.checkpointId ?? "")).toMatchObject({ status: "stopped", graph: "slow" });
}, 60_000);

it("shows a store alone, where questions are answered for workers", async () => {
  const path = folder({ "app.ts": code(asking) });
  const database = join(path, "runs.db");
  const first = await startDev(join(path, "app.ts"), "--port", "0", "--store", database);
  await started(first, "desk", "why?");
  await soon(async () => (await first.get<QuestionList>("questions")).questions.length).toBe(1);
  const dev = await startDev("--store", database, "--can", "answer", "--port", "0");
  await soon(async () => (await dev.about()).stores).toEqual(["store"]);
  const [question] = (await dev.get<QuestionList>("questions")).questions;
  expect(question).toMatchObject({ kind: "ask", info: { value: "why?" }, run: { graph: "desk" } });
  expect(await dev.get<RunView>(`runs/${question?.run.ref}`)).toMatchObject({
    errors: ['The graph "desk" is not among the apps.'],
  });
  const answers = { [question?.id ?? ""]: " because" };
  expect(await dev.post<AnswerResult>("answer", { ref: question?.run.ref, answers })).toMatchObject({
    goesOn: false,
    run: { status: "ready" },
  });
  // the other one has the app, and may go on
  const ref = question?.run.ref;
  await first.post("go-on", { ref });
  await soon(async () => (await first.get<RunView>(`runs/${ref}`)).output?.value).toBe("why? because");
}, 60_000);

it("shows a recorded trace, and of one that cannot be read a row with its error", async () => {
  const path = folder();
  const { Chain, traceRecorder } = await import("kumiko");
  const app = new Chain<string>()
    .append((text) => text.length, { key: "count" })
    .compile({ name: "counter", store: memoryStore() });
  const trace = traceRecorder();
  await app.invoke("hello", { callbacks: [trace], checkpointId: "r-1" });
  await app.invoke("hi", { callbacks: [trace], checkpointId: "r-2" });
  writeFileSync(join(path, "trace.json"), JSON.stringify(trace));
  const dev = await startDev(join(path, "trace.json"), "--port", "0");
  await soon(async () => (await dev.get<RunList>("runs")).runs?.length).toBe(2);
  const { runs: rows } = await dev.get<RunList>("runs");
  expect(rows).toMatchObject([{ checkpointId: "r-2", status: "finished", graph: "counter" }, { checkpointId: "r-1" }]);
  expect(await dev.get<RunView>(`runs/${rows[1]?.ref}`)).toMatchObject({
    level: { nodes: expect.anything() },
    spans: [{ path: "" }, { path: "count", input: { value: "hello" }, output: { value: 5 } }],
  });
  expect((await dev.about()).can).toBe("look");
  for (const [text, message] of [
    ["{", "It is not JSON"],
    ["[]", "Not a trace: it must be an object"],
    ['{ "version": 9, "runs": [], "graphs": {} }', "newer"],
    ['{ "version": 1, "runs": [{ "id": 1 }], "graphs": {} }', "runs[0].id"],
  ] as const) {
    writeFileSync(join(path, "trace.json"), text);
    await soon(async () => (await dev.get<RunList>("runs")).runs?.[0]?.error?.message).toContain(message);
    const [row] = (await dev.get<RunList>("runs")).runs;
    expect(row).toMatchObject({ graph: "trace.json", status: "failed", error: { code: "INVALID_TRACE" } });
    expect(row?.error?.message).toContain(`${join(path, "trace.json")} cannot be read.`);
    expect(await dev.get<RunView>(`runs/${row?.ref}`)).toMatchObject({
      run: row,
      spans: [],
      errors: [row?.error?.message],
    });
    expect(await dev.get("dev")).toEqual({ status: "running", hasChanged: false });
  }
  expect(dev.output()).not.toContain("    at ");
}, 60_000);

it("takes the runs of other processes that have devtools()", async () => {
  const path = folder({ "app.ts": code(asking), "other.ts": "" });
  writeFileSync(
    join(path, "other.ts"),
    `import { devtools } from ${JSON.stringify(join(root, "src/viewer/index.ts"))};
     ${code(`const app = new Graph()
        .addNode("twice", (n) => n * 2)
        .addNode("fail", () => { throw new Error("postgres://me:pw@db/x is away"); })
        .addEdge(START, "twice").addEdge("twice", "fail").addEdge("fail", END)
        .compile({ name: "elsewhere", callbacks: [devtools()] });
      await app.invoke(4, { callbacks: [devtools()] }).catch(() => undefined);`)}`,
  );
  const dev = await startDev(join(path, "app.ts"), "--port", "0");
  await soon(dev.apps).toEqual(["desk"]);
  const run = (url: string) =>
    new Promise((done) => {
      const env = { ...process.env, KUMIKO_VIEWER: url };
      const other = spawn(process.execPath, ["--import", "tsx", join(path, "other.ts")], {
        cwd: root,
        env,
        stdio: "inherit",
      });
      other.once("exit", done);
    });
  expect(await run(dev.url)).toBe(0);
  await soon(async () => (await dev.get<RunList>("runs")).runs.length).toBe(1);
  const { runs: rows } = await dev.get<RunList>("runs");
  const view = await dev.get<RunView>(`runs/${rows[0]?.ref}`);
  expect(view).toMatchObject({ graph: "elsewhere", run: { status: "failed" }, level: { nodes: expect.anything() } });
  expect(view.spans.map(({ path: at, status }) => [at, status])).toEqual([
    ["", "failed"],
    ["twice", "done"],
    ["fail", "failed"],
  ]);
  expect(view.spans[1]).toMatchObject({ input: { value: 4 }, output: { value: 8 } });
  expect(JSON.stringify(view)).not.toContain("me:pw");
  // nobody is there: nothing is thrown, and the process ends
  expect(await run(`http://127.0.0.1:9/#${"x".repeat(32)}`)).toBe(0);
}, 60_000);
