import { assistantMessage, functionToolCall, memoryStore, RequestContext as RuntimeContext } from "kumiko";
import { Agent, cloneStep, createStep, createTool, createWorkflow, Mastra } from "kumiko/mastra";
import { scriptedModel } from "kumiko/testing";
import { describe, expect, it, vi } from "vitest";
import { z } from "zod";
import { add, asking, failing, registered, step, workflow } from "./workflows.js";

const shout = createTool({
  id: "shout",
  description: "",
  inputSchema: z.object({ text: z.string() }),
  execute: async ({ text }) => text.toUpperCase(),
});
const rejected = async (work: () => unknown): Promise<unknown> => {
  try {
    await work();
  } catch (error) {
    return error;
  }
  return expect.unreachable("nothing was wrong");
};

const answering = (...answers: string[]) => new Agent({ name: "answering", model: scriptedModel(...answers) });

describe("a workflow", () => {
  it("runs its steps in order, and tells what became of each", async () => {
    const flow = registered(workflow().then(add("a")).then(add("b", 10)));
    const result = await flow.createRun().start({ inputData: 1 });
    expect(result).toMatchObject({
      status: "success",
      result: 12,
      input: 1,
      steps: { a: { status: "success", payload: 1, output: 2 }, b: { status: "success", payload: 2, output: 12 } },
    });
  });

  describe("without a storage of yours", () => {
    const watched = (given: ReturnType<typeof workflow>, more: object = {}) => {
      const mastra = new Mastra({ workflows: { given: given.commit() }, logger: false, ...more });
      const writes = vi.spyOn(mastra.getStorage(), "put");
      return { flow: given, mastra, writes };
    };
    const chain = () => workflow().then(add("a")).then(asking("ask")) as never as ReturnType<typeof workflow>;

    it("is saved once, when it waits", async () => {
      const { flow, writes } = watched(chain());
      const run = flow.createRun();
      expect((await run.start({ inputData: 1 })).status).toBe("suspended");
      expect(writes).toHaveBeenCalledTimes(1);
      expect((await run.resume({ resumeData: { ok: true } })).status).toBe("success");
    });

    it("is not saved where it does not wait, unless others may know the run, or every step is saved", async () => {
      const plain = watched(workflow().then(add("a")) as never);
      await plain.flow.createRun().start({ inputData: 1 });
      expect(plain.writes).not.toHaveBeenCalled();
      await plain.flow.createRun({ runId: "known" }).start({ inputData: 1 });
      expect(plain.writes).toHaveBeenCalledOnce();
      const stepwise = watched(workflow("flow", { durability: "step" }).then(add("a")) as never);
      await stepwise.flow.createRun().start({ inputData: 1 });
      expect(stepwise.writes).toHaveBeenCalled();
    });

    it("is not started twice at the same time", async () => {
      const { flow } = watched(chain());
      const run = flow.createRun();
      const first = run.start({ inputData: 1 });
      expect(await rejected(() => run.start({ inputData: 2 }))).toMatchObject({ code: "CHECKPOINT_IN_USE" });
      expect((await first).status).toBe("suspended");
      expect((await run.resume({ resumeData: { ok: true } })).status).toBe("success");
    });
  });

  it("runs steps side by side, and gives their outputs by their ids", async () => {
    const flow = registered(workflow().parallel([add("a"), add("b", 5)]));
    expect(await flow.createRun().start({ inputData: 1 })).toMatchObject({ status: "success", result: { a: 2, b: 6 } });
  });

  it("lets the siblings of a step that fails come to their end", async () => {
    const flow = registered(
      workflow()
        .parallel([failing("a"), add("b", 5)])
        .then(add("never")),
    );
    const result = await flow.createRun().start({ inputData: 1 });
    expect(result).toMatchObject({ status: "failed", error: { message: "boom" }, steps: { b: { output: 6 } } });
    expect(result.steps).not.toHaveProperty("never");
  });

  it("runs every branch whose condition holds; one that throws does not hold", async () => {
    const flow = registered(
      workflow().branch([
        [async () => true, add("a")],
        [async ({ inputData }) => inputData === 1, add("b", 3)],
        [
          async () => {
            throw new Error("no");
          },
          add("c"),
        ],
      ]),
    );
    const result = await flow.createRun().start({ inputData: 1 });
    expect(result).toMatchObject({ status: "success", result: { a: 2, b: 4 } });
    const none = registered(workflow().branch([[async () => false, add("a")]]));
    expect(await none.createRun().start({ inputData: 1 })).toMatchObject({ status: "success", result: {} });
  });

  it("repeats a step, the step first, with turns counted from 1", async () => {
    const counts: number[] = [];
    const flow = registered(
      workflow().dowhile(add("a"), async ({ inputData, iterationCount }) => {
        counts.push(iterationCount);
        return inputData < 4;
      }),
    );
    expect(await flow.createRun().start({ inputData: 1 })).toMatchObject({ status: "success", result: 4 });
    expect(counts).toEqual([1, 2, 3]);
    const until = registered(workflow().dountil(add("a"), async ({ inputData }) => inputData >= 3));
    expect(await until.createRun().start({ inputData: 1 })).toMatchObject({ status: "success", result: 3 });
  });

  it("runs a step once per item, one after the other, in order", async () => {
    const order: string[] = [];
    const item = step("item", async ({ inputData }) => {
      order.push(`start ${inputData}`);
      await undefined;
      order.push(`end ${inputData}`);
      return inputData * 2;
    });
    const flow = registered(workflow().foreach(item));
    expect(await flow.createRun().start({ inputData: [1, 2] })).toMatchObject({ status: "success", result: [2, 4] });
    expect(order).toEqual(["start 1", "end 1", "start 2", "end 2"]);
  });

  it("runs so many items at once as concurrency says, and no more", async () => {
    let running = 0;
    let most = 0;
    const item = step("item", async ({ inputData }) => {
      most = Math.max(most, ++running);
      await new Promise((resolve) => setImmediate(resolve));
      running -= 1;
      return inputData;
    });
    const flow = registered(workflow().foreach(item, { concurrency: 3 }));
    const result = await flow.createRun().start({ inputData: [1, 2, 3, 4, 5, 6, 7] });
    expect(result).toMatchObject({ status: "success", result: [1, 2, 3, 4, 5, 6, 7] });
    expect(most).toBe(3);
  });

  it("tries a step again as often as its retries say", async () => {
    let tries = 0;
    const shaky = step(
      "shaky",
      ({ retryCount }) => {
        tries += 1;
        if (tries < 3) throw new Error(`try ${tries}`);
        return retryCount;
      },
      { retries: 2 },
    );
    expect(await registered(workflow().then(shaky)).createRun().start()).toMatchObject({
      status: "success",
      result: 2,
    });
    tries = -1;
    const failed = await registered(workflow().then(cloneStep(shaky, { id: "again" })))
      .createRun()
      .start();
    expect(failed).toMatchObject({ status: "failed", error: { message: "try 2" } });
  });

  it("fills the fields of a mapping from everywhere", async () => {
    const first = step("first", () => ({ nested: { list: [5] }, text: "t" }));
    const flow = workflow();
    flow.then(first).map({
      deep: { step: first, path: "nested.list.0" },
      whole: { step: first, path: "." },
      constant: { value: 42, schema: z.number() },
      start: { initData: flow, path: "k" },
      user: { runtimeContextPath: "user.name", schema: z.string() },
      made: { fn: async ({ inputData }) => inputData, schema: z.any() },
    });
    const runtimeContext = new RuntimeContext([["user", { name: "Ada" }]]);
    const result = await registered(flow)
      .createRun()
      .start({ inputData: { k: 1 }, runtimeContext });
    const output = { nested: { list: [5] }, text: "t" };
    expect(result).toMatchObject({
      status: "success",
      result: { deep: 5, whole: output, constant: 42, start: 1, user: "Ada", made: output },
    });
  });

  it("takes the first of a list of steps that ran", async () => {
    const a = add("a");
    const b = add("b", 10);
    const flow = workflow()
      .branch([
        [async () => false, a],
        [async () => true, b],
      ])
      .map({ value: { step: [a, b], path: "." } });
    expect(await registered(flow).createRun().start({ inputData: 1 })).toMatchObject({ result: { value: 11 } });
  });

  it("ends early with what a step bails with", async () => {
    const flow = registered(
      workflow()
        .then(step("a", ({ bail }) => bail({ early: true })))
        .parallel([failing("b")])
        .branch([[async () => true, failing("c")]])
        .foreach(failing("d"))
        .dowhile(failing("e"), async () => true)
        .sleep(1_000_000)
        .map({ f: { step: "a", path: "nowhere" } }),
    );
    const result = await flow.createRun().start({ inputData: 1 });
    expect(result).toMatchObject({ status: "success", result: { early: true } });
    expect(Object.keys(result.steps)).toEqual(["a"]);
  });

  it("shares values between its steps and those of inner workflows", async () => {
    const inner = workflow("inner")
      .then(step("x", async ({ state, setState }) => setState({ n: state.m + 1 })))
      .commit();
    const flow = registered(
      workflow()
        .then(inner)
        .then(step("y", ({ state }) => state)),
    );
    const result = await flow.createRun().start({ inputData: 1, initialState: { m: 3 } });
    expect(result).toMatchObject({ result: { m: 3, n: 4 }, state: { m: 3, n: 4 } });
  });

  it("checks outputs only when it is told to", async () => {
    const wrong = () =>
      createStep({ id: "wrong", outputSchema: z.object({ n: z.number() }), execute: () => ({ n: "x" }) as never });
    expect(await registered(workflow().then(wrong())).createRun().start()).toMatchObject({ status: "success" });
    const strict = registered(workflow("strict", { validateOutputs: true }).then(wrong()));
    const result = await strict.createRun().start();
    expect(result).toMatchObject({ status: "failed", error: { code: "VALIDATION" } });
    expect(result.status === "failed" && result.error.message).toMatch(/"wrong" of workflow "strict".*n:/);
  });

  it("has agents, tools and workflows as steps", async () => {
    const tool = createTool({
      id: "double",
      description: "",
      inputSchema: z.object({ n: z.number() }),
      outputSchema: z.object({ n: z.number() }),
      execute: async ({ context, mastra }, { workflow: run }) => {
        mastra.getLogger().debug(String(run?.workflowId));
        return { n: context.n * 2 };
      },
    });
    const model = scriptedModel((messages) => assistantMessage(`${messages.length} messages`));
    const agent = new Agent({ name: "my agent", model });
    const flow = workflow()
      .then(createStep(tool))
      .map(async ({ inputData }) => ({ prompt: `What is ${inputData.n}?` }))
      .then(createStep(agent));
    const result = await registered(flow)
      .createRun()
      .start({ inputData: { n: 2 } });
    expect(result).toMatchObject({
      status: "success",
      result: { text: "1 messages" },
      steps: { double: { output: { n: 4 } } },
    });
  });

  it("gives tools an input that is plain, whatever can be destructured from it", async () => {
    const own = createTool({
      id: "own",
      description: "",
      inputSchema: z.object({ n: z.number(), mastra: z.string().optional() }),
      execute: async (input) => ({
        input,
        mastra: input.mastra,
        copy: { ...input },
        text: `${JSON.stringify(input)} ${input}`,
      }),
    });
    const text = '{"n":1,"mastra":"mine"} [object Object]';
    const input = { n: 1, mastra: "mine" };
    expect(await own.execute(input)).toEqual({ input, mastra: "mine", copy: input, text });
    const flow = registered(workflow("keeps", { durability: "step" }).then(createStep(own)).then(asking("ask")));
    const run = flow.createRun();
    expect(await run.start({ inputData: input })).toMatchObject({ status: "suspended" });
    const result = await run.resume({ resumeData: { ok: true } });
    expect(result.steps.own?.output).toEqual({ input, mastra: "mine", copy: input, text });
  });

  it("keeps a field that is called __proto__ a field, and gives each direct call a signal of its own", async () => {
    const tool = createTool({
      id: "fields",
      description: "",
      inputSchema: { type: "object" } as never,
      execute: async (input: Record<string, unknown>, { abortSignal }) => ({
        keys: Object.keys(input),
        isPlain: Object.getPrototypeOf(input) === Object.prototype,
        signals: [abortSignal, input.abortSignal],
      }),
    });
    const given = new AbortController().signal;
    const input = JSON.parse('{"n":1,"__proto__":{"isAdmin":true}}');
    const [first, second, third] = await Promise.all([
      tool.execute(input),
      tool.execute(input),
      tool.execute(input, { abortSignal: given }),
    ]);
    expect(first).toMatchObject({ isPlain: true, signals: [expect.any(AbortSignal), first?.signals[0]] });
    expect(first?.keys).toEqual(["n", "__proto__"]);
    expect(first?.signals[0]).not.toBe(second?.signals[0]);
    expect(third?.signals).toEqual([given, given]);
  });

  it("runs with input that is no data, where nothing has to be saved", async () => {
    const flow = registered(workflow().then(step("call", ({ inputData }) => inputData.run())));
    const result = await flow.createRun().start({ inputData: { run: () => 5 } });
    expect(result).toMatchObject({ status: "success", result: 5 });
    const waits = registered(workflow("waits").then(asking("ask")));
    const stuck = await waits.createRun().start({ inputData: { run: () => 5 } });
    expect(stuck).toMatchObject({ status: "failed", error: { code: "NOT_SERIALIZABLE" } });
  });

  it("becomes a graph whose nodes are its steps", () => {
    const flow = workflow()
      .then(add("a"))
      .parallel([add("b"), add("c/d")])
      .commit();
    const { nodes } = flow.graph.graphInfo();
    expect(nodes.map(({ key }) => key)).toEqual(expect.arrayContaining(["a", "b", "c%2Fd"]));
    expect(flow.graph.toMermaid()).toContain("a");
  });
});

