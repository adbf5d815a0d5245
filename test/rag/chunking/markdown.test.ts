import fc from "fast-check";
import { MDocument } from "kumiko/rag";
import { fromMarkdown } from "mdast-util-from-markdown";
import { gfmTableFromMarkdown } from "mdast-util-gfm-table";
import { gfmTable } from "micromark-extension-gfm-table";
import { describe, expect, it } from "vitest";
import { scanBlocks } from "../../../src/rag/chunking/markdown/scan-blocks.js";
import { documentCount } from "./documents.js";

const lines = fc.constantFrom(
  ...[
    "",
    "",
    "text",
    "# one",
    "## two ##",
    "  ### three",
    "    # code",
    "\tx",
    "\t# y",
    "```ts",
    "```",
    "  ```",
    "~~~",
  ],
  ...["> quote", "> # q", ">     x", "> - a", "> ```", "- item", "- ", "1. one", "2. two", "  inner", "  # inner"],
  ...[
    "    deep",
    "===",
    "---",
    "***",
    "<div>",
    "</div>",
    "<!-- c",
    "-->",
    "<b>x</b>",
    "<pre>",
    "| a | b |",
    "|---|---|",
  ],
  ...["a | b", "-|-", "-\tz", "[a]: /b", "#", "#no", "  - nested", "   # three", "Text <b", "`a", "a\\|b|c"],
);
const documents = fc
  .array(fc.tuple(lines, fc.constantFrom("\n", "\n", "\n", "\r\n")), { maxLength: 12 })
  .map((parts) => parts.map(([line, end]) => line + end).join(""));

const lineOf = (text: string, offset: number): number => text.slice(0, offset).split(/\r\n|\n/).length;

it("finds the headings that a real Markdown parser finds, and the fences and tables", {
  timeout: 60_000 + documentCount * 20,
}, () => {
  fc.assert(
    fc.property(documents, (text) => {
      // micromark 4 takes a list right after indented code for one that interrupts a paragraph
      fc.pre(!(/^(?:\t| {4})/m.test(text) && /^ *(?:2\.|-\s*$)/m.test(text)));
      const { children } = fromMarkdown(text, { extensions: [gfmTable()], mdastExtensions: [gfmTableFromMarkdown()] });
      const expected = children.flatMap((node) =>
        node.type === "heading" ? [`${node.depth} ends in line ${lineOf(text, node.position?.end.offset ?? 0)}`] : [],
      );
      const found = scanBlocks(text, 0).flatMap(({ type, depth, end }) =>
        type === "heading" ? [`${depth} ends in line ${lineOf(text, end)}`] : [],
      );
      expect(found).toEqual(expected);
    }),
    { numRuns: documentCount * 10 },
  );
});

