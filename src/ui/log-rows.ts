import type { AgentEvent } from "../agents/agent-event.js";
import { partedLog, storedEvents } from "../agents/threads/stored-turn.js";
import { noteEvents, removeEvents } from "../agents/threads/turn-events.js";
import { keyAfter, mayRun, readTurn, runIdOf, turnOfRunId } from "../agents/threads/turn-row.js";
import type { CheckpointStore } from "../checkpoint/checkpoint-store.js";
import { runningClaims } from "../checkpoint/journal/running-claims.js";
import { KumikoError } from "../errors.js";
import { isFields } from "../is.js";
import { toolResultsOf } from "../schema/message/read-message.js";
import { logDamaged } from "./errors.js";

/** A store that keeps an entry without writing the others again. */
export type AppendingStore = CheckpointStore & { append: NonNullable<CheckpointStore["append"]> };

/** The head of the current recording of an id. */
export interface LogHead {
  readonly version: 1;
  /** The unique id of the recording. */
  readonly recording: string;
  /** The run that is recorded, as its events name it. */
  readonly run: string;
  /** The recordings of what came before in the same turn or saved run, the first one first. */
  readonly earlier?: readonly { readonly recording: string; readonly run: string }[] | undefined;
  /** The store key of the thread turn that the run belongs to. */
  readonly turn?: string | undefined;
  /** The id of the saved run, if it is one of its own. */
  readonly checkpointId?: string | undefined;
  /** Whether the saved run has ended: what comes under its id then is another one. */
  readonly isOver?: boolean | undefined;
  /** The process that records, and its claim while it does: once it is gone, no more events come. */
  readonly owner?: string | undefined;
  readonly claim?: string | undefined;
  /** The number of groups of events, once the recording is complete, or has failed. */
  readonly groups?: number | undefined;
  /** Whether the recording has failed, and so lacks events. */
  readonly isCut?: boolean | undefined;
}

/** Where the last group of a recording was written. */
export interface LogEnd {
  readonly row: number;
  readonly version: number;
  /** The number of groups in the row. */
  readonly groups: number;
}

/** How many groups are appended to a row. Whoever reads along in another process reads the last row again and again. */
const groupsPerRow = 32;

/** The rows of event logs in a store: a head per id, and rows that groups of events are appended to. */
export class LogRows {
  readonly #store: AppendingStore;

