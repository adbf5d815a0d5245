/** An option, an event or another field of a type. */
export interface FieldDoc {
  readonly name: string;
  /** As the source writes it, without `undefined`. */
  readonly type: string;
  readonly required: boolean;
  /** The text of the doc comment; empty without one. */
  readonly text: string;
  /** The text of `@default`. */
  readonly defaultValue?: string | undefined;
  /** File and line of the declaration: `src/agents/agent-options.ts:24`. */
  readonly place: string;
}

/** An exported name. */
export interface NameDoc {
  readonly name: string;
  readonly kind: "function" | "class" | "constant" | "type";
  /** The text of the doc comment; empty without one. */
  readonly text: string;
  /** What a type stands for, if it has no fields: `"auto" | "native" | "tool"`. */
  readonly definition?: string | undefined;
  /** Options, events and other fields; inherited ones too. */
  readonly fields: readonly FieldDoc[];
  /** The names of the methods and properties of a class. */
  readonly members: readonly string[];
  readonly place: string;
}

/** What one entry exports. A name of the root stands in the entry of its subject. */
export interface EntryDoc {
  /** `kumiko/agents`. */
  readonly specifier: string;
  /** The name of its page: `agents`. */
  readonly slug: string;
  /** The comment that the index file starts with. */
  readonly text: string;
  readonly names: readonly NameDoc[];
  readonly place: string;
  /** The source files that the page is made of, in alphabetical order. */
  readonly sources: readonly string[];
}

/** `kumiko/rag/files` → `rag-files`. */
export function slugOf(specifier: string): string {
  return specifier.split("/").slice(1).join("-") || "root";
}

/** The first sentence of a text. */
export function firstSentence(text: string): string {
  const [paragraph = ""] = text.split(/\n\s*\n/);
  const line = paragraph.replace(/\s+/g, " ").trim();
  // a full stop within code or an abbreviation does not end a sentence
  const end = /[.!?](?=\s+[A-Z`"(])(?<!\b(?:e\.g|i\.e|etc|vs)\.)/g;
  for (const match of line.matchAll(end)) {
    const head = line.slice(0, match.index + 1);
    if ((head.split("`").length - 1) % 2 === 0) return head;
  }
  return line;
}
