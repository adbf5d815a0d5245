import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import fc from "fast-check";
import type { Document } from "kumiko";
import { MDocument, splitter } from "kumiko/rag";
import { directoryLoader, fileLoader } from "kumiko/rag/files";
import { afterAll, describe, expect, it } from "vitest";
import { makePdf, type PdfLine } from "./make-pdf.js";

const folder = mkdtempSync(join(tmpdir(), "kumiko-pdf-"));
afterAll(() => rmSync(folder, { recursive: true, force: true }));

function write(name: string, content: Uint8Array): string {
  const path = join(folder, name);
  writeFileSync(path, content);
  return path;
}

async function load(name: string, content: Uint8Array): Promise<Document> {
  const [document] = await fileLoader().load({ uri: write(name, content) });
  if (document === undefined) throw new Error("no document");
  return document;
}

const line = (text: string): PdfLine => ({ text });
const unicode = (text: string): PdfLine => ({ text, font: "unicode" });

/** What is known of the chunks of a document. */
async function chunksOf({ id, content, metadata }: Document, size: number) {
  const document = MDocument.from({ id: id ?? "pdf", text: content, metadata, mimeType: "application/pdf" });
  return document.chunk({ size });
}

describe("a PDF", () => {
  it("has its title in its metadata, if there is one", async () => {
    const pages = [[line("Text.")]];
    const titled = (title: string) => makePdf(pages, { extra: `<</Title(${title})>>`, trailer: "/Info 10 0 R" });
    expect((await load("titled.pdf", titled("Joints without nails"))).metadata.title).toBe("Joints without nails");
    expect((await load("blank.pdf", titled(" "))).metadata).not.toHaveProperty("title");
    expect((await load("none.pdf", makePdf(pages))).metadata).not.toHaveProperty("title");
  });

  it("is the text of its pages, and its chunks say on which of them they stand", async () => {
    const pages = [[line("First page."), line("It goes on.")], [line("Second page.")], [line("Third page.")]];
    const document = await load("three.pdf", makePdf(pages));
    expect(document.content).toBe("First page.\nIt goes on.\n\nSecond page.\n\nThird page.");
    expect(document.metadata).toMatchObject({ mimeType: "application/pdf", pageStarts: [0, 25, 39] });
    const small = await chunksOf(document, 24);
    expect(small.map(({ text, metadata }) => [text, metadata.pages])).toEqual([
      ["First page.\nIt goes on.", [1]],
      ["Second page.", [2]],
      ["Third page.", [3]],
    ]);
    expect(small[0]?.metadata).not.toHaveProperty("pageStarts");
    const [whole, ...others] = await chunksOf(document, 4_000);
    expect(others).toEqual([]);
    expect(whole?.metadata.pages).toEqual([1, 2, 3]);
  });

  it("is split with its pages by a node too", async () => {
    const document = await load("node.pdf", makePdf([[line("One.")], [line("Two.")]]));
    const split = await splitter("recursive", { size: 5 }).transform([document], undefined as never);
    expect(split.map(({ content, metadata }) => [content, metadata.pages])).toEqual([
      ["One.", [1]],
      ["Two.", [2]],
    ]);
  });

  it.each([
    ["German and French", "Größe, Straße, garçon, œuvre"],
    ["Japanese", "組子は釘を使わない木工の技法です。"],
    ["Chinese", "組子是一種不用釘子的木工技藝；简体也可以。"],
    ["Korean", "구미코는 못을 쓰지 않는 목공 기법이다."],
    ["Russian and Greek", "Кумико — без гвоздей. Χωρίς καρφιά."],
    ["Arabic", "مسامير"],
    ["Hindi", "बिना कील के"],
  ])("may be in %s", async (language, text) => {
    // what is read from the right is drawn from the left, its last letter first
    const drawn = language === "Arabic" ? [...text].reverse().join("") : text;
    const document = await load("language.pdf", makePdf([[line("One.")], [unicode(drawn)]]));
    expect(document.content.normalize("NFKC")).toBe(`One.\n\n${text}`.normalize("NFKC"));
    const [, second] = await chunksOf(document, text.length + 2);
    expect(second?.metadata.pages).toEqual([2]);
  });

  it("may have hundreds of pages, blank ones among them", async () => {
    const pages = Array.from({ length: 300 }, (_, index) =>
      index % 7 === 3 ? [] : [line(`This is page ${index + 1}.`)],
    );
    const document = await load("many.pdf", makePdf(pages));
    const chunks = await chunksOf(document, 200);
    const seen = new Set<unknown>();
    for (const { text, metadata } of chunks) {
      const numbers = [...text.matchAll(/page (\d+)/g)].map(([, number]) => Number(number));
      expect((metadata.pages as number[]).filter((page) => pages[page - 1]?.length !== 0)).toEqual(numbers);
      for (const number of numbers) seen.add(number);
    }
    expect(seen.size).toBe(pages.filter((page) => page.length > 0).length);
  });

  it("of which nothing is text is an error that says so", async () => {
    const blank = load("blank.pdf", makePdf([[], []]));
    await expect(blank).rejects.toMatchObject({ code: "LOAD_FAILED" });
    await expect(load("blank.pdf", makePdf([[], []]))).rejects.toThrow(/no text in its 2 pages.*OCR/);
    await expect(load("blank.pdf", makePdf([[]]))).rejects.toThrow(/no text in its page\./);
  });

  it("that is encrypted, empty or no PDF is an error that says so", async () => {
    const key = `<${"5a".repeat(32)}>`;
    const dictionary = `<</Filter/Standard/V 1/R 2/O ${key}/U ${key}/P -4>>`;
    const locked = makePdf([[line("Secret.")]], {
      extra: dictionary,
      trailer: `/Encrypt 10 0 R/ID[${key}${key}]`,
    });
    await expect(load("locked.pdf", locked)).rejects.toThrow(/encrypted with a password/);
    await expect(load("empty.pdf", Buffer.alloc(0))).rejects.toThrow(/not a readable PDF/);
    await expect(load("other.pdf", Buffer.from("PK\u0003\u0004 something else"))).rejects.toThrow(/not a readable PDF/);
  });

  it("that is damaged keeps what can be read, or is an error", async () => {
    const whole = makePdf([[line("First page.")], [line("Second page.")]]);
    // without its table, it is searched for its parts
    const end = whole.indexOf("xref");
    const repaired = await load(
      "no-table.pdf",
      Buffer.concat([whole.subarray(0, end), Buffer.from("trailer<</Root 1 0 R>>")]),
    );
    expect(repaired.content).toBe("First page.\n\nSecond page.");
    await expect(load("half.pdf", whole.subarray(0, 400))).rejects.toMatchObject({ code: "LOAD_FAILED" });
    const documents = await directoryLoader({ extensions: [".pdf"], onError: "skip" }).load({ uri: folder });
    expect(documents.map(({ id }) => id?.endsWith("half.pdf"))).not.toContain(true);
  });
});

