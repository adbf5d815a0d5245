import { Chain, END, Graph, isInterrupt, memoryStore, type NodeContext, START } from "kumiko";
import type { Workloads } from "./workload.js";

const STEPS = 20;

/** What it costs that runs stop, go on and are saved. */
export const checkpointWorkloads: Workloads = {
  "run that is interrupted and resumed": { prepare: interrupted, expected: "yes" },
  "loop saved at every step, per step": { prepare: saved, operations: STEPS, expected: STEPS },
  "chain of 10, saved at its end": { prepare: savedAtTheEnd, expected: 10 },
};

function interrupted() {
  const chain = new Chain<string>()
    .append((text) => text)
    .append((_: string, ctx: NodeContext) => ctx.ask<string>("sure", "?"))
    .compile({ store: memoryStore() });
  let runs = 0;
  return async () => {
    const checkpointId = `run-${++runs}`;
    try {
      return await chain.invoke("hello", { checkpointId });
    } catch (error) {
      if (!isInterrupt(error)) throw error;
      return chain.resume(checkpointId, { [error.interrupts[0]?.id ?? ""]: "yes" });
    }
  };
}

function saved() {
  const loop = new Graph<number, number>()
    .addNode("step", async (x: number) => x + 1)
    .addEdge(START, "step")
    .addBranch("step", ["step", END], (x: number) => (x < STEPS ? "step" : END))
    .compile({ maxSteps: STEPS, store: memoryStore(), durability: "step" });
  let runs = 0;
  return () => loop.invoke(0, { checkpointId: `run-${++runs}` });
}

function savedAtTheEnd() {
  const step = async (x: number): Promise<number> => x + 1;
  let chain = new Chain<number>().append(step);
  for (let n = 1; n < 10; n++) chain = chain.append(step);
  const compiled = chain.compile({ store: memoryStore() });
  let runs = 0;
  return () => compiled.invoke(0, { checkpointId: `run-${++runs}` });
}
