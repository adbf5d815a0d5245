import { existsSync, readdirSync, readFileSync } from "node:fs";
import { join, posix } from "node:path";
import { beforeAll, describe, expect, it } from "vitest";
import { readModules } from "../scripts/architecture/source-module.js";
import { checkTypes } from "../scripts/docs/check-types.js";
import { findExamples } from "../scripts/docs/doc-comments.js";
import { type KnownNames, readKnownNames } from "../scripts/docs/free-names.js";
import { findBrokenLinks } from "../scripts/docs/links.js";
import { parsePage } from "../scripts/docs/markdown.js";
import { runBlocks } from "../scripts/docs/run-snippets.js";
import { blockSnippet, exampleSnippet } from "../scripts/docs/snippet.js";

const root = join(import.meta.dirname, "..");
const folder = join(root, `.docs-${process.pid}`);
const guides = existsSync(join(root, "docs"))
  ? readdirSync(join(root, "docs"), { recursive: true, encoding: "utf8" })
  : [];
const pages = ["README.md", ...guides.map((name) => posix.join("docs", name.replaceAll("\\", "/"))).sort()]
  .filter((path) => path.endsWith(".md"))
  .map((path) => ({ path, ...parsePage(path, readFileSync(join(root, path), "utf8")) }));
const sources = readModules(root, "src")
  .map(({ path, source }) => ({ path, examples: findExamples(path, source.text) }))
  .filter(({ examples }) => examples.length > 0);

let names: KnownNames;
let typeErrors: string[];

beforeAll(() => {
  names = readKnownNames(
    root,
    folder,
    sources.map(({ path }) => path),
  );
  typeErrors = checkTypes(root, folder, [
    ...pages.flatMap(({ blocks }) => blocks.map((block) => blockSnippet(block, names.page))),
    ...sources.flatMap(({ path, examples }) => {
      const free = names.forExample(path);
      return examples.map((example) => exampleSnippet(example, free));
    }),
  ]);
}, 120_000);

/** A block that continues another is checked with it, so an error may be found more than once. */
const errorsOf = (path: string) => [...new Set(typeErrors)].filter((error) => error.startsWith(`${path}:`));

it("finds code in the README", () => {
  expect(pages[0]?.blocks.length).toBeGreaterThan(0);
});

it("finds no type error outside of the snippets", () => {
  const known = [...pages, ...sources].map(({ path }) => `${path}:`);
  expect(typeErrors.filter((error) => !known.some((path) => error.startsWith(path)))).toEqual([]);
});

describe.each(pages)("$path", ({ path, blocks, problems }) => {
  it("has code blocks that can be checked", () => expect(problems).toEqual([]));
  it("has links that lead somewhere", () => expect(findBrokenLinks(root, path)).toEqual([]));

  if (blocks.length > 0) it("has code that type-checks", () => expect(errorsOf(path)).toEqual([]));

  const runs = blocks.filter(({ run }) => run);
  if (runs.length === 0) return;
  it("has code that runs and prints what the page says", { timeout: 90_000 }, async () => {
    const snippets = runs.map((block) => ({ block, snippet: blockSnippet(block, names.page) }));
    expect(await runBlocks(snippets, { folder })).toEqual([]);
  });
});

describe.each(sources)("the examples of $path", ({ path }) => {
  it("type-check", () => expect(errorsOf(path)).toEqual([]));
});
