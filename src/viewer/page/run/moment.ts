import type { Level, LevelEdge } from "../../layout/level.js";
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

/** The status of these spans at a time. A question that was answered later is only a part of the visit that came of it. */
export function momentOf(spans: readonly ShownSpan[], time: number): NodeMoment {
  const begun = spans.filter(({ start }) => start <= time);
  const last = begun.at(-1);
  if (last === undefined) return idle;
  const answered = begun.slice(0, -1).filter(({ status }) => status === "waiting").length;
  return {
    status: statusAt(last, time),
    visits: begun.length - answered,
    ms: begun.reduce((sum, { start, end }) => sum + Math.min(end, time) - start, 0),
    last,
    retries: begun.reduce((sum, { retries }) => sum + retries.filter(({ at }) => at <= time).length, 0),
  };
}

function statusAt({ end, status }: ShownSpan, time: number): Status {
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
    return this.run.saves.findLast(({ time }) => time <= this.time);
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
    return this.run.spans.findLast(({ start, path }) => start <= this.time && path !== "")?.path;
  }

  /** Whether the run went along an edge: its source had ended before its target began, and no other source came between. */
  isTaken(edge: LevelEdge, level: Level): boolean {
    const { from, to } = edge;
    if (isEnd(from, "start")) return isEnd(to, "end") ? this.statusOf(to) === "done" : this.node(to).visits > 0;
    const ended = lastEnd(this.run, from, edge.kind === "error", this.time);
    if (ended === undefined) return false;
    if (isEnd(to, "end")) return this.statusOf(to) === "done" && this.#wentNowhereElse(ended, edge, level);
    const begun = (this.run.byRow.get(to) ?? []).filter(({ start }) => start <= this.time);
    if (edge.kind === "branch" || edge.isBack) {
      const others = edgesOf(level).into.get(to) ?? [];
      return begun.toReversed().some(({ start }) => this.#wentTo(start, edge, others));
    }
    const first = firstEnd(this.run, from, edge.kind === "error");
    return begun.some(({ start }) => start >= first - 1);
  }

  /** Whether of all sources of the target, this one ended last before it began. */
  #wentTo(start: number, { from, kind }: LevelEdge, others: readonly LevelEdge[]): boolean {
    const before = Math.min(start + 1, this.time);
    const own = lastEnd(this.run, from, kind === "error", before);
    if (own === undefined) return false;
    return others.every((other) => {
      if (other.from === from || isEnd(other.from, "start")) return true;
      return (lastEnd(this.run, other.from, other.kind === "error", before) ?? own) <= own;
    });
  }

  /** Whether after this end none of the other targets has begun. */
  #wentNowhereElse(ended: number, { from, to }: LevelEdge, level: Level): boolean {
    return (edgesOf(level).out.get(from) ?? []).every(({ to: other }) => {
      if (other === to) return true;
      const last = (this.run.byRow.get(other) ?? []).findLast(({ start }) => start <= this.time);
      return last === undefined || last.start < ended - 1;
    });
  }
}

const ends = new WeakMap<RunModel, Map<string, readonly number[]>>();

/** When the visits of a node ended, in order: those that failed, or the others. */
function endsOf(run: RunModel, path: string, failed: boolean): readonly number[] {
  const known = ends.get(run) ?? new Map<string, readonly number[]>();
  ends.set(run, known);
  const name = `${failed} ${path}`;
  const found =
    known.get(name) ??
    (run.byRow.get(path) ?? [])
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
  let [low, high] = [0, all.length];
  while (low < high) {
    const middle = (low + high) >> 1;
    if ((all[middle] ?? 0) <= time) low = middle + 1;
    else high = middle;
  }
  return all[low - 1];
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