describe("a run that waits", () => {
  it("goes on in another run of the same id, with only its id known", async () => {
    let runs = 0;
    const flow = registered(
      workflow()
        .then(
          step("once", ({ inputData }) => {
            runs += 1;
            return inputData;
          }),
        )
        .then(asking("ask")),
    );
    const result = await flow.createRun({ runId: "r-1" }).start({ inputData: 7 });
    expect(result).toMatchObject({ status: "suspended", suspended: [["ask"]], suspendPayload: { ask: { ask: 7 } } });
    const resumed = await flow.createRun({ runId: "r-1" }).resume({ resumeData: { ok: true } });
    expect(resumed).toMatchObject({ status: "success", result: { got: { ok: true } }, steps: { once: { output: 7 } } });
    expect(runs).toBe(1);
  });

  it("goes on in a process that has built the same workflow anew", async () => {
    const storage = memoryStore();
    const build = () => registered(workflow().then(add("a")).then(asking("ask")), { storage });
    await build().createRun({ runId: "r" }).start({ inputData: 1 });
    const result = await build()
      .createRun({ runId: "r" })
      .resume({ step: "ask", resumeData: { ok: false } });
    expect(result).toMatchObject({ status: "success", steps: { a: { output: 2 } } });
  });

  it("goes on in the turn of a loop where it stopped; the next turn is fresh", async () => {
    const answers: unknown[] = [];
    const turn = step("turn", ({ inputData, resumeData, suspend }) => {
      answers.push([inputData, resumeData]);
      return inputData === 3 && resumeData === undefined ? suspend({ at: 3 }) : inputData + 1;
    });
    const flow = registered(workflow().dowhile(turn, async ({ inputData }) => inputData < 5));
    const run = flow.createRun();
    expect(await run.start({ inputData: 1 })).toMatchObject({
      status: "suspended",
      suspendPayload: { turn: { at: 3 } },
    });
    expect(await run.resume({ resumeData: "go" })).toMatchObject({ status: "success", result: 5 });
    expect(answers).toEqual([
      [1, undefined],
      [2, undefined],
      [3, undefined],
      [3, "go"],
      [4, undefined],
    ]);
  });

  it("waits in several places, and says which", async () => {
    const flow = registered(workflow().parallel([asking("a"), asking("b"), add("c")]));
    const run = flow.createRun();
    expect(await run.start({ inputData: 1 })).toMatchObject({ suspended: [["a"], ["b"]] });
    await expect(run.resume({ resumeData: { ok: true } })).rejects.toMatchObject({ code: "AMBIGUOUS_INTERRUPT" });
    const first = await run.resume({ step: "a", resumeData: { ok: true } });
    expect(first).toMatchObject({ status: "suspended", suspended: [["b"]] });
    const second = await run.resume({ resumeData: { ok: false } });
    expect(second).toMatchObject({ result: { a: { got: { ok: true } }, b: { got: { ok: false } }, c: 2 } });
  });

  it("asks for each item of a list, and runs none of them twice", async () => {
    const seen: unknown[] = [];
    const item = step("item", ({ inputData, resumeData, suspend }) => {
      seen.push([inputData, resumeData]);
      return resumeData ?? suspend({ item: inputData });
    });
    const flow = registered(workflow().foreach(item));
    const run = flow.createRun();
    expect(await run.start({ inputData: ["x", "y"] })).toMatchObject({ suspended: [["item"]] });
    await expect(run.resume({ resumeData: 0 })).rejects.toMatchObject({ code: "AMBIGUOUS_INTERRUPT" });
    const one = await run.resume({ step: "item", forEachIndex: 1, resumeData: "Y" });
    expect(one).toMatchObject({ status: "suspended", suspendPayload: { item: { item: "x" } } });
    expect(await run.resume({ resumeData: "X" })).toMatchObject({ status: "success", result: ["X", "Y"] });
    expect(seen).toEqual([
      ["x", undefined],
      ["y", undefined],
      ["y", "Y"],
      ["x", "X"],
    ]);
  });

  it.each([1, 5])("takes one answer for one item, with a concurrency of %i", async (concurrency) => {
    const approved: unknown[] = [];
    const item = step("item", ({ inputData, resumeData, suspend }) => {
      if (resumeData !== undefined) approved.push(inputData);
      return resumeData ?? suspend({ item: inputData });
    });
    const run = registered(workflow().foreach(item, { concurrency })).createRun();
    await run.start({ inputData: ["x", "y", "z"] });
    for (const request of [{}, { step: "item" }, { step: item }]) {
      const error = await rejected(() => run.resume({ ...request, resumeData: { ok: true } }));
      expect(error).toMatchObject({ code: "AMBIGUOUS_INTERRUPT", message: expect.stringContaining("forEachIndex") });
    }
    expect(approved).toEqual([]);
    await run.resume({ step: "item", forEachIndex: 2, resumeData: { ok: true } });
    expect(approved).toEqual(["z"]);
  });

  it("is found by the label of its question, also by another process", async () => {
    const item = step("item", ({ inputData, resumeData, suspend }) =>
      resumeData === undefined
        ? suspend({}, { resumeLabel: [inputData, `the ${inputData}`] })
        : `${inputData}: ${resumeData}`,
    );
    const flow = registered(workflow().foreach(item, { concurrency: 2 }));
    const run = flow.createRun();
    await run.start({ inputData: ["x", "y"] });
    const again = flow.createRun({ runId: run.runId });
    expect(await rejected(() => again.resume({ label: "z", resumeData: 1 }))).toMatchObject({
      code: "UNKNOWN_INTERRUPT",
      message: expect.stringContaining('Labels: "x", "the x", "y", "the y"'),
    });
    expect(await again.resume({ label: "the y", resumeData: 2 })).toMatchObject({ status: "suspended" });
    expect(await again.resume({ label: "x", resumeData: 1 })).toMatchObject({ result: ["x: 1", "y: 2"] });
  });

  it("fails where two questions have the label, and with a label that is not one", async () => {
    const same = step("same", ({ resumeData, suspend }) => resumeData ?? suspend({}, { resumeLabel: "here" }));
    const run = registered(workflow().parallel([same, cloneStep(same, { id: "other" })])).createRun();
    await run.start({ inputData: {} });
    expect(await rejected(() => run.resume({ label: "here", resumeData: 1 }))).toMatchObject({
      code: "AMBIGUOUS_INTERRUPT",
    });
    expect(await run.resume({ label: "here", step: "other", resumeData: 1 })).toMatchObject({ status: "suspended" });
    for (const options of [{ label: "here" }, { resumeLabel: "" }, { resumeLabel: [5] }, "here"]) {
      const odd = step("odd", ({ suspend }) => suspend({}, options as never));
      const result = await registered(workflow().then(odd)).createRun().start({ inputData: {} });
      expect(result).toMatchObject({ status: "failed", error: { code: "INVALID_OPTION" } });
      expect(result.status === "failed" && result.error.message).toContain('suspend of step "odd"');
    }
  });

  it("waits inside an inner workflow, also one per item", async () => {
    const inner = workflow("inner").then(add("i", 10)).then(asking("ask")).commit();
    const flow = registered(workflow().foreach(inner));
    const run = flow.createRun();
    const waiting = await run.start({ inputData: [1, 2] });
    expect(waiting).toMatchObject({ suspended: [["inner", "ask"]], suspendPayload: { inner: { ask: 11 } } });
    const one = await run.resume({ step: ["inner", "ask"], forEachIndex: 0, resumeData: { ok: true } });
    expect(one).toMatchObject({ status: "suspended", suspendPayload: { inner: { ask: 12 } } });
    const done = await run.resume({ step: inner, resumeData: { ok: false } });
    expect(done).toMatchObject({ result: [{ got: { ok: true } }, { got: { ok: false } }] });
  });

  it("waits where an agent in it does", async () => {
    const pay = createTool({
      id: "pay",
      description: "",
      inputSchema: z.object({}),
      requireApproval: true,
      execute: async () => "paid",
    });
    const call = assistantMessage(functionToolCall({ callId: "1", name: "pay", arguments: "{}" }));
    const agent = new Agent({ name: "payer", model: scriptedModel(call, "All paid."), tools: { pay } });
    const flow = registered(workflow().then(createStep(agent)));
    const run = flow.createRun();
    const waiting = await run.start({ inputData: { prompt: "Pay!" } });
    expect(waiting).toMatchObject({ suspended: [["payer"]], suspendPayload: { payer: { kind: "tool_approval" } } });
    expect(await run.resume({ resumeData: { approved: true } })).toMatchObject({ result: { text: "All paid." } });
  });

  it("needs approval for a tool step that asks for it", async () => {
    const pay = createTool({
      id: "pay",
      description: "",
      inputSchema: z.object({ n: z.number() }),
      requireApproval: true,
      execute: async ({ n }) => ({ paid: n }),
    });
    const flow = registered(workflow().then(createStep(pay)));
    const run = flow.createRun();
    expect(await run.start({ inputData: { n: 1 } })).toMatchObject({ status: "suspended" });
    expect(await run.resume({ resumeData: { approved: true } })).toMatchObject({ result: { paid: 1 } });
    const other = flow.createRun();
    await other.start({ inputData: { n: 1 } });
    const denied = await other.resume({ resumeData: { approved: false, reason: "too much" } });
    expect(denied).toMatchObject({ status: "failed", error: { message: expect.stringContaining("too much") } });
  });

  it("stops even where the step swallows that", async () => {
    const swallowing = step("s", async ({ suspend, resumeData }) => {
      if (resumeData === undefined) await suspend({}).catch(() => undefined);
      return resumeData ?? "went on";
    });
    const run = registered(workflow().then(swallowing)).createRun();
    expect(await run.start({ inputData: 1 })).toMatchObject({ status: "suspended" });
    expect(await run.resume({ resumeData: "answer" })).toMatchObject({ result: "answer" });
  });

  it("shows a step what it was suspended with, each time", async () => {
    const seen: unknown[] = [];
    const twice = step("twice", ({ resumeData, suspend, suspendData }) => {
      seen.push(suspendData);
      if (resumeData === undefined) return suspend({ first: 1 });
      return resumeData.again ? suspend({ second: 2 }) : resumeData;
    });
    const run = registered(workflow().then(twice)).createRun();
    await run.start({ inputData: 1 });
    expect(await run.resume({ resumeData: { again: true } })).toMatchObject({
      suspendPayload: { twice: { second: 2 } },
    });
    expect(await run.resume({ resumeData: { last: true } })).toMatchObject({ result: { last: true } });
    expect(seen).toEqual([undefined, { first: 1 }, { second: 2 }]);
  });
});

