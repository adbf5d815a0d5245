import type { AgentEvent } from "../agents/agent-event.js";
import { processOwner } from "../checkpoint/journal/process-owner.js";
import { runningClaims } from "../checkpoint/journal/running-claims.js";
import type { Clock } from "../components/clock.js";
import { logFailed } from "./errors.js";
import type { LogEnd, LogHead, LogRows } from "./log-rows.js";

/** How long events are collected before they are written as one group. */
const groupMs = 50;

interface RecordingOptions {
  readonly id: string;
  readonly rows: LogRows;
  readonly clock: Clock;
  /** Called when the run has started, and so replaces the previous recording of the id. */
  readonly onStart: (recording: Recording) => void;
  /** Called when everything is written. */
  readonly onEnd: (recording: Recording) => void;
}

/**
 * A run whose events are kept: in memory while it goes on, and in the store. It goes on whether anybody reads it or not.
 */
export class Recording {
  readonly events: AgentEvent[] = [];
  /** Set when the run has ended, with its failure if it failed. */
  end: { readonly failure?: unknown } | undefined;
  /** Settles when everything is written; rejects when that failed. */
  readonly written: Promise<void>;
  /** Settles when the recording has its place in the store. */
  begun: Promise<void> = Promise.resolve();
  readonly #options: RecordingOptions;
  readonly #name = crypto.randomUUID();
  #wake: (() => void)[] = [];
  #head: LogHead | undefined;
  /** The number of groups that are written. */
  #groups = 0;
  readonly #claim = runningClaims.open();
  /** Where the last group was written. */
  #last: LogEnd | undefined;
  /** Set when another recording of the id has started: this one is gone from the store. */
  #isReplaced = false;
  /** The number of events that are written or being written. */
  #writtenCount = 0;
  #timer: unknown;
  #writing: Promise<void> = Promise.resolve();

  constructor(stream: AsyncIterable<AgentEvent>, options: RecordingOptions) {
    this.#options = options;
    this.written = this.#record(stream);
    this.written.catch(() => undefined); // the reader of the recorded stream gets the error
  }

  /** Resolves when there are more than `count` events, or when the run has ended. */
  moreThan(count: number): Promise<void> {
    if (this.events.length > count || this.end !== undefined) return Promise.resolve();
    return new Promise((resolve) => this.#wake.push(resolve));
  }

  async #record(stream: AsyncIterable<AgentEvent>): Promise<void> {
    try {
      for await (const event of stream) this.#add(event);
      this.#finish({});
    } catch (failure) {
      this.#finish({ failure });
    }
    this.#flush();
    try {
      await this.#writing;
      await this.#end();
    } catch (error) {
      // the store may answer again: then replays know that nothing more comes
      await this.#end({ isCut: true }).catch(() => undefined);
      throw logFailed(this.#options.id, error);
    } finally {
      runningClaims.close(this.#claim);
      this.#options.onEnd(this);
    }
  }

  async #end(more: Pick<LogHead, "isCut"> = {}): Promise<void> {
    if (this.#head === undefined) return;
    const isOver = this.#head.checkpointId === undefined ? undefined : isEnd(this.events.at(-1));
    await this.#options.rows.end(this.#options.id, { ...this.#head, ...more, isOver, groups: this.#groups });
  }

  #add(event: AgentEvent): void {
    if (this.#head === undefined && event.type === "start" && !isTold(event)) this.#begin(event);
    this.events.push(event);
    this.#wakeAll();
    if (this.#head !== undefined) this.#timer ??= this.#options.clock.setTimer(() => this.#flush(), groupMs);
  }

  /** Starts the recording. A run that does not start, for example because its thread is busy, replaces no recording. */
  #begin({ checkpointId, runId }: Extract<AgentEvent, { type: "start" }>): void {
    const [, turn] = /^(~thread\/[^/]+\/\d{8})\/run$/.exec(checkpointId ?? "") ?? [];
    const owned = { version: 1, recording: this.#name, run: runId, owner: processOwner(), claim: this.#claim } as const;
    const head: LogHead = turn === undefined ? { ...owned, checkpointId } : { ...owned, turn };
    this.#head = head;
    this.#options.onStart(this);
    this.#write(async () => {
      this.#head = await this.#options.rows.begin(this.#options.id, head);
    });
    this.begun = this.#writing;
  }

  #flush(): void {
    if (this.#timer !== undefined) this.#options.clock.clearTimer(this.#timer);
    this.#timer = undefined;
    if (this.#head === undefined || this.#writtenCount === this.events.length) return;
    const group = this.events.slice(this.#writtenCount);
    this.#writtenCount = this.events.length;
    this.#write(() => this.#append(group));
  }

  async #append(group: readonly AgentEvent[]): Promise<void> {
    if (this.#isReplaced) return;
    this.#last = await this.#options.rows.write(this.#options.id, this.#name, this.#last, group);
    this.#isReplaced = this.#last === undefined;
    this.#groups += 1;
  }

  /** Writes in order. After a failure, nothing more is written. */
  #write(work: () => Promise<void>): void {
    this.#writing = this.#writing.then(work);
    this.#writing.catch(() => undefined);
  }

  #finish(end: { readonly failure?: unknown }): void {
    this.end = end;
    this.#wakeAll();
  }

  #wakeAll(): void {
    for (const wake of this.#wake.splice(0)) wake();
  }
}

/** Whether an event ends a run that is saved. One that waits or has failed may go on. */
function isEnd(event: AgentEvent | undefined): boolean {
  return event?.type === "finish" && event.finishReason !== "waiting";
}

/** Whether a turn that has stopped is told again, for a request that was repeated: what runs, or ran, has its recording. */
function isTold({ runId, checkpointId }: Extract<AgentEvent, { type: "start" }>): boolean {
  return runId === checkpointId;
}
