import type { Handler } from "../callbacks/handler.js";
import type { RunInfo } from "../callbacks/run-info.js";
import { jsonCopy } from "../schema/encode-json.js";
import { StreamReader } from "../schema/stream/reader.js";
import { type AgentEvent, type AgentEventBody, errorEvent } from "./agent-event.js";
import type { AgentResult } from "./agent-result.js";
import { Channel, EventFeed } from "./event-feed.js";

/** The reader of a call's events. */
export interface EventReader {
  readonly feed: EventFeed;
  /** Aborted when the events are left. */
  readonly signal: AbortSignal;
  readonly watch: RunWatch;
}

/** The run behind the stream of an agent. */
export interface StreamedRun {
  readonly name: string;
  start(reader: EventReader): Promise<AgentResult<unknown>>;
  /** Whether it was aborted rather than failed. */
  wasAborted(): boolean;
  /** The growing output, out of the events of the run. */
  partialOutput(
    events: AsyncIterable<AgentEvent>,
    result: () => Promise<AgentResult<unknown>>,
  ): AsyncGenerator<unknown, void>;
}

/** The run behind a stream of an agent: its first reader starts it. @internal */
export class StreamCall {
  readonly feed: EventFeed;
  readonly #run: StreamedRun;
  readonly #controller = new AbortController();
  #result: Promise<AgentResult<unknown>> | undefined;

  constructor(run: StreamedRun) {
    this.#run = run;
    this.feed = new EventFeed(
      run.name,
      () => void this.#start(),
      (reason) => this.#controller.abort(reason ?? new DOMException("The stream of the agent was left.", "AbortError")),
    );
  }

  /** The result of the run, which no longer waits for readers. */
  freeResult(): Promise<AgentResult<unknown>> {
    this.feed.free();
    return this.#start();
  }

  #start(): Promise<AgentResult<unknown>> {
    if (this.#result === undefined) {
      this.#result = this.#begin();
      this.#result.catch(() => undefined);
    }
    return this.#result;
  }

  async #begin(): Promise<AgentResult<unknown>> {
    await undefined; // what starts it goes first
    try {
      const { signal } = this.#controller;
      const result = await this.#run.start({ feed: this.feed, signal, watch: new RunWatch() });
      this.feed.close();
      return result;
    } catch (error) {
      const told = errorEvent(error);
      this.feed.emit({ type: "error", error: this.#run.wasAborted() ? { ...told, code: "ABORTED" } : told });
      this.feed.close({ error });
      throw error;
    }
  }

  /** The growing output, from here on. */
  openPartialOutput(): StreamReader<unknown> {
    const events = new Channel<AgentEvent>({ read: ignore, taken: ignore, left: ignore });
    this.feed.onEvent = (event) => events.write(event);
    const run = this.#run;
    const result = (): Promise<AgentResult<unknown>> => this.freeResult();
    async function* partial(): AsyncGenerator<unknown, void> {
      const close = (): void => events.close();
      result().then(close, close);
      yield* run.partialOutput(new StreamReader(events), result);
    }
    return StreamReader.from(partial());
  }
}

function ignore(): void {}

/** The observer: the turn of an agent. */
interface Listening {
  emit(event: AgentEventBody): unknown;
}

/** Hears what tools tell on their way, for those who read events. */
export class RunWatch implements Handler {
  /** By the addresses of their nodes. */
  readonly tools = new Map<string, Listening>();

  onEvent({ address, component, toolCallId }: RunInfo, event: unknown): void {
    const { kind, event: value } = (event ?? {}) as { kind?: unknown; event?: unknown };
    if (kind !== "progress" || component !== "tool" || toolCallId === undefined) return;
    const turn = this.tools.get(address.slice(0, address.lastIndexOf(";tool:")));
    turn?.emit({ type: "tool_progress", callId: toolCallId, value: jsonCopy(value) });
  }
}
