import { existsSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { checkTypes } from "../../../scripts/docs/check-types.js";
import { findExamples } from "../../../scripts/docs/doc-comments.js";
import { type CodeBlock, parsePage } from "../../../scripts/docs/markdown.js";
import { runBlocks } from "../../../scripts/docs/run-snippets.js";
import { blockSnippet, exampleSnippet, type FreeNames } from "../../../scripts/docs/snippet.js";

const root = join(import.meta.dirname, "../../..");
const folder = join(root, `.docs-harness-${process.pid}`);
const timeout = 60_000;
const noNames: FreeNames = new Map();

/** A page from its lines; ''' stands for a fence. */
const page = (...lines: string[]) => parsePage("docs/page.md", lines.join("\n").replaceAll("'''", "```"));
const typeErrors = (blocks: readonly CodeBlock[], free = noNames) =>
  checkTypes(
    root,
    folder,
    blocks.map((block) => blockSnippet(block, free)),
  );
const failures = (blocks: readonly CodeBlock[], timeoutMs?: number) =>
  runBlocks(
    blocks.map((block) => ({ block, snippet: blockSnippet(block, noNames) })),
    { folder, timeoutMs },
  );

describe("parsePage", () => {
  it("finds ts blocks with their lines, also in lists and with tildes", () => {
    const { blocks, problems } = page(
      "# Title",
      "'''ts",
      "a;",
      "'''",
      "- item",
      "  ~~~ts no-run",
      "  b;",
      "    c;",
      "  ~~~",
    );
    expect(blocks).toEqual([
      { page: "docs/page.md", line: 3, text: "a;", run: true, before: [] },
      { page: "docs/page.md", line: 7, text: "b;\n  c;", run: false, before: [] },
    ]);
    expect(problems).toEqual([]);
  });

  it("puts a set-up that is shown before all blocks below it", () => {
    const shown = ["'''ts setup", "const a = 1;", "'''"];
    const { blocks, problems } = page(...shown, "'''ts", "a;", "'''", "'''ts no-run", "b;", "'''");
    expect(blocks.map(({ text, before }) => [text, before.map((part) => part.text)])).toEqual([
      ["a;", ["const a = 1;"]],
      ["b;", ["const a = 1;"]],
    ]);
    expect(problems).toEqual([]);
  });

  it("takes fences inside a longer fence for text", () => {
    expect(page("''''md", "'''ts", "a;", "'''", "''''").blocks).toEqual([]);
  });

  it("puts the blocks that are continued, and the set-ups above, before a block", () => {
    const { blocks } = page(
      "<!-- setup: const a = 1; -->",
      "'''ts",
      "first;",
      "'''",
      "'''ts",
      "second;",
      "'''",
      "<!-- setup:",
      "const b = 2;",
      "-->",
      "'''ts",
      "// continues",
      "third;",
      "'''",
    );
    const before = blocks.map((block) => block.before.map(({ line, text }) => [line, text.trim()]));
    expect(before).toEqual([
      [[1, "const a = 1;"]],
      [[1, "const a = 1;"]],
      [
        [1, "const a = 1;"],
        [6, "second;"],
        [8, "const b = 2;"],
      ],
    ]);
  });

  it.each([
    ["an unknown word after ts", ["'''ts norun", "'''"], `2 "norun" is not known after ts`],
    ["another name of the language", ["'''typescript", "'''"], "2 is a typescript block, which nothing checks"],
    ["JavaScript", ["'''js", "'''"], "2 is a js block, which nothing checks"],
    ["a fence without end", ["'''ts", "a;"], "1 is not closed"],
    ["a set-up without end", ["<!-- setup: a"], "1 is not closed"],
    ["a continuation of nothing", ["'''ts", "// continues", "'''"], "2 continues nothing"],
    ["an output without a block", ["'''output", "'''"], "2 is the output of nothing"],
    ["an output away from its block", ["'''ts", "'''", "text", "'''output", "'''"], "5 is the output of nothing"],
    ["an output of a block that is not run", ["'''ts no-run", "'''", "'''output", "'''"], "4 is the output of nothing"],
    ["errors without a block", ["'''errors", "'''"], "2 are the errors of nothing"],
    ["errors of a block that is run", ["'''ts", "'''", "'''errors", "'''"], "4 are the errors of nothing"],
    [
      "a continuation of a block with errors",
      ["'''ts no-run", "'''", "'''errors", "'''", "'''ts no-run", "// continues", "'''"],
      "6 continues a block with errors",
    ],
    [
      "a block that runs after one that does not",
      ["'''ts no-run", "'''", "'''ts", "// continues", "'''"],
      "4 continues a block that is not run",
    ],
  ])("reports %s", (_case, lines, problem) => {
    expect(page(...lines).problems).toEqual([expect.stringContaining(`docs/page.md:${problem}`)]);
  });
});

describe("findExamples", () => {
  it("finds every @example with its line, without stars and fences, up to the next tag", () => {
    const text = `const text = "/** @example no */";
/**
 * One.
 *
 * @example
 * first(
 *   1,
 * );
 * @default 1
 * @example second();
 */
export interface A {
  /** @example third(); */
  readonly b: 1;
  /**
   * @example
   * \`\`\`ts
   * fourth();
   * \`\`\`
   */
  c(): void;
}`;
    expect(findExamples("src/a.ts", text)).toEqual([
      { page: "src/a.ts", line: 5, text: "\nfirst(\n  1,\n);" },
      { page: "src/a.ts", line: 10, text: " second();" },
      { page: "src/a.ts", line: 13, text: " third();" },
      { page: "src/a.ts", line: 16, text: "\n\nfourth();" },
    ]);
  });
});

describe("checkTypes", { timeout }, () => {
  it("reports type errors and syntax errors with page and line, in every block", () => {
    const { blocks } = page("'''ts", "const a: string = 1;", "'''", "text", "'''ts no-run", "", "const b = ;", "'''");
    expect(typeErrors(blocks)).toEqual([
      "docs/page.md:2 TS2322: Type 'number' is not assignable to type 'string'.",
      "docs/page.md:7 TS1109: Expression expected.",
    ]);
  });

  it("accepts the errors that the page says, and no others", () => {
    const block = ["'''ts no-run", "const a: string = 1;", "'''", "", "'''errors"];
    const right = page(...block, "error TS2322: Type 'number' is not assignable to type 'string'.", "'''");
    expect([...right.problems, ...typeErrors(right.blocks)]).toEqual([]);
    const wrong = page(...block, "error TS2322: Something else.", "'''");
    expect(typeErrors(wrong.blocks)).toEqual([
      "docs/page.md:6 are not the errors, but:\nerror TS2322: Type 'number' is not assignable to type 'string'.",
    ]);
    const none = page("'''ts no-run", "'''", "'''errors", "error TS2322: Something.", "'''");
    expect(typeErrors(none.blocks)).toEqual(["docs/page.md:4 are not the errors, but:\n"]);
  });

  it("accepts await at the top level, packages, and names of the blocks before", () => {
    const { blocks, problems } = page(
      "<!-- setup: const given = 1; -->",
      "'''ts",
      `import { z } from "zod";`,
      "const schema = z.number().max(await Promise.resolve(given));",
      "'''",
      "'''ts",
      "// continues",
      `import { z, type ZodNumber } from "zod";`,
      "const same: ZodNumber = schema;",
      "z.object({ same });",
      "'''",
    );
    expect([...problems, ...typeErrors(blocks)]).toEqual([]);
  });

  it("does not let a block use what another one made, unless it continues it", () => {
    const { blocks } = page("'''ts", "const a = 1;", "'''", "'''ts", "a;", "'''");
    expect(typeErrors(blocks)).toEqual(["docs/page.md:5 TS2304: Cannot find name 'a'."]);
  });

  it("reports an error in a set-up at its own line", () => {
    const { blocks } = page("<!-- setup:", "const a: string = 1;", "-->", "'''ts", "a;", "'''");
    expect(typeErrors(blocks)).toEqual([expect.stringContaining("docs/page.md:2 TS2322")]);
  });

  it("imports free names, and only where the block does not declare them", () => {
    const free: FreeNames = new Map([
      ["z", { kind: "value", specifier: "zod" }],
      ["ZodType", { kind: "type", specifier: "zod" }],
    ]);
    const { blocks } = page("'''ts", "const a: ZodType = z.string();", "'''", "'''ts", "const z: 1 = 1;", "'''");
    expect(typeErrors(blocks, free)).toEqual([]);
  });

  it("knows the package by its name", () => {
    const { blocks } = page(
      "'''ts",
      `import { KumikoError } from "kumiko";`,
      "KumikoError.is(1).valueOf().nothing;",
      "'''",
    );
    expect(typeErrors(blocks)).toEqual([expect.stringContaining("docs/page.md:3 TS2339: Property 'nothing'")]);
  });

  it("checks an example as the body of an async function", () => {
    const free: FreeNames = new Map([["z", { kind: "value", specifier: "zod" }]]);
    const check = (text: string) =>
      checkTypes(root, folder, [exampleSnippet({ page: "src/a.ts", line: 5, text }, free)]);
    expect(check("\nconst a = await z.string().parseAsync(1);\nreturn a;")).toEqual([]);
    expect(check(`\nimport { object } from "zod";\nconst z = object({});\nz.parse(1);`)).toEqual([]);
    expect(check("\nconst b: string =\n  await z.number();")).toEqual([expect.stringContaining("src/a.ts:6 TS2322")]);
    expect(check("\nunknownName();")).toEqual(["src/a.ts:6 TS2304: Cannot find name 'unknownName'."]);
  });
});

describe("runBlocks", { timeout }, () => {
  it("accepts blocks that run and print what the page says", async () => {
    const { blocks, problems } = page(
      "'''ts",
      `console.log("one", { two: 2 });`,
      `process.stdout.write("three\\n");`,
      "'''",
      "",
      "'''output",
      "one { two: 2 }",
      "three",
      "'''",
      "'''ts",
      "// continues",
      "console.log(4);",
      "'''",
      "'''output",
      "4",
      "'''",
    );
    expect([...problems, ...(await failures(blocks))]).toEqual([]);
    expect(existsSync(folder)).toBe(false);
  });

  it("reports other output, with the line where the page says it", async () => {
    const { blocks } = page("'''ts", "console.log(1);", "'''", "'''output", "2", "'''");
    expect(await failures(blocks)).toEqual(["docs/page.md:5 does not print this, but:\n1"]);
  });

  it("reports missing output", async () => {
    const { blocks } = page("'''ts", "", "'''", "'''output", "2", "'''");
    expect(await failures(blocks)).toEqual(["docs/page.md:5 does not print this, but:\n"]);
  });

  it("reports the line that throws, goes on after it, and forgets the output of blocks before", async () => {
    const { blocks } = page(
      "'''ts",
      "interface OnlyHere {}",
      "",
      "const fail = (): OnlyHere => {",
      `  throw new TypeError("broken");`,
      "};",
      "fail();",
      "'''",
      "'''ts",
      `throw "text";`,
      "'''",
      "'''ts",
      `console.log("goes on");`,
      "'''",
      "'''output",
      "goes on",
      "'''",
    );
    expect(await failures(blocks)).toEqual([
      "docs/page.md:5 failed: TypeError: broken",
      "docs/page.md:10 failed: threw 'text'",
    ]);
  });

  it("reports a rejection that nobody handles", async () => {
    const { blocks } = page("'''ts", "", `void Promise.reject(new Error("lost"));`, "'''");
    expect(await failures(blocks)).toEqual(["docs/page.md:3 failed: Error: lost"]);
  });

  it("reports a block that never ends, and those which therefore did not run", async () => {
    const { blocks } = page("'''ts", "await new Promise(() => {});", "'''", "'''ts", "", "'''");
    expect(await failures(blocks)).toEqual([
      expect.stringContaining("docs/page.md:2 did not finish: the process ended with 13"),
      expect.stringContaining("docs/page.md:5 did not finish"),
    ]);
  });

  it("stops a block that runs for too long", async () => {
    const { blocks } = page("'''ts", "await new Promise(() => { setInterval(() => {}, 1_000); });", "'''");
    expect(await failures(blocks, 8_000)).toEqual([
      expect.stringContaining("docs/page.md:2 did not finish: it took more than 8000 ms"),
    ]);
  });

  it("reports what fails after the last block has ended", async () => {
    const { blocks } = page("'''ts", "setTimeout(() => {", `  throw new Error("late");`, "}, 50);", "'''");
    expect(await failures(blocks)).toEqual(["docs/page.md:3 failed: Error: late"]);
  });

  it("reports a page that leaves something running", async () => {
    const { blocks } = page("'''ts", "setInterval(() => {}, 1_000);", "'''");
    expect(await failures(blocks, 8_000)).toEqual([
      "docs/page.md:1 has a block that leaves something behind: it took more than 8000 ms",
    ]);
  });
});
