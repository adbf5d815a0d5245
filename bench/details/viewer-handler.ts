// What the viewer adds to a run, beside a traceRecorder, and what an open page adds to that: node bench/start.mjs bench/details/viewer-handler.ts
//
// Both keep 500 runs, so that half of their time is the collector's, which comes each 30 ms or so: samples must be much longer.
// On a busy machine, NODE_OPTIONS=--v8-pool-size=0 leaves out its helper threads, whose CPU time is that of their waiting, too.
import { Chain, createTool, functionToolCall, type Handler, type RunOptions, traceRecorder } from "kumiko";
import { createAgent } from "kumiko/agents";
import { scriptedModel } from "kumiko/testing";
import { viewer } from "kumiko/viewer";
import { z } from "zod";
import { pollute } from "../measure/pollute.js";
import { compare } from "./compare.js";

const sampleMs = 250;

type Run = (options: RunOptions) => Promise<unknown>;

/** The handler of a viewer that a page looks at: in a process of its own, a page reads bytes, no more. */
async function watched(): Promise<Handler> {
  const shown = viewer({ authorize: () => ({ can: "look" }) });
  const live = await shown.fetch(new Request("http://x/api/live"));
  void live.body?.pipeTo(new WritableStream());
  return shown.handler;
}

const seen = viewer({ authorize: () => ({ can: "look" }) }).handler;
const open = await watched();

const kept: Handler[] = [];

/** The last 500 are kept, as the viewer keeps so many runs. */
function recorder(): Handler {
  const made = traceRecorder();
  kept.push(made);
  if (kept.length > 500) kept.shift();
  return made;
}

/** `runMs`: how long a run waits for its model. */
async function measure(name: string, operations: number, run: Run, runMs = 0): Promise<void> {
  await compare({
    name: `${name}: beside a traceRecorder`,
    operations,
    sampleMs,
    baseline: () => run({ callbacks: [recorder()] }),
    variants: { "no handler": () => run({}), "the handler of the viewer": () => run({ callbacks: [seen] }) },
    budgets: { "the handler of the viewer": 1.2 },
  });
  const { ns } = await compare({
    name: `${name}: with a page open`,
    operations,
    sampleMs,
    baseline: () => run({ callbacks: [seen] }),
    variants: { "a page is open": () => run({ callbacks: [open] }) },
  });
  if (runMs === 0) return;
  const added = ((ns["a page is open"] ?? 0) - (ns.baseline ?? 0)) / 1e6;
  console.log(
    `  ${added.toFixed(2)} ms of CPU in a run of ${runMs} ms: ${((added / runMs) * 100).toFixed(1)} %, of 3 % at most`,
  );
}

/** Ten functions that pass a text on. */
function chain(): Run {
  let built = new Chain<string>().append(async (text) => text);
  for (let n = 1; n < 10; n++) built = built.append(async (text) => text);
  const app = built.compile();
  return (options) => app.invoke("Our panel arrived with a crack through the middle.", options);
}

/** Six calls of a tool, and an answer: seven calls of a model, `ms` each, with messages of some hundred words. */
function agent(ms = 0): Run {
  const words = "The policy allows a full refund within 45 days when the carrier confirms the damage. ".repeat(8);
  const lookUp = createTool({
    id: "look_up",
    description: "Looks up what is known of an invoice.",
    inputSchema: z.object({ id: z.string() }),
    execute: ({ id }) => ({ id, words }),
  });
  const wait = (answer: unknown) => async () => {
    if (ms > 0) await new Promise((resolve) => setTimeout(resolve, ms));
    return answer as never;
  };
  const calls = Array.from({ length: 6 }, (_, n) =>
    wait([functionToolCall({ callId: `c-${n}`, name: "look_up", arguments: `{"id":"inv_${n}"}` })]),
  );
  return async (options) => {
    const model = scriptedModel(...calls, wait(words));
    const desk = createAgent({ name: "desk", instructions: words, model, tools: [lookUp] });
    return desk.generate("Can we have our money back?", options);
  };
}

await pollute();
await measure("ten functions, per function", 10, chain());
await measure("an agent with six calls of a tool, per run", 1, agent());
await measure("the same, whose model takes 20 ms", 1, agent(20), 7 * 20);
process.exit();
