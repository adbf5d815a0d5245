import type { PlacedHeading } from "../heading-path.js";
import type { TextSpan } from "../span.js";

/** The parts of a LaTeX document, or why it cannot be read. */
export type LatexDocument = LatexParts | { readonly fault: string };

export interface LatexParts {
  /** Where the preamble ends; 0 when there is none. */
  readonly body: number;
  readonly headings: readonly PlacedHeading[];
  /** Environments and displayed formulas, which stay whole if they fit. */
  readonly blocks: readonly LatexBlock[];
}

export interface LatexBlock extends TextSpan {
  /** Whether the block is verbatim text, which can only be split between lines. */
  readonly isVerbatim: boolean;
}

/** The sectioning commands of LaTeX, highest level first. */
export const headingNames = ["part", "chapter", "section", "subsection", "subsubsection", "paragraph", "subparagraph"];

/** Reads the structure of a document: headings, environments and formulas. Unbalanced ones are reported as a fault. */
export function readLatex(text: string): LatexDocument {
  const scanner = new LatexScanner(text);
  token.lastIndex = 0;
  for (let match = token.exec(text); match !== null; match = token.exec(text)) {
    const { 0: found, 2: environment } = match;
    const place = { start: match.index, end: token.lastIndex };
    if (environment === undefined) token.lastIndex = scanner.read(found, place);
    else if (found.startsWith("\\begin")) token.lastIndex = scanner.begin(environment, place);
    else scanner.close(`\\end{${environment}}`, place);
    if (scanner.fault !== undefined) break;
  }
  return scanner.finish();
}

/** Comments, verbatim text, begin and end of environments, other macros, braces, and formula delimiters. */
const token = new RegExp(
  [
    "%[^\\r\\n]*",
    "\\\\(?:verb\\*?|lstinline(?:\\[[^\\]\\r\\n]{0,200}\\])?|mintinline(?:\\[[^\\]\\r\\n]{0,200}\\])?\\{[^{}\\r\\n]*\\})([^a-zA-Z\\s*{[])[^\\r\\n]*?\\1",
    "\\\\(?:url|path|href)\\{[^{}\\r\\n]*\\}",
    "\\\\(?:begin|end)\\s*\\{([^{}\\r\\n]*)\\}",
    "\\\\(?:[a-zA-Z]+|[\\s\\S])",
    "[{}]",
    "\\$",
  ].join("|"),
  "g",
);

/** An open group, formula or environment, and what closes it. */
interface Open {
  readonly start: number;
  readonly close: string;
}

/** The limit of TeX itself. */
const deepest = 255;

class LatexScanner {
  fault: string | undefined;
  readonly #text: string;
  readonly #open: Open[] = [];
  /** How many of the open items are neither the document nor an appendix. Headings count only if this is 0. */
  #inside = 0;
  #body: number | undefined;
  readonly #headings: { start: number; depth: number; title: string }[] = [];
  /** The opening brace of the last heading's title. */
  #titleStart = -1;
  readonly #blocks: LatexBlock[] = [];
  /** Where the body of a definition begins. In a body only braces are matched. */
  #bodyStart = -1;
  #isInBody = false;

  constructor(text: string) {
    this.#text = text;
  }

