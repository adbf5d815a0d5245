import { memoryStore } from "kumiko";
import type { CheckpointStore, SavedRun } from "kumiko/compose";
import { runs, startWorker } from "kumiko/durable";
import { Mastra } from "kumiko/mastra";
import { sqliteStore } from "kumiko/sqlite";
import { describe, expect, it } from "vitest";
import { z } from "zod";
import { errorOf, rejectedBy } from "../run/rejected-by.js";
import { add, asking, registered, step, workflow } from "./workflows.js";

const on = <W extends { commit(): object }>(store: CheckpointStore, given: W): W =>
  registered(given, { storage: store });

const questionIn = (run: SavedRun<unknown>, index = 0): string => {
  const question = run.interrupts[index];
  if (question === undefined) throw new Error(`It is ${run.status}.`);
  return question.id;
};

describe("segment of a workflow", () => {
  it("runs it to its end, which is kept for all who ask again", async () => {
    let runs = 0;
    const flow = registered(workflow().then(step("count", ({ inputData }) => [inputData, ++runs])));
    const run = await flow.segment("flow/7", { input: 1 });
    expect(run).toMatchObject({ id: "flow/7", graph: "flow", status: "finished", output: [1, 1], interrupts: [] });
    expect(await flow.segment("flow/7", { input: 2 })).toEqual(run);
  });

  it.each([[false], [true]])("runs failed members of .parallel again, and no others (asking: %s)", async (asks) => {
    const store = memoryStore();
    const ran: string[] = [];
    let isDown = true;
    const build = () => {
      const steady = step("steady", ({ inputData }) => {
        ran.push("steady");
        return Number(inputData) * 10;
      });
      const flaky = step("flaky", async ({ inputData, resumeData, suspend }) => {
        ran.push("flaky");
        if (isDown) throw new Error("The line is down.");
        if (asks && resumeData === undefined) return suspend({ sure: true });
        return Number(inputData) + 1;
      });
      return on(store, workflow().parallel([flaky, steady]) as never as ReturnType<typeof workflow>);
    };
    const failed = await build().segment("flow/7", { input: 1 });
    expect(failed).toMatchObject({
      status: "failed",
      error: { message: expect.stringContaining("The line is down.") },
    });
    expect(ran.sort()).toEqual(["flaky", "steady"]);
    expect(await build().segment("flow/7", { retry: true })).toMatchObject({ status: "failed" });
    isDown = false;
    if (!asks) await runs(store).retry("flow/7");
    let run = await build().segment("flow/7", { retry: asks });
    if (asks) run = await build().segment("flow/7", { answers: { [questionIn(run)]: { ok: true } } });
    expect(run).toMatchObject({ status: "finished", output: { flaky: 2, steady: 10 } });
    expect(ran.filter((name) => name === "steady")).toHaveLength(1);
  });

  it("tells a step which run it belongs to", async () => {
    const told = step("told", ({ runId, workflowId, requestContext }) => ({
      runId,
      workflowId,
      n: requestContext.get("n"),
    }));
    const flow = registered(workflow().then(told));
    expect(await flow.segment("flow/a/b", { input: 1 })).toMatchObject({
      output: { runId: "a/b", workflowId: "flow" },
    });
  });

  it("stops at a question, and goes on in another process with what resumeData would be", async () => {
    const store = memoryStore();
    const build = () =>
      on(
        store,
        workflow()
          .then(add("a"))
          .then(asking("ask"))
          .then(step("end", ({ inputData }) => [inputData])),
      );
    const run = await build().segment("flow/7", { input: 1 });
    expect(run).toMatchObject({ status: "waiting", interrupts: [{ info: { path: ["ask"], payload: { ask: 2 } } }] });
    expect(await build().segment("flow/7")).toEqual(run);
    const answers = { [questionIn(run)]: { ok: true } };
    expect(await build().segment("flow/7", { answers })).toMatchObject({
      status: "finished",
      output: [{ got: { ok: true } }],
    });
  });

  it("is the run that createRun resumes, and the other way round", async () => {
    const flow = registered(workflow().then(asking("ask")));
    await flow.segment("flow/7", { input: 1 });
    const resumed = await flow.createRun({ runId: "7" }).resume({ step: "ask", resumeData: { ok: true } });
    expect(resumed).toMatchObject({ status: "success", result: { got: { ok: true } } });
    // only segments keep what has ended
    expect((await errorOf(flow.segment("flow/7"))).code).toBe("UNKNOWN_CHECKPOINT");
    await flow.createRun({ runId: "8" }).start({ inputData: 1 });
    const answers = { [questionIn(await flow.segment("flow/8"))]: { ok: false } };
    expect(await flow.segment("flow/8", { answers })).toMatchObject({ output: { got: { ok: false } } });
  });

  it("answers the items of a list", async () => {
    const flow = registered(workflow().foreach(asking("ask"), { concurrency: 2 }));
    const run = await flow.segment("flow/7", { input: [1, 2] });
    expect(run.interrupts).toMatchObject([{ info: { item: { index: 0 } } }, { info: { item: { index: 1 } } }]);
    const one = await flow.segment("flow/7", { answers: { [questionIn(run, 1)]: { ok: false } } });
    expect(one).toMatchObject({ status: "waiting", interrupts: [{ id: questionIn(run) }] });
    expect(await flow.segment("flow/7", { answers: { [questionIn(run)]: { ok: true } } })).toMatchObject({
      status: "finished",
      output: [{ got: { ok: true } }, { got: { ok: false } }],
    });
  });

  it("answers steps of inner workflows, by address too, and logs what they got", async () => {
    const store = memoryStore();
    let log: unknown;
    const inner = (id: string) =>
      workflow(id)
        .then(asking(`${id}-ask`))
        .commit();
    const seen = step("seen", ({ inputData, ctx }) => {
      log = (ctx.state as { readonly steps: unknown }).steps;
      return inputData;
    });
    const flow = on(
      store,
      workflow()
        .parallel([inner("x"), inner("y")] as never)
        .then(seen),
    );
    const { interrupts } = await flow.segment("flow/7", { input: 1 });
    expect(interrupts).toMatchObject([{ info: { path: ["x", "x-ask"] } }, { info: { path: ["y", "y-ask"] } }]);
    const [x, y] = interrupts;
    const answers = { [x?.id ?? ""]: { ok: true }, byAddress: { [y?.address ?? ""]: { ok: false } } };
    expect(await flow.segment("flow/7", { answers })).toMatchObject({
      output: { x: { got: { ok: true } }, y: { got: { ok: false } } },
    });
    expect(log).toMatchObject({ x: { resumePayload: { ok: true } }, y: { resumePayload: { ok: false } } });
  });

  it.each([
    ["a step", () => workflow().then(bailing)],
    ["a loop", () => workflow().dowhile(bailing, () => true)],
    [
      "an item of a list",
      () =>
        workflow()
          .map(() => [1, 2])
          .foreach(bailing as never),
    ],
  ])("has the result of bail in %s, saved as well", async (_what, build) => {
    const flow = registered(
      build()
        .then(add("a"))
        .sleep(1)
        .parallel([add("b"), add("c")])
        .branch([[async () => true, add("d")]])
        .foreach(add("e") as never)
        .map(() => 0),
    );
    const run = await flow.segment("flow/7", { input: 1 });
    expect(run).toMatchObject({ status: "finished", output: { early: true } });
    expect(await flow.segment("flow/7")).toEqual(run);
    expect(await flow.createRun().start({ inputData: 1 })).toMatchObject({ result: { early: true } });
  });

  it("starts once, however many call at once, and gives all the same", async () => {
    let runs = 0;
    const flow = registered(
      workflow()
        .then(step("count", () => ++runs))
        .then(asking("ask")),
    );
    const starts = await Promise.all(Array.from({ length: 20 }, () => flow.segment("flow/7", { input: 1 })));
    const answers = { [questionIn(starts[0] as SavedRun)]: { ok: true } };
    const ends = await Promise.all(Array.from({ length: 20 }, () => flow.segment("flow/7", { answers })));
    expect(runs).toBe(1);
    expect(new Set(ends.map((end) => JSON.stringify(end))).size).toBe(1);
    expect(ends[0]).toMatchObject({ status: "finished", output: { got: { ok: true } } });
  });

  it("works in files", async () => {
    const store = sqliteStore(":memory:");
    const flow = on(store, workflow().then(asking("ask")));
    const answers = { [questionIn(await flow.segment("flow/7", { input: 1 }))]: { ok: true } };
    expect(await flow.segment("flow/7", { answers })).toMatchObject({ status: "finished" });
    await store.close();
  });
});

