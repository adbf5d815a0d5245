import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { findGroupProblems, listGuides } from "../../scripts/docs/site/guides.js";
import { findBrokenHomeLinks } from "../../scripts/docs/site/home-links.js";
import { findBrokenHtmlLinks } from "../../scripts/docs/site/html-links.js";
import { llmsText, sentenceOf, titleOf } from "../../scripts/docs/site/llms.js";
import { rewriteLinks } from "../../scripts/docs/site/rewrite-links.js";
import { groups } from "../../site/pages.js";
import { queries } from "../../site/queries.js";
import { searchText } from "../../site/search-text.js";

const root = join(import.meta.dirname, "../..");
const guides = listGuides(groups);

it("has every guide in one group of its sidebar", () => {
  expect(findGroupProblems(root, groups)).toEqual([]);
});

it("has queries for pages that exist", () => {
  const known = guides.map(({ path }) => path.replace(/\.md$/, ""));
  const wanted = queries.flatMap(([, ...pages]) => pages).filter((page) => !page.startsWith("reference/"));
  expect(wanted.filter((page) => !known.includes(page))).toEqual([]);
  expect(queries).toHaveLength(40);
});

it("names each page once in llms.txt, with its first sentence", () => {
  const pages = guides.map(({ file, path, group }) => ({
    group,
    link: path,
    text: readFileSync(join(root, file), "utf8"),
  }));
  const text = llmsText(pages);
  for (const page of pages) {
    const line = text.split("\n").filter((candidate) => candidate.includes(`](${page.link})`));
    expect(line).toEqual([`- [${titleOf(page.text)}](${page.link}): ${sentenceOf(page.text)}`]);
    expect(sentenceOf(page.text), `${page.link} begins with a sentence`).toMatch(/^[A-Z`].{20,}[.!?]$/);
  }
});

it("searches guides without their code, and of the reference names and first sentences", () => {
  const fence = "`".repeat(3);
  expect(
    searchText("guides/a.md", `# A\n\nText.\n\n${fence}ts\nconst b = 1;\n${fence}\n\n## Next\n\n- [B](b.md)\n`),
  ).toBe("# A\n\nText.\n\n\n");
  const field = (name: string, sentence: string) => `### \`${name}\` {#x-${name}}\n\n\`number\`\n\n${sentence}`;
  const page = [
    "# kumiko/a\n\nOf a. More of it.",
    "- [`make`](../api/a.md#make): Makes it.\n- [`AOptions`](#AOptions): Options of a.",
    `## AOptions\n\nOptions of a. They have defaults.\n\n${field("size", "How large\nit is. In bytes.")}`,
    `## BOptions\n\n${field("size", "How large\nit is. In bytes.")}\n\n${field("age", "How old.")}`,
    `## Result\n\nWhat it gives.\n\n${field("value", "The value.")}`,
  ];
  expect(searchText("reference/a.md", page.join("\n\n")).split("\n\n")).toEqual([
    "# kumiko/a",
    "Of a.",
    "- [`make`](../api/a.md#make): Makes it.",
    "## AOptions",
    "Options of a.",
    "### `size` {#x-size}",
    "How large\nit is.",
    "## BOptions",
    "### `age` {#x-age}",
    "How old.",
    "## Result",
    "What it gives.",
    "value",
  ]);
  expect(searchText("api/a.md", page[0] ?? "")).toBe("");
});

describe("with bad pages", () => {
  let folder: string;
  const write = (path: string, text: string) => {
    mkdirSync(dirname(join(folder, path)), { recursive: true });
    writeFileSync(join(folder, path), text);
  };
  beforeEach(() => {
    folder = mkdtempSync(join(tmpdir(), "kumiko-site-"));
  });
  afterEach(() => rmSync(folder, { recursive: true, force: true }));

  it("tells of guides in no group, in two, that do not exist, and that are for maintainers", () => {
    for (const name of ["a", "b", "c"]) write(`docs/guides/${name}.md`, "# A\n");
    write("docs/architecture.md", "# Inside\n");
    const bad = [{ text: "All", pages: ["a", "b", "b", "gone", "../architecture"] }];
    expect(findGroupProblems(folder, bad)).toEqual([
      "docs/guides/c.md is in no group of site/pages.ts",
      "site/pages.ts names docs/guides/gone.md, which does not exist",
      "docs/guides/b.md is twice in site/pages.ts",
      "docs/architecture.md is for maintainers: not in the site",
    ]);
  });

  it("turns links to other files into links to the repository, and tells of files that do not exist", () => {
    write("examples/a.ts", "");
    const targets = {
      root: folder,
      pages: new Map([
        ["docs/guides/a.md", "guides/a.md"],
        ["docs/performance.md", "performance.md"],
      ]),
      repository: "https://code.example/blob/v1",
    };
    const page = "[x](../../examples/a.ts) [p](../performance.md#cost)\n\n```md\n[no](gone.md)\n```\n\n[gone](gone.md)";
    const { text, problems } = rewriteLinks("docs/guides/a.md", page, targets);
    expect(text.split("\n")[0]).toBe("[x](https://code.example/blob/v1/examples/a.ts) [p](../performance.md#cost)");
    expect(text).toContain("[no](gone.md)");
    expect(problems).toEqual(["docs/guides/a.md:7 leads to docs/guides/gone.md, which does not exist"]);
  });

  it("tells of links of the home page that lead nowhere, with their lines", () => {
    const text =
      "actions:\n  - { theme: alt, text: A, link: /guides/gone }\n---\n[b](./b) [c](./c#d) [e](https://e.example)";
    expect(findBrokenHomeLinks("site/index.md", text, (path) => path === "b")).toEqual([
      "site/index.md:2 leads to /guides/gone, which does not exist",
      "site/index.md:4 leads to ./c#d, which does not exist",
    ]);
  });

  it("tells of dead links and anchors, equal ids, and what comes from elsewhere", () => {
    write(
      "index.html",
      `<h1 id="a">A</h1><a href="/b.html#here">b</a><a href="gone.html">c</a><a href="https://d.example">d</a>`,
    );
    write(
      "b.html",
      `<p id="b"></p><p id="b"></p><a href="./#a">a</a><a href="#gone">x</a><script src="https://cdn.example/x.js"></script>`,
    );
    expect(findBrokenHtmlLinks(folder)).toEqual([
      "b.html has two elements with the id b",
      "b.html leads to #gone, and b.html has no such anchor",
      "b.html loads https://cdn.example/x.js: nothing comes from elsewhere",
      "index.html leads to /b.html#here, and b.html has no such anchor",
      "index.html leads to gone.html, which does not exist",
    ]);
  });
});
