import type { RankedEdge, RankedNode, Ranks } from "./ranked-graph.js";

const gap = 28;
const sweeps = 4;

/** Ranks for graphs that are too large for dagre: each node one row below the lowest before it, near the middle of its neighbors. */
export function quickRanks(nodes: readonly RankedNode[], edges: readonly RankedEdge[], last: string): Ranks {
  const ahead = withoutCycles(nodes, edges);
  const rowOf = rowsBelow(nodes, ahead, last);
  const rows: RankedNode[][] = [];
  for (const node of nodes) {
    const row = rowOf.get(node.key) ?? 0;
    while (rows.length <= row) rows.push([]);
    rows[row]?.push(node);
  }
  const centers = new Map<string, number>();
  for (const row of rows) pack(row, centers, () => undefined);
  const [before, after] = [neighbors(ahead, "to", "from"), neighbors(ahead, "from", "to")];
  for (let sweep = 0; sweep < sweeps; sweep++) {
    const isDown = sweep % 2 === 0;
    const near = isDown ? before : after;
    for (const row of isDown ? rows : rows.toReversed()) pack(row, centers, (key) => middle(near.get(key), centers));
  }
  const bends = edges.map(({ from, to }) => bendsOf(from, to, rowOf, centers));
  return { rows: rows.map((row) => row.map(({ key }) => key)), rowOf, centers, bends };
}

type Pair = readonly [from: string, to: string];

/** The edges but those that lead back to a node that is being visited. */
function withoutCycles(nodes: readonly RankedNode[], edges: readonly RankedEdge[]): Pair[] {
  const next = neighbors(
    edges.map(({ from, to }) => [from, to]),
    "from",
    "to",
  );
  const state = new Map<string, "open" | "done">();
  const kept: Pair[] = [];
  for (const { key } of nodes) {
    if (state.has(key)) continue;
    state.set(key, "open");
    const path = [{ key, targets: [...(next.get(key) ?? [])] }];
    for (let top = path.at(-1); top !== undefined; top = path.at(-1)) {
      const to = top.targets.shift();
      if (to === undefined) {
        state.set(top.key, "done");
        path.pop();
      } else if (state.get(to) !== "open") {
        kept.push([top.key, to]);
        if (state.get(to) === "done") continue;
        state.set(to, "open");
        path.push({ key: to, targets: [...(next.get(to) ?? [])] });
      }
    }
  }
  return kept;
}

function rowsBelow(nodes: readonly RankedNode[], edges: readonly Pair[], last: string): Map<string, number> {
  const next = neighbors(edges, "from", "to");
  const open = new Map<string, number>();
  for (const [, to] of edges) open.set(to, (open.get(to) ?? 0) + 1);
  const queue = nodes.map(({ key }) => key).filter((key) => !open.has(key));
  const rows = new Map(queue.map((key) => [key, 0]));
  for (const key of queue) {
    for (const to of next.get(key) ?? []) {
      rows.set(to, Math.max(rows.get(to) ?? 0, (rows.get(key) ?? 0) + 1));
      const left = (open.get(to) ?? 1) - 1;
      open.set(to, left);
      if (left === 0) queue.push(to);
    }
  }
  if (rows.has(last)) {
    rows.delete(last);
    rows.set(last, [...rows.values()].reduce((low, row) => Math.max(low, row), -1) + 1);
  }
  return rows;
}

function neighbors(edges: readonly Pair[], of: "from" | "to", which: "from" | "to"): Map<string, string[]> {
  const found = new Map<string, string[]>();
  const index = { from: 0, to: 1 } as const;
  for (const edge of edges) {
    const list = found.get(edge[index[of]]);
    if (list === undefined) found.set(edge[index[of]], [edge[index[which]]]);
    else list.push(edge[index[which]]);
  }
  return found;
}

function middle(keys: readonly string[] | undefined, centers: ReadonlyMap<string, number>): number | undefined {
  if (keys === undefined || keys.length === 0) return undefined;
  return keys.reduce((sum, key) => sum + (centers.get(key) ?? 0), 0) / keys.length;
}

/** Sorts a row by where its nodes want to stand, and puts them side by side around the middle of that. */
function pack(row: RankedNode[], centers: Map<string, number>, wanted: (key: string) => number | undefined): void {
  const wish = new Map(row.map(({ key }) => [key, wanted(key) ?? centers.get(key) ?? 0]));
  row.sort((a, b) => (wish.get(a.key) ?? 0) - (wish.get(b.key) ?? 0));
  let right = Number.NEGATIVE_INFINITY;
  let shift = 0;
  for (const { key, width } of row) {
    const x = Math.max(wish.get(key) ?? 0, right + gap + width / 2);
    centers.set(key, x);
    shift += (wish.get(key) ?? 0) - x;
    right = x + width / 2;
  }
  for (const { key } of row) centers.set(key, (centers.get(key) ?? 0) + shift / row.length);
}

function bendsOf(
  from: string,
  to: string,
  rowOf: ReadonlyMap<string, number>,
  centers: ReadonlyMap<string, number>,
): Map<number, number> {
  const [first, end] = [rowOf.get(from) ?? 0, rowOf.get(to) ?? 0];
  const [x, toX] = [centers.get(from) ?? 0, centers.get(to) ?? 0];
  const bends = new Map<number, number>();
  for (let row = first + 1; row < end; row++) bends.set(row, x + ((toX - x) * (row - first)) / (end - first));
  return bends;
}
