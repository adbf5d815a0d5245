import type { Handler } from "../callbacks/handler.js";
import type { RunInfo } from "../callbacks/run-info.js";
import { joinChunks } from "../schema/concat/concat-chunks.js";
import { untilJoinable } from "../schema/concat/load-message-joining.js";
import { Queue } from "../schema/stream/queue.js";
import { StreamReader } from "../schema/stream/reader.js";
import { type ChunkSource, ended } from "../schema/stream/source.js";
import type { CompiledGraph } from "./compiled-graph.js";
import { invalidOption } from "./errors.js";
import type { Answers, ResumeOptions, RunOptions } from "./options.js";
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
  const output = runnable.stream(input, withLog(options, log));
  return new StreamReader(new EventSource(log, output));
}

/** What is resumed: a graph or chain that was compiled with a store. */
type Resumable = Pick<CompiledGraph<never, unknown>, "resumeStream">;

/**
 * `events` for a run that goes on: what happens from there as one ordered stream. Takes what `resumeStream` takes; what is
 * wrong with the id or an answer rejects the first read, and nothing has run then.
 *
 * @example
 * const store = memoryStore();
 * const app = new Chain<string>()
 *   .append((order, ctx) => ctx.ask<string>("approval", `Send ${order}?`))
 *   .compile({ store });
 * const question = await app.invoke("20 boxes", { checkpointId: "order-7" }).catch((error: InterruptError) => error.interrupts[0].id);
 * for await (const { type, info } of resumeEvents(app, "order-7", { [question]: "yes" })) console.log(type, info.name);
 */
export function resumeEvents(
  app: Resumable,
  checkpointId: string,
  answers?: Answers,
  options: ResumeOptions = {},
): StreamReader<RunEvent> {
  if (typeof app?.resumeStream !== "function") {
    throw invalidOption("resumeEvents takes a compiled graph or chain, then the id of its checkpoint.");
  }
  const log = new EventLog();
  const output = app.resumeStream(checkpointId, answers, withLog(options, log));
  return new StreamReader(new EventSource(log, output));
}

function withLog<Options extends ResumeOptions>(options: Options, log: EventLog): Options {
  const { callbacks } = options;
  // what is wrong is left for the run to report
  return { ...options, callbacks: callbacks === undefined ? [log.handler] : addHandler(callbacks, log) };
}

function addHandler(callbacks: readonly Handler[], log: EventLog): readonly Handler[] {
  return Array.isArray(callbacks) ? [...callbacks, log.handler] : callbacks;
}

type Result = IteratorResult<RunEvent, undefined>;

/** Pulls the output of the run one chunk at a time, and only when every event so far was read. */
class EventSource implements ChunkSource<RunEvent> {
  readonly #log: EventLog;
  readonly #output: StreamReader<unknown>;
  #isPulling = false;
  #outcome: { readonly failed: boolean; readonly error?: unknown } | undefined = undefined;
  /** The last read that had to wait: those behind it wait for it. */
  #turn: Promise<unknown> | undefined = undefined;

  constructor(log: EventLog, output: StreamReader<unknown>) {
    this.#log = log;
    this.#output = output;
  }

  next(): Promise<Result> {
    const event = this.#turn === undefined ? this.#log.shift() : undefined;
    if (event !== undefined) return Promise.resolve({ done: false, value: event });
    const result = this.#turn === undefined ? this.#next() : this.#turn.then(() => this.#next());
    const turn = result.then(
      () => this.#endTurn(turn),
      () => this.#endTurn(turn),
    );
    this.#turn = turn;
    return result;
  }

  cancel(reason?: unknown): void {
    this.#outcome ??= { failed: false };
    this.#log.clear();
    this.#log.wake();
    void this.#output.cancel(reason);
  }

  #endTurn(turn: Promise<unknown>): void {
    if (this.#turn === turn) this.#turn = undefined;
  }

  async #next(): Promise<Result> {
    for (;;) {
      const event = this.#log.shift();
      if (event !== undefined) return { done: false, value: event };
      if (this.#outcome !== undefined) return this.#finish(this.#outcome);
      if (!this.#isPulling) this.#pullChunk();
      await this.#log.arrival();
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

  #pullChunk(): void {
    this.#isPulling = true;
    this.#output.next().then(
      ({ done }) => this.#endPull(done === true ? { failed: false } : undefined),
      (error: unknown) => this.#endPull({ failed: true, error }),
    );
  }

  #endPull(outcome: { readonly failed: boolean; readonly error?: unknown } | undefined): void {
    this.#isPulling = false;
    this.#outcome ??= outcome;
    this.#log.wake();
  }
}

/** Collects what happens, in order. */
class EventLog {
  readonly #events = new Queue<RunEvent>();
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
    this.#events.clear();
  }

  /** Resolves at the next event, or when there will be none for now. */
  arrival(): Promise<void> {
    return new Promise((resolve) => {
      this.#wake = resolve;
    });
  }

  wake(): void {
    this.#wake?.();
    this.#wake = undefined;
  }

  /** Resolves when no copy of a stream is being read any more. */
  async settled(): Promise<void> {
    while (this.#copies.size > 0) await Promise.all(this.#copies);
  }

  #push(type: RunEvent["type"], info: RunInfo, value: unknown): void {
    this.#events.push({ seq: this.#seq, time: Date.now(), type, info, value });
    this.#seq += 1;
    this.wake();
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