describe("pageStarts", () => {
  it("gives each chunk exactly the pages that it has a part of", async () => {
    const page = fc.array(fc.constantFrom("word", "two words", "ein Satz.", "漢字", " "), { maxLength: 12 });
    await fc.assert(
      fc.asyncProperty(
        fc.array(page, { minLength: 1, maxLength: 8 }),
        fc.integer({ min: 5, max: 60 }),
        async (all, size) => {
          const pages = all.map((words) => words.join(" "));
          const pageStarts = pages.map((_, index) => pages.slice(0, index).join("\n\n").length + (index === 0 ? 0 : 2));
          const text = pages.join("\n\n");
          const document = MDocument.fromText(text, { id: "d", metadata: { pageStarts } });
          for (const { metadata } of await document.chunk({ size, overlap: Math.floor(size / 4) })) {
            const { start, end } = metadata as { start: number; end: number };
            const expected = pageStarts.flatMap((from, index) => {
              const to = pageStarts[index + 1] ?? text.length;
              return from < end && to > start ? [index + 1] : [];
            });
            expect(metadata.pages).toEqual(expected);
          }
        },
      ),
    );
  });

  it("must be positions in order", async () => {
    for (const pageStarts of [[3, 1], ["0"], [], 0]) {
      const document = MDocument.fromText("text", { metadata: { pageStarts } });
      await expect(document.chunk()).rejects.toMatchObject({ code: "INVALID_DOCUMENT" });
    }
  });
});
