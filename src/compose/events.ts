import type { Handler } from "../callbacks/handler.js";
import type { RunInfo } from "../callbacks/run-info.js";
import { joinChunks } from "../schema/concat/concat-chunks.js";
import { untilJoinable } from "../schema/concat/load-message-joining.js";
import { StreamReader } from "../schema/stream/reader.js";
import { type ChunkSource, ended } from "../schema/stream/source.js";
import type { RunOptions } from "./options.js";
import type { Runnable } from "./runnable.js";

/** One thing that happened in a run. */
export interface RunEvent {
  /** Counts from 0, without gaps. */
  readonly seq: number;
  /** Milliseconds since 1970. */
  readonly time: number;
  readonly type: "start" | "chunk" | "end" | "error" | "interrupt" | "event";
  readonly info: RunInfo;
  /** The input, a chunk, the output, the error, the interrupt, or the side event. */
  readonly value: unknown;
}

/**
 * Runs a Runnable and gives everything that happens in it as one ordered stream, for a user interface: starts, chunks and
 * ends of the graph, its nodes and tool calls. Chunks are only produced as the events are read. When the run fails, its
 * error event comes first and then the read rejects; leaving the loop stops the run.
 *
 * @example
 * const shout = lambda({ invoke: (text: string) => text.toUpperCase() });
 * for await (const { type, info, value } of events(shout, "hello")) console.log(type, info.component, value);
 */
export function events<I>(runnable: Runnable<I, unknown>, input: I, options: RunOptions = {}): StreamReader<RunEvent> {
  const log = new EventLog();
  const output = runnable.stream(input, { ...options, callbacks: [...(options.callbacks ?? []), log.handler] });
  return new StreamReader(new EventSource(log, output));
}

type Result = IteratorResult<RunEvent, undefined>;

/** Pulls the output of the run one chunk at a time, and only when every event so far was read. */
class EventSource implements ChunkSource<RunEvent> {
  readonly #log: EventLog;
  readonly #output: StreamReader<unknown>;
  #pull: Promise<void> | undefined = undefined;
  #outcome: { readonly failed: boolean; readonly error?: unknown } | undefined = undefined;
  #turn: Promise<unknown> = Promise.resolve();

  constructor(log: EventLog, output: StreamReader<unknown>) {
    this.#log = log;
    this.#output = output;
  }

  next(): Promise<Result> {
    const result = this.#turn.then(() => this.#next());
    this.#turn = result.then(undefined, () => undefined);
    return result;
  }

  cancel(reason?: unknown): void {
    this.#outcome ??= { failed: false };
    this.#log.clear();
    void this.#output.cancel(reason);
  }

  async #next(): Promise<Result> {
    for (;;) {
      const event = this.#log.shift();
      if (event !== undefined) return { done: false, value: event };
      if (this.#outcome !== undefined) return this.#finish(this.#outcome);
      this.#pull ??= this.#pullChunk();
      await Promise.race([this.#pull, this.#log.arrival()]);
    }
  }

  /** The copies that handlers read are a few microtasks behind: the last events are waited for. */
  async #finish(outcome: { readonly failed: boolean; readonly error?: unknown }): Promise<Result> {
    await this.#log.settled();
    const event = this.#log.shift();
    if (event !== undefined) return { done: false, value: event };
    this.#outcome = { failed: false };
    if (outcome.failed) throw outcome.error;
    return ended();
  }

  async #pullChunk(): Promise<void> {
    try {
      const { done } = await this.#output.next();
      if (done) this.#outcome ??= { failed: false };
    } catch (error) {
      this.#outcome ??= { failed: true, error };
    }
    this.#pull = undefined;
  }
}

/** Collects what happens, in order. */
class EventLog {
  readonly #events: RunEvent[] = [];
  readonly #copies = new Set<Promise<void>>();
  #seq = 0;
  #wake: (() => void) | undefined = undefined;

  readonly handler: Handler = {
    onStart: (info, value) => this.#push("start", info, value),
    onEnd: (info, value) => this.#push("end", info, value),
    onError: (info, error) => this.#push("error", info, error),
    onInterrupt: (info, interrupt) => this.#push("interrupt", info, interrupt),
    onEvent: (info, event) => this.#push("event", info, event),
    onEndWithStreamOutput: (info, stream) => {
      const copy = this.#readCopy(info, stream).finally(() => this.#copies.delete(copy));
      this.#copies.add(copy);
    },
  };

  shift(): RunEvent | undefined {
    return this.#events.shift();
  }

  clear(): void {
    this.#events.length = 0;
  }

  /** Resolves at the next event. */
  arrival(): Promise<void> {
    return new Promise((resolve) => {
      this.#wake = resolve;
    });
  }

  /** Resolves when no copy of a stream is being read any more. */
  async settled(): Promise<void> {
    while (this.#copies.size > 0) await Promise.all(this.#copies);
  }

  #push(type: RunEvent["type"], info: RunInfo, value: unknown): void {
    this.#events.push({ seq: this.#seq, time: Date.now(), type, info, value });
    this.#seq += 1;
    this.#wake?.();
    this.#wake = undefined;
  }

  async #readCopy(info: RunInfo, stream: StreamReader<unknown>): Promise<void> {
    const chunks: unknown[] = [];
    try {
      for await (const chunk of stream) {
        chunks.push(chunk);
        this.#push("chunk", info, chunk);
      }
    } catch {
      return; // its error event was there first
    }
    await untilJoinable(chunks);
    this.#push("end", info, joined(chunks, stream));
  }
}

/** The whole value, or the list of chunks when their node does not say how they join. */
function joined(chunks: readonly unknown[], { joining }: StreamReader<unknown>): unknown {
  try {
    return joinChunks(chunks, joining);
  } catch {
    return chunks;
  }
}
