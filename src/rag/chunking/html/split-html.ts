import { packGroups } from "../pack-groups.js";
import { lineSeparators, proseParts, proseSeparators, splitAt, splitParts, splitRecursively } from "../separators.js";
import type { Sizing } from "../sizing.js";
import { type FoundChunk, type TextSpan, trimSpan } from "../span.js";
import { type HtmlElement, readHtml } from "./read-html.js";
import { readSelector, type Selector } from "./selector.js";
import { type VisibleLine, VisibleText } from "./visible-text.js";

export interface HtmlSplit {
  readonly headers: readonly (readonly [string, string])[];
  readonly sections: readonly (readonly [string, string])[];
  readonly returnEachLine: boolean;
}

/** The lines of one part of a page. */
interface Group {
  readonly lines: readonly VisibleLine[];
  readonly metadata: Readonly<Record<string, unknown>>;
}

export interface HtmlChunks {
  readonly found: readonly FoundChunk[];
  /** Metadata: the `title` of the page, if it has one. */
  readonly own: Readonly<Record<string, unknown>>;
}

/** Splits the visible text of a page. Each chunk has the source range that it comes from. */
export async function splitHtml(sizing: Sizing, options: HtmlSplit): Promise<HtmlChunks> {
  const { returnEachLine } = options;
  const sections = options.sections.map(named);
  const headers = options.headers.map(named);
  const page = await readHtml(sizing.text);
  const visible = new VisibleText(page);
  const { text } = visible;
  const inText = { ...sizing, text };
  const groups = bySections(visible, sections).flatMap((group) => byHeaders(text, group, headers));
  const found = groups.flatMap(({ lines, metadata }) => {
    const spans = returnEachLine
      ? lines.flatMap((line) =>
          splitAt(text, line, { pattern: "\n" }).flatMap((one) =>
            packGroups(inText, splitRecursively(inText, one, lineSeparators)),
          ),
        )
      : packGroups(inText, splitParts(inText, lines, proseSeparators), proseParts(text));
    return spans.flatMap((span) => chunkOf(visible, sizing.strip ? trimSpan(text, span) : span, metadata));
  });
  return { found, own: page.title === undefined ? {} : { title: page.title } };
}

function chunkOf(visible: VisibleText, span: TextSpan, metadata: FoundChunk["metadata"]): FoundChunk[] {
  const text = visible.text.slice(span.start, span.end);
  return text.trim() === "" ? [] : [{ ...visible.sourceOf(span), text, metadata }];
}

interface NamedSelector {
  readonly selects: Selector;
  readonly name: string;
}

const named = ([selector, name]: readonly [string, string]): NamedSelector => ({
  selects: readSelector(selector),
  name,
});

/** Groups consecutive lines by the sections that contain them. */
function bySections({ text, lines }: VisibleText, sections: readonly NamedSelector[]): Group[] {
  if (sections.length === 0) return [{ lines, metadata: {} }];
  const around = new SelectedElements(sections);
  const names = new Map<HtmlElement, string>();
  const groups: { lines: VisibleLine[]; metadata: Record<string, unknown>; key: string }[] = [];
  for (const [index, line] of lines.entries()) {
    const selected = around.of(line.element);
    for (const { element } of selected) {
      if (!names.has(element)) names.set(element, nameOf(text, linesInside(lines, index, element)));
    }
    const key = around.key(line.element);
    if (groups.at(-1)?.key !== key) {
      const metadata = Object.fromEntries(selected.map(({ element, name }) => [name, names.get(element)]));
      groups.push({ lines: [], metadata, key });
    }
    groups.at(-1)?.lines.push(line);
  }
  return groups;
}

/** The lines from an index on that are inside an element. */
function linesInside(lines: readonly VisibleLine[], from: number, element: HtmlElement): VisibleLine[] {
  const inside: VisibleLine[] = [];
  for (let index = from; index < lines.length; index++) {
    const line = lines[index];
    if (line === undefined || !isInside(line.element, element)) break;
    inside.push(line);
  }
  return inside;
}

/** The first heading of a section, or the beginning of its text if there is none. */
function nameOf(text: string, inside: readonly VisibleLine[]): string {
  const heading = inside.find(({ element }) => hasHeading(element));
  const { start, end } = heading ?? inside[0] ?? { start: 0, end: 0 };
  return text.slice(start, heading === undefined ? Math.min(end, start + longestName) : end);
}

const longestName = 100;

function hasHeading(element: HtmlElement): boolean {
  return /^h[1-6]$/.test(element.tagName) || (element.parent !== undefined && hasHeading(element.parent));
}

function isInside(element: HtmlElement, container: HtmlElement): boolean {
  for (let place: HtmlElement | undefined = element; place !== undefined; place = place.parent) {
    if (place === container) return true;
  }
  return false;
}

/** Begins a new group at each element that a header selector matches. Later selectors are lower levels. */
function byHeaders(text: string, { lines, metadata }: Group, headers: readonly NamedSelector[]): Group[] {
  if (headers.length === 0) return [{ lines, metadata }];
  const around = new SelectedElements(headers);
  const titles: (string | undefined)[] = headers.map(() => undefined);
  const groups: { lines: VisibleLine[]; metadata: Record<string, unknown> }[] = [];
  let seen: HtmlElement | undefined;
  for (const [index, line] of lines.entries()) {
    const selected = around.of(line.element)[0];
    const isNew = selected !== undefined && selected.element !== seen;
    if (isNew) {
      const title = linesInside(lines, index, selected.element)
        .map(({ start, end }) => text.slice(start, end))
        .join(" ");
      titles.splice(selected.index, titles.length, title, ...headers.slice(selected.index + 1).map(() => undefined));
    }
    seen = selected?.element;
    if (isNew || groups.length === 0)
      groups.push({ lines: [], metadata: { ...metadata, ...namesOf(headers, titles) } });
    groups.at(-1)?.lines.push(line);
  }
  return groups;
}

function namesOf(headers: readonly NamedSelector[], titles: readonly (string | undefined)[]): Record<string, unknown> {
  return Object.fromEntries(
    headers.flatMap(({ name }, index) => (titles[index] === undefined ? [] : [[name, titles[index]]])),
  );
}

interface Selected {
  readonly element: HtmlElement;
  readonly name: string;
  readonly index: number;
}

/** Finds the selected ancestors of an element, innermost first, and caches them. */
class SelectedElements {
  readonly #selectors: readonly NamedSelector[];
  readonly #found = new Map<HtmlElement, readonly Selected[]>();
  readonly #ids = new Map<HtmlElement, number>();

  constructor(selectors: readonly NamedSelector[]) {
    this.#selectors = selectors;
  }

  of(element: HtmlElement): readonly Selected[] {
    const way: HtmlElement[] = [];
    let place: HtmlElement | undefined = element;
    while (place !== undefined && !this.#found.has(place)) {
      way.push(place);
      place = place.parent;
    }
    let around = (place && this.#found.get(place)) ?? [];
    for (const next of way.reverse()) {
      const own = this.#selectors.flatMap(({ selects, name }, index) =>
        selects(next) ? [{ element: next, name, index }] : [],
      );
      if (own.length > 0) around = [...own, ...around];
      this.#found.set(next, around);
    }
    return around;
  }

  /** Equal for elements that have the same selected ancestors. */
  key(element: HtmlElement): string {
    return this.of(element)
      .map(({ element: selected }) => {
        const id = this.#ids.get(selected) ?? this.#ids.size;
        this.#ids.set(selected, id);
        return id;
      })
      .join();
  }
}
