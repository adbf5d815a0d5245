import type { CheckpointStore } from "../../checkpoint/checkpoint-store.js";
import { isConflict } from "../../checkpoint/errors.js";
import type { Fields } from "../../is.js";
import type { ClientQuestion } from "./forms.js";

/** The questions of one round, by their keys on the wire. */
export type ClientQuestions = Readonly<Record<string, ClientQuestion>>;

/** What is kept of a call that has asked: every round, so that a repeated answer gets what the first one got. */
export interface CallRecord {
  /** When it may be forgotten, in milliseconds since 1970. */
  readonly expires: number;
  /** How many answers did not fit. */
  readonly misfits: number;
  /** Of round 1, 2, … */
  readonly asks: readonly ClientQuestions[];
  /** What the call came to. */
  readonly final?: Fields | undefined;
}

const prefix = "~mcp/";
const decoder = new TextDecoder();
const encoder = new TextEncoder();

/** The records of calls that wait, beside their checkpoints in the same store. */
export class CallRecords {
  readonly #store: CheckpointStore;
  readonly #timers = new Map<string, ReturnType<typeof setTimeout>>();
  readonly #open = new Set<string>();
  #isClosed = false;

  constructor(store: CheckpointStore) {
    this.#store = store;
  }

  /** How many calls of this process wait for an answer. */
  get waiting(): number {
    return this.#open.size;
  }

  async read(checkpointId: string): Promise<CallRecord | undefined> {
    const row = await this.#store.get(prefix + checkpointId);
    if (row === undefined || row === null) return undefined;
    const record = JSON.parse(decoder.decode(row.data)) as CallRecord;
    return record.expires > Date.now() ? record : undefined;
  }

  async write(checkpointId: string, record: CallRecord): Promise<void> {
    const id = prefix + checkpointId;
    const data = encoder.encode(JSON.stringify(record));
    for (;;) {
      const row = await this.#store.get(id);
      try {
        await this.#store.put(id, data, row?.version);
        break;
      } catch (error) {
        if (!isConflict(error)) throw error;
      }
    }
    if (record.final === undefined) this.#open.add(checkpointId);
    else this.#open.delete(checkpointId);
    this.#forgetAt(checkpointId, record.expires);
  }

  /** Forgets a call, and what was saved of it. */
  async forget(checkpointId: string): Promise<void> {
    this.#open.delete(checkpointId);
    clearTimeout(this.#timers.get(checkpointId));
    this.#timers.delete(checkpointId);
    await this.#store.delete(checkpointId);
    await this.#store.delete(prefix + checkpointId);
  }

  /** Forgets what earlier processes left, as soon as it has expired. */
  async sweep(): Promise<void> {
    for await (const id of this.#store.list(prefix)) {
      const checkpointId = id.slice(prefix.length);
      if (!this.#timers.has(checkpointId)) await this.#forgetExpired(checkpointId);
    }
  }

  /** Ends the timers: what has expired then is found by the next process. */
  close(): void {
    this.#isClosed = true;
    for (const timer of this.#timers.values()) clearTimeout(timer);
    this.#timers.clear();
  }

  #forgetAt(checkpointId: string, expires: number): void {
    if (this.#isClosed) return;
    clearTimeout(this.#timers.get(checkpointId));
    const timer = setTimeout(() => void this.#forgetExpired(checkpointId), Math.min(expires - Date.now(), 2 ** 31 - 1));
    if (typeof timer === "object") timer.unref();
    this.#timers.set(checkpointId, timer);
  }

  async #forgetExpired(checkpointId: string): Promise<void> {
    try {
      const record = await this.read(checkpointId);
      if (record === undefined) return await this.forget(checkpointId);
      // another process has asked again, or has had the answer
      if (record.final !== undefined) this.#open.delete(checkpointId);
      this.#forgetAt(checkpointId, record.expires);
    } catch {
      // a store that is closed by now, or cannot be reached: the next sweep finds it
      this.#timers.delete(checkpointId);
    }
  }
}
