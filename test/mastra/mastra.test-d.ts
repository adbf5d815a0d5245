import type { DurableApp, SavedRun } from "kumiko/compose";
import {
  type Agent,
  createStep,
  createTool,
  createWorkflow,
  type Step,
  type Workflow,
  type WorkflowResult,
} from "kumiko/mastra";
import { describe, expectTypeOf, it } from "vitest";
import { z } from "zod";

const word = createStep({
  id: "word",
  inputSchema: z.object({ text: z.string() }),
  outputSchema: z.object({ words: z.number() }),
  resumeSchema: z.object({ ok: z.boolean() }),
  suspendSchema: z.object({ reason: z.string() }),
  execute: async ({ inputData, resumeData, suspend, retryCount }) => {
    expectTypeOf(inputData).toEqualTypeOf<{ text: string }>();
    expectTypeOf(resumeData).toEqualTypeOf<{ ok: boolean } | undefined>();
    expectTypeOf(retryCount).toBeNumber();
    if (resumeData === undefined) return suspend({ reason: "why" });
    // @ts-expect-error the payload has another field
    if (!resumeData.ok) return suspend({ because: 1 });
    return { words: 1 };
  },
});
const double = createStep({
  id: "double",
  inputSchema: z.object({ words: z.number() }),
  outputSchema: z.number(),
  execute: async ({ inputData }) => inputData.words * 2,
});

describe("a step", () => {
  it("takes and gives what its schemas say", () => {
    expectTypeOf(word).toExtend<Step<{ text: string }, { words: number }>>();
    createStep({
      id: "wrong",
      outputSchema: z.object({ words: z.number() }),
      // @ts-expect-error the output is another one
      execute: async () => ({ words: "one" }),
    });
    // @ts-expect-error a step needs an id
    createStep({ execute: async () => 1 });
  });

  it("is made of agents and tools too", () => {
    const agent = {} as Agent;
    expectTypeOf(createStep(agent)).toEqualTypeOf<Step<{ readonly prompt: string }, { text: string }>>();
    const tool = createTool({
      id: "add",
      description: "Adds.",
      inputSchema: z.object({ a: z.number() }),
      outputSchema: z.object({ sum: z.number() }),
      execute: async ({ a }) => ({ sum: a }),
    });
    expectTypeOf(createStep(tool)).toExtend<Step<{ a: number }, { sum: number }>>();
  });
});

describe("a workflow", () => {
  const flow = createWorkflow({
    id: "flow",
    inputSchema: z.object({ text: z.string() }),
    outputSchema: z.number(),
  });

  it("takes steps that fit what comes before them", () => {
    const done = flow.then(word).then(double).commit();
    expectTypeOf(done).toExtend<Workflow<{ text: string }, number>>();
    // @ts-expect-error "double" takes the words, and gets the text
    flow.then(double);
  });

  it("gives lists to foreach, and hands on what sleeps and repeats", () => {
    const list = createWorkflow({ id: "list", inputSchema: z.array(z.object({ text: z.string() })) });
    expectTypeOf(list.foreach(word, { concurrency: 2 })).toExtend<
      Workflow<{ text: string }[], unknown, { words: number }[]>
    >();
    // @ts-expect-error the items have no words
    list.foreach(double);
    const slept = flow.then(word).sleep(10).sleepUntil(new Date());
    slept.then(double);
    // @ts-expect-error a date is for sleepUntil
    slept.sleep(new Date());
    flow.then(word).dountil(
      createStep({
        id: "again",
        inputSchema: z.object({ words: z.number() }),
        outputSchema: z.object({ words: z.number() }),
        execute: async ({ inputData }) => inputData,
      }),
      async ({ inputData, iterationCount }) => inputData.words > iterationCount,
    );
  });

  it("is started with its input, and gives a result by its status", async () => {
    const run = flow.then(word).then(double).commit().createRun();
    const result = await run.start({ inputData: { text: "a" } });
    expectTypeOf(result).toExtend<WorkflowResult<number>>();
    if (result.status === "success") expectTypeOf(result.result).toBeNumber();
    if (result.status === "failed") expectTypeOf(result.error).toExtend<Error>();
    if (result.status === "suspended") expectTypeOf(result.suspended).toExtend<readonly (readonly string[])[]>();
    expectTypeOf(result.steps.word?.resumePayload).toBeUnknown();
    // @ts-expect-error the input is another one
    run.start({ inputData: { words: 1 } });
    // @ts-expect-error a result belongs to success
    result.result;
  });

  it("is driven in segments by its input, and is an app of a worker", async () => {
    const done = flow.then(word).then(double).commit();
    const run = await done.segment("flow/7", { input: { text: "a" }, timeoutMs: 1_000 });
    expectTypeOf(run).toEqualTypeOf<SavedRun<number>>();
    if (run.status === "finished") expectTypeOf(run.output).toBeNumber();
    expectTypeOf(done).toExtend<DurableApp>();
    // @ts-expect-error the input is another one
    done.segment("flow/7", { input: { words: 1 } });
    // @ts-expect-error segments have an input
    done.segment("flow/7", { inputData: { text: "a" } });
    // @ts-expect-error the id decides which run it is
    done.segment("flow/7", { checkpointId: "flow/8" });
  });
});
