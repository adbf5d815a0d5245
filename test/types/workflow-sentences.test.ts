import { spawnSync } from "node:child_process";
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, it } from "vitest";

const root = join(import.meta.dirname, "../..");

const head = `import { constant, failureOf, firstOf, from, START, Workflow } from "kumiko";
interface Found { readonly hits: readonly { readonly text: string }[]; readonly note?: string }
declare const found: Found;
const searching = new Workflow<{ question: string }, { answer: string }>()
  .addNode("search", (_: { query: string }) => found, { input: { query: from(START, "question") } });
const forked = searching.addBranch("search", ["long", "short"], () => "long");
const caught = searching.addErrorBranch("search", ["sorry"], () => "sorry");
`;

/** Mistakes, each in one line, of which the compiler says something at the place where it was made. */
const mistakes = [
  'searching.addNode("a", (_: { q: string }) => 1, { input: { q: from("serch") } });',
  'searching.addNode("a", (_: { q: string }) => 1, { input: { q: from("search", "hitz") } });',
  'searching.addNode("a", (_: { q: number }) => 1, { input: { q: from(START, "question") } });',
  'searching.addNode("a", (_: number) => 1, { input: from(START, "question") });',
  'searching.addNode("a", (_: { q: string }) => 1, { input: { q: from("search", "note") } });',
  'searching.addNode("a", (_: { q: string; r: number }) => 1, { input: { q: from(START, "question") } });',
  'searching.addNode("a", (_: { q?: string }) => 1, { input: { w: from(START, "question") } });',
  'searching.addNode("a", (_: number) => 1, { input: constant("5") });',
  'searching.addNode("a", (_: number) => 1, { input: from("search", (whole: string) => whole.length) });',
  'searching.addNode("a", (_: string) => 1);',
  'searching.addNode("search", () => 1);',
  'searching.addNode("a", () => 1, { runAfter: ["serch"] });',
  "searching.end({});",
  "searching.compile();",
  'searching.addBranch("search", ["search"], () => "search");',
  'forked.addNode("long", () => "long").addNode("after", (_: string) => 1, { input: from("long") }).end({ answer: firstOf(from("long")) });',
  'forked.addNode("long", () => "").addNode("other", () => 1).addNode("a", (_: { l: string; o: number }) => 1, { input: { l: from("long"), o: from("other") } });',
  'forked.end({ answer: from(START, "question") }).compile();',
  'searching.addSwitch("search", "note", {});',
  'searching.addNode("sorry", (_: string) => 1, { input: failureOf("search", "error.message") });',
  'searching.addNode("a", () => 1).addErrorBranch("search", ["sorry"], () => "sorry");',
  'caught.addNode("sorry", (_: string) => 1, { input: failureOf("search", "error.massage") });',
  'caught.addNode("sorry", (_: number) => 1, { input: failureOf("search", "error.message") });',
  'caught.end({ answer: failureOf("search", "error.message") });',
  'caught.end({ answer: from(START, "question") }).compile();',
];

it.each([
  ["5.9", "typescript/bin/tsc"],
  ["7", "typescript-7/bin/tsc"],
])("TypeScript %s says what is wrong with a workflow", async (version, compiler) => {
  const said = compile(join(root, "node_modules", compiler), `${head}${mistakes.join("\n")}\n`);
  const first = head.split("\n").length;
  const pages = mistakes.map((mistake, n) => [mistake, ...(said.get(first + n) ?? ["nothing is said"])].join("\n"));
  await expect(`${pages.join("\n\n")}\n`).toMatchFileSnapshot(`workflow-sentences-${version}.txt`);
});

/** What a compiler says of a program, by line. */
function compile(compiler: string, source: string): ReadonlyMap<number, readonly string[]> {
  mkdirSync(join(root, ".out"), { recursive: true });
  const folder = mkdtempSync(join(root, ".out/sentences-"));
  try {
    writeFileSync(join(folder, "package.json"), '{ "type": "module" }');
    const compilerOptions = { noEmit: true, typeRoots: [join(root, "node_modules/@types")] };
    const settings = { extends: join(root, "tsconfig.json"), compilerOptions, include: [], files: ["program.ts"] };
    writeFileSync(join(folder, "tsconfig.json"), JSON.stringify(settings));
    writeFileSync(join(folder, "program.ts"), source);
    const { stdout } = spawnSync(process.execPath, [compiler, "-p", folder, "--pretty", "false"], { encoding: "utf8" });
    const said = new Map<number, string[]>();
    let last: string[] = [];
    for (const line of stdout.split("\n")) {
      const [, row, message] = /program\.ts\((\d+),\d+\): (.*)/.exec(line) ?? [];
      if (row === undefined) {
        if (line.startsWith(" ")) last.push(line);
        continue;
      }
      last = said.get(Number(row)) ?? [];
      said.set(Number(row), last);
      last.push(message ?? "");
    }
    return said;
  } finally {
    rmSync(folder, { recursive: true });
  }
}
