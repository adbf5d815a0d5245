/** The block between two `---` lines at the start of a document. */
export interface FrontMatter {
  readonly metadata: Readonly<Record<string, unknown>>;
  /** Where the rest of the document begins. */
  readonly end: number;
}

/** Reads front matter: keys with strings, numbers, booleans or lists. Nested values stay strings. */
export function readFrontMatter(text: string): FrontMatter {
  const [whole, body] = frontMatter.exec(text) ?? [];
  if (whole === undefined || body === undefined) return { metadata: {}, end: 0 };
  const fields = body.split(/\r\n|\r|\n/).reduce(addLine, []);
  return {
    metadata: Object.fromEntries(fields.map(({ name, lines }) => [name, fieldValue(lines)])),
    end: whole.length,
  };
}

/** "\r\n" can match in one way only. With two, many lines without a closing `---` would take exponential time. */
const frontMatter = /^\ufeff?---[ \t]*(?:\r\n|\r(?!\n)|\n)((?:.*(?:\r\n|\r(?!\n)|\n))*?)---[ \t]*(?:\r\n|\r|\n|$)/;

interface Field {
  readonly name: string;
  readonly lines: string[];
}

function addLine(fields: Field[], line: string): Field[] {
  const [, name, value = ""] = /^([\w][\w .-]*):(?:[ \t]+(.*))?$/.exec(line) ?? [];
  if (name !== undefined) fields.push({ name, lines: [value] });
  else if (line.trim() !== "" && !line.startsWith("#")) fields.at(-1)?.lines.push(line);
  return fields;
}

function fieldValue([first = "", ...rest]: readonly string[]): unknown {
  if (rest.length === 0) return listOf(first) ?? scalarOf(first);
  const items = rest.map((line) => /^[ \t]*-[ \t]+(.*)$/.exec(line)?.[1]);
  if (first.trim() === "" && items.every((item) => item !== undefined)) return items.map(scalarOf);
  return [first, ...rest].join("\n").trim();
}

function listOf(text: string): unknown[] | undefined {
  const [, inside] = /^\[(.*)\]$/.exec(text.trim()) ?? [];
  if (inside === undefined) return undefined;
  return inside.trim() === "" ? [] : inside.split(",").map(scalarOf);
}

function scalarOf(text: string): unknown {
  const value = text.trim();
  if (value === "true" || value === "false") return value === "true";
  if (value === "null" || value === "~") return null;
  if (/^-?(?:0|[1-9]\d{0,14})(?:\.\d{1,14})?$/.test(value)) return Number(value);
  return /^(["']).*\1$/.test(value) && value.length > 1 ? value.slice(1, -1) : value;
}
