import { readdirSync, readFileSync } from "node:fs";
import { join, posix } from "node:path";
import { beforeAll, describe, expect, it } from "vitest";
import { readModules } from "../scripts/architecture/source-module.js";
import { checkTypes } from "../scripts/docs/check-types.js";
import { findExamples } from "../scripts/docs/doc-comments.js";
import { readExampleNames } from "../scripts/docs/free-names.js";
import { findBrokenLinks } from "../scripts/docs/links.js";
import { parsePage } from "../scripts/docs/markdown.js";
import { findShapeProblems, findUnusedWords } from "../scripts/docs/page-shape.js";
import { runBlocks } from "../scripts/docs/run-snippets.js";
import { maintainerPages } from "../scripts/docs/site/guides.js";
import { blockSnippet, exampleSnippet } from "../scripts/docs/snippet.js";
import { buildWhenStale } from "../scripts/package/build.js";

const root = join(import.meta.dirname, "..");
const folder = join(root, `.docs-${process.pid}`);
/** The site's first page. Its links lead to pages of the site: `npm run docs` checks them. */
const homePage = "site/index.md";
const pages = readdirSync(join(root, "docs"), { recursive: true, encoding: "utf8" })
  .map((name) => posix.join("docs", name.replaceAll("\\", "/")))
  .concat(homePage, "README.md", "skills/kumiko/SKILL.md")
  .filter((path) => path.endsWith(".md"))
  .sort()
  .map((path) => ({ path, text: readFileSync(join(root, path), "utf8") }))
  .map(({ path, text }) => ({ path, text, ...parsePage(path, text) }));
/** The pages for readers; the others are for maintainers, and the README has a shape of its own. */
const guides = pages.filter(({ path }) => /^docs\/(?:guides\/)?[^/]+$/.test(path) && !maintainerPages.includes(path));
const sources = readModules(root, "src")
  .map(({ path, source }) => ({ path, examples: findExamples(path, source.text) }))
  .filter(({ examples }) => examples.length > 0);

const snippets = pages.flatMap(({ blocks }) => blocks.map((block) => ({ block, snippet: blockSnippet(block) })));
/** One line per error, page and line first. */
let typeErrors: string[];
let failures: string[];

beforeAll(async () => {
  buildWhenStale(root);
  const names = readExampleNames(root);
  const examples = sources.flatMap((source) => source.examples.map((example) => exampleSnippet(example, names)));
  const types = checkTypes(root, [...snippets.map(({ snippet }) => snippet), ...examples], {
    folder: `${folder}-types`,
  });
  const inReadme = snippets.filter(({ block }) => block.page === "README.md").map(({ snippet }) => snippet);
  const bundled = checkTypes(root, inReadme, { folder: `${folder}-bundler`, moduleResolution: "bundler" });
  failures = await runBlocks(
    snippets.filter(({ block }) => block.run),
    { folder },
  );
  // A block that continues another is checked with it, so an error may be found more than once.
  typeErrors = [...new Set([...(await types), ...(await bundled)])];
}, 300_000);

const of = (path: string, lines: readonly string[]) => lines.filter((line) => line.startsWith(`${path}:`));

it("finds code in the README", () => {
  expect(pages.find(({ path }) => path === "README.md")?.blocks.length).toBeGreaterThan(0);
});

it("finds no type error outside of the snippets", () => {
  const known = [...pages, ...sources].map(({ path }) => `${path}:`);
  expect(typeErrors.filter((error) => !known.some((path) => error.startsWith(path)))).toEqual([]);
});

it.each(guides)(
  "$path has a first sentence, a block within the first screen, and a last section Next",
  ({ path, text }) => {
    expect(findShapeProblems(path, text)).toEqual([]);
  },
);

it("uses every word of the glossary in a guide", () => {
  const glossary = guides.find(({ path }) => path.endsWith("/glossary.md"));
  const others = guides.filter((page) => page !== glossary);
  expect(
    findUnusedWords(
      glossary?.text ?? "",
      others.map(({ text }) => text),
    ),
  ).toEqual([]);
});

describe.each(pages)("$path", ({ path, blocks, problems }) => {
  it("has code blocks that can be checked", () => expect(problems).toEqual([]));
  if (path !== homePage) it("has links that lead somewhere", () => expect(findBrokenLinks(root, path)).toEqual([]));
  if (blocks.length > 0) it("has code that type-checks", () => expect(of(path, typeErrors)).toEqual([]));
  if (blocks.some(({ run }) => run)) {
    it("has code that runs and prints what the page says", () => expect(of(path, failures)).toEqual([]));
  }
});

describe.each(sources)("the examples of $path", ({ path }) => {
  it("type-check", () => expect(of(path, typeErrors)).toEqual([]));
});
