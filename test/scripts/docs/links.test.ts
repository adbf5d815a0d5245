import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, expect, it } from "vitest";
import { findBrokenLinks } from "../../../scripts/docs/links.js";

let root: string;
beforeAll(() => {
  root = mkdtempSync(join(tmpdir(), "kumiko-links-"));
  writeFileSync(join(root, "other.md"), "# Side by side, or `in` order\n");
});
afterAll(() => rmSync(root, { recursive: true, force: true }));

const broken = (...lines: string[]) => {
  writeFileSync(join(root, "page.md"), lines.join("\n"));
  return findBrokenLinks(root, "page.md");
};

it("accepts files, headings of this page and of others, and the web", () => {
  expect(
    broken("# One", "[a](other.md) [b](#one) [c](other.md#side-by-side-or-in-order) [d](https://example.com/#x)"),
  ).toEqual([]);
});

it("reports files and headings that do not exist, with their lines", () => {
  expect(broken("# One", "[a](nothing.md)", "[b](#two) [c](other.md#three)")).toEqual([
    "page.md:2 leads to nothing.md, which does not exist",
    "page.md:3 leads to #two, which is no heading of page.md",
    "page.md:3 leads to #three, which is no heading of other.md",
  ]);
});

it("takes no notice of code", () => {
  expect(broken("```ts", "# no heading", "call[0](nothing.md);", "```", "[a](#no-heading)")).toEqual([
    "page.md:5 leads to #no-heading, which is no heading of page.md",
  ]);
});
