import type { AgentEvent } from "../agents/agent-event.js";
import { noteEvents, removeEvents } from "../agents/turn-events.js";
import type { CheckpointStore } from "../checkpoint/checkpoint-store.js";
import { isFields } from "../is.js";
import { logDamaged } from "./errors.js";

/** The head of the current recording of an id. */
export interface LogHead {
  readonly version: 1;
  /** The unique id of the recording. */
  readonly recording: string;
  /** The store key of the thread turn that the run belongs to. */
  readonly turn?: string | undefined;
  /** The number of groups, once the recording is complete. */
  readonly groups?: number | undefined;
}

/** The rows of event logs in a store: a head per id, and a row per group of events. */
export class LogRows {
  readonly #store: CheckpointStore;

  constructor(store: CheckpointStore) {
    this.#store = store;
  }

  /** Reads the head of an id. If the turn of the recording was removed, removes the recording too. */
  async head(id: string): Promise<LogHead | undefined> {
    const head = (await this.#readHead(id))?.head;
    if (head?.turn === undefined || (await this.#read(head.turn)) !== undefined) return head;
    await removeEvents(this.#store, head.turn);
    await this.remove(id);
    return undefined;
  }

  /** Starts a recording, and removes the previous one. */
  async begin(id: string, head: LogHead): Promise<void> {
    const previous = await this.#readHead(id);
    if (head.turn !== undefined) await noteEvents(this.#store, head.turn, headKey(id));
    await this.#store.put(headKey(id), encode(head), previous?.version);
    if (previous !== undefined) await this.#removeGroups(id, previous.head.recording);
  }

  /** Marks a recording as complete, unless another one has started. */
  async end(id: string, head: LogHead): Promise<void> {
    const now = await this.#readHead(id);
    if (now?.head.recording === head.recording) await this.#store.put(headKey(id), encode(head), now.version);
  }

  async write(id: string, recording: string, number: number, events: readonly AgentEvent[]): Promise<void> {
    await this.#store.put(groupKey(id, recording, number), encode(events), undefined);
  }

  async read(id: string, recording: string, number: number): Promise<readonly AgentEvent[] | undefined> {
    const key = groupKey(id, recording, number);
    const stored = await this.#read(key);
    if (stored === undefined) return undefined;
    const events = decode(key, stored.data);
    if (!Array.isArray(events)) throw logDamaged(key, "it is not an array of events");
    return events;
  }

  async remove(id: string): Promise<void> {
    await this.#store.delete(headKey(id));
    await this.#removeGroups(id);
  }

  async #removeGroups(id: string, recording?: string): Promise<void> {
    const keys: string[] = [];
    const prefix = recording === undefined ? `${headKey(id)}/` : `${headKey(id)}/${recording}/`;
    for await (const key of this.#store.list(prefix)) keys.push(key);
    for (const key of keys) await this.#store.delete(key);
  }

  async #readHead(id: string): Promise<{ readonly head: LogHead; readonly version: number } | undefined> {
    const key = headKey(id);
    const stored = await this.#read(key);
    if (stored === undefined) return undefined;
    const head = decode(key, stored.data);
    if (!isFields(head) || head.version !== 1 || typeof head.recording !== "string") {
      throw logDamaged(key, "it is not the head of an event log");
    }
    return { head: head as object as LogHead, version: stored.version };
  }

  /** Reads a row. Some stores return `null` for a missing one. */
  async #read(key: string) {
    return (await this.#store.get(key)) ?? undefined;
  }
}

function headKey(id: string): string {
  return `~events/${encodeURIComponent(id)}`;
}

function groupKey(id: string, recording: string, number: number): string {
  return `${headKey(id)}/${recording}/${String(number).padStart(8, "0")}`;
}

function encode(value: unknown): Uint8Array {
  return new TextEncoder().encode(JSON.stringify(value));
}

function decode(key: string, data: Uint8Array): unknown {
  try {
    return JSON.parse(new TextDecoder().decode(data));
  } catch (cause) {
    throw logDamaged(key, cause);
  }
}
