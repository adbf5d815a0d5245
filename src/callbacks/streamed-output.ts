import { joinChunks } from "../schema/concat/concat-chunks.js";
import type { Joining } from "../schema/concat/rule.js";
import { leftEarly } from "../schema/errors.js";
import type { StreamHooks } from "../schema/stream/tap.js";
import type { StreamSink } from "./stream-copy.js";

/** Converts the chunks of a component to what handlers see: those of a model to `{ message }`. */
export type ChunkPayload = (chunk: unknown) => unknown;

/** The run whose output is streamed. */
export interface StreamingRun {
  /** Whether the run has ended before its stream, because it was aborted. */
  readonly isOver: () => boolean;
  /** Gives the handlers their copies, at the first chunk; `undefined` if no handler takes one. */
  readonly openCopies: (() => readonly StreamSink<unknown>[]) | undefined;
  /** Whether a handler takes the joined value. */
  readonly wantsValue: boolean;
  readonly end: (value: unknown) => void;
  readonly fail: (error: unknown) => void;
}

/** Passes a streamed output on to the handlers of its run. */
export class StreamedOutput implements StreamHooks<unknown> {
  readonly onChunk: ((chunk: unknown) => void) | undefined;
  private readonly run: StreamingRun;
  private readonly joining: Joining | undefined;
  private readonly payload: ChunkPayload | undefined;
  private parts: unknown[] = [];
  private copies: readonly StreamSink<unknown>[] | undefined = undefined;

  constructor(run: StreamingRun, joining: Joining | undefined, payload: ChunkPayload | undefined) {
    this.run = run;
    this.joining = joining;
    this.payload = payload;
    this.onChunk = run.wantsValue || run.openCopies !== undefined ? (chunk) => this.take(chunk) : undefined;
  }

  /** Whether a handler takes the joined value, so that the chunks must be joinable at the end. */
  get wantsValue(): boolean {
    return this.run.wantsValue;
  }

  onDone(): void {
    const { run } = this;
    if (run.isOver()) return;
    this.copies ??= run.openCopies?.();
    for (const copy of this.copies ?? []) copy.end();
    run.end(run.wantsValue ? this.shape(this.join()) : undefined);
  }

  onError(error: unknown): void {
    this.run.fail(error);
  }

  onCancel(reason: unknown): void {
    this.run.fail(leftEarly(reason));
  }

  private take(chunk: unknown): void {
    const { run } = this;
    if (run.isOver()) {
      this.parts = [];
      return;
    }
    if (run.wantsValue) this.parts.push(chunk);
    if (run.openCopies === undefined) return;
    this.copies ??= run.openCopies();
    const shaped = this.shape(chunk);
    for (const copy of this.copies) copy.write(shaped);
  }

  /** Joins the chunks. If that fails, handlers get the array of chunks: observing must not fail a run that needs no joined value. */
  private join(): unknown {
    try {
      return joinChunks(this.parts, this.joining);
    } catch {
      return this.parts;
    }
  }

  private shape(value: unknown): unknown {
    try {
      return this.payload === undefined ? value : this.payload(value);
    } catch {
      return value;
    }
  }
}

/** The joining of a copy. A payload is a record that contains the chunk, so its keys are joined as the chunks are. */
export function joiningOfCopy(joining: Joining | undefined, payload: ChunkPayload | undefined): Joining | undefined {
  if (payload === undefined) return joining;
  const rule = { keyed: new Map(), rest: joining?.rule };
  return { rule, registry: joining?.registry, where: joining?.where };
}
