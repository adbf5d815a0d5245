import { expect, it } from "vitest";
import { findShapeProblems, findUnusedWords } from "../../../scripts/docs/page-shape.js";

const page = (...lines: string[]) => findShapeProblems("docs/page.md", lines.join("\n"));
const head = ["# Title", "", "This page shows something."];
const block = ["```ts", "1;", "```"];
const next = ["## Next", "", "- [Other](other.md)"];

it("accepts a page with a first sentence, a block that runs, and a last section Next", () => {
  expect(page(...head, ...block, ...next)).toEqual([]);
});

it("reports what a page lacks", () => {
  expect(page("# Title", "", "- a list", ...block, ...next)).toEqual([
    expect.stringContaining("docs/page.md:3 does not"),
  ]);
  expect(page(...head, ...next)).toEqual([expect.stringContaining("no block that runs within the first screen")]);
  expect(page(...head, ...block, "## More")).toEqual([expect.stringContaining("docs/page.md:7 does not end")]);
  expect(page(...head, ...block, "x".repeat(12_000), ...next)).toEqual([
    expect.stringContaining("no list of its contents"),
  ]);
});

it("does not count what is folded away above the first block", () => {
  const lines = Array.from({ length: 60 }, () => "text");
  expect(page(...head, "<details>", ...lines, "</details>", ...block, ...next)).toEqual([]);
  expect(page(...head, ...lines, ...block, ...next)).toHaveLength(1);
});

it("reports a page whose first sentence does not say that a set-up is folded away", () => {
  const folded = ["<details><summary>Set-up of this page</summary>", "</details>"];
  expect(page(...head, "", ...folded, ...block, ...next)).toEqual([
    expect.stringContaining("docs/page.md:3 does not say"),
  ]);
  const told = "This page shows it with the *Set-up of this page*. More.";
  expect(page("# Title", "", told, "", ...folded, ...block, ...next)).toEqual([]);
});

it("finds words of a glossary that no page uses", () => {
  const glossary = "| **run** | one call | |\n| **branch** | a choice | |\n| **fork** | a copy | |";
  expect(findUnusedWords(glossary, ["Runs have branches."])).toEqual(["fork"]);
});
