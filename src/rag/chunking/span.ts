/** A range of a text, in UTF-16 units: `text.slice(start, end)`. */
export interface TextSpan {
  readonly start: number;
  readonly end: number;
}

/** What a strategy found: a range of the source, and what is known about it. */
export interface FoundChunk extends TextSpan {
  readonly metadata?: Readonly<Record<string, unknown>> | undefined;
  /** For strategies whose chunks are not slices of the source. */
  readonly text?: string | undefined;
}

/** The span without the whitespace at its ends; empty when there is nothing else. */
export function trimSpan(text: string, { start, end }: TextSpan): TextSpan {
  let from = start;
  let to = end;
  while (from < to && isSpace(text.charCodeAt(from))) from++;
  while (to > from && isSpace(text.charCodeAt(to - 1))) to--;
  return { start: from, end: to };
}

/** As `trim` understands it. */
export function isSpace(code: number): boolean {
  if (code <= 0x20) return code === 0x20 || (code >= 0x09 && code <= 0x0d);
  if (code < 0xa0) return false;
  return code === 0xa0 || code === 0xfeff || (code >= 0x1680 && otherSpaces.includes(String.fromCharCode(code)));
}

const otherSpaces =
  "\u1680\u2000\u2001\u2002\u2003\u2004\u2005\u2006\u2007\u2008\u2009\u200a\u2028\u2029\u202f\u205f\u3000";
