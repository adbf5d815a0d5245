// The same workflows and tools in the real @mastra/core and in kumiko/mastra: status, result, steps and questions are compared.
// Run by ../mastra.test.ts in a Node.js that Mastra accepts. Each difference is listed with its reason.
import * as realCore from "@mastra/core";
import * as realTools from "@mastra/core/tools";
import * as realWorkflows from "@mastra/core/workflows";
import * as ours from "kumiko/mastra";
import { expect, it } from "vitest";
import { z } from "zod";

// the two have types of their own, and the same calls are made of both
type Any = ReturnType<typeof JSON.parse>;
type Kit = Record<"step" | "add" | "asking" | "flow" | "tool" | "kit" | "run", (...args: Any[]) => Any>;

const theirs: Any = { ...realCore, ...realTools, ...realWorkflows };

function kitOf(api: Any): Kit {
  const schemas = { inputSchema: z.any(), outputSchema: z.any() };
  const step = (id: string, execute: Any, more: object = {}) =>
    api.createStep({ id, ...schemas, execute: async (params: Any) => execute(params), ...more });
  return {
    step,
    add: (id: string, amount = 1) => step(id, ({ inputData }: Any) => inputData + amount),
    asking: (id: string) =>
      step(id, ({ inputData, resumeData, suspend }: Any) =>
        resumeData === undefined ? suspend({ ask: inputData }) : { got: resumeData },
      ),
    flow: (more: object = {}) => api.createWorkflow({ id: "flow", ...schemas, ...more }),
    tool: (options: object) => api.createTool(options),
    kit: () => api,
    run: async (workflow: Any) => {
      workflow.commit();
      const storage = api === theirs ? { storage: new (await import("@mastra/core/storage")).InMemoryStore() } : {};
      const mastra = new api.Mastra({ workflows: { workflow }, logger: false, ...storage });
      return mastra.getWorkflow("workflow").createRun();
    },
  };
}

/** What is the same in both: without times, ids, and what only one of them has. */
function seen(result: Any): Any {
  if (result === null || typeof result !== "object" || typeof result.status !== "string") return result;
  const { status, result: value, error, suspended, suspendPayload, steps } = result;
  const { input: _input, ...others } = steps;
  const stepsSeen = Object.entries<Any>(others)
    .filter(([id]) => !id.startsWith("sleep"))
    .map(([id, one]) => [id, { status: one.status, ...(one.status === "success" && { output: one.output }) }]);
  const message = error === undefined ? undefined : { error: String(error.message ?? error) };
  return JSON.parse(
    JSON.stringify({ status, value, ...message, suspended, suspendPayload, steps: Object.fromEntries(stepsSeen) }),
  );
}

type Scenario = (kit: Kit) => Promise<Any>;

const started =
  (build: (kit: Kit) => Any, inputData: Any = 1, more: object = {}): Scenario =>
  async (kit) =>
    seen(await (await kit.run(build(kit))).start({ inputData, ...more }));

const resumed =
  (build: (kit: Kit) => Any, inputData: Any, ...resumes: object[]): Scenario =>
  async (kit) => {
    const run = await kit.run(build(kit));
    const results = [seen(await run.start({ inputData }))];
    for (const resume of resumes) results.push(seen(await run.resume(resume)));
    return results;
  };

const rejects =
  (work: (kit: Kit) => Promise<Any>): Scenario =>
  async (kit) => {
    try {
      await work(kit);
      return "went through";
    } catch {
      return "an error";
    }
  };

const bails = ({ step }: Kit) => step("a", ({ bail }: Any) => bail({ early: 1 }));
const fails = ({ step }: Kit, id = "f") =>
  step(id, () => {
    throw new Error("boom");
  });
const labelled = ({ step }: Kit) =>
  step("s", ({ inputData, resumeData, suspend }: Any) =>
    resumeData === undefined ? suspend({ q: inputData }, { resumeLabel: `label ${inputData}` }) : resumeData,
  );
const inner = (kit: Kit, ...steps: Any[]) => {
  const workflow = kit.kit().createWorkflow({ id: "inner", inputSchema: z.any(), outputSchema: z.any() });
  for (const one of steps) workflow.then(one);
  return workflow.commit();
};
const shaky = ({ step }: Kit, more: object = {}) => {
  let tries = 0;
  return step(
    "shaky",
    () => {
      tries += 1;
      if (tries < 3) throw new Error(`try ${tries}`);
      return tries;
    },
    more,
  );
};
const eventsOf =
  (build: (kit: Kit) => Any): Scenario =>
  async (kit) => {
    const run = await kit.run(build(kit));
    const stream = run.stream({ inputData: 1 });
    const events: string[] = [];
    for await (const { type, payload } of stream.fullStream)
      events.push(`${type} ${payload.id ?? ""} ${payload.status ?? ""}`);
    return [events, (await stream.result).status];
  };

