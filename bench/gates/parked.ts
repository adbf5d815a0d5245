import { join } from "node:path";
import type { Budgets } from "./budgets.js";
import { bundleChild, forEachProcessor } from "./children.js";
import { parkedWorkloads } from "./parked-workloads.js";

/** What a run keeps in memory while it waits. */
export async function countParkedRuns(): Promise<Budgets> {
  const children = await bundleChild(join(import.meta.dirname, "child.ts"));
  try {
    const figures = await forEachProcessor(Object.keys(parkedWorkloads), async (name) => {
      return [name, (await children.run([name])) as number] as const;
    });
    return { bytesPerParkedRun: Object.fromEntries(figures) };
  } finally {
    children.close();
  }
}
