import { cacheNeedsName } from "../errors.js";
import type { Plan, PlanNode } from "./plan.js";

/**
 * Throws if a graph without a name has a cache that outlives the process: the name is what tells its entries from those of other
 * graphs, and a graph that was not given one cannot find them again. In the memory of one process, the compiled graph itself is
 * told from others.
 */
export function checkCaches({ name, nodes }: Plan): void {
  const path = name === "" ? pathOfLastingCache(nodes) : undefined;
  if (path !== undefined) throw cacheNeedsName(path);
}

function pathOfLastingCache(nodes: readonly PlanNode[]): readonly string[] | undefined {
  for (const { key, policies, body } of nodes) {
    const { cache } = policies ?? {};
    if (cache !== undefined && cache.store.isVolatile !== true) return [key];
    const inside = "plan" in body ? pathOfLastingCache(body.plan.nodes) : undefined;
    if (inside !== undefined) return [key, ...inside].filter((part) => part !== "");
  }
  return undefined;
}
