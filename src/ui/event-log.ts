import type { AgentEvent } from "../agents/agent-event.js";
import { checkOptions } from "../check-options.js";
import type { CheckpointStore } from "../checkpoint/checkpoint-store.js";
import { type Clock, clockOf, isClock } from "../components/clock.js";
import type { Runtime } from "../compose/runtime.js";
import { hasMethod } from "../is.js";
import { StreamReader } from "../schema/stream/reader.js";
import { checkEventStream } from "./check-event-stream.js";
import { invalidUiOption } from "./errors.js";
import { type AppendingStore, LogRows } from "./log-rows.js";
import { earlierEvents, LiveEvents, type Seen, StoredEvents } from "./log-sources.js";
import { Recording } from "./recording.js";

/** Options of {@link eventLog}. */
export interface EventLogOptions {
  /** Its `clock` is used for all waits. @default the system clock */
  readonly runtime?: Runtime | undefined;
}

/** Options for replaying the events of a run. */
export interface ReplayOptions {
  /** The `Last-Event-ID` of the client, `<run>:<seq>`: replay starts after this event. @default all events */
  readonly after?: string | null | undefined;
}

/**
 * Records the events of runs, so that clients can disconnect and read them again.
 *
 * @example
 * const log = eventLog(memoryStore());
 * const live = sse(log.record("u-1", agent.stream("Hi", { threadId: "u-1" })));
 * const again = sse(log.replay("u-1", { after: "the last id that the client has" }));
 */
export interface EventLog {
  /**
   * Starts a run and records its events under an id, such as the id of its thread. Removes the events of the previous run with
   * that id. Returns a stream that is read like the original; if its reader stops, the run continues.
   */
  record<Stream extends AsyncIterable<AgentEvent>>(id: string, stream: Stream): Stream;
  /**
   * Returns the recorded events of the last run, followed by its new ones; an empty stream if there are none. Of a turn of a thread
   * they are those of all its runs: the first one, and what followed each answer. In another process
   * than that of the run, new events arrive up to 150 ms later. If the process of the run is gone, or could not save the rest, the
   * stream ends with an event `error` of code `STREAM_CUT`, at most a second and a check of the store later.
   */
  replay(id: string, options?: ReplayOptions): StreamReader<AgentEvent>;
  /** Whether a recorded run is still running, as far as the store knows. If not, answer the resume request of `useChat` with status 204. */
  isOpen(id: string): Promise<boolean>;
  /** Removes the recorded events. Does not stop a running run. */
  remove(id: string): Promise<void>;
}

/**
 * Records the events of runs in a store, so that a client that lost its connection can continue where it was. A recorded run is
 * not aborted when its client disconnects. A recording is removed when the next run with its id starts, or with its turn of a
 * thread. Throws if the store has no `append`. A store with `isOwnerAlive` tells replays that the process of a run is gone.
 *
 * @example
 * const log = eventLog(memoryStore());
 * const response = sse(log.record("u-1", agentEvents));
 * const resume = (id: string, request: Request) => sse(log.replay(id, { after: request.headers.get("last-event-id") }));
 */
export function eventLog(store: CheckpointStore, options: EventLogOptions = {}): EventLog {
  checkOptions("eventLog", options, ["runtime"]);
  const { runtime } = options;
  if (runtime !== undefined && !isClock(runtime?.clock)) {
    throw invalidUiOption("eventLog", "runtime", "a Runtime", runtime);
  }
  const isStore = ["get", "put", "delete", "list"].every((name) => hasMethod(store, name));
  if (!isStore) throw invalidUiOption("eventLog", "store", "a checkpoint store", store);
  if (!appends(store)) {
    const rule = "a store with append: memoryStore(), sqliteStore(…) or postgresStore(…)";
    throw invalidUiOption("eventLog", "store", rule, store);
  }
  return new StoredLog(new LogRows(store), clockOf(options));
}

function appends(store: CheckpointStore): store is AppendingStore {
  return hasMethod(store, "append");
}

/** The longest encoded id that fits into a key of a store. */
const maxIdLength = 256;

