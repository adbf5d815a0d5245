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
