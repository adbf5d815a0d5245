import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { Document } from "kumiko";
import { MDocument, splitter } from "kumiko/rag";
import { fileLoader } from "kumiko/rag/files";
import { afterAll, describe, expect, it } from "vitest";
import { cell, type DocxParts, heading, item, link, makeDocx, paragraph, reference, table, text } from "./make-docx.js";

const folder = mkdtempSync(join(tmpdir(), "kumiko-docx-"));
afterAll(() => rmSync(folder, { recursive: true, force: true }));

let count = 0;
async function load(parts: DocxParts): Promise<Document> {
  const path = join(folder, `${count++}.docx`);
  writeFileSync(path, makeDocx(parts));
  const [document] = await fileLoader().load({ uri: path });
  if (document === undefined) throw new Error("no document");
  return document;
}
const contentOf = async (body: string): Promise<string> => (await load({ body })).content;
const plain = (value: string): string => paragraph(text(value));

describe("a DOCX", () => {
  it("keeps its title and headings, which are the path of its chunks", async () => {
    const body = [
      heading("The book of joints", "Title"),
      heading("Dovetails", "Heading1"),
      plain("They hold."),
      heading("By hand", "Heading2"),
      plain("With a saw &amp; a chisel."),
    ].join("");
    const document = await load({ body, title: "Joints &amp; more" });
    expect(document.content).toBe(
      "# The book of joints\n\n# Dovetails\n\nThey hold.\n\n## By hand\n\nWith a saw & a chisel.",
    );
    expect(document.metadata.title).toBe("Joints & more");
    const headers = [
      ["#", "chapter"],
      ["##", "section"],
    ] as const;
    const { content, metadata } = document;
    const chunks = await MDocument.from({ text: content, mimeType: String(metadata.mimeType) }).chunk({
      strategy: "markdown",
      headers,
    });
    expect(chunks.at(-1)?.metadata).toMatchObject({ chapter: "Dovetails", section: "By hand" });
    // the type of the document selects the strategy
    expect(await splitter("auto").transform([document])).toHaveLength(3);
  });

  it("keeps footnotes and endnotes, with their marks in the text", async () => {
    const { content } = await load({
      body: paragraph(
        text("A dovetail holds") + reference("footnote", "2") + text(" for long.") + reference("endnote", "2"),
      ),
      footnotes: { "2": plain("Planed by hand.") + plain("Twice.") },
      endnotes: { "2": plain("Centuries.") },
    });
    expect(content).toBe(
      "A dovetail holds[^2] for long.[^end2]\n\n[^2]: Planed by hand.\n\n    Twice.\n\n[^end2]: Centuries.",
    );
  });

  it("keeps the rows and columns of tables, also of cells that span several", async () => {
    const body = table([
      [cell(plain("Wood")), cell(plain("Hard | soft")), cell(plain("Note"))],
      [
        cell(plain("Oak"), '<w:vMerge w:val="restart"/>'),
        cell(plain("hard") + plain("and heavy"), '<w:gridSpan w:val="2"/>'),
      ],
      [cell(plain(""), "<w:vMerge/>"), cell(plain("8")), cell(plain("of 10"))],
    ]);
    expect(await contentOf(body)).toBe(
      "| Wood | Hard \\| soft | Note |\n| --- | --- | --- |\n| Oak | hard and heavy |  |\n|  | 8 | of 10 |",
    );
    expect(await contentOf(table([[cell(heading("Boxed", "Heading1") + plain("In a frame."))]]))).toBe(
      "# Boxed\n\nIn a frame.",
    );
    const nested = table([[cell(table([[cell(plain("in")), cell(plain("side"))]])), cell(plain("b"))]]);
    expect(await contentOf(nested)).toBe("| in side | b |\n| --- | --- |");
  });

  it("keeps lists, also nested ones, and links", async () => {
    const body = [
      item("Saw", 1),
      item("Dozuki", 1, 1),
      item("Ryoba", 1, 1),
      item("Plane", 1),
      plain("Then:"),
      item("Mark", 2),
      item("Cut", 2),
      paragraph(text("See ") + link("the page") + text(".")),
    ].join("");
    expect(await contentOf(body)).toBe(
      [
        "- Saw\n  - Dozuki\n  - Ryoba\n- Plane",
        "Then:",
        "1. Mark\n2. Cut",
        "See [the page](https://example.com/a?b=1&c=2).",
      ].join("\n\n"),
    );
  });

  it("has no headings that are only text, and no marks of empty paragraphs", async () => {
    const body = `${plain("# not a heading")}${plain("")}${heading(" ", "Heading1")}${paragraph(
      `${text("text")}<w:r><w:br/></w:r>${text("---")}`,
    )}`;
    const content = await contentOf(body);
    expect(content).toBe("\\# not a heading\n\ntext\n\\---");
    expect(await MDocument.fromMarkdown(content).chunk()).toHaveLength(1);
  });
});