/** The same in both. */
const same: Readonly<Record<string, Scenario>> = {
  "steps in their order": started((k) => k.flow().then(k.add("a")).then(k.add("b"))),
  "steps side by side": started((k) => k.flow().parallel([k.add("a"), k.add("b", 5)])),
  "a step that fails beside another": started((k) => k.flow().parallel([fails(k), k.add("b")])),
  "no branch": started((k) => k.flow().branch([[async () => false, k.add("a")]])),
  "two branches of three": started((k) =>
    k.flow().branch([
      [async () => true, k.add("a")],
      [async () => true, k.add("b", 3)],
      [async () => false, k.add("c")],
    ]),
  ),
  "a condition that throws": started((k) =>
    k.flow().branch([
      [
        async () => {
          throw new Error("no");
        },
        k.add("a"),
      ],
      [async () => true, k.add("b")],
    ]),
  ),
  dowhile: started((k) => k.flow().dowhile(k.add("a"), async ({ inputData }: Any) => inputData < 4)),
  dountil: started((k) => k.flow().dountil(k.add("a"), async ({ iterationCount }: Any) => iterationCount === 3)),
  foreach: started((k) => k.flow().foreach(k.add("a")), [1, 2, 3]),
  "foreach, two at once": started((k) => k.flow().foreach(k.add("a"), { concurrency: 2 }), [1, 2, 3]),
  "foreach of nothing": started((k) => k.flow().foreach(k.add("a")), []),
  "an item that fails": started((k) => k.flow().foreach(fails(k)), [1, 2]),
  "a step that fails": started((k) => k.flow().then(k.add("a")).then(fails(k)).then(k.add("b"))),
  "a step that throws a text": started((k) => k.flow().then(k.step("s", () => Promise.reject("text")))),
  "a mapping function": started((k) =>
    k
      .flow()
      .then(k.add("a"))
      .map(async ({ inputData, getStepResult, getInitData }: Any) => ({
        inputData,
        a: getStepResult("a"),
        none: getStepResult("none"),
        first: getInitData(),
      })),
  ),
  "a mapping record": started(
    (k) => {
      const a = k.step("a", () => ({ n: { v: [5] } }));
      const flow = k.flow();
      return flow.then(a).map({
        deep: { step: a, path: "n.v.0" },
        whole: { step: a, path: "." },
        constant: { value: 3, schema: z.any() },
        first: { initData: flow, path: "k" },
      });
    },
    { k: 1 },
  ),
  "a mapping of the first that ran": started((k) => {
    const [a, b] = [k.add("a"), k.add("b", 10)];
    return k
      .flow()
      .branch([
        [async () => false, a],
        [async () => true, b],
      ])
      .map({ v: { step: [a, b], path: "." } });
  }),
  "a bail": started((k) => k.flow().then(bails(k)).then(k.add("b"))),
  "a bail beside another step": started((k) =>
    k
      .flow()
      .parallel([bails(k), k.add("c")])
      .then(k.step("b", () => "on")),
  ),
  "a bail in a branch": started((k) =>
    k
      .flow()
      .branch([[async () => true, bails(k)]])
      .then(k.step("b", () => "on")),
  ),
  "a bail in a loop": started((k) =>
    k
      .flow()
      .dowhile(bails(k), async () => true)
      .then(k.add("b")),
  ),
  "a bail in an inner workflow": started((k) =>
    k
      .flow()
      .then(inner(k, bails(k), k.add("q")))
      .then(k.step("b", () => "on")),
  ),
  retries: started((k) => k.flow().then(shaky(k, { retries: 3 }))),
  "too few retries": started((k) => k.flow().then(shaky(k, { retries: 1 }))),
  "retryConfig of the workflow": started((k) => k.flow({ retryConfig: { attempts: 5, delay: 1 } }).then(shaky(k))),
  "shared state": started(
    (k) =>
      k
        .flow({ stateSchema: z.any() })
        .then(k.step("a", async ({ setState }: Any) => void (await setState({ n: 1 }))))
        .then(k.step("b", ({ state }: Any) => state)),
    1,
    { initialState: { m: 0 } },
  ),
  "an inner workflow": started((k) =>
    k
      .flow()
      .then(inner(k, k.add("i")))
      .then(k.add("z")),
  ),
  "an inner workflow that fails": started((k) =>
    k
      .flow()
      .then(inner(k, fails(k)))
      .then(k.add("z")),
  ),
  "inner workflows side by side": started((k) => k.flow().parallel([inner(k, k.add("i")), k.add("y")])),
  "a cloned step": started((k) =>
    k
      .flow()
      .then(k.add("a"))
      .then(k.kit().cloneStep(k.add("a", 5), { id: "b" })),
  ),
  "a sleep": started((k) => k.flow().then(k.add("a")).sleep(3).then(k.add("b"))),
  "output that does not fit": started((k) =>
    k.flow().then(k.step("s", () => ({ n: "x" }), { outputSchema: z.object({ n: z.number() }) })),
  ),
  "suspend and resume": resumed((k) => k.flow().then(k.add("a")).then(k.asking("s")), 1, { resumeData: { ok: true } }),
  "suspend and resume in an inner workflow": resumed(
    (k) =>
      k
        .flow()
        .then(inner(k, k.add("i"), k.asking("s")))
        .then(k.step("z", ({ inputData }: Any) => inputData)),
    1,
    { step: ["inner", "s"], resumeData: { ok: true } },
  ),
  "suspend twice": resumed(
    (k) =>
      k
        .flow()
        .then(
          k.step("s", ({ resumeData, suspend }: Any) =>
            resumeData === undefined ? suspend({ first: 1 }) : resumeData.again ? suspend({ second: 2 }) : resumeData,
          ),
        ),
    1,
    { resumeData: { again: true } },
    { resumeData: { last: true } },
  ),
  "suspend side by side": resumed(
    (k) => k.flow().parallel([k.asking("s"), k.asking("t"), k.add("p")]),
    1,
    { step: "s", resumeData: 1 },
    { step: "t", resumeData: 2 },
  ),
  "suspend in a loop": resumed(
    (k) =>
      k.flow().dowhile(
        k.step("l", ({ inputData, resumeData, suspend }: Any) =>
          inputData === 2 && resumeData === undefined ? suspend({ at: 2 }) : inputData + 1,
        ),
        async ({ inputData }: Any) => inputData < 5,
      ),
    1,
    { step: "l", resumeData: { go: 1 } },
  ),
  "suspend with a label": resumed((k) => k.flow().then(labelled(k)), 1, { label: "label 1", resumeData: "x" }),
  "suspend in foreach, by label": resumed(
    (k) => k.flow().foreach(labelled(k), { concurrency: 2 }),
    [1, 2],
    { label: "label 2", resumeData: "b" },
    { label: "label 1", resumeData: "a" },
  ),
  "suspend in foreach, by index": resumed(
    (k) => k.flow().foreach(k.asking("s")),
    [1, 2],
    { step: "s", forEachIndex: 0, resumeData: "a" },
    { step: "s", forEachIndex: 1, resumeData: "b" },
  ),
  "a tool as a step": started(
    (k) =>
      k.flow().then(
        k.kit().createStep(
          k.tool({
            id: "t",
            description: "",
            inputSchema: z.object({ n: z.number() }),
            outputSchema: z.object({ m: z.number() }),
            execute: async ({ n }: Any) => ({ m: n + 1 }),
          }),
        ),
      ),
    { n: 1 },
  ),
  "a tool by hand": async (k) =>
    k
      .tool({
        id: "t",
        description: "",
        inputSchema: z.object({ n: z.number().default(4) }),
        execute: async ({ n }: Any) => n,
      })
      .execute({}, {}),
  "a tool by hand, with input that does not fit": async (k) => {
    const tool = k.tool({ id: "t", description: "", inputSchema: z.object({ n: z.number() }), execute: async () => 1 });
    const { error, message } = await tool.execute({ n: "x" }, {});
    return { error, named: String(message).startsWith("Tool input validation failed for t") };
  },
  "the events of steps": eventsOf((k) =>
    k
      .flow()
      .then(k.add("a"))
      .parallel([k.add("p"), k.add("q")]),
  ),
  "the events of a failure": eventsOf((k) => k.flow().then(fails(k))),
  "the events of a suspended run": eventsOf((k) => k.flow().then(k.asking("s"))),
  "the events of foreach and a loop": eventsOf((k) =>
    k
      .flow()
      .map(async () => [1])
      .foreach(k.add("f"))
      .map(async () => 1)
      .dountil(k.add("l"), async ({ inputData }: Any) => inputData > 2),
  ),
  "a start that does not fit": rejects(async (k) =>
    (await k.run(k.flow({ inputSchema: z.object({ n: z.number() }) }).then(k.add("a")))).start({ inputData: "x" }),
  ),
  "a second resume": rejects(async (k) => {
    const run = await k.run(k.flow().then(k.asking("s")));
    await run.start({ inputData: 1 });
    await run.resume({ resumeData: 1 });
    await run.resume({ resumeData: 1 });
  }),
  "a resume of an unknown step": rejects(async (k) => {
    const run = await k.run(k.flow().then(k.asking("s")));
    await run.start({ inputData: 1 });
    await run.resume({ step: "other", resumeData: 1 });
  }),
  "a resume of one of two, without a name": rejects(async (k) => {
    const run = await k.run(k.flow().parallel([k.asking("s"), k.asking("t")]));
    await run.start({ inputData: 1 });
    await run.resume({ resumeData: 1 });
  }),
  "a run without commit()": rejects(async (k) => (await k.flow().then(k.add("a")).createRun()).start({ inputData: 1 })),
};

