import type { CheckpointStore, StoredCheckpoint } from "../checkpoint-store.js";
import type { CheckpointDocument } from "../document/document.js";
import { readRow } from "../journal/store-calls.js";
import { quoted, TextCache } from "../values/quoted.js";
import { bytesOf } from "../values/text-bytes.js";
import {
  dropHistory,
  dropSegments,
  type EntryNote,
  putSegment,
  segmentBytes,
  segmentId,
  segmentText,
} from "./segments.js";

/** How much of a history is kept. */
export interface HistoryRetention {
  readonly last: number;
  readonly maxAgeMs?: number | undefined;
  /** Milliseconds since 1970. */
  readonly now: () => number;
}

/** A segment of small entries then holds about a fifth of the entries that a history has, or keeps. */
const bytesPerEntry = 32;

/** Numbers the saves of one run, and stores documents that newer ones replace as segments. */
export class HistoryLog {
  /** The content of the row of the run. */
  readonly held = new HeldSegment();
  readonly #retention: HistoryRetention;
  #last = 0;
  #segment = 0;
  #oldest = 0;
  /** Paths of the nodes that have ended since the last entry, as JSON text. */
  #ran = "";
  /** Those of them whose failure an error branch took. */
  #failed = "";
  #parent: string | undefined = undefined;
  #moment = { at: 0, cause: "", text: "" };
  /** The text of the last note. */
  #noted = { ran: "", failed: "", parent: undefined as string | undefined };

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
    const text = pathText(path);
    this.#ran = joined(this.#ran, text);
    if (hasFailed) this.#failed = joined(this.#failed, text);
  }

  /** The note of the next entry, as JSON text. */
  note(cause: EntryNote["cause"], error?: string): string {
    const ran = this.#ran === "" ? "" : `,"ran":[${this.#ran}]`;
    const handled = this.#failed === "" ? "" : `,"failed":[${this.#failed}]`;
    const from = this.#parent === undefined ? "" : `,"parent":${quoted(this.#parent)}`;
    const failure = error === undefined ? "" : `,"error":${JSON.stringify(error)}`;
    this.#noted = { ran: this.#ran, failed: this.#failed, parent: this.#parent };
    this.#ran = "";
    this.#failed = "";
    this.#parent = undefined;
    return `"entry":{"n":${++this.#last}${this.#whenAndWhy(cause)}${ran}${handled}${from}${failure}}`;
  }

  /** The last note was not saved, as far as is known: the next one takes its number, and what it has said. */
  retract(): void {
    const { ran, failed, parent } = this.#noted;
    this.#last--;
    this.#ran = joined(ran, this.#ran);
    this.#failed = joined(failed, this.#failed);
    this.#parent = parent;
  }

  /** Several saves often come within a millisecond. */
  #whenAndWhy(cause: EntryNote["cause"]): string {
    const at = this.#retention.now();
    if (at !== this.#moment.at || cause !== this.#moment.cause)
      this.#moment = { at, cause, text: `,"at":${at},"cause":"${cause}"` };
    return this.#moment.text;
  }

  /** How large the entries may grow at least: a long history is kept in fewer, longer segments. */
  get leastSegment(): number {
    return bytesPerEntry * Math.min(this.#last, this.#retention.last);
  }

  /** The segment that a whole document begins, as JSON text. `isNext`: another segment comes before it. */
  place(isNext: boolean): string {
    if (isNext) this.#segment++;
    return `"segment":${this.#segment},"oldest":${this.#oldest}`;
  }

  /**
   * Stores what a whole document is about to replace as a segment, and deletes segments that are too old. `held` is the text of
   * the segment, if it is known. Does nothing when the row has another version: then it belongs to someone else, and the write that
   * follows fails.
   */
  async close(
    store: CheckpointStore,
    id: string,
    held: string | undefined,
    version: number | undefined,
  ): Promise<void> {
    const own = async (): Promise<StoredCheckpoint | undefined> => {
      const row = await readRow(store, id);
      return row?.version === version ? row : undefined;
    };
    const row = held === undefined ? await own() : undefined;
    if (held === undefined && row === undefined) return;
    const data = row === undefined ? bytesOf(held ?? "") : segmentBytes(row);
    await putSegment(store, segmentId(id, this.#segment - 1), data, async () => (await own()) !== undefined);
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

function joined(texts: string, more: string): string {
  return texts === "" || more === "" ? texts + more : `${texts},${more}`;
}

function pathText(path: string): string {
  let text = paths.get(path);
  if (text === undefined) {
    text = quoted(path);
    paths.set(path, text);
  }
  return text;
}

const paths = new TextCache<string>();

/** Longer rows are read when they become a segment: a copy in memory would cost more than that. */
const longest = 65_536;

/**
 * The content of the row of a run, as text, as long as that is short and certain. Closing the segment then need not read the row,
 * which for a run with a small state is the larger part of the work.
 */
class HeldSegment {
  #document: string | undefined = undefined;
  #entries = "";

  /** A whole document was written. */
  begin(document: string): void {
    this.#document = document.length > longest ? undefined : document;
    this.#entries = "";
  }

  /** An entry was appended. */
  add(entry: string): void {
    if (this.#document === undefined) return;
    this.#entries += this.#entries === "" ? entry : `,${entry}`;
    if (this.#entries.length > longest) this.forget();
  }

  /** It is not certain any more what the row holds. */
  forget(): void {
    this.#document = undefined;
    this.#entries = "";
  }

  /** The segment that these make. */
  get text(): string | undefined {
    return this.#document === undefined ? undefined : segmentText(this.#document, this.#entries);
  }
}
