import type { AgentEvent } from "../agents/agent-event.js";
import type { Clock } from "../components/clock.js";
import { PulledSource } from "../schema/stream/pulled-source.js";
import { streamCut } from "./errors.js";
import type { LogHead, LogRows } from "./log-rows.js";
import type { Recording } from "./recording.js";

/** The last event that a client has: which one of which run. */
export interface Seen {
  readonly run: string;
  readonly seq: number;
}

/** Whether a client has an event of a run already; never, if what it has is of another run. */
const hasSeen = ({ run, seq }: Seen, ofRun: string, event: AgentEvent): boolean => run === ofRun && event.seq <= seq;

/** The events of the earlier runs of a turn that a client does not have yet. */
export async function earlierEvents(
  id: string,
  { run: current, earlier = [] }: LogHead,
  { rows, seen }: { readonly rows: LogRows; readonly seen: Seen },
): Promise<readonly AgentEvent[]> {
  if (seen.run === current) return [];
  const from = Math.max(
    0,
    earlier.findIndex(({ run }) => run === seen.run),
  );
  const parts = await Promise.all(
    earlier.slice(from).map(async ({ recording, run }) => {
      return withoutLostStep(await rows.all(id, recording)).filter((event) => !hasSeen(seen, run, event));
    }),
  );
  return parts.flat();
}

/** What a turn that went on keeps of a run that failed or was cut off: not its error, nor a step whose answer was lost. */
function withoutLostStep(events: readonly AgentEvent[]): readonly AgentEvent[] {
  const last = events.at(-1);
  if (last?.type === "finish") return events;
  const left = last?.type === "error" ? events.slice(0, -1) : events;
  const isOwn = ({ agentPath }: AgentEvent): boolean => agentPath.length < 2;
  const begun = left.findLastIndex((event) => event.type === "step_start" && isOwn(event));
  const isLost = begun !== -1 && !left.slice(begun).some((event) => event.type === "message" && isOwn(event));
  return isLost ? left.slice(0, begun) : left;
}

/** The events of a recording in this process. Cancelling it only stops reading. */
export class LiveEvents extends PulledSource<AgentEvent> {
  readonly #recording: Recording;
  readonly #seen: Seen;
  readonly #throwsFailures: boolean;
  readonly #loadEarlier: (() => Promise<readonly AgentEvent[]>) | undefined;
  #earlier: AgentEvent[] | undefined;
  #position = 0;
  #onStop: (() => void) | undefined;

  constructor(
    recording: Recording,
    {
      seen = { run: "", seq: -1 },
      earlier,
      throwsFailures,
    }: {
      readonly seen?: Seen;
      /** Loads the events of the earlier runs of the turn. */
      readonly earlier?: () => Promise<readonly AgentEvent[]>;
      readonly throwsFailures: boolean;
    },
  ) {
    super();
    this.#recording = recording;
    this.#seen = seen;
    this.#loadEarlier = earlier;
    this.#throwsFailures = throwsFailures;
  }