describe("a run that is watched or canceled", () => {
  it("has its status where the events of its stream end", async () => {
    const cases = { success: add("a"), failed: failing("a"), suspended: asking("a") };
    for (const [status, only] of Object.entries(cases)) {
      const flow = registered(workflow().then(only as never) as never as ReturnType<typeof workflow>);
      const stream = flow.createRun().stream({ inputData: 1 });
      for await (const _event of stream.fullStream);
      expect(stream.status).toBe(status);
    }
  });

  it("tells of its steps in order, to readers and watchers", async () => {
    const flow = registered(
      workflow()
        .then(add("a"))
        .then(step("w", async ({ writer }) => writer.write({ percent: 50 }))),
    );
    const run = flow.createRun();
    const watched: string[] = [];
    const leave = run.watch(({ type }) => void watched.push(type));
    const stream = run.stream({ inputData: 1 });
    const read: string[] = [];
    for await (const { type, payload } of stream.fullStream) read.push(`${type} ${payload.id ?? ""}`.trim());
    leave();
    expect(read).toEqual([
      "workflow-start",
      "workflow-step-start a",
      "workflow-step-result a",
      "workflow-step-start w",
      "workflow-step-output w",
      "workflow-step-result w",
      "workflow-finish",
    ]);
    expect(watched).toHaveLength(read.length);
    expect((await stream.result).status).toBe("success");
    expect(stream.status).toBe("success");
  });

  it("ends as canceled, also when a step ignores its signal", async () => {
    const flow = registered(workflow().then(step("s", () => new Promise(() => undefined))));
    const run = flow.createRun();
    const started = run.start({ inputData: 1 });
    await new Promise((resolve) => setImmediate(resolve));
    await run.cancel();
    expect(await started).toMatchObject({ status: "canceled", steps: { s: { status: "running" } } });
    const controller = new AbortController();
    const other = flow.createRun().start({ inputData: 1, abortSignal: controller.signal });
    controller.abort();
    expect(await other).toMatchObject({ status: "canceled" });
  });

  it("cannot be resumed once it was canceled while it waited", async () => {
    const run = registered(workflow().then(asking("ask"))).createRun();
    await run.start({ inputData: 1 });
    await run.cancel();
    await expect(run.resume({ resumeData: { ok: true } })).rejects.toMatchObject({ code: "UNKNOWN_CHECKPOINT" });
  });

  it("leaves nothing in its store when it ends, fails or is canceled", async () => {
    const storage = memoryStore();
    await registered(workflow("good").then(add("a")), { storage })
      .createRun()
      .start({ inputData: 1 });
    await registered(workflow("bad").then(failing("a")), { storage })
      .createRun()
      .start({ inputData: 1 });
    const run = registered(workflow("waiting").then(asking("a")), { storage }).createRun();
    await run.start({ inputData: 1 });
    await run.cancel();
    const left: string[] = [];
    for await (const id of storage.list("")) left.push(id);
    expect(left).toEqual([]);
  });
});

