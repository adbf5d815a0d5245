import { join } from "node:path";
import type { Budgets, Figures } from "./budgets.js";
import type { Found } from "./child.js";
import { bundleChild, forEachProcessor } from "./children.js";
import { runWorkloads } from "./workloads/all.js";
import { parkedWorkloads } from "./workloads/parked.js";

/** What a run allocates, and how many promises it makes. */
export async function countRuns(names: readonly string[] = Object.keys(runWorkloads)): Promise<Budgets> {
  const found = await inChildren("run", names);
  return {
    heapBytesPerRun: figuresOf(found, ({ bytes }) => Math.round(bytes)),
    promisesPerRun: figuresOf(found, ({ promises }) => Math.round(promises * 100) / 100),
  };
}

/** What a run keeps in memory while it waits. */
export async function countParkedRuns(names: readonly string[] = Object.keys(parkedWorkloads)): Promise<Budgets> {
  const found = await inChildren("parked", names);
  return { bytesPerParkedRun: figuresOf(found, ({ retained }) => Math.round(retained)) };
}

type Kind = Found["kind"];
type FoundBy<K extends Kind> = Extract<Found, { readonly kind: K }>;

async function inChildren<K extends Kind>(kind: K, names: readonly string[]): Promise<[string, FoundBy<K>][]> {
  const children = await bundleChild(join(import.meta.dirname, "child.ts"));
  try {
    return await forEachProcessor(names, async (name) => [name, (await children.run([kind, name])) as FoundBy<K>]);
  } finally {
    children.close();
  }
}

function figuresOf<F>(found: readonly (readonly [string, F])[], figureOf: (found: F) => number): Figures {
  return Object.fromEntries(found.map(([name, one]) => [name, figureOf(one)]));
}