  constructor(store: AppendingStore) {
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

  /**
   * What a recording is to whoever reads the thread now: of its newest turn, or of an earlier one, and then whether the newest turn
   * runs and may be recorded soon.
   */
  async standing({ turn }: LogHead): Promise<"newest" | "soon" | "old"> {
    const next = turn === undefined ? undefined : await readTurn(this.#store, keyAfter(turn));
    if (next === undefined) return "newest";
    return next.record.status === "open" && (await mayRun(this.#store, next.record)) ? "soon" : "old";
  }

  /** Whether more events may come: the recording is not complete, and its process may still be alive. */
  async isOpen({ groups, owner, claim }: LogHead): Promise<boolean> {
    if (groups !== undefined || owner === undefined || runningClaims.hasEnded(owner, claim)) return false;
    return (await this.#store.isOwnerAlive?.(owner)) !== false;
  }

  /** Starts a recording, and removes the previous one, unless that is of the same turn or saved run. Returns the head with what it follows. */
  async begin(id: string, head: LogHead): Promise<LogHead> {
    const previous = await this.#readHead(id);
    if (head.turn !== undefined) await noteEvents(this.#store, head.turn, headKey(id));
    const { recording, run, turn, earlier = [] } = previous?.head ?? {};
    const goesOn = isSameRun(previous?.head, head) && recording !== undefined && run !== undefined;
    const before = goesOn ? [...earlier, { recording, run }] : [];
    const logged =
      goesOn && turn !== undefined && isBroken(previous?.head) ? await this.#logged(id, turn, before) : undefined;
    const begun = goesOn ? { ...head, earlier: logged ?? before } : head;
    await this.#store.put(headKey(id), encode(begun), previous?.version);
    if (recording === undefined || (goesOn && logged === undefined)) return begun;
    for (const one of [...earlier, { recording }]) await this.#removeRows(id, one.recording);
    return begun;
  }

  /**
   * Records what a turn has logged that was cut off, if its recordings say something else: they lack what was not written in time, or
   * have an answer that was lost.
   */
  async #logged(id: string, turn: string, before: NonNullable<LogHead["earlier"]>): Promise<LogHead["earlier"]> {
    const { record } = (await readTurn(this.#store, turn)) ?? {};
    if (record?.status !== "open") return undefined;
    const { answers } = partedLog(record.messages);
    const recorded = (await Promise.all(before.map(({ recording }) => this.all(id, recording)))).flat();
    const { results = [] } = record;
    const told = recorded.filter(({ agentPath }) => agentPath.length < 2);
    const isTold = ({ callId }: { readonly callId: string }): boolean =>
      told.some((event) => event.type === "tool_result" && event.callId === callId);
    const isWhole = [...answers, ...results].flatMap(toolResultsOf).every(isTold);
    const count = told.filter(({ type }) => type === "message").length;
    if (isWhole && count === answers.filter(({ role }) => role === "assistant").length) return undefined;
    const recording = crypto.randomUUID();
    const place = { runId: recording, agentPath: [record.agent] };
    const checkpointId = runIdOf(turn);
    const start = { type: "start", step: 0, threadId: turnOfRunId(checkpointId)?.id, checkpointId } as const;
    const events = [start, ...storedEvents(answers, { results, interrupts: [], steps: record.result?.steps })];
    const group = events.map((event, seq) => ({ seq, ...place, ...event }) as AgentEvent);
    await this.#store.put(rowKey(id, recording, 0), encode(group), undefined);
    return [{ recording, run: recording }];
  }

  /** All events of a recording that has ended. */
  async all(id: string, recording: string): Promise<AgentEvent[]> {
    const events: AgentEvent[] = [];
    for (let row = 0; ; row++) {
      const groups = await this.read(id, recording, row);
      if (groups.length === 0) return events;
      events.push(...groups.flat(2));
    }
  }

  /** Marks a recording as complete, unless another one has started. */
  async end(id: string, head: LogHead): Promise<void> {
    const now = await this.#readHead(id);
    if (now?.head.recording === head.recording) await this.#store.put(headKey(id), encode(head), now.version);
  }

  /** Writes a group of events after the last one. Returns where; `undefined` if another recording has started. */
  async write(
    id: string,
    recording: string,
    last: LogEnd | undefined,
    events: readonly AgentEvent[],
  ): Promise<LogEnd | undefined> {
    const data = encode(events);
    if (last === undefined || last.groups >= groupsPerRow) {
      if ((await this.#readHead(id))?.head.recording !== recording) return undefined;
      const row = last === undefined ? 0 : last.row + 1;
      return { row, version: await this.#store.put(rowKey(id, recording, row), data, undefined), groups: 1 };
    }
    try {
      const version = await this.#store.append(rowKey(id, recording, last.row), data, last.version);
      return { row: last.row, version, groups: last.groups + 1 };
    } catch (error) {
      // the row was removed with the recording
      if (KumikoError.is(error) && error.code === "CHECKPOINT_CONFLICT") return undefined;
      throw error;
    }
  }

  /** The groups of events in a row. */
  async read(id: string, recording: string, row: number): Promise<readonly (readonly AgentEvent[])[]> {
    const key = rowKey(id, recording, row);
    const stored = await this.#read(key);
    if (stored === undefined) return [];
    return [stored.data, ...(stored.appended ?? [])].map((data) => {
      const events = decode(key, data);
      if (!Array.isArray(events)) throw logDamaged(key, "it is not an array of events");
      return events;
    });
  }

  async remove(id: string): Promise<void> {
    await this.#store.delete(headKey(id));
    await this.#removeRows(id);
  }

  async #removeRows(id: string, recording?: string): Promise<void> {
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

/** Whether a recording is of what the other one goes on with. */
function isSameRun(former: LogHead | undefined, { turn, checkpointId }: LogHead): boolean {
  if (former?.turn !== undefined || turn !== undefined) return former?.turn === turn;
  return checkpointId !== undefined && former?.checkpointId === checkpointId && former.isOver !== true;
}

/** Whether the process of a recording is gone, or could not save the rest. */
function isBroken(head: LogHead | undefined): boolean {
  return head !== undefined && (head.groups === undefined || head.isCut === true);
}

function headKey(id: string): string {
  return `~events/${encodeURIComponent(id)}`;
}

function rowKey(id: string, recording: string, number: number): string {
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