describe("bad input", () => {
  it.each([
    ["a run without commit()", () => workflow().then(add("a")).createRun(), "INVALID_CHAIN", /"flow".*commit/],
    ["a workflow without steps", () => workflow().commit(), "EMPTY_GRAPH", /"flow"/],
    ["an id used twice", () => workflow().then(add("a")).then(add("a")), "DUPLICATE_NODE", /"flow".*"a"/],
    ["an id used twice side by side", () => workflow().parallel([add("a"), add("a")]), "DUPLICATE_NODE", /"a"/],
    [
      "a mapping of a step that is not there",
      () =>
        workflow()
          .then(add("a"))
          .map({ x: { step: add("other"), path: "." } })
          .commit(),
      "UNKNOWN_NODE",
      /"x".*"other"/,
    ],
    ["a mapping from nowhere", () => workflow().map({ x: {} as never }), "INVALID_NODE", /"x"/],
    [
      "an unknown option",
      () => createWorkflow({ id: "w", step: [] } as never),
      "INVALID_OPTION",
      /"step".*createWorkflow/,
    ],
    [
      "an unknown option of a step",
      () => createStep({ id: "s", run: 1, execute: async () => 1 } as never),
      "INVALID_OPTION",
      /"run"/,
    ],
    [
      "an unknown option of a run",
      () =>
        workflow()
          .then(add("a"))
          .commit()
          .createRun({ runIdd: "x" } as never),
      "INVALID_OPTION",
      /"runIdd" of createRun of workflow "flow"/,
    ],
    ["an unknown option of .map", () => workflow().map({}, { name: "m" } as never), "INVALID_OPTION", /"name" of .map/],
    [
      "an unknown option of .foreach",
      () => workflow().foreach(add("a"), { concurency: 2 } as never),
      "INVALID_OPTION",
      /"concurency" of .foreach/,
    ],
    [
      "an unknown field of a mapping",
      () => workflow().map({ x: { value: 1, path: "." } as never }),
      "INVALID_OPTION",
      /"path" of "x" in .map/,
    ],
    ["a third part of a branch", () => workflow().branch([[() => true, add("a"), 1] as never]), "INVALID_NODE", /pair/],
    [
      "another option of cloneStep",
      () => cloneStep(add("a"), { id: "b", retries: 2 } as never),
      "INVALID_OPTION",
      /"retries"/,
    ],
    [
      "options of a function",
      () => createStep({ id: "s", execute: () => 1 } as never, { retries: 1 } as never),
      "INVALID_NODE",
      /agent or a tool/,
    ],
    [
      "options of a workflow",
      () => createStep(workflow().then(add("a")).commit() as never, { id: "b" } as never),
      "INVALID_NODE",
      /agent or a tool/,
    ],
    [
      "an option of a tool as a step",
      () => createStep(shout, { retrys: 1 } as never),
      "INVALID_OPTION",
      /"retrys" of createStep of tool "shout"/,
    ],
    [
      "an option of an agent as a step",
      () => createStep(answering("x"), { instructions: "x" } as never),
      "INVALID_OPTION",
      /"instructions" of createStep of agent "answering"/,
    ],
    [
      "an option of structured output",
      () => createStep(answering("x"), { structuredOutput: { schema: z.any(), model: "x" } } as never),
      "INVALID_OPTION",
      /"model" of structuredOutput/,
    ],
    [
      "structured output without a schema",
      () => createStep(answering("x"), { structuredOutput: {} } as never),
      "INVALID_OPTION",
      /schema of structuredOutput/,
    ],
    [
      "a middleware with another field",
      () => new Mastra({ server: { middleware: { path: "/a", method: "GET", handler: () => 1 } as never } }),
      "INVALID_OPTION",
      /"method" of server.middleware\[0\]/,
    ],
    [
      "an argument that Mastra has and this package does not",
      () =>
        workflow()
          .then(add("a"))
          .commit()
          .createRun()
          .watch(() => {}, "watch" as never),
      "INVALID_OPTION",
      /watch of workflow "flow" takes no further argument \(got "watch"\)/,
    ],
    [
      "a version of an agent",
      () => new Mastra().getAgentById("a", { versionId: "1" } as never),
      "INVALID_OPTION",
      /getAgentById takes no further argument/,
    ],
    ["no step", () => workflow().then({} as never), "INVALID_NODE", /\.then of workflow "flow"/],
    ["no condition", () => workflow().dowhile(add("a"), undefined as never), "INVALID_NODE", /dowhile/],
    ["no concurrency", () => workflow().foreach(add("a"), { concurrency: 0 }), "INVALID_OPTION", /concurrency/],
  ])("%s is an error that says where", async (_what, work, code, message) => {
    const error = await rejected(work);
    expect(error).toMatchObject({ code });
    expect((error as Error).message).toMatch(message);
  });

  const both = { runtimeContext: new RuntimeContext(), requestContext: new RuntimeContext() };

  it("of a start rejects, and nothing has run", async () => {
    let runs = 0;
    const flow = registered(workflow("w", { inputSchema: z.object({ n: z.number() }) }).then(step("s", () => runs++)));
    const misfit = await rejected(() => flow.createRun().start({ inputData: { n: "x" } }));
    expect(misfit).toMatchObject({ code: "VALIDATION", message: expect.stringMatching(/input of workflow "w".*n:/) });
    const pair = await rejected(() => flow.createRun().start({ inputData: { n: 1 }, ...both }));
    expect(pair).toMatchObject({ code: "INVALID_OPTION", message: expect.stringContaining("both") });
    expect(await rejected(() => flow.createRun().start({ input: 1 } as never))).toMatchObject({
      code: "INVALID_OPTION",
    });
    expect(runs).toBe(0);
  });

  it("of a step fails the step, and names it with its field", async () => {
    const strict = createStep({ id: "strict", inputSchema: z.object({ n: z.number() }), execute: async () => 1 });
    const result = await registered(workflow("w").then(strict))
      .createRun()
      .start({ inputData: { n: "x" } });
    expect(result).toMatchObject({
      status: "failed",
      steps: { strict: { status: "failed" } },
      error: { code: "VALIDATION" },
    });
    expect(result.status === "failed" && result.error.message).toMatch(/step "strict" of workflow "w".*n:/);
  });

  it("a path to nowhere fails the step that maps", async () => {
    const a = step("a", () => ({ x: 1 }));
    const result = await registered(
      workflow("w")
        .then(a)
        .map({ y: { step: a, path: "x.z" } }),
    )
      .createRun()
      .start();
    expect(result).toMatchObject({ status: "failed", error: { code: "VALIDATION" } });
    expect(result.status === "failed" && result.error.message).toMatch(/workflow "w".*"y".*"a".*"x\.z"/);
  });

  it("no list for .foreach fails the step", async () => {
    const result = await registered(workflow("w").foreach(add("a")))
      .createRun()
      .start({ inputData: 7 });
    expect(result).toMatchObject({ status: "failed", error: { message: expect.stringMatching(/"a".*"w".*array/) } });
  });

  it("of a resume rejects, and the question stays open", async () => {
    const run = registered(workflow("w").then(asking("ask"))).createRun();
    await run.start({ inputData: 1 });
    const misfit = await rejected(() => run.resume({ resumeData: { ok: "yes" } }));
    expect(misfit).toMatchObject({ code: "ANSWER_MISMATCH", message: expect.stringMatching(/"ask".*"w".*ok:/) });
    const unknown = await rejected(() => run.resume({ step: "other", resumeData: { ok: true } }));
    expect(unknown).toMatchObject({ code: "UNKNOWN_INTERRUPT", message: expect.stringMatching(/"other".*"ask"/) });
    expect(await rejected(() => run.resume({ resumeData: { ok: true }, ...both }))).toMatchObject({
      code: "INVALID_OPTION",
    });
    expect(await run.resume({ resumeData: { ok: true } })).toMatchObject({ status: "success" });
    expect(await rejected(() => run.resume({ resumeData: { ok: true } }))).toMatchObject({
      code: "UNKNOWN_CHECKPOINT",
    });
  });

  it("both of a pair is an error for agents too", async () => {
    const agent = new Agent({ name: "a", model: scriptedModel("Hi.") });
    expect(await rejected(() => agent.generate("x", both))).toMatchObject({ code: "INVALID_OPTION" });
    expect(await rejected(() => agent.stream("x", both))).toMatchObject({ code: "INVALID_OPTION" });
  });
});

