import type { Trace, TraceNode } from "../../../callbacks/trace.js";
import { isFields } from "../../../is.js";
import { kindOf } from "../../../wording.js";
import { invalidOption } from "../../errors.js";

/** An entry of a run's history, as far as pictures use it. */
export interface TraceEntry {
  /** Paths of the nodes that ran. */
  readonly ran: readonly string[];
  /** Those of them whose failure an error branch handled. */
  readonly failed?: readonly string[] | undefined;
  /** Paths of the nodes that come next; for a failure, of those that it has stopped. */
  readonly next?: readonly string[] | undefined;
  /** The questions that were open. */
  readonly interrupts?: readonly { readonly address: string }[] | undefined;
  /** `"end"` if the run has its result, `"failure"` if it has failed. */
  readonly cause?: string | undefined;
  /** The id of the save. */
  readonly id?: unknown;
  /** When the run was saved. */
  readonly at?: unknown;
}

/** A trace of runs of a graph: what a `traceRecorder()` has recorded, or one or more of its runs, or entries of a history. */
export type PictureTrace = Trace | TraceNode | readonly TraceNode[] | readonly TraceEntry[];

export type Status = "done" | "failed" | "waiting" | "skipped";

interface Visit {
  readonly status: Status;
  readonly from: number;
  readonly order: number;
}

/** The outcome of the nodes in a trace, by path: keys joined by `/`, and `""` for the graph itself. */
export class TraceMarks {
  readonly #visits = new Map<string, Visit[]>();
  #order = 0;

  constructor(trace: PictureTrace) {
    const given = isFields(trace) && "runs" in trace ? trace.runs : trace;
    const list: readonly (TraceNode | TraceEntry)[] = Array.isArray(given) ? given : [given as TraceNode];
    for (const item of list) checkTrace(item);
    const entries = list.filter((item) => "ran" in item);
    for (const entry of inTime(entries)) this.#addEntry(entry);
    for (const item of list) if (!("ran" in item)) this.#addTree(item, `${item.address};`, true);
  }

  statusOf(path: string): Status {
    return this.#visits.get(path)?.at(-1)?.status ?? "skipped";
  }

  countOf(path: string): number {
    return this.#visits.get(path)?.length ?? 0;
  }

  /**
   * Whether a run went from one node to another; with `failing`, after the first has failed. `others` are further nodes from which
   * it may have come; it is taken to have come from the last one that ran.
   */
  wentFrom(path: string, to: string, failing: boolean, others: readonly string[] = []): boolean {
    const targets = this.#visits.get(to) ?? [];
    const rivals = others.flatMap((other) => this.#visits.get(other) ?? []);
    return (this.#visits.get(path) ?? []).some((visit) => {
      const { status, from, order } = visit;
      if ((status === "failed") !== failing || status === "waiting") return false;
      const next = targets.find((target) => target.order > order && target.from >= from);
      return next !== undefined && !rivals.some((rival) => rival.order > order && rival.order < next.order);
    });
  }

  #add(path: string, status: Status, from: number): void {
    const visits = this.#visits.get(path);
    const visit = { status, from, order: this.#order++ };
    if (visits === undefined) this.#visits.set(path, [visit]);
    else visits.push(visit);
  }

  #addTree(node: TraceNode, prefix: string, isRoot: boolean): void {
    const path = isRoot ? "" : pathOf(node.address, prefix);
    // an item itself is not counted, because its node is already marked
    const isCounted = !isRoot && !/;item:\d+$/.test(node.address);
    const status = statusOf(node);
    const isGraph = isRoot || isGraphKind(node);
    if (path !== undefined) {
      if (isCounted) this.#add(path, status, node.startedAt);
      if (isGraph) this.#add(inside(path, "start"), "done", node.startedAt);
    }
    const starts = [...node.children].sort((a, b) => a.startedAt - b.startedAt);
    for (const child of starts) this.#addTree(child, prefix, false);
    if (path !== undefined && isGraph && status === "done") {
      this.#add(inside(path, "end"), "done", node.startedAt + node.durationMs);
    }
  }

  #addEntry({ ran, failed = [], next = [], interrupts = [], cause }: TraceEntry): void {
    if (this.#order === 0) this.#add("start", "done", 0);
    for (const path of ran) this.#add(withoutItems(path), failed.includes(path) ? "failed" : "done", this.#order);
    if (cause === "failure") for (const path of next) this.#add(withoutItems(path), "failed", this.#order);
    for (const { address } of interrupts) {
      const path = pathOf(address, address.slice(0, address.indexOf(";") + 1));
      if (path !== undefined) this.#add(path, "waiting", this.#order);
    }
    if (cause === "end") this.#add("end", "done", this.#order);
  }
}

function checkTrace(item: unknown): void {
  if (
    isFields(item) &&
    (Array.isArray(item.ran) || (typeof item.address === "string" && Array.isArray(item.children)))
  ) {
    return;
  }
  throw invalidOption(
    `The option trace must be a result of traceRecorder().toJSON(), or entries of a history (got ${kindOf(item)}).`,
  );
}

/** Removes items from a path, because a picture shows one node for all items. */
function withoutItems(path: string): string {
  return path.replaceAll(/(^|\/)item:\d+(?=\/|$)/g, "");
}

function inside(path: string, key: string): string {
  return path === "" ? key : `${path}/${key}`;
}

function statusOf({ error, interrupt, running }: TraceNode): Status {
  if (error !== undefined) return "failed";
  return interrupt !== undefined || running === true ? "waiting" : "done";
}

function isGraphKind({ component }: TraceNode): boolean {
  return ["graph", "chain", "workflow", "agent"].includes(component);
}

/** The path of a node in the picture; `undefined` for runs inside a node, such as tool calls and child runs. */
function pathOf(address: string, prefix: string): string | undefined {
  if (!address.startsWith(prefix)) return undefined;
  const keys: string[] = [];
  for (const part of address.slice(prefix.length).split(";")) {
    if (part.startsWith("node:")) keys.push(decoded(part.slice(5)));
    else if (!part.startsWith("item:")) return undefined;
  }
  return keys.join("/");
}

function decoded(part: string): string {
  return part.replaceAll(/%25|%3B/gi, decodeURIComponent);
}

/** Entries with the oldest first. (A history lists the newest first.) Ids decide, because several entries may have the same time. */
function inTime(entries: readonly TraceEntry[]): readonly TraceEntry[] {
  const [first, last] = [entries.at(0), entries.at(-1)];
  const ages = (name: "id" | "at"): number => Number(first?.[name] ?? 0) - Number(last?.[name] ?? 0);
  return (ages("id") || ages("at")) > 0 ? entries.toReversed() : entries;
}
