import type { ToolOutput } from "../../components/tool.js";
import type { AgenticMessage } from "../../schema/message/agentic-message.js";
import { mergeSources } from "../../schema/stream/merge.js";
import type { StreamReader } from "../../schema/stream/reader.js";
import { SerialSource } from "../../schema/stream/serial-source.js";
import { type ChunkSource, ended } from "../../schema/stream/source.js";
import type { BatchFollower, CallBatch } from "./call-batch.js";
import { resultChunk } from "./result-block.js";
import { startTool } from "./run-tool.js";
import type { ToolRun } from "./tool-run.js";

type Result = IteratorResult<AgenticMessage[], undefined>;

/** Runs the calls of a batch and streams their results as they are produced. Nothing happens before the first read. */
export class ResultStream implements ChunkSource<AgenticMessage[]>, BatchFollower {
  readonly #batch: CallBatch;
  readonly #lanes: readonly Lane[];
  readonly #merged: ChunkSource<AgenticMessage[]>;
  #opening: Promise<void> | undefined = undefined;
  #stopReason: { readonly reason: unknown } | undefined = undefined;
  #closed = false;

  constructor(batch: CallBatch) {
    this.#batch = batch.follow(this);
    this.#lanes = batch.runs.map((run) => new Lane(run, batch.runs.length));
    this.#merged = mergeSources<AgenticMessage[]>(this.#lanes);
  }

  async next(): Promise<Result> {
    if (this.#closed) return ended();
    this.#opening ??= this.#begin();
    await this.#opening;
    const result = await this.#merged.next();
    if (!result.done || this.#closed) return result;
    this.#closed = true;
    for (const run of this.#batch.runs) run.close();
    if (this.#stopReason !== undefined) throw this.#stopReason.reason;
    const rejection = this.#batch.rejection();
    if (rejection !== undefined) throw rejection;
    return result;
  }

  /** The reader has left: running calls are aborted, and no more are started. */
  cancel(reason?: unknown): void {
    this.#closed = true;
    this.#merged.cancel(reason);
    this.#batch.stopCalls(reason);
    for (const run of this.#batch.runs) run.close({ reason });
  }

  async #begin(): Promise<void> {
    this.#batch.open();
    await this.#batch.prepareCalls();
    this.#batch.startCalls();
  }

  start(run: ToolRun): void {
    this.#lanes[run.index]?.start();
  }

  onSettled(run: ToolRun): void {
    this.#lanes[run.index]?.wake();
  }

  onStopped(reason: unknown): void {
    this.#stopReason = { reason };
    for (const lane of this.#lanes) lane.wake();
  }
}

/** The pieces of one call. It never rejects: failures are handled for the whole batch. */
class Lane extends SerialSource<AgenticMessage[]> {
  readonly #run: ToolRun;
  readonly #count: number;
  #given = 0;
  #source: ChunkSource<ToolOutput> | undefined = undefined;
  #isReading = false;
  #onChange: (() => void) | undefined = undefined;

  constructor(run: ToolRun, count: number) {
    super();
    this.#run = run;
    this.#count = count;
  }

  /** Starts the call. A stream waits for its reader, everything else runs at once. */
  start(): void {
    startTool(this.#run, true, (_run, reader) => this.#accept(reader));
  }

  /** To be called when the call has produced something or has settled. */
  wake(): void {
    const onChange = this.#onChange;
    this.#onChange = undefined;
    onChange?.();
  }

  protected override async pull(): Promise<Result> {
    const run = this.#run;
    for (;;) {
      this.checkOpen();
      const piece = run.pieces[this.#given];
      if (piece !== undefined) {
        this.#given++;
        this.settle();
        return { done: false, value: resultChunk(run, piece, this.#count) };
      }
      if (run.phase === "settled") {
        this.finish();
        return { done: true, value: undefined };
      }
      await this.#change();
    }
  }

  protected override stop(reason: unknown): void {
    this.#source?.cancel(reason);
    this.wake();
  }

  #change(): Promise<void> {
    return new Promise((resolve) => {
      this.#onChange = resolve;
      this.#read();
    });
  }

  #accept(reader: StreamReader<ToolOutput>): void {
    this.#source = reader.takeSource();
    if (this.#onChange !== undefined) this.#read();
  }

  /** Reads one piece of a stream, if there is one. */
  #read(): void {
    if (this.#source === undefined || this.#isReading) return;
    this.#isReading = true;
    this.#source.next().then(
      (result) => {
        this.#isReading = false;
        if (result.done) this.#run.succeed();
        else if (this.#run.phase === "running") this.#run.take(result.value);
        this.wake();
      },
      (thrown) => {
        this.#isReading = false;
        this.#run.fail(thrown);
      },
    );
  }
}
