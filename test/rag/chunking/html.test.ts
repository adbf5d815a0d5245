import fc from "fast-check";
import { type HtmlOptions, MDocument } from "kumiko/rag";
import { type DefaultTreeAdapterTypes, parse } from "parse5";
import { describe, expect, it } from "vitest";
import { documentCount, htmlTexts, runs } from "./documents.js";
import { expectNothingLost, placeOf } from "./laws.js";

const timeout = 60_000 + documentCount * 100;
const hidden = new Set(["script", "style", "template", "title", "iframe", "noembed", "noframes"]);

/** The texts that readers see, in the order of the source and without blanks. */
function visible(source: string): string {
  const found: { at: number; text: string }[] = [];
  const visit = (node: DefaultTreeAdapterTypes.Node): void => {
    if ("tagName" in node && hidden.has(node.tagName)) return;
    if (node.nodeName === "#text" && "value" in node) {
      found.push({ at: node.sourceCodeLocation?.startOffset ?? 0, text: node.value });
    }
    if ("childNodes" in node) for (const child of node.childNodes) visit(child);
  };
  visit(parse(source, { sourceCodeLocationInfo: true, scriptingEnabled: false }));
  return found
    .sort((a, b) => a.at - b.at)
    .map(({ text }) => text)
    .join("")
    .replaceAll(/\s/g, "");
}

/** Ways to split a page. */
const ways = fc.record<HtmlWay>(
  {
    headers: fc.constantFrom(
      [["h1", "title"]],
      [
        ["h1", "title"],
        ["h2", "part"],
      ],
      [["b", "bold"]],
    ),
    sections: fc.constantFrom(
      [["div.content", "main"]],
      [
        ["section", "part"],
        ["table td", "cell"],
      ],
    ),
    returnEachLine: fc.boolean(),
  },
  { requiredKeys: [] },
);
type HtmlWay = Pick<HtmlOptions, "headers" | "sections" | "returnEachLine">;

/** The parser joins texts that it moves out of a table, so these are in another order. */
const sorted = (text: string): string => Array.from(text).sort().join("");

