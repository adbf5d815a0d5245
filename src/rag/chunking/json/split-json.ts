import type { Sizing } from "../sizing.js";
import type { FoundChunk, TextSpan } from "../span.js";
import { type JsonMember, type JsonReading, type JsonValue, parseJsonDocument } from "./read-json.js";

export interface JsonSplit extends JsonReading {
  readonly minSize: number;
}

/** The members that lead from the root to a value. */
type MemberPath = readonly JsonMember[];

/** A value and its path. A chunk consists of entries. */
interface Entry extends TextSpan {
  readonly way: MemberPath;
  readonly text: string;
}

/** Splits a JSON document. Each chunk is an object from the root that contains some of the values. */
export function splitJson(sizing: Sizing, options: JsonSplit): FoundChunk[] {
  const { size, measure } = sizing;
  const { minSize } = options;
  const split = new Splitter(sizing).split(parseJsonDocument(sizing.text, options));
  const parts =
    minSize === 0
      ? split
      : joinSmall(split, {
          isTiny: (entries) => measure.of(render(entries)) < minSize,
          fits: (entries) => measure.of(render(entries)) <= size,
        });
  return parts.map((entries) => {
    const text = render(entries);
    const metadata = { path: pointerOf(entries), ...(measure.of(text) <= size ? {} : { oversize: true }) };
    return { start: entries[0]?.start ?? 0, end: entries.at(-1)?.end ?? 0, text, metadata };
  });
}

class Splitter {
  readonly #sizing: Sizing;
  readonly #found: Entry[][] = [];

  constructor(sizing: Sizing) {
    this.#sizing = sizing;
  }

  split(root: JsonValue): Entry[][] {
    if (!root.members?.length || this.#fits(root.text)) return [[{ ...root, way: [] }]];
    this.#splitMembers(root.members, []);
    return this.#found;
  }

  /** Groups members that fit together. A member that is too large is split recursively, or stays whole if it has no members. */
  #splitMembers(members: readonly JsonMember[], way: MemberPath): void {
    const before = way.map(({ keyText }) => `{${keyText}:`).join("");
    const wrap = (inside: string): string => `${before}{${inside}}${"}".repeat(way.length)}`;
    let open: Entry[] = [];
    let text = "";
    const flush = (): void => {
      if (open.length > 0) this.#found.push(open);
      open = [];
      text = "";
    };
    for (const member of members) {
      const own = `${member.keyText}:${member.value.text}`;
      const entry = { start: member.start, end: member.end, way: [...way, member], text: member.value.text };
      const joined = open.length === 0 ? own : `${text},${own}`;
      if (this.#fits(wrap(joined))) {
        open.push(entry);
        text = joined;
      } else if (open.length > 0 && this.#fits(wrap(own))) {
        flush();
        open = [entry];
        text = own;
      } else {
        flush();
        if (member.value.members?.length) this.#splitMembers(member.value.members, entry.way);
        else this.#found.push([entry]);
      }
    }
    flush();
  }

  #fits(text: string): boolean {
    return this.#sizing.measure.of(text) <= this.#sizing.size;
  }
}

/** Writes the object that contains exactly these entries, which must be in the order of the document. */
function render(entries: readonly Entry[], depth = 0): string {
  const [first] = entries;
  if (first !== undefined && first.way.length === depth) return first.text;
  const parts: string[] = [];
  for (let from = 0; from < entries.length; ) {
    const member = entries[from]?.way[depth];
    let to = from + 1;
    while (to < entries.length && entries[to]?.way[depth] === member) to++;
    parts.push(`${member?.keyText}:${render(entries.slice(from, to), depth + 1)}`);
    from = to;
  }
  return `{${parts.join(",")}}`;
}

interface Joining {
  isTiny(entries: readonly Entry[]): boolean;
  fits(entries: readonly Entry[]): boolean;
}

function joinSmall(parts: readonly Entry[][], { isTiny, fits }: Joining): Entry[][] {
  const joined: Entry[][] = [];
  for (const part of parts) {
    const before = joined.at(-1);
    if (before !== undefined && (isTiny(before) || isTiny(part)) && fits([...before, ...part])) {
      joined[joined.length - 1] = [...before, ...part];
    } else joined.push(part);
  }
  return joined;
}

/** The JSON pointer of the innermost value that encloses all entries of a chunk. */
function pointerOf(entries: readonly Entry[]): string {
  const [first, last] = [entries[0]?.way ?? [], entries.at(-1)?.way ?? []];
  const shared = first.findIndex((member, index) => last[index] !== member);
  const way = entries.length === 1 || shared < 0 ? first : first.slice(0, shared);
  return way.map(({ key }) => `/${key.replaceAll("~", "~0").replaceAll("/", "~1")}`).join("");
}
