import type { AgentEvent } from "../agents/agent-event.js";
import type { CheckpointStore } from "../checkpoint/checkpoint-store.js";
import { hasMethod } from "../is.js";
import { StreamReader } from "../schema/stream/reader.js";
import { checkEventStream, checkUiOptions } from "./check-options.js";
import { invalidUiOption } from "./errors.js";
import { LogRows } from "./log-rows.js";
import { LiveEvents, StoredEvents } from "./log-sources.js";
import { Recording } from "./recording.js";

/** Options for replaying the events of a run. */
export interface ReplayOptions {
  /** The `Last-Event-ID` of a client, `<run>:<seq>`: what it has is left out. @default everything is given */
  readonly after?: string | null | undefined;
}

/**
 * The events of runs that go on when their clients leave.
 *
 * @example
 * const log = eventLog(memoryStore());
 * const live = sse(log.record("u-1", agent.stream("Hi", { threadId: "u-1" })));
 * const again = sse(log.replay("u-1", { after: "the last id that the client has" }));
 */
export interface EventLog {
  /**
   * Starts a run and keeps its events under an id, such as that of its thread; those of the run before are removed. What it gives
   * is read like the stream itself, and may be left: the run goes on.
   */
  record<Stream extends AsyncIterable<AgentEvent>>(id: string, stream: Stream): Stream;
  /**
   * The events of the last run that was recorded, then those that come; empty where there are none. In another process than
   * that of the run, new ones come up to 150 ms later.
   */
  replay(id: string, options?: ReplayOptions): StreamReader<AgentEvent>;
  /** Whether a recorded run goes on: `useChat` wants status 204 where none does. */
  isOpen(id: string): Promise<boolean>;
  /** Forgets what was recorded. A run that goes on is not stopped by it. */
  remove(id: string): Promise<void>;
}

/**
 * Keeps the events of runs in a store, so that a client whose connection was lost can go on where it was. A recorded run is not
 * aborted when its client leaves. Recordings go when the next run of their id begins, or with their turn of a thread.
 *
 * @example
 * const log = eventLog(memoryStore());
 * const response = sse(log.record("u-1", agentEvents));
 * const goOn = (id: string, request: Request) => sse(log.replay(id, { after: request.headers.get("last-event-id") }));
 */
export function eventLog(store: CheckpointStore): EventLog {
  const isStore = ["get", "put", "delete", "list"].every((name) => hasMethod(store, name));
  if (!isStore) throw invalidUiOption("eventLog", "store", "a store of checkpoints", store);
  return new StoredLog(new LogRows(store));
}

/** Longer ids may not fit into a store when they are encoded. */
const longestId = 256;

class StoredLog implements EventLog {
  readonly #rows: LogRows;
  /** What is recorded in this process. */
  readonly #live = new Map<string, Recording>();

  constructor(rows: LogRows) {
    this.#rows = rows;
  }

  record<Stream extends AsyncIterable<AgentEvent>>(id: string, stream: Stream): Stream {
    checkId("record", id);
    checkEventStream("record", stream);
    const recording = new Recording(stream, {
      id,
      rows: this.#rows,
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
    checkUiOptions("replay", options, ["after"]);
    const { after } = options;
    if (after !== undefined && after !== null && typeof after !== "string") {
      throw invalidUiOption("replay", "after", 'the text of a Last-Event-ID, such as "<run>:<seq>"', after);
    }
    const skips = seenBy(after ?? "");
    const recording = this.#live.get(id);
    return new StreamReader(
      recording === undefined
        ? new StoredEvents(id, this.#rows, skips)
        : new LiveEvents(recording, { skips, tellsFailures: false }),
    );
  }

  async isOpen(id: string): Promise<boolean> {
    checkId("isOpen", id);
    const recording = this.#live.get(id);
    if (recording !== undefined) return recording.end === undefined;
    const head = await this.#rows.head(id);
    return head !== undefined && head.groups === undefined;
  }

  async remove(id: string): Promise<void> {
    checkId("remove", id);
    await this.#rows.remove(id);
  }
}

/** Which events a client has that was cut off after this one. An id of another run, or none, means: none of these. */
function seenBy(lastId: string): (event: AgentEvent) => boolean {
  const at = lastId.lastIndexOf(":");
  const [run, seq] = [lastId.slice(0, Math.max(0, at)), Number(lastId.slice(at + 1))];
  let isSame: boolean | undefined;
  return (event) => {
    isSame ??= at > 0 && event.runId === run;
    return isSame && event.seq <= seq;
  };
}

function checkId(where: string, id: unknown): void {
  const isId = typeof id === "string" && id !== "" && encodedLength(id) <= longestId;
  if (!isId)
    throw invalidUiOption(where, "id", `a text of 1 to ${longestId} characters, once it is percent-encoded`, id);
}

function encodedLength(id: string): number {
  try {
    return encodeURIComponent(id).length;
  } catch {
    return Number.POSITIVE_INFINITY; // half of a surrogate pair
  }
}

/** A recorded run, read as the stream of the agent itself. */
class RecordedStream extends StreamReader<AgentEvent> {
  readonly #stream: object;

  constructor(recording: Recording, stream: AsyncIterable<AgentEvent>) {
    super(new LiveEvents(recording, { tellsFailures: true }));
    this.#stream = stream;
  }

  get result(): unknown {
    return Reflect.get(this.#stream, "result");
  }

  get text(): unknown {
    return Reflect.get(this.#stream, "text");
  }

  get partialOutput(): unknown {
    return Reflect.get(this.#stream, "partialOutput");
  }

  messages(): unknown {
    const messages: unknown = Reflect.get(this.#stream, "messages");
    return typeof messages === "function" ? messages.call(this.#stream) : [];
  }
}
