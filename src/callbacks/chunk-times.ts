import type { TraceChunks } from "./trace.js";

/** One less than a trace may have, because the last chunk is always in it. */
const MOST = 199;

/** How the text of a streamed output grew, with at most 200 marks. */
export class ChunkTimes {
  private count = 0;
  private length = 0;
  private last = 0;
  /** Times and lengths of the text, in turn. */
  private marks: number[] = [];
  /** Every which chunk has a mark. */
  private every = 1;

  add(ms: number, chunk: unknown): void {
    this.length = typeof chunk === "string" ? this.length + chunk.length : lengthAfter(this.length, chunk);
    this.last = ms;
    if (this.count % this.every === 0) this.mark();
    this.count += 1;
  }

  private mark(): void {
    this.marks.push(this.last, this.length);
    if (this.marks.length <= 2 * MOST) return;
    this.marks = this.marks.filter((_, index) => index % 4 < 2);
    this.every *= 2;
  }

  toJSON(): TraceChunks {
    const { count, marks, last, length } = this;
    const hasLast = (count - 1) % this.every === 0;
    const all = hasLast ? marks : [...marks, last, length];
    const at = all.flatMap((ms, index) =>
      index % 2 === 0 ? [[Math.round(ms * 100) / 100, all[index + 1] ?? 0] as const] : [],
    );
    return { count, at };
  }
}

/** An answer that starts over begins with an empty text. */
function lengthAfter(length: number, chunk: unknown): number {
  if (typeof chunk !== "object" || chunk === null) return length;
  const message: unknown = "message" in chunk ? chunk.message : chunk;
  const { contentBlocks, restart } = (message ?? {}) as { contentBlocks?: unknown; restart?: unknown };
  if (restart === true) return 0;
  if (!Array.isArray(contentBlocks)) return length;
  let sum = length;
  for (const block of contentBlocks as readonly ({ readonly type?: unknown; readonly text?: unknown } | null)[]) {
    if (block?.type === "assistant_gen_text" && typeof block.text === "string") sum += block.text.length;
  }
  return sum;
}
