import type { TraceChunks } from "./trace.js";

type Mark = readonly [ms: number, textLength: number];

/** One less than a trace may have, because the last chunk is always in it. */
const MOST = 199;

/** How the text of a streamed output grew, with at most 200 marks. */
export class ChunkTimes {
  private count = 0;
  private length = 0;
  private marks: Mark[] = [];
  /** Every which chunk has a mark. */
  private every = 1;
  private last: Mark | undefined = undefined;

  add(ms: number, chunk: unknown): void {
    this.length = lengthAfter(this.length, chunk);
    this.last = [Math.round(ms * 100) / 100, this.length];
    if (this.count % this.every === 0) this.mark(this.last);
    this.count += 1;
  }

  private mark(mark: Mark): void {
    this.marks.push(mark);
    if (this.marks.length <= MOST) return;
    this.marks = this.marks.filter((_, index) => index % 2 === 0);
    this.every *= 2;
  }

  toJSON(): TraceChunks {
    const { count, marks, last } = this;
    return { count, at: last === undefined || marks.at(-1) === last ? [...marks] : [...marks, last] };
  }
}

/** An answer that starts over begins with an empty text. */
function lengthAfter(length: number, chunk: unknown): number {
  if (typeof chunk === "string") return length + chunk.length;
  if (typeof chunk !== "object" || chunk === null) return length;
  const message: unknown = "message" in chunk ? chunk.message : chunk;
  const { contentBlocks, restart } = (message ?? {}) as { contentBlocks?: unknown; restart?: unknown };
  if (restart === true) return 0;
  if (!Array.isArray(contentBlocks)) return length;
  const texts = contentBlocks.map((block: { readonly type?: unknown; readonly text?: unknown } | null) =>
    block?.type === "assistant_gen_text" && typeof block.text === "string" ? block.text.length : 0,
  );
  return texts.reduce((sum, own) => sum + own, length);
}
