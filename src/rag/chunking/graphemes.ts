/**
 * Finds the grapheme boundaries at which a text can be cut. Each step of `Intl.Segmenter` takes time proportional to the
 * whole text, so it is only given the surroundings of a position.
 */
export class Graphemes {
  /** Created on first use: most texts are split without it. */
  #segmenter: Intl.Segmenter | undefined;

  /** The last boundary after `from` and at or before `wanted`, or the end of the first grapheme if there is none. */
  cutAt(text: string, from: number, wanted: number, to: number): number {
    if (wanted >= to) return to;
    if (wanted > from && isCertainBoundary(text, wanted)) return wanted;
    const anchor = boundaryBefore(text, wanted, from);
    let best = from;
    for (const { index } of this.#segment(text.slice(anchor, Math.min(to, wanted + 2)))) {
      if (anchor + index > from && anchor + index <= wanted) best = anchor + index;
    }
    return best > from ? best : this.#endOfFirst(text, from, to);
  }

  /** The first boundary at or after `wanted`. */
  nextAt(text: string, wanted: number, to: number): number {
    if (wanted >= to || isCertainBoundary(text, wanted)) return Math.min(wanted, to);
    const before = this.cutAt(text, Math.max(0, wanted - maxLookBack) - 1, wanted, to);
    return before === wanted ? wanted : this.#endOfFirst(text, Math.max(0, before), to);
  }

  #segment(text: string): Intl.Segments {
    this.#segmenter ??= new Intl.Segmenter("und", { granularity: "grapheme" });
    return this.#segmenter.segment(text);
  }

  #endOfFirst(text: string, from: number, to: number): number {
    for (let length = 64; ; length *= 4) {
      const end = Math.min(to, from + length);
      const [first] = this.#segment(text.slice(from, end));
      const found = from + (first?.segment.length ?? 1);
      if (found < end || end === to) return found;
    }
  }
}

/** How far back to look for a certain boundary. */
const maxLookBack = 2_000;

function boundaryBefore(text: string, index: number, from: number): number {
  const first = Math.max(from, index - maxLookBack, 0);
  for (let place = index - 1; place > first; place--) if (isCertainBoundary(text, place)) return place;
  // not in the middle of a surrogate pair
  return first > 0 && isLowSurrogate(text.charCodeAt(first)) ? first - 1 : first;
}

/** Whether `index` is certainly a boundary, because neither neighbor can combine with another character. */
function isCertainBoundary(text: string, index: number): boolean {
  return cannotCombine(text.charCodeAt(index - 1)) && cannotCombine(text.charCodeAt(index));
}

function cannotCombine(code: number): boolean {
  if (code < 0x7f) return code >= 0x20;
  // Latin and Cyrillic letters; hiragana and Chinese characters
  return (
    (code >= 0xc0 && code <= 0x24f) ||
    (code >= 0x400 && code <= 0x481) ||
    (code >= 0x3041 && code <= 0x3096) ||
    (code >= 0x4e00 && code <= 0x9fff)
  );
}

function isLowSurrogate(code: number): boolean {
  return code >= 0xdc00 && code <= 0xdfff;
}
