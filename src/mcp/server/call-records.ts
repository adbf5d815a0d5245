import type { CheckpointStore } from "../../checkpoint/checkpoint-store.js";
import { isConflict } from "../../checkpoint/errors.js";
import type { Fields } from "../../is.js";
import { maxTimerMs } from "../timing.js";
import type { ClientQuestion } from "./forms.js";

/** The questions of one round, by their keys in the protocol. */
export type ClientQuestions = Readonly<Record<string, ClientQuestion>>;

/**
 * The saved state of a call that has asked questions. It keeps every round, so that a repeated answer gets the same reply.
 */
export interface CallRecord {
  /** When the record expires, in milliseconds since 1970. */
  readonly expires: number;
  /** How many replies had invalid answers. */
  readonly mismatchCount: number;
  /** The questions of round 1, 2, … */
  readonly asks: readonly ClientQuestions[];
  /** The result of the call, once it has ended. */
  readonly final?: Fields | undefined;
}

const prefix = "~mcp/";
const decoder = new TextDecoder();
const encoder = new TextEncoder();

/** The records of waiting calls, in the same store as their checkpoints. */
export class CallRecords {
  readonly #store: CheckpointStore;
  readonly #timers = new Map<string, ReturnType<typeof setTimeout>>();
  readonly #open = new Set<string>();
  #isClosed = false;

  constructor(store: CheckpointStore) {
    this.#store = store;
  }

  /** The number of calls of this process that wait for an answer. */
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

  /** Deletes the record and the checkpoint of a call. */
  async forget(checkpointId: string): Promise<void> {
    this.#open.delete(checkpointId);
    clearTimeout(this.#timers.get(checkpointId));
    this.#timers.delete(checkpointId);
    await this.#store.delete(checkpointId);
    await this.#store.delete(prefix + checkpointId);
  }

  /** Deletes the expired records that earlier processes left; sets timers for the others. */
  async sweep(): Promise<void> {
    for await (const id of this.#store.list(prefix)) {
      const checkpointId = id.slice(prefix.length);
      if (!this.#timers.has(checkpointId)) await this.#forgetExpired(checkpointId);
    }
  }

  /** Stops the timers. Records that expire later are deleted by the next process. */
  close(): void {
    this.#isClosed = true;
    for (const timer of this.#timers.values()) clearTimeout(timer);
    this.#timers.clear();
  }

  #forgetAt(checkpointId: string, expires: number): void {
    if (this.#isClosed) return;
    clearTimeout(this.#timers.get(checkpointId));
    const timer = setTimeout(() => void this.#forgetExpired(checkpointId), Math.min(expires - Date.now(), maxTimerMs));
    if (typeof timer === "object") timer.unref();
    this.#timers.set(checkpointId, timer);
  }

  async #forgetExpired(checkpointId: string): Promise<void> {
    try {
      const record = await this.read(checkpointId);
      if (record === undefined) return await this.forget(checkpointId);
      // another process has asked again or has ended the call
      if (record.final !== undefined) this.#open.delete(checkpointId);
      this.#forgetAt(checkpointId, record.expires);
    } catch {
      // the store is closed or unreachable: the next sweep deletes the record
      this.#timers.delete(checkpointId);
    }
  }
}