describe("options of an agent or a tool as a step", () => {
  const count = z.object({ n: z.number() });
  const prompt = { inputData: { prompt: "How many?" } };

  it("structuredOutput gives the object of the answer", async () => {
    const flow = registered(workflow().then(createStep(answering('{"n":3}'), { structuredOutput: { schema: count } })));
    expect(await flow.createRun().start(prompt)).toMatchObject({ status: "success", result: { n: 3 } });
  });

  it("structuredOutput of an agent that is registered later still uses its Mastra", async () => {
    const seen: unknown[] = [];
    const agent = new Agent({
      name: "answering",
      instructions: ({ mastra }) => {
        seen.push(mastra.getAgent("agent").name);
        return "Count.";
      },
      model: scriptedModel('{"n":3}'),
    });
    const flow = workflow()
      .then(createStep(agent, { structuredOutput: { schema: count } }))
      .commit();
    const mastra = new Mastra({ agents: { agent }, workflows: { flow } });
    expect(await mastra.getWorkflow("flow").createRun().start(prompt)).toMatchObject({ result: { n: 3 } });
    expect(seen).toEqual(["answering"]);
  });

  it("an answer that does not fit fails the step", async () => {
    const agent = new Agent({ name: "answering", model: scriptedModel("many"), outputRepairs: 0 });
    const flow = registered(workflow().then(createStep(agent, { structuredOutput: { schema: count } })));
    expect(await flow.createRun().start(prompt)).toMatchObject({ status: "failed" });
  });

  it("modelOptions and maxSteps are those of the call", async () => {
    const model = scriptedModel("3");
    const agent = new Agent({ name: "answering", model });
    const options = { modelOptions: { temperature: 0.5 }, maxSteps: 3 };
    await registered(workflow().then(createStep(agent, options)))
      .createRun()
      .start(prompt);
    expect(model.calls[0]?.options).toMatchObject({ temperature: 0.5 });
  });

  it("retries tries an agent or a tool again", async () => {
    let calls = 0;
    const shaky = createTool({
      id: "shaky",
      description: "",
      execute: async () => {
        calls += 1;
        if (calls < 3) throw new Error("no");
        return calls;
      },
    });
    const flow = registered(workflow().then(createStep(shaky, { retries: 2 })));
    expect(await flow.createRun().start({ inputData: {} })).toMatchObject({ status: "success", result: 3 });
  });
});

