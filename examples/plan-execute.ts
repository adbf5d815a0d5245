// Plans, does the first step, and plans again with what has come out: a planner and a worker in a graph. Models are scripted.
// expect: plan: find the trees | count them
// expect: find the trees: There are maples and birches.
// expect: plan: count the maples
// expect: count the maples: 12 maples.
// expect: plan: nothing
// expect: The park has 12 maples.
import { createTool, END, functionToolCall, Graph, START } from "kumiko";
import { createAgent } from "kumiko/agents";
import { scriptedModel } from "kumiko/testing";
import { z } from "zod";

const count = createTool({
  id: "count",
  description: "Counts trees of a kind.",
  inputSchema: z.object({ kind: z.string() }),
  execute: ({ kind }) => `12 ${kind}`,
});
const plan = (steps: string[], answer = "") => JSON.stringify({ steps, answer });
const planner = createAgent({
  name: "planner",
  instructions: "List the steps that are left. If none is, answer.",
  output: z.object({ steps: z.array(z.string()), answer: z.string() }),
  outputMode: "native",
  model: scriptedModel(
    plan(["find the trees", "count them"]),
    plan(["count the maples"]),
    plan([], "The park has 12 maples."),
  ),
});
const worker = createAgent({
  name: "worker",
  tools: [count],
  model: scriptedModel(
    "There are maples and birches.",
    [functionToolCall({ callId: "1", name: "count", arguments: '{"kind":"maples"}' })],
    "12 maples.",
  ),
});

type Work = { task: string; done: string[]; steps: string[]; answer: string };
const graph = new Graph<Work, Work>()
  .addNode("plan", async (work: Work, ctx) => {
    const { output } = await planner.generate(JSON.stringify({ task: work.task, done: work.done }), { parent: ctx });
    console.log(`plan: ${output.steps.join(" | ") || "nothing"}`);
    return { ...work, ...output };
  })
  .addNode("work", async (work: Work, ctx) => {
    const [step = ""] = work.steps;
    const { text } = await worker.generate(`${step}\nKnown: ${work.done.join(" ")}`, { parent: ctx });
    console.log(`${step}: ${text}`);
    return { ...work, done: [...work.done, text] };
  })
  .addEdge(START, "plan")
  .addBranch("plan", ["work", END], ({ steps }) => (steps.length === 0 ? END : "work"))
  .addEdge("work", "plan");
const { answer } = await graph
  .compile({ maxSteps: 20 })
  .invoke({ task: "How many maples are in the park?", done: [], steps: [], answer: "" });
console.log(answer);