const bailing = step("bailing", ({ bail }) => bail({ early: true }));

describe("a segment of a workflow that fails", () => {
  it("is a value that stays; with retry it goes on", async () => {
    const log: string[] = [];
    const flow = registered(
      workflow()
        .then(step("first", () => log.push("first")))
        .then(
          step("second", () => {
            log.push("second");
            if (log.length < 3) throw new RangeError("too far");
            return "done";
          }),
        ),
    );
    const run = await flow.segment("flow/7", { input: 1 });
    expect(run).toMatchObject({ status: "failed", error: { code: "NODE_FAILED", nodePath: ["second"] } });
    expect(run.error?.message).toContain("too far");
    expect((await flow.segment("flow/7")).error?.message).toBe(run.error?.message);
    expect(await flow.segment("flow/7", { retry: true })).toMatchObject({ status: "finished", output: "done" });
    expect(log).toEqual(["first", "second", "second"]);
  });

  it("fails where steps in parallel join: after what waits there, and again with retry", async () => {
    let runs = 0;
    const fails = step("fails", () => {
      runs++;
      throw new Error("no");
    });
    const flow = registered(workflow().parallel([fails, asking("ask")]));
    const run = await flow.segment("flow/7", { input: 1 });
    expect(run.status).toBe("waiting");
    const failed = { status: "failed", error: { code: "NODE_FAILED", message: expect.stringContaining("no") } };
    expect(await flow.segment("flow/7", { answers: { [questionIn(run)]: { ok: true } } })).toMatchObject(failed);
    expect(runs).toBe(1);
    expect(await flow.segment("flow/7", { retry: true })).toMatchObject(failed);
    expect(runs).toBe(2);
  });

  it("has failed if its input or initial state does not fit", async () => {
    for (const more of [{ inputSchema: z.string() }, { stateSchema: z.object({ n: z.number() }) }]) {
      let runs = 0;
      const flow = registered(workflow("flow", more).then(step("count", () => ++runs)));
      const run = await flow.segment("flow/7", { input: 1 });
      expect(run).toMatchObject({ status: "failed", error: { code: "VALIDATION" } });
      expect(run.error?.message).toContain('workflow "flow"');
      expect((await flow.segment("flow/7", { input: "fits" })).status).toBe("failed");
      expect(runs).toBe(0);
    }
  });

  it("is cancelled if a step aborts it, and stays so", async () => {
    const flow = registered(
      workflow()
        .then(step("stop", ({ abort }) => void abort()))
        .then(add("a")),
    );
    expect((await flow.segment("flow/7", { input: 1 })).status).toBe("cancelled");
    expect((await flow.segment("flow/7", { input: 1, retry: true })).status).toBe("cancelled");
  });

  it("rejects when its caller aborts it, and is ready", async () => {
    const stop = new AbortController();
    let runs = 0;
    const flow = registered(
      workflow().then(
        step("slow", ({ abortSignal }) => {
          if (++runs > 1) return runs;
          setTimeout(() => stop.abort(new Error("enough")), 5);
          return new Promise((_, reject) => abortSignal.addEventListener("abort", () => reject(abortSignal.reason)));
        }),
      ),
    );
    const error = await rejectedBy(flow.segment("flow/7", { input: 1, signal: stop.signal }));
    expect(error).toMatchObject({ message: "enough" });
    expect(await flow.segment("flow/7")).toMatchObject({ status: "finished", output: 2 });
  });
});

