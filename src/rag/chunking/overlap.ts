import { fits, type Sizing } from "./sizing.js";
import { isSpace, type TextSpan, trimSpan } from "./span.js";

/** A sizing that leaves room for the overlap. */
export function withoutOverlap(sizing: Sizing, overlap: number): Sizing {
  return overlap === 0 ? sizing : { ...sizing, size: sizing.size - overlap };
}

/**
 * Extends the start of each chunk into the one before it, to the beginning of a word, or else of a grapheme. The chunks must
 * have been made with room for the overlap.
 */
export function addOverlap<Found extends TextSpan>(sizing: Sizing, spans: readonly Found[], overlap: number): Found[] {
  if (overlap === 0) return [...spans];
  const filled = spans.filter((span) => !isBlankSpan(sizing.text, span));
  return filled.map((span, index) => {
    const before = filled[index - 1];
    return before === undefined ? span : { ...span, start: startWithOverlap(sizing, before, span, overlap) };
  });
}

function isBlankSpan(text: string, span: TextSpan): boolean {
  const { start, end } = trimSpan(text, span);
  return start === end;
}

function startWithOverlap(sizing: Sizing, before: TextSpan, span: TextSpan, overlap: number): number {
  const { text, measure } = sizing;
  const { start: first, end: last } = trimSpan(text, before);
  const shared = (start: number): number => (measure.isCharacters ? last - start : measure.of(text.slice(start, last)));
  const allowed = (start: number): boolean => shared(start) <= overlap && fits(sizing, { start, end: span.end });
  // binary search: the overlap shrinks as the start moves forward
  let low = first;
  let high = last;
  while (low < high) {
    const middle = (low + high) >> 1;
    if (allowed(middle)) high = middle;
    else low = middle + 1;
  }
  const start = snap(sizing, low, last);
  return start < last && allowed(start) ? start : span.start;
}

/** The next beginning of a word before `to`, or else of a grapheme. */
function snap({ text, graphemes }: Sizing, from: number, to: number): number {
  for (let place = from; place < to; place++) {
    const isStart = place === 0 || isSpace(text.charCodeAt(place - 1));
    if (isStart && !isSpace(text.charCodeAt(place))) return place;
  }
  return graphemes.nextAt(text, from, to);
}
