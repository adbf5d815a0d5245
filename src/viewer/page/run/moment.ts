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
    return this.run.saves.findLast(({ time }) => time <= this.time + 1);
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
    const ends = this.#ends(from, edge.kind === "error");
    if (ends.length === 0) return false;
    if (isEnd(to, "end")) return this.statusOf(to) === "done" && this.#isLastBefore(ends, from, to, level);
    const starts = (this.run.byRow.get(to) ?? []).map(({ start }) => start).filter((start) => start <= this.time);
    if (edge.kind === "branch" || edge.isBack)
      return starts.some((start) => this.#wentTo(start, ends, from, to, level));
    return starts.some((start) => ends.some((end) => end <= start + 1));
  }

  /** Whether of all sources of the target, this one ended last before it began. */
  #wentTo(start: number, ends: readonly number[], from: string, to: string, level: Level): boolean {
    const own = Math.max(...ends.filter((end) => end <= start + 1));
    if (own === Number.NEGATIVE_INFINITY) return false;
    return level.edges
      .filter((edge) => edge.to === to && edge.from !== from && !isEnd(edge.from, "start"))
      .every((edge) => this.#ends(edge.from, edge.kind === "error").every((end) => end <= own || end > start + 1));
  }

  #isLastBefore(ends: readonly number[], from: string, to: string, level: Level): boolean {
    const isBranch = level.edges.some((edge) => edge.from === from && edge.to !== to);
    if (!isBranch) return true;
    const own = Math.max(...ends);
    const others = level.edges.filter((edge) => edge.from === from && edge.to !== to);
    return others.every(({ to: other }) =>
      (this.run.byRow.get(other) ?? []).every(({ start }) => start < own - 1 || start > this.time),
    );
  }

  #ends(path: string, failed: boolean): number[] {
    return (this.run.byRow.get(path) ?? [])
      .filter(({ end, status }) => end <= this.time && (failed ? status === "failed" : status === "done"))
      .map(({ end }) => end);
  }
}

function isEnd(path: string, key: "start" | "end"): boolean {
  return path === key || path.endsWith(`/${key}`);
}