describe("an answer to a workflow that does not fit", () => {
  const strict = (where: (asks: ReturnType<typeof step>) => ReturnType<typeof workflow>) =>
    registered(
      where(
        step("ask", ({ resumeData, suspend }) => resumeData ?? suspend({ really: true }), {
          resumeSchema: z.object({ n: z.number().refine((n) => n > 5, "too few") }),
          retries: 2,
        }),
      ),
    );
  const inner = (asks: ReturnType<typeof step>) => workflow("inner").then(asks).commit();

  it("rejects if its schema in the question says so, and nothing has run", async () => {
    const flow = strict((asks) => workflow().then(asks) as never);
    const run = await flow.segment("flow/7", { input: 1 });
    const error = errorOf(flow.segment("flow/7", { answers: { [questionIn(run)]: { n: "x" } } }));
    expect((await error).code).toBe("ANSWER_MISMATCH");
    expect(await flow.segment("flow/7")).toEqual(run);
  });

  it.each([
    ["a step", (asks: never) => workflow().then(asks), { n: 6 }],
    ["a step in parallel", (asks: never) => workflow().parallel([asks, add("a")] as never), { a: 2, ask: { n: 6 } }],
    [
      "an item of a list",
      (asks: never) =>
        workflow()
          .map(() => [1])
          .foreach(asks),
      [{ n: 6 }],
    ],
    ["an inner workflow", (asks: never) => workflow().then(inner(asks) as never), { n: 6 }],
  ])("leaves the question of %s open if only its step says so", async (_what, build, output) => {
    const flow = strict(build as never);
    const run = await flow.segment("flow/7", { input: 1 });
    const again = await flow.segment("flow/7", { answers: { [questionIn(run)]: { n: 1 } } });
    expect(again).toMatchObject({ status: "waiting", error: { code: "ANSWER_MISMATCH" } });
    expect(again.interrupts).toEqual(run.interrupts);
    expect(again.error?.message).toContain("too few");
    const answers = { [questionIn(again)]: { n: 6 } };
    expect(await flow.segment("flow/7", { answers })).toMatchObject({ status: "finished", output });
  });
});

