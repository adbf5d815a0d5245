// Checks and runs the code of some pages: npx tsx scripts/docs/check.ts docs/guides/agents.md
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { buildWhenStale } from "../package/build.js";
import { checkTypes } from "./check-types.js";
import { findBrokenLinks } from "./links.js";
import { parsePage } from "./markdown.js";
import { runBlocks } from "./run-snippets.js";
import { blockSnippet } from "./snippet.js";

const root = join(import.meta.dirname, "../..");
const folder = join(root, `.docs-${process.pid}`);
const pages = process.argv
  .slice(2)
  .map((path) => ({ path, ...parsePage(path, readFileSync(join(root, path), "utf8")) }));
const snippets = pages.flatMap(({ blocks }) => blocks.map((block) => ({ block, snippet: blockSnippet(block) })));

buildWhenStale(root);
const [typeErrors, failures] = await Promise.all([
  checkTypes(
    root,
    snippets.map(({ snippet }) => snippet),
    { folder: `${folder}-types` },
  ),
  runBlocks(
    snippets.filter(({ block }) => block.run),
    { folder },
  ),
]);
const problems = pages.flatMap(({ path, problems }) => [...problems, ...findBrokenLinks(root, path)]);
const found = [...new Set([...problems, ...typeErrors, ...failures])];
for (const problem of found) console.log(problem);
console.log(`${snippets.length} blocks, ${found.length} problems`);
process.exitCode = found.length > 0 ? 1 : 0;
