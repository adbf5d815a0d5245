// Measures one workload in a process of its own, and prints what it found. children.ts starts it.
import { isDeepStrictEqual } from "node:util";
import { countBytes, countPromises, watchCollections } from "./counting.js";
import { retainedBytes } from "./retained.js";
import { runWorkloads } from "./workloads/all.js";
import { type Park, parkedWorkloads } from "./workloads/parked.js";
import type { Workload } from "./workloads/workload.js";

/** What a process finds out about a workload: what a run costs, or what a waiting run keeps. */
export type Found =
  | { readonly kind: "run"; readonly bytes: number; readonly promises: number }
  | { readonly kind: "parked"; readonly retained: number };

/** Operations in a sample; enough runs that what happens once, or now and then, is spread thin. */
const OPERATIONS = 2_000;
const [FEWEST, MOST] = [20, 100];
const PARKED = 2_000;

const [wanted, name = ""] = process.argv.slice(2);
const found = wanted === "parked" ? await park(find(parkedWorkloads)) : await run(find(runWorkloads));
console.log(JSON.stringify(found));

function find<T>(workloads: Readonly<Record<string, T>>): T {
  const workload = workloads[name];
  if (workload === undefined) throw new Error(`There is no workload "${name}".`);
  return workload;
}

async function run({ prepare, operations = 1, expected }: Workload): Promise<Found> {
  const stop = watchCollections();
  const work = prepare();
  const result = await work();
  if (!isDeepStrictEqual(result, expected)) {
    throw new Error(`"${name}" gave ${JSON.stringify(result)} instead of ${JSON.stringify(expected)}.`);
  }
  const runs = Math.min(MOST, Math.max(FEWEST, OPERATIONS / operations));
  const bytes = await countBytes(work, runs);
  if ((await stop()) > 0) {
    throw new Error(
      `The bytes of "${name}" cannot be counted: it allocates so much that garbage was collected meanwhile.`,
    );
  }
  // Counted afterwards: the hook that counts them allocates.
  const promises = await countPromises(work, 10);
  return { kind: "run", bytes: bytes / operations, promises: promises / operations };
}

async function park(prepare: Park): Promise<Found> {
  // Whoever is to wake a run holds on to it, as the outside would.
  const waiting: ((value: number) => void)[] = [];
  const keep = prepare(() => new Promise((resolve) => void waiting.push(resolve)));
  // what is loaded on demand is there before anything is counted
  const first = keep();
  for (let n = 0; n < 500 && waiting.length === 0; n++) await new Promise((resolve) => setTimeout(resolve, 10));
  if (first === undefined) throw new Error(`"${name}" keeps nothing.`);
  const retained = await retainedBytes(keep, PARKED);
  if (waiting.length < PARKED) throw new Error(`"${name}" does not wait: ${waiting.length} of ${PARKED} runs do.`);
  return { kind: "parked", retained };
}
