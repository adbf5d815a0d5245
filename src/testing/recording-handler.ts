import type { Handler, HandlerTiming } from "../callbacks/handler.js";
import type { RunInfo } from "../callbacks/run-info.js";
import type { StreamReader } from "../schema/stream/reader.js";

/** One call of a handler. */
export interface RecordedEvent {
  /** The name of the handler's function, such as `"onStart"`. */
  readonly timing: HandlerTiming;
  /** Which run called. */
  readonly info: RunInfo;
  /** For a stream, the list of its chunks, which grows as they are read. */
  readonly value: unknown;
}

/** Options of {@link recordingHandler}. */
export interface RecordingOptions {
  /** Records the chunks of streams instead of their concatenated values. @default false */
  readonly streams?: boolean | undefined;
}

/** A handler that records its calls. */
export interface RecordingHandler extends Handler {
  /** The calls so far. */
  readonly events: readonly RecordedEvent[];
  /** The names of the runs with this timing, in order. Without a timing, all events, as `"onStart writer"`. */
  names(timing?: HandlerTiming): string[];
  /** Runs that have started but not ended. */
  unfinished(): RunInfo[];
  /** Resolves when all streams so far were read to their end. */
  settled(): Promise<void>;
}

/**
 * Creates a handler that records every event, to test what runs.
 *
 * @example
 * const recorder = recordingHandler();
 * await app.invoke(input, { callbacks: [recorder] });
 * console.log(recorder.names(), recorder.events.at(-1)?.value);
 */
export function recordingHandler({ streams = false }: RecordingOptions = {}): RecordingHandler {
  return streams ? new StreamRecorder() : new ValueRecorder();
}

class ValueRecorder implements RecordingHandler {
  readonly events: RecordedEvent[] = [];
  readonly #unfinished = new Set<RunInfo>();

  onStart(info: RunInfo, value: unknown): void {
    this.record("onStart", info, value);
  }

  onEnd(info: RunInfo, value: unknown): void {
    this.record("onEnd", info, value);
  }

  onError(info: RunInfo, error: unknown): void {
    this.record("onError", info, error);
  }

  onInterrupt(info: RunInfo, interrupt: unknown): void {
    this.record("onInterrupt", info, interrupt);
  }

  onEvent(info: RunInfo, event: unknown): void {
    this.record("onEvent", info, event);
  }

  names(timing?: HandlerTiming): string[] {
    if (timing === undefined) return this.events.map((event) => `${event.timing} ${event.info.name}`);
    return this.events.filter((event) => event.timing === timing).map(({ info }) => info.name);
  }

  unfinished(): RunInfo[] {
    return [...this.#unfinished];
  }

  async settled(): Promise<void> {}

  protected record(timing: HandlerTiming, info: RunInfo, value: unknown): void {
    this.events.push({ timing, info, value });
    if (timing === "onStart" || timing === "onStartWithStreamInput") this.#unfinished.add(info);
    else if (timing !== "onEvent") this.#unfinished.delete(info);
  }
}

class StreamRecorder extends ValueRecorder {
  readonly #copies = new Set<Promise<void>>();

  onStartWithStreamInput(info: RunInfo, stream: StreamReader<unknown>): void {
    this.#follow("onStartWithStreamInput", info, stream);
  }

  onEndWithStreamOutput(info: RunInfo, stream: StreamReader<unknown>): void {
    this.#follow("onEndWithStreamOutput", info, stream);
  }

  override async settled(): Promise<void> {
    while (this.#copies.size > 0) await Promise.all(this.#copies);
  }

  #follow(timing: HandlerTiming, info: RunInfo, stream: StreamReader<unknown>): void {
    const chunks: unknown[] = [];
    this.record(timing, info, chunks);
    const copy = readInto(chunks, stream).finally(() => this.#copies.delete(copy));
    this.#copies.add(copy);
  }
}

/** Reads the chunks of a stream. Errors are ignored, because the run reports them itself. */
async function readInto(chunks: unknown[], stream: StreamReader<unknown>): Promise<void> {
  try {
    for await (const chunk of stream) chunks.push(chunk);
  } catch {
    return;
  }
}
