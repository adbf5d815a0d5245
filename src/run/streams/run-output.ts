import type { Slot } from "../../checkpoint/document/snapshot.js";
import { START_INDEX } from "../../compose/plan/plan.js";
import { joinChunks } from "../../schema/concat/concat-chunks.js";
import type { Joining } from "../../schema/concat/rule.js";
import { endMap, type MapEnd } from "../../schema/stream/map.js";
import { StreamReader } from "../../schema/stream/reader.js";
import { type ChunkSource, ended } from "../../schema/stream/source.js";
import type { StreamHooks } from "../../schema/stream/tap.js";
import { end, interruptionOf } from "../outcome.js";
import type { RootRun } from "../root-run.js";
import { resultIsThere } from "../run-parts.js";

type Result = IteratorResult<unknown, undefined>;

/** The output of a run as its caller reads it: observed, with located errors, and saved at its end. */
export function outputOf(run: RootRun, reader: StreamReader<unknown>): ChunkSource<unknown> {
  return saved(run, observed(run, reader), reader.joining);
}

/** Reports the output to the handlers of the graph, as the caller sees it. */
function observed(run: RootRun, reader: StreamReader<unknown>): ChunkSource<unknown> {
  const { joining } = reader;
  const source = reader.takeSource();
  if (!run.ownsSpan || run.span === undefined) return located(source, run);
  const hooks = run.span.outputHooks(joining);
  if (hooks !== undefined) return new EndingSource(source, runEnd(run), hooks);
  return run.span.outputStream(new StreamReader(located(source, run), joining)).takeSource();
}

/** Locates errors at the node where they began, and ends the run with the stream. */
function located(source: ChunkSource<unknown>, run: RootRun): ChunkSource<unknown> {
  const end = runEnd(run);
  return endMap(source, end) ?? new EndingSource(source, end);
}

function runEnd(run: RootRun): MapEnd {
  return { done: () => endRun(run), failed: (error) => failRun(run, error) };
}

function endRun(run: RootRun): void {
  if (run.stopped !== undefined && !run.aborted) throw interruptionOf(run);
  run.onStreamEnd?.();
  run.over();
  if (run.hasRest) run.stopRest(resultIsThere);
  else run.openStreams.cancel(undefined, run);
}

async function failRun(run: RootRun, error: unknown): Promise<unknown> {
  if (run.aborted) return run.reason;
  const origin = await run.openStreams.findOrigin(error);
  if (run.aborted) return run.reason;
  return end(run, run.isStop(origin) ? origin : run.blame(origin, START_INDEX));
}

/** Delays the end, or an error, until the checkpoint has been updated. */
function saved(run: RootRun, source: ChunkSource<unknown>, joining: Joining | undefined): ChunkSource<unknown> {
  const { ownJournal: journal } = run;
  if (journal === undefined) return source;
  const chunks: unknown[] = [];
  const next = async (): Promise<Result> => {
    try {
      const result = await source.next();
      if (result.done) await journal.finished(journal.keepsOutput ? joined(run, chunks, joining) : undefined);
      else if (journal.keepsOutput) chunks.push(result.value);
      return result;
    } catch (error) {
      throw await journal.stopped(error);
    }
  };
  return { next, cancel: (reason) => source.cancel(reason) };
}

/** The result as a value to save; `undefined` if its chunks cannot be joined, which is not an error in a run on streams. */
function joined({ checked }: RootRun, chunks: readonly unknown[], joining: Joining | undefined): Slot | undefined {
  if (checked !== undefined) return checked;
  try {
    return { value: joinChunks(chunks, joining) };
  } catch {
    return undefined;
  }
}

/** Calls back at the end of any source, at the price of one more promise per chunk; see `endMap`. Calls hooks too, if given. */
class EndingSource implements ChunkSource<unknown> {
  readonly #source: ChunkSource<unknown>;
  readonly #end: MapEnd;
  readonly #onResult: (result: Result) => Result | Promise<never>;
  readonly #onError: (error: unknown) => Promise<never>;
  /** Those that have not heard of the end. */
  #hooks: StreamHooks<unknown> | undefined;
  #failed = false;

  constructor(source: ChunkSource<unknown>, end: MapEnd, hooks?: StreamHooks<unknown>) {
    this.#source = source;
    this.#end = end;
    this.#hooks = hooks;
    // functions of their own are called faster than bound methods, and these are called for each chunk
    const onError = (error: unknown): Promise<never> => this.#fail(error);
    const onResult = (result: Result): Result | Promise<never> => this.#pass(result);
    this.#onError = onError;
    this.#onResult = onResult;
  }

  /** After an error the stream has ended: its sources were aborted and are not read again. */
  next(): Promise<Result> {
    return this.#failed ? ended() : this.#source.next().then(this.#onResult, this.#onError);
  }

  #pass(result: Result): Result | Promise<never> {
    if (result.done) return this.#finish(result);
    this.#hooks?.onChunk?.(result.value);
    return result;
  }

  cancel(reason?: unknown): void {
    this.#source.cancel(reason);
    this.#takeHooks()?.onCancel(reason);
  }

  #finish(result: Result): Result | Promise<never> {
    try {
      this.#end.done();
    } catch (error) {
      return this.#fail(error);
    }
    this.#takeHooks()?.onDone();
    return result;
  }

  async #fail(error: unknown): Promise<never> {
    this.#failed = true;
    const located = await this.#end.failed(error);
    this.#takeHooks()?.onError(located);
    throw located;
  }

  #takeHooks(): StreamHooks<unknown> | undefined {
    const hooks = this.#hooks;
    this.#hooks = undefined;
    return hooks;
  }
}
