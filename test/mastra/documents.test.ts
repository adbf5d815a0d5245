import { readFileSync, rmSync } from "node:fs";
import { join } from "node:path";
import { afterAll, beforeEach, describe, expect, it } from "vitest";
import { cases, type RunCase } from "./documents/cases.js";
import { checkSignatures } from "./documents/check-signatures.js";
import { asked, script } from "./documents/preamble.js";
import { type Block, findDocuments, readBlocks } from "./documents/read-blocks.js";
import { runBlock } from "./documents/run-block.js";
import { type Case, tableOf } from "./documents/table.js";

const folder = findDocuments();
const blocks = readBlocks(folder);
const page = "../../docs/mastra-documents.md";

function caseOf({ document, number }: Block): Case | RunCase {
  const found = cases[document]?.[number];
  if (found === undefined) throw new Error(`Nothing is said of block ${number} of ${document}.`);
  return found;
}

const isRun = (one: Case | RunCase): one is RunCase => one.state === "runs";

afterAll(() => rmSync(join(import.meta.dirname, "documents/.out"), { recursive: true, force: true }));

beforeEach(() => {
  script.length = 0;
  asked.length = 0;
});

describe.skipIf(folder === undefined)("the blocks of the documents (skipped where there are no documents)", () => {
  it("are all there", () => expect(blocks.length).toBe(70));

  it.each(blocks.filter((block) => isRun(caseOf(block))))("$document, block $number, runs", async (block) => {
    const recipe = caseOf(block) as RunCase;
    await recipe.prepare?.();
    await recipe.check(await runBlock(block, recipe));
  });

  it("that are signatures and types fit ours", () => {
    expect(checkSignatures(blocks.filter((block) => !isRun(caseOf(block))))).toEqual([]);
  });

  it("are listed in the table of the repository", async () => {
    await expect(tableOf(blocks, caseOf)).toMatchFileSnapshot(page);
  });
});

it("the table of the documents says of each block what becomes of it", () => {
  const rows = readFileSync(join(import.meta.dirname, page), "utf8").match(/^\| \d+ \| (?:runs|types fit) \|/gm);
  expect(rows?.length).toBe(70);
});
