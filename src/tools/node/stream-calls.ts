import type { ToolOutput } from "../../components/tool.js";
import type { AgenticMessage } from "../../schema/message/agentic-message.js";
import { mergeSources } from "../../schema/stream/merge.js";
import { StreamReader } from "../../schema/stream/reader.js";
import { SerialSource } from "../../schema/stream/serial-source.js";
import { type ChunkSource, ended } from "../../schema/stream/source.js";
import { outputReader } from "../define/contract-stages.js";
import { isToolStream } from "../define/producer.js";
import { toolOutputOf } from "../define/tool-output.js";
import { CallBatch } from "./call-batch.js";
import { resultChunk } from "./result-block.js";
import { startTool } from "./run-tool.js";
import type { ToolRun } from "./tool-run.js";

type Result = IteratorResult<AgenticMessage[], undefined>;

/** Runs the calls of a message and gives out what they produce as they produce it. Nothing happens before the first read. */
export class StreamBatch extends CallBatch implements ChunkSource<AgenticMessage[]> {
  readonly #lanes: readonly Lane[] = this.runs.map((run) => new Lane(run, this.runs.length));
  readonly #merged: ChunkSource<AgenticMessage[]> = mergeSources<AgenticMessage[]>(this.#lanes);
  #opening: Promise<void> | undefined = undefined;
  #stopReason: { readonly reason: unknown } | undefined = undefined;
  #closed = false;

  async next(): Promise<Result> {
    if (this.#closed) return ended();
    this.#opening ??= this.#begin();
    await this.#opening;
    const result = await this.#merged.next();
    if (!result.done || this.#closed) return result;
    this.#closed = true;
    for (const run of this.runs) run.close();
    if (this.#stopReason !== undefined) throw this.#stopReason.reason;
    const rejection = this.failed || this.hasPending ? this.rejection() : undefined;
    if (rejection !== undefined) throw rejection;
    return result;
  }

  /** The reader has left: what runs is told to stop, and nothing more is started. */
  cancel(reason?: unknown): void {
    this.#closed = true;
    this.#merged.cancel(reason);
    this.stopCalls(reason);
    for (const run of this.runs) run.close({ reason });
  }

  async #begin(): Promise<void> {
    this.open();
    await this.prepareCalls();
    if (!this.over) this.startCalls();
  }

  protected override start(run: ToolRun): void {
    this.#lanes[run.index]?.start();
  }

  protected override onSettled(run: ToolRun): void {
    this.#lanes[run.index]?.wake();
  }

  protected override onFinished(): void {}

  protected override onStopped(reason: unknown): void {
    this.#stopReason = { reason };
    for (const lane of this.#lanes) lane.wake();
  }
}

/** What one call produces, piece by piece. It never fails: what the failure of a call means is decided for all together. */
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

  /** The call may run now. A stream waits for its reader, everything else runs at once. */
  start(): void {
    startTool(this.#run, true, (_run, output) => this.#accept(output));
  }

  /** The call has produced something, or has settled. */
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
      if (run.state === "settled") {
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

  /** Reads one piece of a stream, if there is one. */
  #read(): void {
    if (this.#source === undefined || this.#isReading) return;
    this.#isReading = true;
    this.#source.next().then(
      (result) => {
        this.#isReading = false;
        if (result.done) this.#run.succeed();
        else if (this.#run.state === "running") this.#run.take(result.value);
        this.wake();
      },
      (thrown) => this.#fail(thrown),
    );
  }

  #fail(thrown: unknown): void {
    this.#isReading = false;
    this.#run.fail(thrown);
  }

  #accept(output: unknown): void {
    const run = this.#run;
    if (isToolStream(output)) {
      const reader = output instanceof StreamReader ? output : outputReader(output, run);
      run.reader = reader;
      this.#source = reader.takeSource();
      if (this.#onChange !== undefined) this.#read();
      return;
    }
    if (run.state !== "running") return;
    try {
      run.take(toolOutputOf(output, run));
    } catch (thrown) {
      this.#fail(thrown);
      return;
    }
    run.succeed();
  }
}
