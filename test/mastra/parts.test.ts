// Sleeps, lists and retries of workflows are those of the graphs below.

import { memoryStore } from "kumiko";
import { simulate } from "kumiko/testing";
import { describe, expect, it } from "vitest";
import { add, asking, failing, registered, step, workflow } from "./workflows.js";

const failsUntil = (id: string, attempt: number, more: object = {}) =>
  step(
    id,
    ({ retryCount, inputData }) => {
      if (retryCount < attempt) throw new Error(`${id} ${retryCount}`);
      return inputData;
    },
    more,
  );

describe("retries of a step", () => {
  it("are a policy of its node, on the clock of the runtime", async () => {
    await simulate(async ({ runtime, now }) => {
      const kinds: string[] = [];
      const watcher = { onEvent: (_info: unknown, { kind }: { kind: string }) => void kinds.push(kind) };
      const flow = workflow("flow", { runtime, callbacks: [watcher], retryConfig: { attempts: 3, delay: 60_000 } });
      const result = await registered(flow.then(failsUntil("shaky", 2)))
        .createRun()
        .start({ inputData: 1 });
      expect(result).toMatchObject({ status: "success", result: 1 });
      expect(now()).toBe(120_000);
      expect(kinds).toEqual(["retry", "retry"]);
    });
  });

  it("tell of one start and one result, whatever the attempts", async () => {
    const events: string[] = [];
    const run = registered(
      workflow()
        .then(failsUntil("a", 2, { retries: 2 }))
        .then(failsUntil("b", 9, { retries: 1 })),
    ).createRun();
    run.watch(({ type, payload }) => events.push(`${type} ${payload.stepName ?? ""} ${payload.status ?? ""}`.trim()));
    expect(await run.start({ inputData: 1 })).toMatchObject({ status: "failed", error: { message: "b 1" } });
    expect(events.filter((event) => event.startsWith("workflow-step"))).toEqual([
      "workflow-step-start a running",
      "workflow-step-result a success",
      "workflow-step-start b running",
      "workflow-step-result b failed",
    ]);
  });

  it("are not spent on input that does not fit, nor on conditions", async () => {
    let checks = 0;
    const validate = () => {
      checks += 1;
      return { issues: [{ message: "no" }] };
    };
    const inputSchema = { "~standard": { version: 1, vendor: "test", validate } };
    const flow = workflow().then(step("a", () => 1, { inputSchema, retries: 5 }));
    expect((await registered(flow).createRun().start()).status).toBe("failed");
    expect(checks).toBe(1);

    let turns = 0;
    const loop = workflow().dountil(
      step("turn", () => ++turns, { retries: 5 }),
      async () => {
        throw new Error("condition");
      },
    );
    const failed = await registered(loop).createRun().start();
    expect(failed).toMatchObject({ status: "failed", error: { message: "condition" } });
    expect(turns).toBe(1);
  });

  it("hold in parallel steps, loops, lists and inner workflows", async () => {
    const shaky = (id: string) => failsUntil(id, 1, { retries: 1 });
    const sideBySide = workflow().parallel([shaky("a"), add("b")]);
    expect(await registered(sideBySide).createRun().start({ inputData: 1 })).toMatchObject({ result: { a: 1, b: 2 } });
    const loop = workflow().dountil(shaky("a"), async () => true);
    expect(await registered(loop).createRun().start({ inputData: 1 })).toMatchObject({ result: 1 });
    const list = workflow().foreach(shaky("a"), { concurrency: 2 });
    expect(
      await registered(list)
        .createRun()
        .start({ inputData: [1, 2, 3] }),
    ).toMatchObject({ result: [1, 2, 3] });
    const inner = workflow("inner", { retryConfig: { attempts: 1 } })
      .then(failsUntil("a", 1))
      .commit();
    expect(await registered(workflow().then(inner)).createRun().start({ inputData: 1 })).toMatchObject({ result: 1 });
  });

  it("go on with a parallel step that has no attempts left, while its siblings end", async () => {
    const ended: string[] = [];
    const slow = step("slow", async () => {
      await new Promise((resolve) => setImmediate(resolve));
      ended.push("slow");
    });
    const flow = workflow().parallel([failsUntil("a", 9, { retries: 2 }), slow]);
    const result = await registered(flow).createRun().start({ inputData: 1 });
    expect(result).toMatchObject({ status: "failed", error: { message: "a 2" } });
    expect(result.steps).toMatchObject({ a: { status: "failed" }, slow: { status: "success" } });
    expect(ended).toEqual(["slow"]);
  });
});

