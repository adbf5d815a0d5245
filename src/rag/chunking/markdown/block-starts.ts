import type { LineCursor } from "./line-cursor.js";

/** An open code fence. It is closed by the same marker, at least as long. */
export interface Fence {
  readonly marker: string;
  readonly length: number;
}

export function fenceAt(rest: string): Fence | undefined {
  const [, run] = /^(`{3,})[^`]*$/.exec(rest) ?? /^(~{3,})/.exec(rest) ?? [];
  return run === undefined ? undefined : { marker: run.charAt(0), length: run.length };
}

export function closesFence(line: LineCursor, { marker, length }: Fence): boolean {
  if (line.indent > 3) return false;
  const rest = line.rest.trimEnd();
  return rest.length >= length && rest === marker.repeat(rest.length);
}

export interface Heading {
  readonly depth: number;
  readonly title: string;
}

export function headingAt(rest: string): Heading | undefined {
  const [, marks, text = ""] = /^(#{1,6})(?:[ \t]+(.*))?$/.exec(rest) ?? [];
  if (marks === undefined) return undefined;
  const title = text.trim().replace(/(^|[ \t])#+$/, "");
  return { depth: marks.length, title: title.trim() };
}

/** The depth of the heading if a line underlines the paragraph above it. */
export function underlineAt(rest: string): number | undefined {
  if (/^=+[ \t]*$/.test(rest)) return 1;
  return /^-+[ \t]*$/.test(rest) ? 2 : undefined;
}

export function isThematicBreak(rest: string): boolean {
  return /^(?:(?:\*[ \t]*){3,}|(?:_[ \t]*){3,}|(?:-[ \t]*){3,})$/.test(rest);
}

/** The marker of a list item. */
export interface ListMarker {
  readonly length: number;
  /** Items of the same kind form one list. */
  readonly kind: string;
  readonly number: number | undefined;
}

export function listMarkerAt(rest: string): ListMarker | undefined {
  const [bullet] = /^[-+*](?=[ \t]|$)/.exec(rest) ?? [];
  if (bullet !== undefined) return { length: 1, kind: bullet, number: undefined };
  const [marker, digits, end] = /^(\d{1,9})([.)])(?=[ \t]|$)/.exec(rest) ?? [];
  if (marker === undefined || end === undefined) return undefined;
  return { length: marker.length, kind: end, number: Number(digits) };
}

/** A block of HTML, which ends with a line that matches `end`, or at a blank line if there is no pattern. */
export interface HtmlBlock {
  readonly end: RegExp | undefined;
}

export function htmlAt(rest: string, interrupts: boolean): HtmlBlock | undefined {
  if (!rest.startsWith("<")) return undefined;
  for (const { start, end } of htmlKinds) if (start.test(rest)) return { end };
  return !interrupts && lineOfOneTag.test(rest) ? { end: undefined } : undefined;
}

const blockNames =
  "address|article|aside|base|basefont|blockquote|body|caption|center|col|colgroup|dd|details|dialog|dir|div|dl|dt|" +
  "fieldset|figcaption|figure|footer|form|frame|frameset|h[1-6]|head|header|hr|html|iframe|legend|li|link|main|menu|" +
  "menuitem|nav|noframes|ol|optgroup|option|p|param|search|section|summary|table|tbody|td|tfoot|th|thead|title|tr|track|ul";

const htmlKinds: readonly { readonly start: RegExp; readonly end: RegExp | undefined }[] = [
  { start: /^<(?:script|pre|style|textarea)(?:[\s>]|$)/i, end: /<\/(?:script|pre|style|textarea)>/i },
  { start: /^<!--/, end: /-->/ },
  { start: /^<\?/, end: /\?>/ },
  { start: /^<![a-z]/i, end: />/ },
  { start: /^<!\[CDATA\[/, end: /\]\]>/ },
  { start: new RegExp(`^</?(?:${blockNames})(?:[ \\t]|/?>|$)`, "i"), end: undefined },
];

const attribute = `[ \\t]+[a-z_:][\\w.:-]*(?:[ \\t]*=[ \\t]*(?:[^ \\t"'=<>\`]+|'[^']*'|"[^"]*"))?`;
const lineOfOneTag = new RegExp(
  `^<(?:[a-z][a-z\\d-]*(?:${attribute})*[ \\t]*/?|/[a-z][a-z\\d-]*[ \\t]*)>[ \\t]*$`,
  "i",
);

/** Whether a line is the delimiter row of a table: it contains `|` or `:`, and has as many columns as the line above. */
export function isTableDelimiter(rest: string, above: string): boolean {
  if (!/^(?=.*[|:])\|?[ \t]*:?-+:?[ \t]*(?:\|[ \t]*:?-+:?[ \t]*)*\|?[ \t]*$/.test(rest)) return false;
  return columnsOf(rest) === columnsOf(above);
}

function columnsOf(row: string): number {
  const cells = row
    .trim()
    .replace(/^\|/, "")
    .replace(/(?<!\\)\|$/, "");
  return cells.split(/(?<!\\)\|/).length;
}
