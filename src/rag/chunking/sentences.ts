import { cosine } from "../vector-math.js";
import type { TextSpan } from "./span.js";

/** The sentences of a text, each with the whitespace after it. */
export function* sentencesOf(text: string, { start, end }: TextSpan): Generator<TextSpan> {
  const segmenter = new Intl.Segmenter("und", { granularity: "sentence" });
  let length = windowLength;
  for (let from = start; from < end; ) {
    const to = Math.min(end, from + length);
    const found = Array.from(segmenter.segment(text.slice(from, to)), ({ index }) => from + index);
    const isWhole = to === end;
    // the last sentence may continue after the window
    const last = isWhole ? end : (found.at(-1) ?? from);
    if (last === from && !isWhole) {
      length *= 2;
      continue;
    }
    length = windowLength;
    for (const [index, at] of found.entries()) if (at < last) yield { start: at, end: found[index + 1] ?? last };
    from = last;
  }
}

/** Each step of `Intl.Segmenter` takes time proportional to the text, so it is given a window. */
const windowLength = 1_000;

/** The indexes of sentences that change the subject: their similarity to the previous one is below the threshold. */
export function findTopicChanges(vectors: readonly (readonly number[])[], threshold: number | undefined): number[] {
  const likeness = vectors.slice(1).map((vector, index) => cosine(vector, vectors[index] ?? []));
  const least = threshold ?? defaultThreshold(likeness);
  return likeness.flatMap((value, index) => (value < least ? [index + 1] : []));
}

/** One standard deviation below the mean. */
function defaultThreshold(values: readonly number[]): number {
  const mean = values.reduce((sum, value) => sum + value, 0) / values.length;
  const variance = values.reduce((sum, value) => sum + (value - mean) ** 2, 0) / values.length;
  return mean - Math.sqrt(variance);
}
