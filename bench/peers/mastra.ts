import { Mastra } from "@mastra/core/mastra";
import { InMemoryStore } from "@mastra/core/storage";
import { createTool } from "@mastra/core/tools";
import { createStep, createWorkflow } from "@mastra/core/workflows";
import { MDocument } from "@mastra/rag";
import { z } from "zod";
import { type Call, type Contender, type Run, type Step, weather } from "../contender.js";

/** Values are checked in no workload but in those of tools; nothing is kept unless the workload asks for it. */
const fast = { validateInputs: false, emitStepEvents: false, shouldPersistSnapshot: () => false };
const number = z.number();

export const mastra: Contender = {
  name: "Mastra",
  splitText: (text, maxSize) => splitterOf(text, { strategy: "recursive", maxSize, overlap: 0 }),
  splitMarkdown: (text, maxSize) => splitterOf(text, { strategy: "markdown", maxSize, overlap: 0 }),
  chain: (steps) => runOf(lineOf(steps)),
  fanOut: (parts) => {
    const nodes = parts.map((part, n) => stepOf(part, `part${n}`));
    const join = createStep({
      id: "join",
      inputSchema: z.record(z.string(), number),
      outputSchema: number,
      execute: async ({ inputData }) => Object.values(inputData).reduce((total, value) => total + value, 0),
    });
    return runOf(
      workflow()
        .parallel(nodes)
        .then(join as never)
        .commit(),
    );
  },
  each: (step, count, limit) => {
    const inputs = Array.from({ length: count }, (_, n) => n);
    const list = createWorkflow({
      id: "each",
      inputSchema: z.array(number),
      outputSchema: z.array(number),
      options: fast,
    })
      .foreach(stepOf(step), { concurrency: limit })
      .commit();
    return async () => {
      const result = await (await list.createRun()).start({ inputData: inputs });
      return result.status === "success" ? result.result.reduce((total, value) => total + value, 0) : Number.NaN;
    };
  },
  loop: (step, last) => runOf(loopOf(step, last)),
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
    return runOf(flow.commit());
  },
  tools,
  build: (step, count) => runOf(lineOf(Array.from({ length: count }, () => step))),
  askAndResume,
  savedLoop: (step, last) => {
    const loop = loopOf(step, last, { ...fast, shouldPersistSnapshot: () => true });
    new Mastra({ workflows: { loop }, storage: new InMemoryStore(), logger: false });
    return async (input) => {
      const run = await loop.createRun();
      const result = await run.start({ inputData: input });
      await loop.deleteWorkflowRunById(run.runId);
      return resultOf(result);
    };
  },
};

function workflow(options: object = fast) {
  return createWorkflow({ id: "workflow", inputSchema: number, outputSchema: number, options });
}

function stepOf(step: Step, id = "step") {
  return createStep({
    id,
    inputSchema: number,
    outputSchema: number,
    execute: async ({ inputData }) => step(inputData),
  });
}

type Workflow = ReturnType<ReturnType<typeof workflow>["commit"]>;

function lineOf(steps: readonly Step[]): Workflow {
  return steps.reduce((flow, step, n) => flow.then(stepOf(step, `n${n}`)), workflow()).commit();
}

function loopOf(step: Step, last: number, options: object = fast) {
  return workflow(options)
    .dountil(stepOf(step), async ({ inputData }) => inputData >= last)
    .commit();
}

function runOf(flow: Workflow): Run {
  return async (input) => resultOf(await (await flow.createRun()).start({ inputData: input }));
}

function resultOf(result: { status: string; result?: unknown; error?: unknown }): number {
  if (result.status === "success") return Number(result.result);
  throw new Error(`The workflow ended with ${result.status}.`, { cause: result.error });
}

/** Arguments come as text; the agent of Mastra would parse it. */
function tools(calls: readonly Call[]): () => Promise<readonly unknown[]> {
  const { name, description, schema, execute } = weather;
  const node = createTool({ id: name, description, inputSchema: schema, execute });
  return () => Promise.all(calls.map(({ arguments: text }) => node.execute?.(JSON.parse(text), {} as never)));
}

function askAndResume(): Run {
  const ask = createStep({
    id: "ask",
    inputSchema: number,
    outputSchema: number,
    suspendSchema: z.object({ question: z.string() }),
    resumeSchema: z.object({ more: number }),
    execute: async ({ inputData, resumeData, suspend }) =>
      resumeData === undefined ? suspend({ question: "sure?" }) : inputData + resumeData.more,
  });
  const options = {
    ...fast,
    shouldPersistSnapshot: ({ workflowStatus }: { workflowStatus: string }) => workflowStatus === "suspended",
  };
  const flow = workflow(options).then(ask).commit();
  new Mastra({ workflows: { flow }, storage: new InMemoryStore(), logger: false });
  return async (input) => {
    const run = await flow.createRun();
    const stopped = await run.start({ inputData: input });
    if (stopped.status !== "suspended") throw new Error(`It was to stop, and is ${stopped.status}.`);
    const result = await run.resume({ step: "ask", resumeData: { more: 1 } });
    await flow.deleteWorkflowRunById(run.runId);
    return resultOf(result);
  };
}

/** Its documents remember what they were split into: each run needs a new one. */
function splitterOf(text: string, options: Parameters<MDocument["chunk"]>[0]): () => Promise<readonly string[]> {
  return async () => (await MDocument.fromMarkdown(text).chunk(options)).map((chunk) => chunk.text);
}
