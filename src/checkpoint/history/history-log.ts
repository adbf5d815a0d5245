import type { CheckpointStore } from "../checkpoint-store.js";
import type { CheckpointDocument } from "../document/document.js";
import { texts } from "../document/write-document.js";
import { readRow } from "../journal/store-calls.js";
import { quoted, TextCache } from "../values/quoted.js";
import { dropHistory, dropSegments, type EntryNote, putSegment, segmentBytes, segmentId } from "./segments.js";

/** How much of a history is kept. */
export interface HistoryRetention {
  readonly last: number;
  readonly maxAgeMs?: number | undefined;
  /** Milliseconds since 1970. */
  readonly now: () => number;
}

/** Numbers the saves of one run, and stores documents that newer ones replace as segments. */
export class HistoryLog {
  readonly #retention: HistoryRetention;
  #last = 0;
  #segment = 0;
  #oldest = 0;
  /** Nodes that have ended since the last entry. */
  readonly #ran: string[] = [];
  /** Those of them whose failure an error branch took. */
  readonly #failed: string[] = [];
  #parent: string | undefined = undefined;
  #moment = { at: 0, cause: "", text: "" };

  constructor(retention: HistoryRetention) {
    this.#retention = retention;
  }

  /** Continues the history of a document. */
  load({ entry, segment, oldest }: CheckpointDocument): void {
    this.#last = entry?.n ?? 0;
    this.#segment = segment ?? 0;
    this.#oldest = oldest ?? 0;
  }

  /** Begins a history; `parent` is the entry that the run is a copy of, if it is one. */
  begin(parent: string | undefined): void {
    this.#parent = parent;
    this.#last = 0;
    this.#segment = 0;
    this.#oldest = 0;
  }

  ran(path: string, hasFailed: boolean): void {
    this.#ran.push(path);
    if (hasFailed) this.#failed.push(path);
  }

  /** The note of the next entry, as JSON text. */
  note(cause: EntryNote["cause"], error?: string): string {
    const ran = this.#ran.length === 0 ? "" : ranText(this.#ran);
    const handled = this.#failed.length === 0 ? "" : `,"failed":${texts(this.#failed)}`;
    const from = this.#parent === undefined ? "" : `,"parent":${quoted(this.#parent)}`;
    const failure = error === undefined ? "" : `,"error":${JSON.stringify(error)}`;
    this.#ran.length = 0;
    this.#failed.length = 0;
    this.#parent = undefined;
    return `"entry":{"n":${++this.#last}${this.#whenAndWhy(cause)}${ran}${handled}${from}${failure}}`;
  }

  /** Several saves often come within a millisecond. */
  #whenAndWhy(cause: EntryNote["cause"]): string {
    const at = this.#retention.now();
    if (at !== this.#moment.at || cause !== this.#moment.cause)
      this.#moment = { at, cause, text: `,"at":${at},"cause":"${cause}"` };
    return this.#moment.text;
  }

  /** The segment that a whole document begins, as JSON text. `isNext`: another segment comes before it. */
  place(isNext: boolean): string {
    if (isNext) this.#segment++;
    return `"segment":${this.#segment},"oldest":${this.#oldest}`;
  }

  /** Stores what a whole document is about to replace as a segment, and deletes segments that are too old. */
  async close(store: CheckpointStore, id: string): Promise<void> {
    const row = await readRow(store, id);
    if (row === undefined) return;
    const name = segmentId(id, this.#segment - 1);
    await putSegment(store, name, segmentBytes(row));
    await this.#dropOld(store, id);
  }

  async #dropOld(store: CheckpointStore, id: string): Promise<void> {
    const { last, maxAgeMs, now } = this.#retention;
    if (this.#last <= last && maxAgeMs === undefined) return;
    const isOld = (note: EntryNote): boolean =>
      this.#last - note.n >= last || (maxAgeMs !== undefined && now() - note.at > maxAgeMs);
    const range = { from: this.#oldest, before: this.#segment };
    this.#oldest = (await dropSegments(store, id, range, isOld)).oldest;
  }

  /** Deletes the history of the run that a new one has replaced. */
  async drop(store: CheckpointStore, id: string): Promise<void> {
    await dropHistory(store, id);
  }
}

/** Usually one node has ended. */
function ranText(ran: readonly string[]): string {
  const [only] = ran;
  if (only === undefined || ran.length > 1) return `,"ran":${texts(ran)}`;
  let text = singles.get(only);
  if (text === undefined) {
    text = `,"ran":[${quoted(only)}]`;
    singles.set(only, text);
  }
  return text;
}

const singles = new TextCache<string>();