describe("Markdown", () => {
  const guide = `Before.

# Title

Intro.

## Part A

\`\`\`ts
# no heading
\`\`\`

## Part B

> # no heading either

# Second

End.`;

  it("puts the headings around a chunk into its metadata", async () => {
    const chunks = await MDocument.fromMarkdown(guide).chunk({
      strategy: "markdown",
      headers: [
        ["#", "title"],
        ["##", "part"],
      ],
    });
    expect(chunks.map(({ text, metadata: { title, part } }) => [text.split("\n")[0], title, part])).toEqual([
      ["Before.", undefined, undefined],
      ["# Title", "Title", undefined],
      ["## Part A", "Title", "Part A"],
      ["## Part B", "Title", "Part B"],
      ["# Second", "Second", undefined],
    ]);
  });

  it("leaves headings out with stripHeaders, and gives lines with returnEachLine", async () => {
    const headers = [["#", "title"]] as const;
    const stripped = await MDocument.fromMarkdown(guide).chunk({ strategy: "markdown", headers, stripHeaders: true });
    expect(stripped.map(({ text }) => text.split("\n")[0])).toEqual(["Before.", "Intro.", "End."]);
    const each = await MDocument.fromMarkdown("# A\n\none\ntwo\n").chunk({
      strategy: "markdown",
      headers,
      returnEachLine: true,
    });
    expect(each.map(({ text, metadata }) => [text, metadata.title])).toEqual([
      ["# A", "A"],
      ["one", "A"],
      ["two", "A"],
    ]);
  });

  it("splits tables and fences only when they are too large, and repeats their head in metadata", async () => {
    const table = `| name | size |\n|---|---|\n${"| row | 1 |\n".repeat(12)}`;
    const chunks = await MDocument.fromMarkdown(`# T\n\n${table}`).chunk({ strategy: "markdown", size: 60 });
    const heads = chunks.map(({ metadata }) => metadata.head);
    expect(heads.slice(0, 2)).toEqual([undefined, undefined]);
    expect(new Set(heads.slice(2))).toEqual(new Set(["| name | size |\n|---|---|"]));
    for (const { text } of chunks)
      expect(text.split("\n").every((line) => /^(\|.*\||# T)$/.test(line) || line === "")).toBe(true);
    const code = `\`\`\`ts\n${"const a = 1;\n".repeat(10)}\`\`\``;
    const parts = await MDocument.fromMarkdown(code).chunk({ strategy: "markdown", size: 50 });
    expect(parts.at(-1)?.metadata.head).toBe("```ts");
  });

  it("that nests as deep as its lines are long is split at once", { timeout: 10_000 }, async () => {
    for (const mark of ["> ", "* ", "1. "]) {
      const text = `${mark.repeat(50_000)}deep\n${"\n".repeat(50_000)}\n# After`;
      const chunks = await MDocument.fromMarkdown(text).chunk({ size: 1_000_000 });
      expect(chunks.map(({ text: chunk }) => chunk.slice(-7))).toEqual([expect.stringMatching(/deep$/), "# After"]);
    }
  });

  it("takes three dashes for a line where no others follow, at once", { timeout: 10_000 }, async () => {
    for (const end of ["\n", "\r\n", "\r"]) {
      const text = ["---", ..."a: b|".repeat(29).split("|"), "end"].join(end);
      const chunks = await MDocument.fromMarkdown(text).chunk({ size: 1_000 });
      expect(chunks.map((chunk) => chunk.text)).toEqual([text]);
    }
  });

  it("reads front matter into metadata", async () => {
    const text = "---\ntitle: A guide\ntags: [one, two]\ndraft: false\nitems:\n  - x\n  - 2\n---\n# Text\n";
    const [chunk] = await MDocument.fromMarkdown(text, { id: "g", metadata: { lang: "en" } }).chunk();
    expect(chunk).toMatchObject({
      id: "g:72-78",
      text: "# Text",
      metadata: { title: "A guide", tags: ["one", "two"], draft: false, items: ["x", 2], lang: "en" },
    });
  });

  it("joins sections that fit together with semantic-markdown, the deepest first", async () => {
    const text = "# A\n\n## A1\n\none\n\n## A2\n\ntwo\n\n# B\n\n## B1\n\nthree is longer than that\n\n## B2\n\nfour\n";
    const chunks = await MDocument.fromMarkdown(text).chunk({
      strategy: "semantic-markdown",
      size: 42,
      headers: [["##", "part"]],
    });
    expect(chunks.map(({ text, metadata }) => [text.replaceAll("\n\n", "|"), metadata.part])).toEqual([
      ["# A|## A1|one|## A2|two", undefined],
      ["# B|## B1|three is longer than that", undefined],
      ["## B2|four", "B2"],
    ]);
  });

  it("keeps a heading with what follows it", async () => {
    const text = `# A\n\n${"word ".repeat(30)}\n\n### Small\n\n${"more ".repeat(30)}\n`;
    const chunks = await MDocument.fromMarkdown(text).chunk({ strategy: "markdown", headers: [["#", "a"]], size: 180 });
    expect(chunks.map(({ text }) => text.split("\n")[0])).toEqual(["# A", "### Small"]);
  });

  it("names the headings around the beginning of a chunk, those too at which no chunk begins", async () => {
    const text = "## P\n\naaaa bbbb cccc\n\n# B\n\ndddd eeee ffff gggg";
    const chunks = await MDocument.fromMarkdown(text).chunk({
      strategy: "markdown",
      headers: [["##", "part"]],
      size: 22,
    });
    expect(chunks.map(({ text: piece, metadata }) => [piece.slice(0, 4), metadata.part])).toEqual([
      ["## P", "P"],
      ["# B", undefined],
      ["dddd", undefined],
    ]);
  });
});