describe("HTML", () => {
  it("has the visible text in its chunks, once, with the places where it stands", { timeout }, async () => {
    const sizes = fc.integer({ min: 1, max: 200 });
    await fc.assert(
      fc.asyncProperty(htmlTexts, sizes, ways, async (text, size, way) => {
        const chunks = await MDocument.fromHTML(text).chunk({ strategy: "html", size, ...way });
        const together = chunks.map((chunk) => chunk.text).join("");
        const seen = together.replaceAll(/\s/g, "");
        if (text.includes("<table>")) expect(sorted(seen)).toBe(sorted(visible(text)));
        else expect(seen).toBe(visible(text));
        expectNothingLost(text, chunks, () => true);
        for (const chunk of chunks) {
          const { start, end } = placeOf(chunk);
          if (!/[&\r\0]/.test(text)) expect(start).toBeLessThan(end);
          // without markup inside, the place holds the text; inside a reference that is several characters it is a guess
          const source = text.slice(start, end);
          if (!/[<&]/.test(source) && !/&(?:notit|lt)/.test(text))
            expect(source.replaceAll(/\s/g, "")).toBe(chunk.text.replaceAll(/[\s]/g, ""));
        }
      }),
      runs,
    );
  });

  it("keeps blocks whole that fit, with any overlap, and puts no chunk inside another", {
    timeout: 120_000,
  }, async () => {
    const block = fc.array(fc.constantFrom("oak", "cedar.", "a", "组子。", "joints!"), { minLength: 1, maxLength: 12 });
    const pages = fc.array(
      block.map((parts) => parts.join(" ")),
      { maxLength: 12 },
    );
    const shapes = fc.tuple(fc.integer({ min: 1, max: 60 }), fc.nat({ max: 59 }));
    await fc.assert(
      fc.asyncProperty(pages, shapes, async (blocks, [size, part]) => {
        const page = blocks.map((text, index) => `<p>${index} ${text}</p>`).join("\n");
        const overlap = part % size;
        const found = await MDocument.fromHTML(page).chunk({ strategy: "html", size, overlap });
        for (const [index, text] of blocks.entries()) {
          const whole = `${index} ${text}`;
          if (whole.length <= size) expect(found.some((one) => one.text.split("\n").includes(whole))).toBe(true);
        }
        let covered = 0;
        for (const [index, chunk] of found.entries()) {
          const { start, end } = placeOf(chunk);
          expect(chunk.text.length).toBeLessThanOrEqual(size);
          const before = found[index - 1];
          if (before !== undefined) {
            expect(start).toBeGreaterThan(placeOf(before).start);
            expect(end).toBeGreaterThan(placeOf(before).end);
            const shared = page.slice(start, placeOf(before).end).replaceAll(/<[^>]*>\s*(?:<[^>]*>)?/g, "\n");
            expect(shared.length).toBeLessThanOrEqual(overlap);
          }
          expect(
            page
              .slice(covered, start)
              .replaceAll(/<[^>]*>/g, "")
              .trim(),
          ).toBe("");
          covered = Math.max(covered, end);
        }
        expect(
          page
            .slice(covered)
            .replaceAll(/<[^>]*>/g, "")
            .trim(),
        ).toBe("");
        if (blocks.join("\n").length + 3 * blocks.length <= size) expect(found.length).toBeLessThanOrEqual(1);
      }),
      runs,
    );
  });

  it("puts the title of the page into the metadata of every chunk", async () => {
    const page = (head: string, body = "<h1>One</h1><p>First.</p><h1>Two</h1>") =>
      `<!doctype html><html><head>${head}</head><body>${body}</body></html>`;
    const headers = [["h1", "heading"]] as const;
    const titles = async (source: string, options: object = {}) =>
      (await MDocument.fromHTML(source, options).chunk({ strategy: "html", headers })).map(
        ({ metadata }) => metadata.title,
      );
    expect(await titles(page("<title>\n Kumiko &amp;\n lattice </title>"))).toEqual(Array(2).fill("Kumiko & lattice"));
    expect(await titles("<title>Bare</title>text")).toEqual(["Bare"]);
    expect(await titles(page("<title>Theirs</title>"), { metadata: { title: "Mine" } })).toEqual(["Mine", "Mine"]);
    expect(await titles(page("<title> </title>"))).toEqual([undefined, undefined]);
    expect(await titles(page("", "<svg><title>A picture</title></svg>text"))).toEqual([undefined]);
  });

  it("splits by sections and headings together, sections first", async () => {
    const page = `<p>Before.</p><div class="content"><h1>One</h1><p>First.</p><h2>Two</h2><p>Second.</p></div>
      <div class="content"><h1>Three</h1><p>Third &amp; last.</p></div><p>After.</p>`;
    const chunks = await MDocument.fromHTML(page).chunk({
      strategy: "html",
      headers: [
        ["h1", "title"],
        ["h2", "subtitle"],
      ],
      sections: [["div.content", "main"]],
      size: 500,
    });
    expect(chunks.map(({ text, metadata: { main, title, subtitle } }) => ({ text, main, title, subtitle }))).toEqual([
      { text: "Before." },
      { text: "One\nFirst.", main: "One", title: "One" },
      { text: "Two\nSecond.", main: "One", title: "One", subtitle: "Two" },
      { text: "Three\nThird & last.", main: "Three", title: "Three" },
      { text: "After." },
    ]);
  });

  it("has no text of scripts and comments, and keeps the blanks of pre", async () => {
    const page = "<script>no()</script><!-- no --><style>no{}</style><template>no</template><pre>\na\n  b\n</pre>yes";
    expect((await MDocument.fromHTML(page).chunk()).map(({ text }) => text)).toEqual(["a\n  b\n\nyes"]);
  });

  it("finds texts that begin with a reference without an end, behind others", async () => {
    const page = " &notit; a<p>b &notit; c</p> &ltd&#x34 <i>e</i>";
    const chunks = await MDocument.fromHTML(page).chunk();
    expect(chunks.map(({ text }) => text)).toEqual(["¬it; a\nb ¬it; c\n<d4 e"]);
  });

  it("selects by tag, class, id, attribute and descendants", async () => {
    const page = `<main><section id="a" data-kind='x y' class="one two">A</section><section>B</section></main>`;
    const selected = async (selector: string) =>
      (await MDocument.fromHTML(page).chunk({ strategy: "html", sections: [[selector, "found"]] }))
        .filter(({ metadata }) => "found" in metadata)
        .map(({ text }) => text);
    expect(await selected("section")).toEqual(["A", "B"]);
    expect(await selected("main .two")).toEqual(["A"]);
    expect(await selected("#a")).toEqual(["A"]);
    expect(await selected('section[data-kind="x y"]')).toEqual(["A"]);
    expect(await selected("section.one[id]")).toEqual(["A"]);
    expect(await selected("p section")).toEqual([]);
    await expect(selected("main > section")).rejects.toThrow(/not supported/);
    await expect(selected("a:hover")).rejects.toThrow(/not supported/);
  });

  it("reads pages that nest deeply", async () => {
    const deep = `${"<div>".repeat(5_000)}deep`;
    expect((await MDocument.fromHTML(deep).chunk()).map(({ text }) => text)).toEqual(["deep"]);
  });
});
