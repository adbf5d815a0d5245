import type { AgentEvent } from "../agents/agent-event.js";
import { noteEvents, removeEvents } from "../agents/turn-events.js";
import type { CheckpointStore } from "../checkpoint/checkpoint-store.js";
import { isFields } from "../is.js";
import { logDamaged } from "./errors.js";

/** What is known of the recording that an id has now. */
export interface LogHead {
  readonly version: 1;
  /** Names this recording, and no other of the same id. */
  readonly recording: string;
  /** Where the turn of the thread stands that it belongs to. */
  readonly turn?: string | undefined;
  /** How many groups there are, once there are no more. */
  readonly groups?: number | undefined;
}

/** The rows of event logs in a store: a head per id, and a row per group of events. */
export class LogRows {
  readonly #store: CheckpointStore;

  constructor(store: CheckpointStore) {
    this.#store = store;
  }

  /** The head of an id. A recording goes with its turn: when that was removed, it is removed here. */
  async head(id: string): Promise<LogHead | undefined> {
    const head = (await this.#readHead(id))?.head;
    if (head?.turn === undefined || (await this.#read(head.turn)) !== undefined) return head;
    await removeEvents(this.#store, head.turn);
    await this.remove(id);
    return undefined;
  }

  /** Begins a recording; those before it are removed. */
  async begin(id: string, head: LogHead): Promise<void> {
    const before = await this.#readHead(id);
    if (head.turn !== undefined) await noteEvents(this.#store, head.turn, headKey(id));
    await this.#store.put(headKey(id), encode(head), before?.version);
    if (before !== undefined) await this.#removeGroups(id, before.head.recording);
  }

  /** Says that a recording is complete, unless another one has begun. */
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
    if (!Array.isArray(events)) throw logDamaged(key, "it is not a list of events");
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

  /** Databases say `null` for nothing. */
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
