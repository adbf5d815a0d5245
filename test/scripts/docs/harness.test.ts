import { existsSync } from "node:fs";
import { join } from "node:path";
import { beforeAll, describe, expect, it } from "vitest";
import { checkTypes } from "../../../scripts/docs/check-types.js";
import { findExamples } from "../../../scripts/docs/doc-comments.js";
import { type CodeBlock, parsePage } from "../../../scripts/docs/markdown.js";
import { runBlocks } from "../../../scripts/docs/run-snippets.js";
import { blockSnippet, exampleSnippet, type Snippet } from "../../../scripts/docs/snippet.js";
import { buildWhenStale } from "../../../scripts/package/build.js";

const root = join(import.meta.dirname, "../../..");
const folder = join(root, `.docs-harness-${process.pid}`);
const timeout = 60_000;
const typeError = "error TS2322: Type 'number' is not assignable to type 'string'.";
const noRun = `'''ts no-run="needs a server"`;

/** A page from its lines; ''' stands for a fence. */
const page = (...lines: string[]) => parsePage("docs/page.md", lines.join("\n").replaceAll("'''", "```"));
const failures = (blocks: readonly CodeBlock[], limits: { timeoutMs?: number; patienceMs?: number } = {}) =>
  runBlocks(
    blocks.map((block) => ({ block, snippet: blockSnippet(block) })),
    { folder, ...limits },
  );

