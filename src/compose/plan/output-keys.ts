import { equalOutputKeys } from "../errors.js";
import type { Plan } from "./plan.js";

/**
 * Throws if two plain edges provide the same field to one node and both sources are certain to run together, because a common node
 * before them leads to each by plain edges. Sources of which a branch chooses one may share a key.
 */
export function checkOutputKeys({ nodes, edges }: Plan): void {
  if (!nodes.some((node) => node.settings.outputKey !== undefined)) return;
  const before: number[][] = nodes.map(() => []);
  for (const { from, to } of edges) before[to]?.push(from);
  for (const [target, node] of nodes.entries()) {
    const sources = before[target] ?? [];
    if (sources.length < 2 || node.settings.merge !== undefined) continue;
    for (const [outputKey, equal] of groupByOutputKey(sources, nodes)) {
      const pair = equal.length > 1 ? findTogether(equal, before) : undefined;
      if (pair === undefined) continue;
      throw equalOutputKeys(node.key, outputKey, nodes[pair[0]]?.key ?? "", nodes[pair[1]]?.key ?? "");
    }
  }
}

function groupByOutputKey(sources: readonly number[], nodes: Plan["nodes"]): Map<string, number[]> {
  const groups = new Map<string, number[]>();
  for (const source of sources) {
    const outputKey = nodes[source]?.settings.outputKey;
    if (outputKey === undefined) continue;
    const group = groups.get(outputKey);
    if (group === undefined) groups.set(outputKey, [source]);
    else group.push(source);
  }
  return groups;
}

/** Finds two nodes with a common predecessor (or one of which precedes the other) over plain edges. */
function findTogether(nodes: readonly number[], before: readonly (readonly number[])[]): [number, number] | undefined {
  const claimedBy = new Map<number, number>(nodes.map((node) => [node, node]));
  const open = [...nodes];
  for (let node = open.pop(); node !== undefined; node = open.pop()) {
    const owner = claimedBy.get(node) ?? node;
    for (const earlier of before[node] ?? []) {
      const other = claimedBy.get(earlier);
      if (other === undefined) {
        claimedBy.set(earlier, owner);
        open.push(earlier);
      } else if (other !== owner) {
        return other < owner ? [other, owner] : [owner, other];
      }
    }
  }
  return undefined;
}