class StoredLog implements EventLog {
  readonly #rows: LogRows;
  readonly #clock: Clock;
  /** The recordings of this process. */
  readonly #live = new Map<string, Recording>();

  constructor(rows: LogRows, clock: Clock) {
    this.#rows = rows;
    this.#clock = clock;
  }

  record<Stream extends AsyncIterable<AgentEvent>>(id: string, stream: Stream): Stream {
    checkId("record", id);
    checkEventStream("record", stream);
    const recording = new Recording(stream, {
      id,
      rows: this.#rows,
      clock: this.#clock,
      onStart: (started) => void this.#live.set(id, started),
      onEnd: (ended) => {
        if (this.#live.get(id) === ended) this.#live.delete(id);
      },
    });
    if (!this.#live.has(id)) this.#live.set(id, recording);
    const recorded: AsyncIterable<AgentEvent> = new RecordedStream(recording, stream);
    return recorded as Stream;
  }

  replay(id: string, options: ReplayOptions = {}): StreamReader<AgentEvent> {
    checkId("replay", id);
    checkOptions("replay", options, ["after"]);
    const { after } = options;
    if (after !== undefined && after !== null && typeof after !== "string") {
      throw invalidUiOption("replay", "after", 'the value of a Last-Event-ID header, such as "<run>:<seq>"', after);
    }
    const seen = seenIn(after ?? "");
    const recording = this.#live.get(id);
    if (recording === undefined)
      return new StreamReader(new StoredEvents(id, { rows: this.#rows, clock: this.#clock, seen }));
    const earlier = async (): Promise<readonly AgentEvent[]> => {
      await recording.begun.catch(() => undefined);
      const head = await this.#rows.head(id);
      return head === undefined ? [] : earlierEvents(id, head, { rows: this.#rows, seen });
    };
    return new StreamReader(new LiveEvents(recording, { seen, earlier, throwsFailures: false }));
  }

  async isOpen(id: string): Promise<boolean> {
    checkId("isOpen", id);
    const recording = this.#live.get(id);
    if (recording !== undefined) return recording.end === undefined;
    const head = await this.#rows.head(id);
    if (head === undefined) return false;
    const standing = await this.#rows.standing(head);
    return standing === "newest" ? this.#rows.isOpen(head) : standing === "soon";
  }

  async remove(id: string): Promise<void> {
    checkId("remove", id);
    await this.#rows.remove(id);
  }
}

/** The last event that a client has. */
function seenIn(lastId: string): Seen {
  const at = lastId.lastIndexOf(":");
  return { run: lastId.slice(0, Math.max(0, at)), seq: Number(lastId.slice(at + 1)) };
}

function checkId(where: string, id: unknown): void {
  const isId = typeof id === "string" && id !== "" && encodedLength(id) <= maxIdLength;
  if (!isId) throw invalidUiOption(where, "id", `a string of 1 to ${maxIdLength} characters when percent-encoded`, id);
}

function encodedLength(id: string): number {
  try {
    return encodeURIComponent(id).length;
  } catch {
    return Number.POSITIVE_INFINITY; // a lone surrogate cannot be encoded
  }
}

/** The stream of a recorded run, with the properties of the original stream. */
class RecordedStream extends StreamReader<AgentEvent> {
  readonly #stream: object;

  constructor(recording: Recording, stream: AsyncIterable<AgentEvent>) {
    super(new LiveEvents(recording, { throwsFailures: true }));
    this.#stream = stream;
  }

  get result(): unknown {
    return Reflect.get(this.#stream, "result");
  }

  get text(): unknown {
    return Reflect.get(this.#stream, "text");
  }

  get textStream(): unknown {
    return Reflect.get(this.#stream, "textStream");
  }

  get partialOutputStream(): unknown {
    return Reflect.get(this.#stream, "partialOutputStream");
  }

  messages(): unknown {
    const messages: unknown = Reflect.get(this.#stream, "messages");
    return typeof messages === "function" ? messages.call(this.#stream) : [];
  }
}