  protected override async nextValue(): Promise<AgentEvent | undefined> {
    const { events } = this.#recording;
    for (;;) {
      // before the first event it is not known what the run follows
      if (events.length > 0) this.#earlier ??= [...((await this.#loadEarlier?.()) ?? [])];
      const before = this.#earlier?.shift();
      if (before !== undefined) return before;
      const [{ runId = "" } = {}] = events;
      while (this.#position < events.length) {
        const event = events[this.#position++];
        if (event !== undefined && !hasSeen(this.#seen, runId, event)) return event;
      }
      if (this.#recording.end !== undefined) return this.#atEnd();
      await Promise.race([
        this.#recording.moreThan(this.#position),
        new Promise<void>((resolve) => {
          this.#onStop = resolve;
        }),
      ]);
      if (!this.isOpen) return undefined;
    }
  }

  protected override stop(): void {
    this.#onStop?.();
  }

  /** Throws the failure of the run, or of saving its events, to the caller that started the run. */
  async #atEnd(): Promise<undefined> {
    const { end, written } = this.#recording;
    if (!this.#throwsFailures) return;
    if (end !== undefined && "failure" in end) throw end.failure;
    await written;
  }
}

/** How often to check for new events of another process. */
const pollMs = 100;

/** How often to ask, without news, whether that process is still alive. */
const aliveMs = 1_000;

/** The events of a recording in the store, including new ones while another process writes them. */
export class StoredEvents extends PulledSource<AgentEvent> {
  readonly #id: string;
  readonly #rows: LogRows;
  readonly #seen: Seen;
  #head: LogHead | undefined;
  /** The row that is read, and how many groups of it, and in all rows, have been. */
  #row = 0;
  #groups = 0;
  #allGroups = 0;
  #events: AgentEvent[] = [];
  /** Those of the earlier runs of the turn that are still to be returned. */
  #earlier: AgentEvent[] = [];
  #onStop: (() => void) | undefined;
  readonly #clock: Clock;
  /** The first event that was read, and the number of the last one: an error event at the end follows it. */
  #first: AgentEvent | undefined;
  #lastSeq = -1;
  /** When there last were news of the recording, or of its process. */
  #newsAt: number;
  #isCut = false;

  constructor(
    id: string,
    { rows, clock, seen }: { readonly rows: LogRows; readonly clock: Clock; readonly seen: Seen },
  ) {
    super();
    this.#id = id;
    this.#rows = rows;
    this.#clock = clock;
    this.#seen = seen;
    this.#newsAt = clock.now();
  }

  protected override async nextValue(): Promise<AgentEvent | undefined> {
    const head = this.#head ?? (await this.#open());
    if (head === undefined) return undefined;
    const before = this.#earlier.shift();
    if (before !== undefined) return before;
    while (this.isOpen) {
      const event = this.#events.shift();
      if (event !== undefined) {
        this.#first ??= event;
        this.#lastSeq = event.seq;
        if (!hasSeen(this.#seen, head.run, event)) return event;
      } else if (!(await this.#read(head))) return undefined;
    }
    return undefined;
  }

  /** The recording of the newest turn; `undefined` if there is none. One that has begun elsewhere may not be recorded yet. */
  async #open(): Promise<LogHead | undefined> {
    while (this.isOpen) {
      const head = await this.#rows.head(this.#id);
      const standing = head === undefined ? "old" : await this.#rows.standing(head);
      if (standing === "old") return undefined;
      this.#head = head;
      if (standing === "newest") break;
      await this.#wait();
    }
    if (this.#head === undefined) return undefined;
    this.#earlier = [...(await earlierEvents(this.#id, this.#head, { rows: this.#rows, seen: this.#seen }))];
    return this.#head;
  }

  /** Reads the next groups. Returns false at the end of the recording. */
  async #read({ recording }: LogHead): Promise<boolean> {
    if (this.#isCut) return false;
    if (await this.#readRow(recording)) return true;
    const now = await this.#rows.head(this.#id);
    if (now?.recording !== recording) return false;
    if (now.groups !== undefined) return this.#allGroups < now.groups || this.#endCut(now.isCut === true);
    if (this.#clock.now() - this.#newsAt < aliveMs) await this.#wait();
    else if (await this.#rows.isOpen(now)) this.#newsAt = this.#clock.now();
    else return this.#readLast(recording);
    return this.isOpen;
  }

  /** Reads what a process wrote before it was gone. Ends with an error, unless it had finished. */
  async #readLast(recording: string): Promise<boolean> {
    const now = await this.#rows.head(this.#id);
    if (now?.recording !== recording) return false;
    if (now.groups !== undefined || (await this.#readRow(recording))) return true;
    return this.#endCut(true);
  }

  /** Ends the stream, with an error event if the recording lacks the rest. */
  #endCut(isCut: boolean): boolean {
    if (!isCut) return false;
    this.#isCut = true;
    const { runId = this.#head?.recording ?? "", agentPath = [], step = 0 } = this.#first ?? {};
    this.#events = [{ seq: this.#lastSeq + 1, runId, agentPath, step, type: "error", error: streamCut(this.#id) }];
    return true;
  }

  /** Reads what is new in the last row, or the first groups of the one after it. */
  async #readRow(recording: string): Promise<boolean> {
    for (const row of this.#groups === 0 ? [this.#row] : [this.#row, this.#row + 1]) {
      const groups = await this.#rows.read(this.#id, recording, row);
      const known = row === this.#row ? this.#groups : 0;
      if (groups.length <= known) continue;
      this.#events = groups.slice(known).flat();
      this.#newsAt = this.#clock.now();
      this.#row = row;
      this.#groups = groups.length;
      this.#allGroups += groups.length - known;
      return true;
    }
    return false;
  }

  #wait(): Promise<void> {
    return new Promise((resolve) => {
      const timer = this.#clock.setTimer(resolve, pollMs);
      this.#onStop = () => {
        this.#clock.clearTimer(timer);
        resolve();
      };
    });
  }

  protected override stop(): void {
    this.#onStop?.();
  }
}