describe("parsePage", () => {
  it("finds ts blocks with their lines, also in lists and with tildes", () => {
    const { blocks, problems } = page(
      "# Title",
      "'''ts",
      "a;",
      "'''",
      "- item",
      '  ~~~ts no-run="needs a server"',
      "  b;",
      "    c;",
      "  ~~~",
    );
    expect(blocks).toEqual([
      { page: "docs/page.md", line: 3, text: "a;", run: true, continues: false, before: [] },
      { page: "docs/page.md", line: 7, text: "b;\n  c;", run: false, continues: false, before: [] },
    ]);
    expect(problems).toEqual([]);
  });

  it("puts a set-up that is shown before all blocks below it", () => {
    const shown = ["'''ts setup", "const a = 1;", "'''"];
    const { blocks, problems } = page(...shown, "'''ts", "a;", "'''", noRun, "b;", "'''");
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
      "'''ts setup",
      "const a = 1;",
      "'''",
      "'''ts",
      "first;",
      "'''",
      "'''ts",
      "second;",
      "'''",
      "'''ts setup",
      "const b = 2;",
      "'''",
      "'''ts",
      "// continues",
      "third;",
      "'''",
    );
    const before = blocks.map((block) => block.before.map(({ line, text }) => [line, text.trim()]));
    expect(before).toEqual([
      [[2, "const a = 1;"]],
      [[2, "const a = 1;"]],
      [
        [2, "const a = 1;"],
        [8, "second;"],
        [11, "const b = 2;"],
      ],
    ]);
  });

  it.each([
    ["an unknown word after ts", ["'''ts norun", "'''"], `2 "norun" is not known after ts`],
    ["a block that is not run without a reason", ["'''ts no-run", "'''"], `2 "no-run" is not known after ts`],
    ["a set-up in a comment", ["<!-- setup: const a = 1; -->"], "1 hides a set-up"],
    [
      "a set-up that is folded away under another name",
      ["<details><summary>More</summary>", "", "'''ts setup", "'''", "</details>"],
      `1 folds a set-up away: its summary must be "Set-up of this page"`,
    ],
    ["another name of the language", ["'''typescript", "'''"], "2 is a typescript block, which nothing checks"],
    ["JavaScript", ["'''js", "'''"], "2 is a js block, which nothing checks"],
    ["a fence without end", ["'''ts", "a;"], "1 is not closed"],
    ["a continuation of nothing", ["'''ts", "// continues", "'''"], "2 continues nothing"],
    ["an output without a block", ["'''output", "'''"], "2 is the output of nothing"],
    ["an output away from its block", ["'''ts", "'''", "text", "'''output", "'''"], "5 is the output of nothing"],
    ["an output of a block that is not run", [noRun, "'''", "'''output", "'''"], "4 is the output of nothing"],
    ["errors without a block", ["'''errors", "'''"], "2 are the errors of nothing"],
    ["errors of a block that is run", ["'''ts", "'''", "'''errors", "'''"], "4 are the errors of nothing"],
    [
      "a continuation of a block with errors",
      [noRun, "'''", "'''errors", "'''", noRun, "// continues", "'''"],
      "6 continues a block with errors",
    ],
    [
      "a block that runs after one that does not",
      [noRun, "'''", "'''ts", "// continues", "'''"],
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
  const files = [
    ...["'''ts", "const a: string = 1;", "'''", "text", noRun, "", "const b: string = 1;", "'''"], // from line 1
    ...[noRun, "const a: string = 1;", "'''", "", "'''errors", typeError, "'''"], // from line 9
    ...[noRun, "const a: string = 1;", "'''", "", "'''errors", "error TS2322: Something else.", "'''"], // from line 16
    ...[noRun, "'''", "'''errors", "error TS2322: Something.", "'''"], // from line 23
    ...["'''ts setup", "const given = 1;", "const wrong: string = given;", "'''"], // from line 28
    ...["'''ts", `import { z } from "zod";`, "const schema = z.number().max(await Promise.resolve(given));", "'''"],
    ...["'''ts", "// continues", `import { z, type ZodNumber } from "zod";`, "const same: ZodNumber = schema;", "'''"],
    ...["'''ts", "schema;", "'''"], // from line 41
    ...["'''ts", `import { KumikoError } from "kumiko";`, "KumikoError.is(1).valueOf().nothing;", "'''"],
  ];
  const example = (line: number, text: string) =>
    exampleSnippet({ page: "src/a.ts", line, text }, new Map([["z", "zod"]]));
  let errors: readonly string[];

  beforeAll(async () => {
    buildWhenStale(root);
    const { blocks, problems } = page(...files);
    expect(problems).toEqual([]);
    const snippets: Snippet[] = [
      ...blocks.map(blockSnippet),
      example(5, "\nconst a = await z.string().parseAsync(1);\nreturn a;"),
      example(15, `\nimport { object } from "zod";\nconst z = object({});\nz.parse(1);`),
      example(25, "\nconst b: string =\n  await z.number();"),
      example(35, "\nunknownName();"),
    ];
    errors = await checkTypes(root, snippets, { folder: `${folder}-types` });
  }, 240_000);

  it("reports type errors with page and line, in every block", () => {
    expect(errors.filter((error) => /md:[1-8] /.test(error))).toEqual([
      "docs/page.md:2 TS2322: Type 'number' is not assignable to type 'string'.",
      "docs/page.md:7 TS2322: Type 'number' is not assignable to type 'string'.",
    ]);
  });

  it("accepts the errors that the page says, and no others", () => {
    expect(errors.filter((error) => error.includes("are not the errors"))).toEqual([
      `docs/page.md:21 are not the errors, but:\n${typeError}`,
      "docs/page.md:26 are not the errors, but:\n",
    ]);
  });

  it("accepts await at the top level, packages, and names of the blocks before", () => {
    expect(errors.filter((error) => /md:(3[2-9]|40) /.test(error))).toEqual([]);
  });

  it("does not let a block use what another one made, unless it continues it", () => {
    expect(errors).toContain("docs/page.md:42 TS2304: Cannot find name 'schema'.");
  });

  it("reports an error in a set-up at its own line", () => {
    expect(errors).toContain("docs/page.md:30 TS2322: Type 'number' is not assignable to type 'string'.");
  });

  it("knows the package by its name", () => {
    expect(errors).toContainEqual(expect.stringContaining("docs/page.md:46 TS2339: Property 'nothing'"));
  });

  it("checks an example as the body of an async function, and imports free names that it does not declare", () => {
    expect(errors.filter((error) => error.startsWith("src/"))).toEqual([
      expect.stringContaining("src/a.ts:26 TS2322"),
      "src/a.ts:36 TS2304: Cannot find name 'unknownName'.",
    ]);
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

  it("reports a block that never ends, and runs those after it in another process", async () => {
    const { blocks } = page(
      "'''ts",
      "await new Promise(() => {});",
      "'''",
      "'''ts",
      "console.log(1);",
      "'''",
      "'''output",
      "1",
      "'''",
    );
    expect(await failures(blocks)).toEqual([
      expect.stringContaining("docs/page.md:2 did not finish: the process ended with 13"),
    ]);
  });

  it("stops a block that runs for too long", async () => {
    const { blocks } = page("'''ts", "await new Promise(() => { setInterval(() => {}, 1_000); });", "'''");
    expect(await failures(blocks, { timeoutMs: 2_000 })).toEqual([
      expect.stringContaining("docs/page.md:2 did not finish: it took more than 2000 ms"),
    ]);
  });

  it("reports what fails after the last block has ended", async () => {
    const { blocks } = page("'''ts", "setTimeout(() => {", `  throw new Error("late");`, "}, 50);", "'''");
    expect(await failures(blocks)).toEqual(["docs/page.md:3 failed: Error: late"]);
  });

  it("reports a block that leaves something running", async () => {
    const { blocks } = page("'''ts", "setInterval(() => {}, 1_000);", "'''");
    expect(await failures(blocks, { patienceMs: 100 })).toEqual([
      "docs/page.md:2 leaves something behind that runs: Timeout",
    ]);
  });
});
