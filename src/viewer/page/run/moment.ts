import type { Level, LevelEdge } from "../../layout/level.js";
import { countUntil, startOf, timesOf } from "./row-times.js";
import type { RunModel, ShownSave, ShownSpan } from "./run-model.js";

export type Status = "idle" | "running" | "waiting" | "failed" | "done";

/** What is known of a node or a tool at a moment of a run. */
export interface NodeMoment {
  readonly status: Status;
  /** How often it has begun. */
  readonly visits: number;
  readonly ms: number;
  readonly last: ShownSpan | undefined;
  readonly retries: number;
}

const idle: NodeMoment = { status: "idle", visits: 0, ms: 0, last: undefined, retries: 0 };

function momentOf(spans: readonly ShownSpan[], time: number): NodeMoment {
  const times = timesOf(spans);
  const last = times.last(time);
  if (last === undefined) return idle;
  const status = statusAt(last, time);
  return { status, visits: times.visits(time), ms: times.ms(time), last, retries: times.retries(time) };
}

/** The status of a span that has begun. */
export function statusAt({ end, status }: ShownSpan, time: number): Status {
  if (end > time || status === "running") return "running";
  return status;
}

/** A run at one time, with the answers that views of it ask for again and again. */
export class Moment {
  readonly run: RunModel;
  readonly time: number;
  readonly #nodes = new Map<string, NodeMoment>();

  constructor(run: RunModel, time: number) {
    this.run = run;
    this.time = time;
  }

  get isEnd(): boolean {
    return this.time >= this.run.end;
  }

  /** Of a node by its path, or of a tool by `path#tool`. */
  node(row: string): NodeMoment {
    const known = this.#nodes.get(row);
    if (known !== undefined) return known;
    const found = momentOf(this.run.byRow.get(row) ?? [], this.time);
    this.#nodes.set(row, found);
    return found;
  }

  /** START and END too. */
  statusOf(path: string): Status {
    const key = path.slice(path.lastIndexOf("/") + 1);
    const outer = path.includes("/") ? path.slice(0, path.lastIndexOf("/")) : "";
    if (this.run.byRow.has(path)) return this.node(path).status;
    if (key === "start") return this.node(outer).status === "idle" && this.time < 0 ? "idle" : "done";
    if (key === "end") return this.node(outer).status === "done" ? "done" : "idle";
    return "idle";
  }

  /** The last save at or before now. */
  get save(): ShownSave | undefined {
    const { saves } = this.run;
    return saves[countUntil(saves, this.time, ({ time }) => time) - 1];
  }

  /** The status of the whole run at this time. */
  get status(): string {
    if (this.isEnd) return this.run.view.run.status;
    const segment = this.run.segments.findLast(({ start }) => start <= this.time);
    if (segment === undefined || this.time < segment.end) return "running";
    return segment.status === "finished" ? "finished" : segment.status;
  }

  /** The path of the innermost node that began last. */
  get active(): string | undefined {
    const { spans } = this.run;
    for (let at = countUntil(spans, this.time, startOf) - 1; at >= 0; at--) {
      if (spans[at]?.path !== "") return spans[at]?.path;
    }
    return undefined;
  }

  /** Whether the run went along an edge: its source had ended before its target began, and no other source came between. */
  isTaken(edge: LevelEdge, level: Level): boolean {
    const { from, to } = edge;
    if (isEnd(from, "start")) return isEnd(to, "end") ? this.statusOf(to) === "done" : this.node(to).visits > 0;
    const ended = lastEnd(this.run, from, edge.kind === "error", this.time);
    if (ended === undefined) return false;
    if (isEnd(to, "end")) return this.statusOf(to) === "done" && this.#wentNowhereElse(ended, edge, level);
    const begun = timesOf(this.run.byRow.get(to) ?? []).last(this.time);
    if (begun === undefined) return false;
    if (edge.kind === "branch" || edge.isBack) return firstWay(this.run, edge, level) <= this.time;
    return begun.start >= firstEnd(this.run, from, edge.kind === "error") - 1;
  }

  /** Whether after this end none of the other targets has begun. */
  #wentNowhereElse(ended: number, { from, to }: LevelEdge, level: Level): boolean {
    return (edgesOf(level).out.get(from) ?? []).every(({ to: other }) => {
      if (other === to) return true;
      const last = timesOf(this.run.byRow.get(other) ?? []).last(this.time);
      return last === undefined || last.start < ended - 1;
    });
  }
}

const ways = new WeakMap<RunModel["byRow"], Map<LevelEdge, number>>();

/** When the run went along a branch for the first time: of all sources of its target, that of the edge ended last before it began. */
function firstWay(run: RunModel, edge: LevelEdge, level: Level): number {
  const known = ways.get(run.byRow) ?? new Map<LevelEdge, number>();
  ways.set(run.byRow, known);
  const others = edgesOf(level).into.get(edge.to) ?? [];
  const first = (): number =>
    (run.byRow.get(edge.to) ?? []).find(({ start }) => cameFrom(run, start, edge, others))?.start ??
    Number.POSITIVE_INFINITY;
  const found = known.get(edge) ?? first();
  known.set(edge, found);
  return found;
}

function cameFrom(run: RunModel, start: number, { from, kind }: LevelEdge, others: readonly LevelEdge[]): boolean {
  const own = lastEnd(run, from, kind === "error", start + 1);
  if (own === undefined) return false;
  return others.every((other) => {
    if (other.from === from || isEnd(other.from, "start")) return true;
    return (lastEnd(run, other.from, other.kind === "error", start + 1) ?? own) <= own;
  });
}

const ends = new WeakMap<RunModel["byRow"], Map<string, readonly number[]>>();

/** When the visits of a node ended, in order: those that failed, or the others. */
function endsOf({ byRow }: RunModel, path: string, failed: boolean): readonly number[] {
  const known = ends.get(byRow) ?? new Map<string, readonly number[]>();
  ends.set(byRow, known);
  const name = `${failed} ${path}`;
  const found =
    known.get(name) ??
    (byRow.get(path) ?? [])
      .filter(({ status }) => (failed ? status === "failed" : status === "done"))
      .map(({ end }) => end)
      .sort((a, b) => a - b);
  known.set(name, found);
  return found;
}

function firstEnd(run: RunModel, path: string, failed: boolean): number {
  return endsOf(run, path, failed)[0] ?? Number.POSITIVE_INFINITY;
}

/** The last end at or before a time. */
function lastEnd(run: RunModel, path: string, failed: boolean, time: number): number | undefined {
  const all = endsOf(run, path, failed);
  return all[countUntil(all, time, (end) => end) - 1];
}

interface EdgesByEnd {
  readonly into: ReadonlyMap<string, readonly LevelEdge[]>;
  readonly out: ReadonlyMap<string, readonly LevelEdge[]>;
}

const edges = new WeakMap<Level, EdgesByEnd>();

function edgesOf(level: Level): EdgesByEnd {
  const known = edges.get(level);
  if (known !== undefined) return known;
  const found = { into: groupedBy(level.edges, ({ to }) => to), out: groupedBy(level.edges, ({ from }) => from) };
  edges.set(level, found);
  return found;
}

function groupedBy<Item>(items: readonly Item[], nameOf: (item: Item) => string): Map<string, Item[]> {
  const groups = new Map<string, Item[]>();
  for (const item of items) {
    const group = groups.get(nameOf(item));
    if (group === undefined) groups.set(nameOf(item), [item]);
    else group.push(item);
  }
  return groups;
}

function isEnd(path: string, key: "start" | "end"): boolean {
  return path === key || path.endsWith(`/${key}`);
}
