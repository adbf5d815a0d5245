/**
 * Converts the HTML that mammoth makes of a DOCX to Markdown: headings, paragraphs, lists, tables and notes. Formatting inside
 * paragraphs is left out.
 */
export function markdownFromDocx(html: string): string {
  return blocksOf(readElements(html)).join("\n\n");
}

interface Element {
  readonly name: string;
  readonly attributes: string;
  readonly children: readonly Node[];
}
type Node = string | Element;

/** Reads HTML that is well-formed, as that of mammoth is. */
function readElements(html: string): readonly Node[] {
  const root: Node[] = [];
  const open: Node[][] = [root];
  for (const [, close, name = "", attributes = "", end, text] of html.matchAll(tokens)) {
    if (text !== undefined) open.at(-1)?.push(decodeReferences(text));
    else if (close === "/") open.pop();
    else {
      const children: Node[] = [];
      open.at(-1)?.push({ name, attributes, children });
      if (end !== "/") open.push(children);
    }
  }
  return root;
}

const tokens = /<(\/?)(\w+)((?:\s+\w+="[^"]*")*)\s*(\/?)>|([^<]+)/g;

const references: Readonly<Record<string, string>> = { lt: "<", gt: ">", quot: '"', apos: "'", amp: "&" };

/** Decodes the references of XML. */
export const decodeReferences = (text: string): string =>
  text.replaceAll(/&(\w+);/g, (found, name: string) =>
    Object.hasOwn(references, name) ? (references[name] ?? found) : found,
  );

function attributeOf({ attributes }: Element, name: string): string {
  const [, value = ""] = new RegExp(`\\s${name}="([^"]*)"`).exec(attributes) ?? [];
  return decodeReferences(value);
}

function blocksOf(nodes: readonly Node[]): string[] {
  const blocks: string[] = [];
  let inline: Node[] = [];
  const add = (block: string): void => {
    if (block.trim() !== "") blocks.push(block);
  };
  const flush = (): void => {
    add(paragraphOf(inline));
    inline = [];
  };
  for (const node of nodes) {
    if (typeof node === "string" || !blockNames.test(node.name)) {
      inline.push(node);
      continue;
    }
    flush();
    for (const block of blocksFrom(node)) add(block);
  }
  flush();
  return blocks;
}

const blockNames = /^(?:p|h[1-6]|ul|ol|table)$/;

function blocksFrom(element: Element): string[] {
  const { name, children } = element;
  switch (name) {
    case "p":
      return [paragraphOf(children)];
    case "ul":
    case "ol":
      return listOf(element);
    case "table":
      return tableOf(element);
    default: {
      const title = lineOf(children);
      return title === "" ? [] : [`${"#".repeat(Number(name.slice(1)))} ${title}`];
    }
  }
}

function paragraphOf(nodes: readonly Node[]): string {
  const lines = textOf(nodes).split("\n");
  return lines
    .map((line) => escapeBlock(line.replaceAll(/[ \t\r]+/g, " ").trim()))
    .join("\n")
    .trim();
}

/** Keeps a line of text from becoming a heading, a fence, a line below a heading, or HTML. */
const escapeBlock = (line: string): string =>
  /^(?:#{1,6}(?: |$)|`{3}|~{3}|=+$|-{2,}$|<)/.test(line) ? `\\${line}` : line;

const lineOf = (nodes: readonly Node[]): string => textOf(nodes).replaceAll(/\s+/g, " ").trim();

/** The text of nodes. Line breaks are kept. */
function textOf(nodes: readonly Node[]): string {
  return nodes
    .map((node) => {
      if (typeof node === "string") return node.replaceAll(/[\r\n]+/g, " ");
      if (node.name === "br") return "\n";
      if (node.name === "img") return attributeOf(node, "alt");
      if (node.name === "a") return linkOf(node);
      return isInline.test(node.name) ? textOf(node.children) : ` ${textOf(node.children)} `;
    })
    .join("");
}

const isInline = /^(?:strong|em|s|u|sup|sub|span|code)$/;

/** A link to a note becomes the mark of the note, and the way back from a note is left out. */
function linkOf(element: Element): string {
  const href = attributeOf(element, "href");
  const text = textOf(element.children);
  if (/^#(?:foot|end)note-ref-/.test(href)) return "";
  if (isNote.test(href.slice(1))) return `[^${labelOf(href.slice(1))}]`;
  return href === "" || href.startsWith("#") || text.trim() === "" ? text : `[${text}](${href})`;
}

const isNote = /^(?:foot|end)note-(?!ref-)/;
/** Numbers of footnotes and of endnotes can be the same. */
const labelOf = (id: string): string => id.replace(/^footnote-/, "").replace(/^endnote-/, "end");

/** A list is one block; of a list of notes, each note is one. */
function listOf({ name, children }: Element): string[] {
  const items = children.filter((node) => typeof node !== "string");
  const [first] = items;
  if (first !== undefined && isNote.test(attributeOf(first, "id")))
    return items.map((item) => itemOf(`[^${labelOf(attributeOf(item, "id"))}]: `, "    ", item));
  const lines = items.map((item, index) => {
    const mark = name === "ol" ? `${index + 1}. ` : "- ";
    return itemOf(mark, " ".repeat(mark.length), item);
  });
  return [lines.join("\n")];
}

function itemOf(mark: string, indent: string, { children }: Element): string {
  const blocks = blocksOf(children).map((block) => block.replaceAll("\n", `\n${indent}`));
  const isNested = children.some((node) => typeof node !== "string" && /^[uo]l$/.test(node.name));
  return mark + blocks.join(isNested ? `\n${indent}` : `\n\n${indent}`);
}

/** A table with its first row as the head; one with a single cell frames what is in it. */
function tableOf(table: Element): string[] {
  const rows = rowsOf(table);
  const cells = rows.flatMap(cellsOf);
  const [only] = cells;
  if (only !== undefined && cells.length === 1) return blocksOf(only.children);
  const [head, ...others] = gridOf(rows);
  if (head === undefined) return [];
  const lines = [head, head.map(() => "---"), ...others];
  return [lines.map((line) => `| ${line.join(" | ")} |`).join("\n")];
}

const isElement = (node: Node): node is Element => typeof node !== "string";

const rowsOf = ({ children }: Element): Element[] =>
  children.filter(isElement).flatMap((child) => (child.name === "tr" ? [child] : rowsOf(child)));

const cellsOf = ({ children }: Element): Element[] =>
  children.filter(isElement).filter(({ name }) => name === "td" || name === "th");

/** The texts of the cells by row and column. A cell that spans several has its text in the first one. */
function gridOf(rows: readonly Element[]): string[][] {
  const grid: string[][] = rows.map(() => []);
  for (const [index, row] of rows.entries()) {
    let column = 0;
    for (const cell of cellsOf(row)) {
      while (grid[index]?.[column] !== undefined) column++;
      const [columns, height] = [spanOf(cell, "colspan"), spanOf(cell, "rowspan")];
      for (const line of grid.slice(index, index + height)) {
        for (let offset = 0; offset < columns; offset++) line[column + offset] = "";
      }
      const line = grid[index];
      if (line !== undefined) line[column] = lineOf(cell.children).replaceAll("|", "\\|");
    }
  }
  const width = Math.max(0, ...grid.map(({ length }) => length));
  return grid.map((line) => Array.from({ length: width }, (_, column) => line[column] ?? ""));
}

const mostSpanned = 1_000;

function spanOf(cell: Element, name: string): number {
  const span = Number(attributeOf(cell, name) || 1);
  return Number.isInteger(span) && span > 0 ? Math.min(span, mostSpanned) : 1;
}
