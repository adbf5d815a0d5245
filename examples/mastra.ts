// expect: suspended: { approve: { question: 'Order 20 boxes?' } }
// expect: success: 20 boxes are on their way.
// A workflow with Mastra's API: a step that asks a person, a tool and an agent. It is suspended, and resumed by code
// that only knows its id, as another process would.
import { textOf } from "kumiko";
import { Agent, createStep, createTool, createWorkflow, Mastra } from "kumiko/mastra";
import { scriptedModel } from "kumiko/testing";
import { z } from "zod";

const order = z.object({ count: z.number() });

const approve = createStep({
  id: "approve",
  inputSchema: order,
  outputSchema: order,
  resumeSchema: z.object({ approved: z.boolean() }),
  execute: async ({ inputData, resumeData, suspend, bail }) => {
    if (resumeData === undefined) return await suspend({ question: `Order ${inputData.count} boxes?` });
    return resumeData.approved ? inputData : bail({ text: "Nothing was ordered." });
  },
});

const send = createTool({
  id: "send",
  description: "Sends boxes.",
  inputSchema: order,
  outputSchema: z.object({ sent: z.number() }),
  execute: async ({ context }) => ({ sent: context.count }),
});

const clerk = new Agent({
  name: "Clerk",
  model: scriptedModel((messages) => messages.map(textOf).join("").replace("Say that ", "")),
});

const workflow = createWorkflow({ id: "order", inputSchema: order, outputSchema: z.object({ text: z.string() }) })
  .then(approve)
  .then(createStep(send))
  .map(async ({ inputData }) => ({ prompt: `Say that ${inputData.sent} boxes are on their way.` }))
  .then(createStep(clerk))
  .commit();

const mastra = new Mastra({ agents: { clerk }, workflows: { workflow }, tools: { send } });
const run = mastra.getWorkflow("workflow").createRun();
const waiting = await run.start({ inputData: { count: 20 } });
console.log(`${waiting.status}:`, waiting.status === "suspended" && waiting.suspendPayload);

const result = await mastra
  .getWorkflow("workflow")
  .createRun({ runId: run.runId })
  .resume({ resumeData: { approved: true } });
console.log(`${result.status}:`, result.status === "success" && result.result.text);
