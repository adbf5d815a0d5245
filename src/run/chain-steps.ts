import { stepsHaveChanged } from "../checkpoint/checkpoint-errors.js";
import type { ChainStep, RunSnapshot } from "../checkpoint/snapshot.js";
import { END_INDEX, type Plan } from "../compose/plan/plan.js";

/** The keys that a chain gives to steps without one: by their position. */
const automatic = /^node_\d+(?:_|$)/;

/** What the steps of a chain are, if some of them were named by their position. */
export function chainOf({ component, nodes }: Plan): readonly ChainStep[] | undefined {
  if (component !== "chain") return undefined;
  const steps = nodes.slice(END_INDEX + 1);
  if (!steps.some(({ key }) => automatic.test(key))) return undefined;
  return steps.map(({ key, component, body }) => [key, component, body.kind === "function" ? body.call.name : ""]);
}

/** Throws `GRAPH_CHANGED` when a key that a run needs was given by position, and the steps up to there have changed. */
export function checkChain(
  { chain: saved, tasks }: RunSnapshot,
  now: readonly ChainStep[] | undefined,
  path: readonly string[],
): void {
  if (saved === undefined) return;
  const needed = new Set(tasks.flatMap(({ node, done, targets = [] }) => (done ? targets : [node])));
  for (let n = saved.length - 1; n >= 0; n--) {
    const [key = ""] = saved[n] ?? [];
    if (!automatic.test(key) || !needed.has(key)) continue;
    const before = saved.slice(0, n + 1);
    if (JSON.stringify(before) !== JSON.stringify((now ?? []).slice(0, n + 1))) throw stepsHaveChanged([...path, key]);
    return;
  }
}
