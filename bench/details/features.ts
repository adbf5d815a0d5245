// What a feature adds to a run of ten async functions: node bench/start.mjs bench/details/features.ts
import { Chain, type CompileOptions, memoryStore, type NodeContext, type RunOptions, traceRecorder } from "kumiko";
import type { Work } from "../contender.js";
import { pollute } from "../measure/pollute.js";
import { compare } from "./compare.js";

const NODES = 10;
const noOperation = { onStart() {}, onEnd() {} };
const ids = { last: 0 };

type Step = (value: number, ctx: NodeContext) => number | Promise<number>;

const addOne: Step = async (value) => value + 1;

function chainOf(step: Step, options?: Pick<CompileOptions, "store" | "durability">) {
  let chain = new Chain<number>().append((value: number, ctx: NodeContext) => step(value, ctx));
  for (let n = 1; n < NODES; n++) chain = chain.append((value, ctx) => step(value, ctx));
  return chain.compile(options);
}

function withOptions(options: RunOptions): Work {
  const chain = chainOf(addOne);
  return () => chain.invoke(0, options);
}

function saved(durability: "exit" | "step"): Work {
  const chain = chainOf(addOne, { store: memoryStore(), durability });
  return () => chain.invoke(0, { checkpointId: `run-${++ids.last}` });
}

function withState(): Work {
  const count = async (value: number, ctx: NodeContext<{ visits: number }>): Promise<number> => {
    ctx.state.visits++;
    return value + 1;
  };
  let chain = new Chain<number>().withState(() => ({ visits: 0 })).append(count);
  for (let n = 1; n < NODES; n++) chain = chain.append(count);
  const compiled = chain.compile();
  return () => compiled.invoke(0);
}

/** Each function is a graph of its own. */
function nested(): Work {
  const inner = new Chain<number>().append(async (value) => value + 1);
  let chain = new Chain<number>().append(inner);
  for (let n = 1; n < NODES; n++) chain = chain.append(inner);
  const compiled = chain.compile();
  return () => compiled.invoke(0);
}

function streamed(): Work {
  const chain = chainOf(addOne);
  return () => chain.stream(0).concat();
}

const chain = chainOf(addOne);

await pollute();
await compare({
  name: `a feature, in a run of ${NODES} async functions, per function`,
  operations: NODES,
  baseline: () => chain.invoke(0),
  variants: {
    "a no-op handler": withOptions({ callbacks: [noOperation] }),
    "two no-op handlers": withOptions({ callbacks: [noOperation, { ...noOperation }] }),
    "a traceRecorder": () => chain.invoke(0, { callbacks: [traceRecorder()] }),
    "the caller's signal": withOptions({ signal: new AbortController().signal }),
    "a time limit": withOptions({ timeoutMs: 60_000 }),
    "a request context": withOptions({ requestContext: { user: "Ada" } }),
    "every function reads ctx.signal": (() => {
      const reading = chainOf(async (value, { signal }) => (signal.aborted ? 0 : value + 1));
      return () => reading.invoke(0);
    })(),
    "every function changes the state": withState(),
    "every function is a graph of its own": nested(),
    "as a stream": streamed(),
    "saved at its end (memory)": saved("exit"),
    "saved after each step (memory)": saved("step"),
  },
});