/** Where they differ, and why. */
const different: readonly (readonly [name: string, reason: string, scenario: Scenario, theirs: Any, ours: Any])[] = [
  [
    "an id used twice",
    "results are kept by id: the second would hide the first",
    rejects(async (k) => (await k.run(k.flow().then(k.add("a")).then(k.add("a", 10)))).start({ inputData: 1 })),
    "went through",
    "an error",
  ],
  [
    "a path to nowhere at its last part",
    "a mapping that finds nothing fails its step, at every part of the path",
    async (k) => {
      const a = k.step("a", () => ({ x: 1 }));
      return (
        await (
          await k.run(
            k
              .flow()
              .then(a)
              .map({ y: { step: a, path: "z" } }),
          )
        ).start({ inputData: 1 })
      ).status;
    },
    "success",
    "failed",
  ],
  [
    "foreach of what is no list",
    "a list was meant, and nothing would run without a word",
    async (k) => (await (await k.run(k.flow().foreach(k.add("a")))).start({ inputData: 7 })).status,
    "success",
    "failed",
  ],
  [
    "one answer for several items of foreach",
    "an answer belongs to one question: an approval of one payment must not approve five",
    rejects(async (k) => {
      const run = await k.run(k.flow().foreach(k.asking("s"), { concurrency: 2 }));
      await run.start({ inputData: [1, 2] });
      await run.resume({ step: "s", resumeData: "a" });
    }),
    "went through",
    "an error",
  ],
  [
    "code after suspend",
    "suspend is an interrupt and ends the step: nothing runs behind the question",
    async (k) => {
      let after = 0;
      const step = k.step("s", async ({ resumeData, suspend }: Any) => {
        if (resumeData === undefined) {
          await suspend({});
          after += 1;
        }
        return 1;
      });
      await (await k.run(k.flow().then(step))).start({ inputData: 1 });
      return after;
    },
    1,
    0,
  ],
  [
    "the condition of a loop that throws",
    "a run that has begun resolves: its status says how it ended",
    rejects(async (k) => {
      const never = async () => {
        throw new Error("no");
      };
      await (await k.run(k.flow().dountil(k.add("a"), never))).start({ inputData: 1 });
    }),
    "an error",
    "went through",
  ],
  [
    "createRun",
    "the documents call it without await",
    async (k) => k.flow().then(k.add("a")).commit().createRun() instanceof Promise,
    true,
    false,
  ],
];

it("compares at least 40 workflows and tools", () => {
  expect(Object.keys(same).length).toBeGreaterThanOrEqual(40);
});

it.each(Object.entries(same))("is the same in Mastra and here: %s", async (_name, scenario) => {
  expect(await scenario(kitOf(ours))).toEqual(await scenario(kitOf(theirs)));
});

it.each(different)("differs from Mastra: %s, because %s", async (_name, _reason, scenario, there, here) => {
  expect(await scenario(kitOf(theirs))).toEqual(there);
  expect(await scenario(kitOf(ours))).toEqual(here);
});
