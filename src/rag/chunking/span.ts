/** A range of a text in UTF-16 code units, as in `text.slice(start, end)`. */
export interface TextSpan {
  readonly start: number;
  readonly end: number;
}

/** A chunk found by a strategy: a range of the source and its metadata. */
export interface FoundChunk extends TextSpan {
  readonly metadata?: Readonly<Record<string, unknown>> | undefined;
  /** Set by strategies whose chunks are not slices of the source. */
  readonly text?: string | undefined;
}

/** Removes whitespace at both ends of a span. */
export function trimSpan(text: string, { start, end }: TextSpan): TextSpan {
  let from = start;
  let to = end;
  while (from < to && isSpace(text.charCodeAt(from))) from++;
  while (to > from && isSpace(text.charCodeAt(to - 1))) to--;
  return { start: from, end: to };
}

/** Whether `String.prototype.trim` removes the character. */
export function isSpace(code: number): boolean {
  if (code <= 0x20) return code === 0x20 || (code >= 0x09 && code <= 0x0d);
  if (code < 0xa0) return false;
  return code === 0xa0 || code === 0xfeff || (code >= 0x1680 && otherSpaces.includes(String.fromCharCode(code)));
}

const otherSpaces =
  "\u1680\u2000\u2001\u2002\u2003\u2004\u2005\u2006\u2007\u2008\u2009\u200a\u2028\u2029\u202f\u205f\u3000";