describe("sleep and sleepUntil", () => {
  it("wait on the clock of the runtime", async () => {
    await simulate(async ({ runtime, now }) => {
      const day = 24 * 60 * 60 * 1_000;
      const flow = workflow("flow", { runtime })
        .then(add("a"))
        .sleep(30 * day)
        .sleepUntil(new Date(31 * day))
        .sleep(async ({ inputData }) => inputData * 1_000)
        .then(add("b"));
      const result = await registered(flow).createRun().start({ inputData: 1 });
      expect(result).toMatchObject({ status: "success", result: 3 });
      expect(now()).toBe(31 * day + 2_000);
      expect(result.steps["sleep 1"]).toMatchObject({ status: "success", payload: 2, output: 2 });
    });
  });

  it("say what they need when a function gives something else", async () => {
    const flow = workflow().sleep(async () => "soon");
    const result = await registered(flow).createRun().start({ inputData: 1 });
    expect(result).toMatchObject({
      status: "failed",
      error: {
        message: expect.stringMatching(/"sleep 0" of workflow "flow" needs a number of milliseconds or a Date/),
      },
    });
  });

  it("end when the run is canceled, and are left out once it was ended early", async () => {
    const run = registered(workflow().sleep(3_600_000)).createRun();
    const started = run.start({ inputData: 1 });
    await new Promise((resolve) => setImmediate(resolve));
    await run.cancel();
    expect((await started).status).toBe("canceled");
    const early = workflow()
      .then(step("a", ({ bail }) => bail("early")))
      .sleep(3_600_000);
    const result = await registered(early).createRun().start();
    expect(result).toMatchObject({ status: "success", result: "early" });
    expect(Object.keys(result.steps)).toEqual(["a"]);
  });
});

describe("foreach", () => {
  it("stops the rest of a list when an item fails", async () => {
    const seen: number[] = [];
    const item = step("item", ({ inputData }) => {
      seen.push(inputData);
      if (inputData === 2) throw new Error("two");
      return inputData;
    });
    const result = await registered(workflow().foreach(item))
      .createRun()
      .start({ inputData: [1, 2, 3] });
    expect(result).toMatchObject({
      status: "failed",
      error: { message: "two" },
      steps: { item: { status: "failed" } },
    });
    expect(seen).toEqual([1, 2]);
  });

  it("ends early with the value of an item that bails", async () => {
    const seen: number[] = [];
    const item = step("item", ({ inputData, bail }) => {
      seen.push(inputData);
      return inputData === 2 ? bail("enough") : inputData;
    });
    const result = await registered(workflow().foreach(item).then(failing("never")))
      .createRun()
      .start({ inputData: [1, 2, 3] });
    expect(result).toMatchObject({ status: "success", result: "enough" });
    expect(seen).toEqual([1, 2]);
  });

  it("tells how far it is, and of the list as one step", async () => {
    const events: unknown[] = [];
    const run = registered(workflow().foreach(add("item"), { concurrency: 2 })).createRun();
    run.watch(({ type, payload: { completedCount, totalCount } }) => {
      if (type.startsWith("workflow-step"))
        events.push([type, completedCount, totalCount].filter((one) => one !== undefined));
    });
    await run.start({ inputData: [1, 2] });
    expect(events).toEqual([
      ["workflow-step-start"],
      ["workflow-step-progress", 1, 2],
      ["workflow-step-progress", 2, 2],
      ["workflow-step-result"],
    ]);
  });

  it("holds lists in lists", async () => {
    const inner = workflow("inner").foreach(asking("ask"), { concurrency: 2 }).commit();
    const run = registered(workflow().foreach(inner, { concurrency: 2 })).createRun();
    const waiting = await run.start({ inputData: [[1, 2], [3]] });
    expect(waiting).toMatchObject({ status: "suspended", suspended: [["inner", "ask"]] });
    expect(waiting.status === "suspended" && waiting.interrupts).toHaveLength(3);
    let result = waiting;
    for (const { id } of waiting.status === "suspended" ? waiting.interrupts : []) {
      result = await run.resume({ interruptId: id, resumeData: { ok: true } });
    }
    const ok = { got: { ok: true } };
    expect(result).toMatchObject({ status: "success", result: [[ok, ok], [ok]] });
  });
});

describe("what a step was resumed with", () => {
  it("is told of the steps around it too", async () => {
    const inner = workflow("inner").then(add("i")).then(asking("ask")).commit();
    const flow = registered(workflow().then(workflow("outer").then(inner).commit()), { storage: memoryStore() });
    const run = flow.createRun();
    expect(await run.start({ inputData: 1 })).toMatchObject({ suspended: [["outer", "inner", "ask"]] });
    const resumeData = { ok: true };
    const { steps } = await flow.createRun({ runId: run.runId }).resume({ resumeData });
    expect(steps.outer).toMatchObject({ status: "success", resumePayload: resumeData, resumedAt: expect.any(Number) });
    const named = await resumedByName(["inner", "ask"]);
    expect(named.steps.inner).toMatchObject({ status: "success", resumePayload: resumeData });

    async function resumedByName(names: readonly string[]) {
      const again = registered(workflow().then(inner), { storage: memoryStore() }).createRun();
      await again.start({ inputData: 1 });
      return again.resume({ step: names, resumeData });
    }
  });

  it("is not told of steps that were not", async () => {
    const flow = registered(
      workflow()
        .parallel([asking("a"), asking("b")])
        .then(add("c")),
    );
    const run = flow.createRun();
    await run.start({ inputData: 1 });
    const { steps } = await run.resume({ step: "a", resumeData: { ok: true } });
    expect(steps.a).toMatchObject({ resumePayload: { ok: true } });
    expect(steps.b).not.toHaveProperty("resumePayload");
  });

  it("needs to fit", async () => {
    const inner = workflow("inner").then(asking("ask")).commit();
    const run = registered(workflow().then(inner)).createRun();
    await run.start({ inputData: 1 });
    await expect(run.resume({ resumeData: { ok: 1 } })).rejects.toMatchObject({ code: "ANSWER_MISMATCH" });
  });
});
