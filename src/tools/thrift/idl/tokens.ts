import { idlInvalid } from "../errors.js";

/** Where something stands in an IDL. */
export interface IdlPosition {
  readonly file: string;
  readonly line: number;
  readonly column: number;
}

export interface Token extends IdlPosition {
  readonly kind: "word" | "integer" | "double" | "text" | "symbol" | "end";
  /** As it is written; of a text, its value. */
  readonly text: string;
  /** The doc comment before it. */
  readonly doc: string | undefined;
}

/** In the order in which they are tried. */
const patterns: readonly (readonly [Token["kind"] | "space" | "doc", RegExp])[] = [
  ["space", /[\s\uFEFF]+|\/\/[^\n]*|#[^\n]*|\/\*\*+\/|\/\*(?!\*)[\s\S]*?\*\//y],
  ["doc", /\/\*\*[\s\S]*?\*\//y],
  ["word", /[A-Za-z_][A-Za-z0-9_]*(?:\.[A-Za-z0-9_]+)*/y],
  ["double", /[+-]?(?:\d+\.\d+(?:[eE][+-]?\d+)?|\.\d+(?:[eE][+-]?\d+)?|\d+[eE][+-]?\d+)/y],
  ["integer", /[+-]?(?:0[xX][0-9A-Fa-f]+|\d+)/y],
  ["text", /"(?:\\[^\n]|[^"\\\n])*"|'(?:\\[^\n]|[^'\\\n])*'/y],
  ["symbol", /[:;,{}()=<>[\]*&]/y],
];

export function readTokens(text: string, file: string): Token[] {
  const tokens: Token[] = [];
  const lines = new LineCounter(text);
  let position = 0;
  let doc: string | undefined;
  while (position < text.length) {
    const at = { file, ...lines.at(position) };
    const [kind, found] = match(text, position) ?? [];
    if (kind === undefined || found === undefined) throw unreadable(at, text.slice(position));
    position += found.length;
    if (kind === "doc") doc = cleanDoc(found);
    if (kind === "doc" || kind === "space") continue;
    tokens.push({ kind, text: kind === "text" ? unescaped(found, at) : found, doc, ...at });
    doc = undefined;
  }
  tokens.push({ kind: "end", text: "", doc: undefined, file, ...lines.at(position) });
  return tokens;
}

function match(text: string, position: number): readonly [(typeof patterns)[number][0], string] | undefined {
  for (const [kind, pattern] of patterns) {
    pattern.lastIndex = position;
    const found = pattern.exec(text)?.[0];
    if (found !== undefined) return [kind, found];
  }
  return undefined;
}

function unreadable(at: IdlPosition, rest: string): Error {
  if (rest.startsWith("/*")) return idlInvalid(at, "this comment has no end.");
  if (/^["']/.test(rest)) return idlInvalid(at, "this text has no end on its line.");
  return idlInvalid(at, `unexpected character ${JSON.stringify([...rest][0])}.`);
}

const escapes: Readonly<Record<string, string>> = { r: "\r", n: "\n", t: "\t", '"': '"', "'": "'", "\\": "\\" };

function unescaped(quoted: string, at: IdlPosition): string {
  return quoted.slice(1, -1).replace(/\\(.)/g, (whole, letter: string) => {
    const found = escapes[letter];
    if (found === undefined) throw idlInvalid(at, `this text has the unknown escape ${whole}.`);
    return found;
  });
}

/** Without the stars at the beginning of its lines. */
function cleanDoc(comment: string): string | undefined {
  const lines = comment.slice(3, -2).split(/\r?\n/);
  const cleaned = lines.map((line, index) => (index === 0 ? line : line.replace(/^\s*\* ?/, "")).trimEnd());
  return cleaned.join("\n").trim() || undefined;
}

/** Asked in ascending order. */
class LineCounter {
  readonly #text: string;
  #position = 0;
  #line = 1;
  #start = 0;

  constructor(text: string) {
    this.#text = text;
  }

  at(position: number): { readonly line: number; readonly column: number } {
    for (let next = this.#text.indexOf("\n", this.#position); next !== -1 && next < position; ) {
      this.#line += 1;
      this.#start = next + 1;
      this.#position = next + 1;
      next = this.#text.indexOf("\n", this.#position);
    }
    return { line: this.#line, column: position - this.#start + 1 };
  }
}
