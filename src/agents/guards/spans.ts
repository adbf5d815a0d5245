/** A part of a text, and what replaces it. */
export interface Span {
  readonly start: number;
  readonly end: number;
  readonly text: string;
}

type Find = (text: string) => readonly Span[];

const finders = Symbol("spans");

/** Marks a function of a guard whose replacements are known one by one: then none of them is ever cut. */
export function withSpans<Judge extends object>(judge: Judge, find: Find): Judge {
  return Object.assign(judge, { [finders]: find });
}

export function spansOf(judge: object): Find | undefined {
  return finders in judge ? (judge[finders] as Find) : undefined;
}

/** A text with its spans replaced. They are in order, and do not overlap. */
export function replaced(text: string, spans: readonly Span[]): string {
  let last = 0;
  let result = "";
  for (const { start, end, text: other } of spans) {
    result += text.slice(last, start) + other;
    last = end;
  }
  return result + text.slice(last);
}