  /** Reads a macro or a delimiter, and returns where to continue. */
  read(sign: string, place: TextSpan): number {
    const { start, end } = place;
    if (sign === "{") this.#push("}", start);
    else if (sign === "}") return this.#closeBrace(place);
    else if (this.#isInBody) return end;
    else if (sign === "$") return this.#dollar(start);
    else if (sign === "\\(") this.#push("\\)", start);
    else if (sign === "\\[") this.#push("\\]", start);
    else if (sign === "\\)" || sign === "\\]") {
      if (this.#open.at(-1)?.close === sign) this.close(sign, place);
    } else if (definitions.has(sign)) return this.#define(end);
    else if (this.#inside === 0) this.#heading(sign, place);
    return end;
  }

  /** Opens an environment, and returns where to continue. Verbatim environments are skipped to their end. */
  begin(name: string, { start, end }: TextSpan): number {
    if (this.#isInBody) return end;
    const close = `\\end{${name}}`;
    if (name === "document" && this.#open.length === 0) this.#body ??= start;
    this.#push(close, start);
    if (!verbatim.has(name)) return end;
    const last = this.#text.indexOf(close, end);
    if (last < 0) this.#fail(close, start);
    else this.close(close, { start: last, end: last + close.length });
    return last + close.length;
  }

  close(close: string, place: TextSpan): void {
    if (this.#isInBody && close !== "}") return;
    const last = this.#open.at(-1);
    if (last?.close !== close) {
      const isLater = this.#open.some((open) => open.close === close);
      this.#fail(last !== undefined && isLater ? last.close : close, (isLater ? last : place)?.start ?? 0, !isLater);
      return;
    }
    this.#open.pop();
    if (around.has(close)) return;
    this.#inside--;
    if (this.#inside > 0) return;
    if (close === "}") this.#endTitle(last.start, place.start);
    else if (close !== "$" && close !== "\\)")
      this.#blocks.push({ start: last.start, end: place.end, isVerbatim: inLines.has(close) });
  }

  finish(): LatexDocument {
    const last = this.#open.at(-1);
    if (this.fault === undefined && last !== undefined) this.#fail(last.close, last.start);
    if (this.fault !== undefined) return { fault: this.fault };
    const body = this.#body ?? 0;
    return { body, headings: this.#headings.filter(({ start }) => start >= body), blocks: this.#blocks };
  }

  #push(close: string, start: number): void {
    if (this.#open.length === deepest) this.#tell("braces and environments nest deeper than the stack of TeX", start);
    this.#open.push({ close, start });
    if (start === this.#bodyStart) this.#isInBody = true;
    if (!around.has(close)) this.#inside++;
  }

  #closeBrace(place: TextSpan): number {
    const isBody = this.#open.at(-1)?.start === this.#bodyStart;
    this.close("}", place);
    if (!isBody) return place.end;
    // a definition of an environment has two bodies
    this.#isInBody = false;
    return this.#define(place.end, /\s*(?=\{)/y);
  }

  #define(from: number, head = headOfDefinition): number {
    head.lastIndex = from;
    if (!head.test(this.#text)) return from;
    this.#bodyStart = head.lastIndex;
    return head.lastIndex;
  }

  /** Inside a `$` formula, `$$` closes that formula and opens another one. */
  #dollar(start: number): number {
    const last = this.#open.at(-1)?.close;
    const close = last !== "$" && this.#text[start + 1] === "$" ? "$$" : "$";
    const place = { start, end: start + close.length };
    if (last === close) this.close(close, place);
    else this.#push(close, start);
    return place.end;
  }

  #heading(sign: string, { start, end }: TextSpan): void {
    const depth = headingDepths.get(sign);
    if (depth === undefined) return;
    this.#headings.push({ start, depth, title: "" });
    beforeTitle.lastIndex = end;
    if (beforeTitle.test(this.#text)) this.#titleStart = beforeTitle.lastIndex;
  }

  #endTitle(start: number, end: number): void {
    const heading = this.#headings.at(-1);
    if (start !== this.#titleStart || heading === undefined) return;
    const title = this.#text.slice(start + 1, end).trim();
    heading.title = /[^\S ]|\s\s/.test(title) ? title.replaceAll(/\s+/g, " ") : title;
  }

  #fail(close: string, start: number, hasNoBeginning = false): void {
    if (close === "}") this.#tell("a brace has no counterpart", start);
    else if (!close.startsWith("\\end")) this.#tell("a formula has no end", start);
    else this.#tell(`an environment has no ${hasNoBeginning ? "beginning" : "end"}`, start);
  }

  #tell(problem: string, start: number): void {
    this.fault ??= `${problem} (at ${start}: ${JSON.stringify(this.#text.slice(start, start + 30))})`;
  }
}

const headingDepths: ReadonlyMap<string, number> = new Map(headingNames.map((name, depth) => [`\\${name}`, depth]));

/** Skips the star and the short title. */
const beforeTitle = /\*?\s*(?:\[[^\]]{0,1000}\]\s*)?(?=\{)/y;

const definitions: ReadonlySet<string> = new Set(
  "newcommand renewcommand providecommand DeclareRobustCommand newenvironment renewenvironment def edef gdef xdef"
    .split(" ")
    .map((name) => `\\${name}`),
);
/** The defined name and its parameters. */
const headOfDefinition = /\*?\s*(?:\{[^{}]*\}|\\(?:[a-zA-Z@]+|[\s\S]))[^{}\\%]*(?=\{)/y;

const endsOf = (names: string): ReadonlySet<string> => new Set(names.split(" ").map((name) => `\\end{${name}}`));

/** The ends of environments that may contain sections. */
const around = endsOf("document appendices subappendices");
const verbatim: ReadonlySet<string> = new Set(
  "verbatim verbatim* Verbatim comment filecontents filecontents* lstlisting minted".split(" "),
);
const inLines: ReadonlySet<string> = new Set([...verbatim, "alltt"].map((name) => `\\end{${name}}`));
