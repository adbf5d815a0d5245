import type { createStep, createWorkflow } from "@mastra/core/workflows";
import { z } from "zod";
import { type Contender, numberSchema, type Run, type Step } from "../contender.js";

type Workflow = ReturnType<ReturnType<typeof createWorkflow>["commit"]>;

/** What differs between packages with these functions. Without more, values are not checked and nothing is kept. */
export interface MastraPackage {
  readonly createStep: typeof createStep;
  readonly createWorkflow: typeof createWorkflow;
  /** Options of workflows. */
  readonly fast: object;
  readonly checked: object;
  /** Kept while it waits. */
  readonly waiting: object;
  /** Kept after each step. */
  readonly saved: object;
  /** Gives workflows a store in memory, and nothing that logs. */
  readonly register: (workflow: Workflow) => void;
  /** Throws away what is kept of a run that is over, unless that is done anyway. */
  readonly forget: (workflow: Workflow, runId: string) => Promise<unknown> | undefined;
}

/** What can be measured of workflows of Mastra, and of all that have its functions: the same program for each. */
export function workflowsOf({ createStep, createWorkflow, fast, checked, waiting, saved, ...more }: MastraPackage) {
  const list = z.array(numberSchema);
  const workflow = (options = fast) =>
    createWorkflow({ id: "workflow", inputSchema: numberSchema, outputSchema: numberSchema, ...options });
  const listWorkflow = (options = fast) =>
    createWorkflow({ id: "list", inputSchema: list, outputSchema: list, ...options });

  const stepOf = (step: Step, id = "step", retries?: number) =>
    createStep({
      id,
      inputSchema: numberSchema,
      outputSchema: numberSchema,
      execute: async ({ inputData }) => step(inputData),
      ...(retries !== undefined && { retries }),
    });

  const lineOf = (steps: readonly Step[], options = fast, retries?: number): Workflow =>
    steps.reduce((flow, step, n) => flow.then(stepOf(step, `n${n}`, retries)), workflow(options)).commit() as Workflow;

  const loopOf = (step: Step, last: number, options = fast) =>
    workflow(options)
      .dountil(stepOf(step), async ({ inputData }) => inputData >= last)
      .commit() as Workflow;

  const startOf =
    (flow: Workflow): ((inputData: unknown) => Promise<unknown>) =>
    async (inputData) =>
      resultOf(await (await flow.createRun()).start({ inputData }));

  /** The same, for a run that leaves something behind. */
  const savedStartOf = (flow: Workflow): ((inputData: unknown) => Promise<unknown>) => {
    more.register(flow);
    return async (inputData) => {
      const run = await flow.createRun();
      const result = resultOf(await run.start({ inputData }));
      await more.forget(flow, run.runId);
      return result;
    };
  };

  return {
    chain: (steps) => startOf(lineOf(steps)) as Run,
    checkedChain: (steps) => startOf(lineOf(steps, checked)) as Run,
    guardedChain: (steps) => startOf(lineOf(steps, fast, 2)) as Run,
    savedChain: (steps) => savedStartOf(lineOf(steps, saved)) as Run,
    retried: (step) => {
      const flow = lineOf([step], fast, 2);
      more.register(flow);
      return startOf(flow) as Run;
    },
    fanOut: (parts) => {
      const join = createStep({
        id: "join",
        inputSchema: z.record(z.string(), numberSchema),
        outputSchema: numberSchema,
        execute: async ({ inputData }) => Object.values(inputData).reduce((total, value) => total + value, 0),
      });
      const nodes = parts.map((part, n) => stepOf(part, `part${n}`));
      const flow = workflow()
        .parallel(nodes)
        .then(join as never);
      return startOf(flow.commit() as Workflow) as Run;
    },
    each: (step, count, limit) => {
      const inputs = Array.from({ length: count }, (_, n) => n);
      const flow = listWorkflow().foreach(stepOf(step), { concurrency: limit }).commit() as Workflow;
      const start = startOf(flow) as (input: unknown) => Promise<number[]>;
      return async () => (await start(inputs)).reduce((total, value) => total + value, 0);
    },
    items: (step, inputs) => {
      const flow = listWorkflow().foreach(stepOf(step), { concurrency: inputs.length }).commit() as Workflow;
      const start = startOf(flow) as (input: unknown) => Promise<number[]>;
      return () => start(inputs);
    },
    savedItems: (step, inputs) => {
      const flow = listWorkflow(saved).foreach(stepOf(step), { concurrency: inputs.length }).commit() as Workflow;
      const start = savedStartOf(flow) as (input: unknown) => Promise<number[]>;
      return () => start(inputs);
    },
    loop: (step, last) => startOf(loopOf(step, last)) as Run,
    branches: (odd, even, count) => {
      const flow = Array.from({ length: count }, (_, n) => n).reduce(
        (before, n) =>
          before
            .branch([
              [async ({ inputData }) => inputData % 2 === 1, stepOf(odd, `odd${n}`)],
              [async ({ inputData }) => inputData % 2 === 0, stepOf(even, `even${n}`)],
            ])
            .map(async ({ inputData }) => Object.values(inputData).find((value) => value !== undefined)) as never,
        workflow(),
      );
      return startOf(flow.commit() as Workflow) as Run;
    },
    build: (step, count) => startOf(lineOf(Array.from({ length: count }, () => step))) as Run,
    askAndResume: () => {
      const ask = createStep({
        id: "ask",
        inputSchema: numberSchema,
        outputSchema: numberSchema,
        suspendSchema: z.object({ question: z.string() }),
        resumeSchema: z.object({ more: z.number() }),
        execute: async ({ inputData, resumeData, suspend }) =>
          resumeData === undefined ? suspend({ question: "sure?" }) : inputData + resumeData.more,
      });
      const flow = workflow(waiting).then(ask).commit() as Workflow;
      more.register(flow);
      return async (input) => {
        const run = await flow.createRun();
        const stopped = await run.start({ inputData: input });
        if (stopped.status !== "suspended") throw new Error(`It was to stop, and is ${stopped.status}.`);
        const result = resultOf(await run.resume({ step: "ask", resumeData: { more: 1 } }));
        await more.forget(flow, run.runId);
        return Number(result);
      };
    },
    savedLoop: (step, last) => savedStartOf(loopOf(step, last, saved)) as Run,
  } satisfies Omit<Contender, "name">;
}

function resultOf(result: { status: string; result?: unknown; error?: unknown }): unknown {
  if (result.status === "success") return result.result;
  throw new Error(`The workflow ended with ${result.status}.`, { cause: result.error });
}