describe("what a function of a step is given", () => {
  it("setState with something else than an object fails the step", async () => {
    const odd = step("odd", ({ setState }) => setState("x" as never));
    const result = await registered(workflow().then(odd)).createRun().start({ inputData: {} });
    expect(result.status === "failed" && result.error.message).toMatch(/setState takes an object/);
  });

  it("the schema of a mapping checks constants and the results of functions", async () => {
    for (const source of [{ value: "x" }, { fn: async () => "x" }]) {
      const flow = workflow().map({ n: { ...source, schema: z.number() } as never });
      const result = await registered(flow).createRun().start({ inputData: {} });
      expect(result).toMatchObject({ status: "failed", error: { code: "VALIDATION" } });
    }
  });

  it("a label for suspend in a tool that a model calls is an error for the model", async () => {
    const asks = createTool({
      id: "asks",
      description: "",
      execute: async (_, { suspend }) => (suspend as (...given: unknown[]) => unknown)({}, { resumeLabel: "here" }),
    });
    const call = assistantMessage(functionToolCall({ callId: "1", name: "asks", arguments: "{}" }));
    const agent = new Agent({ name: "asking", model: scriptedModel(call, "done"), tools: { asks } });
    const { messages } = await agent.generate("x");
    expect(JSON.stringify(messages)).toContain("resumeLabel, which only steps of a workflow have");
  });
});

it("has steps with any id, also those of a graph", async () => {
  const ids = ["start", "end", "a/b", "100%"];
  const flow = ids.reduce((before, id) => before.then(add(id)), workflow() as never as ReturnType<typeof workflow>);
  const result = await registered(flow.then(asking("input")).foreach(asking("%65nd") as never))
    .createRun()
    .start({ inputData: 1 });
  expect(result).toMatchObject({ status: "suspended", suspended: [["input"]] });
  expect(Object.keys(result.steps)).toEqual([...ids, "input"]);
  const list = await registered(workflow().foreach(asking("end")))
    .createRun()
    .start({ inputData: [1] });
  expect(list).toMatchObject({ status: "suspended", suspended: [["end"]] });
});