describe("a worker with workflows", () => {
  const waitFor = async (store: CheckpointStore, id: string, status: string): Promise<SavedRun> => {
    for await (const run of runs(store).watch(id)) if (run.status === status) return run;
    throw new Error(`${id} has never been ${status}.`);
  };

  it("runs what is enqueued, under any id, and what is answered from elsewhere", async () => {
    const store = memoryStore();
    const told = step("told", ({ inputData, runId }) => ({ ...inputData, runId }));
    const flow = on(store, workflow("flow", { inputSchema: z.number() }).then(asking("ask")).then(told));
    const worker = startWorker({ flow });
    try {
      await runs<{ flow: typeof flow }>(store).enqueue("flow", 1, { id: "flow/7" });
      const { id } = await runs<{ flow: typeof flow }>(store).enqueue("flow", 2);
      for (const one of ["flow/7", id]) {
        const answers = { [questionIn(await waitFor(store, one, "waiting"))]: { ok: true } };
        await runs(store).answer(one, answers);
        const runId = one === id ? id : "7";
        expect(await waitFor(store, one, "finished")).toMatchObject({ output: { got: { ok: true }, runId } });
      }
      await runs(store).enqueue("flow", "x", { id: "flow/8" });
      expect(await waitFor(store, "flow/8", "failed")).toMatchObject({ error: { code: "VALIDATION" } });
    } finally {
      await worker.stop();
    }
  });

  it("opens a question again whose recorded answer only its step refuses", async () => {
    const store = memoryStore();
    const resumeSchema = z.object({ n: z.number().refine((n) => n > 5, "too few") });
    const ask = step("ask", ({ resumeData, suspend }) => resumeData ?? suspend({}), { resumeSchema });
    const flow = on(store, workflow().then(ask));
    const id = questionIn(await flow.segment("flow/7", { input: 1 }));
    await runs(store).answer("flow/7", { [id]: { n: 1 } });
    expect(await flow.segment("flow/7")).toMatchObject({ status: "waiting", interrupts: [{ id }] });
    expect((await runs(store).get("flow/7"))?.error?.message).toContain("too few");
    await runs(store).answer("flow/7", { [id]: { n: 6 } });
    expect(await flow.segment("flow/7")).toMatchObject({ status: "finished", output: { n: 6 } });
  });
});

describe("the id of a segment of a workflow", () => {
  it.each(["7", "flow", "flow/", "flowing/7"])("is not %j", async (id) => {
    const flow = registered(workflow().then(add("a")));
    for (const options of [{}, { input: 1 }]) {
      const error = await rejectedBy(flow.segment(id, options));
      expect(error).toMatchObject({ code: "INVALID_OPTION", message: expect.stringContaining(`Use "flow/${id}".`) });
    }
  });

  it("has to be known if there is no input", async () => {
    const flow = registered(workflow().then(add("a")));
    expect((await errorOf(flow.segment("flow/7"))).code).toBe("UNKNOWN_CHECKPOINT");
  });

  it("is refused with options that segments do not have", async () => {
    const flow = registered(workflow().then(add("a")));
    expect((await errorOf(flow.segment("flow/7", { inputData: 1 } as never))).code).toBe("INVALID_OPTION");
    expect((await errorOf(flow.segment("flow/7", { maxSteps: -1 }))).code).toBe("INVALID_OPTION");
  });
});

it("reads the questions of a saved run without running anything", async () => {
  const store = memoryStore();
  let runs = 0;
  const build = (fails: boolean) =>
    workflow("flow", { durability: "step" })
      .then(asking("ask"))
      .then(
        step("next", ({ inputData }) => {
          runs++;
          if (fails) throw new Error("no");
          return inputData;
        }),
      )
      .commit();
  const flow = build(true);
  new Mastra({ workflows: { flow }, storage: store, logger: false });
  const run = await flow.segment("flow/7", { input: 1 });
  await flow.segment("flow/7", { answers: { [questionIn(run)]: { ok: true } } });
  expect(runs).toBe(1);
  const other = on(store, build(false));
  const error = await errorOf(other.createRun({ runId: "7" }).resume({ resumeData: { ok: true } }));
  expect(error.code).toBe("UNKNOWN_CHECKPOINT");
  expect(runs).toBe(1);
});
