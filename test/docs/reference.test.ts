import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { gzipSync } from "node:zlib";
import { afterEach, beforeAll, beforeEach, describe, expect, it } from "vitest";
import { parseModule } from "../../scripts/architecture/source-module.js";
import { findInternalNames } from "../../scripts/docs/reference/internal-names.js";
import { digestOf, readPlaces, referencePage } from "../../scripts/docs/reference/page.js";
import { findMissingSentences } from "../../scripts/docs/reference/problems.js";
import { readReference } from "../../scripts/docs/reference/read.js";
import type { EntryDoc } from "../../scripts/docs/reference/reference.js";
import { findSkillProblems, readSkillRows } from "../../scripts/docs/skill.js";
import { packageTexts } from "../../scripts/package/llms-files.js";
import { readEntries } from "../../scripts/public-api/entries.js";

const root = join(import.meta.dirname, "../..");

describe("the package", () => {
  let reference: readonly EntryDoc[];
  beforeAll(() => {
    reference = readReference(root, readEntries(root));
  });

  it("has a sentence for every entry, name, option, event and field", () => {
    // Write it into the doc comment; that of an event stands at its `type` property.
    expect(findMissingSentences(reference)).toEqual([]);
  });

  it("has what SKILL.md says that it has, in 30 rows", () => {
    const text = readFileSync(join(root, "skills/kumiko/SKILL.md"), "utf8");
    const rows = readSkillRows(text);
    expect(findSkillProblems(rows, reference)).toEqual([]);
    expect(rows).toHaveLength(30);
    expect(Buffer.byteLength(text)).toBeLessThanOrEqual(8_000);
    expect(text).toMatch(/^---\nname: kumiko\ndescription: .+\n---\n/);
    const [, more = ""] = text.split("## Read on");
    const named = [...more.matchAll(/`(?:node_modules\/kumiko\/docs\/guides\/)?([\w-]+\.md)`/g)].map(
      ([, name]) => name,
    );
    expect(named.length).toBeGreaterThan(5);
    expect(readdirSync(join(root, "docs/guides"))).toEqual(expect.arrayContaining(named));
  });

  it("grows by at most 160 kB gzipped with its guides, skill and llms.txt, which names each guide once", () => {
    const texts = packageTexts(root, reference);
    const guides = readdirSync(join(root, "docs/guides")).filter((name) => name.endsWith(".md"));
    for (const name of guides) expect(texts["llms.txt"].split(`](docs/guides/${name})`)).toHaveLength(2);
    expect(texts["llms-full.txt"]).toContain("- maxSteps: number. The maximum number of accepted answers in a turn.");
    expect(texts["llms-full.txt"]).toContain("- promptTokens: number. All prompt tokens");
    expect(texts["llms-full.txt"]).toContain("## ToolError\n");
    const files = [...guides.map((name) => `docs/guides/${name}`), "skills/kumiko/SKILL.md"];
    const all = [...files.map((file) => readFileSync(join(root, file), "utf8")), ...Object.values(texts)].join("");
    expect(gzipSync(all, { level: 9 }).length).toBeLessThanOrEqual(160_000);
  });

  it("would miss what it does not have, and what is the same elsewhere", () => {
    const rows = [
      { left: "`addConditionalEdges`", right: "`addBranches`" },
      { left: "`new Graph()`", right: "`Workflow`" },
      { left: "`interrupt(x)`", right: "`await ctx.ask(key)`" },
    ];
    expect(findSkillProblems(rows, reference)).toEqual([
      '"addBranches" on the right of "`addConditionalEdges`" is no name of the package',
      '"Graph" on the left is a name of the package: the row must say how it differs',
    ]);
  });
});

describe("a reference", () => {
  let folder: string;
  const write = (path: string, text: string) => {
    mkdirSync(dirname(join(folder, path)), { recursive: true });
    writeFileSync(join(folder, path), text);
  };
  const entries = [
    { specifier: "small", source: "src/index.ts" },
    { specifier: "small/tea", source: "src/tea/index.ts" },
  ];
  const read = (tea: string) => {
    write("src/tea/tea.ts", tea);
    write("src/tea/index.ts", `/** About tea. @packageDocumentation */\n\nexport * from "./tea.js";\n`);
    write("src/index.ts", `export * from "./tea/tea.js";\n`);
    return readReference(folder, entries);
  };
  const pageOf = (tea: string) => {
    const docs = read(tea);
    return docs.map((entry) => referencePage(entry, readPlaces(docs), digestOf(folder, entry))).join("");
  };

  beforeEach(() => {
    folder = mkdtempSync(join(tmpdir(), "kumiko-reference-"));
    write("tsconfig.json", JSON.stringify({ compilerOptions: { module: "nodenext", strict: true, types: [] } }));
  });
  afterEach(() => rmSync(folder, { recursive: true, force: true }));

  it("has a section for each option, with its type, default and sentence; inherited ones too", () => {
    const page = pageOf(`
      /** What every drink has. */
      export interface DrinkOptions {
        /** How hot, in degrees. @default 80 */
        readonly heat?: number | undefined;
      }
      /** Options of tea. */
      export interface TeaOptions extends DrinkOptions {
        /** The leaves. */
        readonly leaves: string;
      }`);
    expect(page).toContain("### `heat` {#TeaOptions-heat}\n\n`number` · default: `80`\n\nHow hot, in degrees.");
    expect(page).toContain("### `leaves` {#TeaOptions-leaves}\n\n`string` · required\n\nThe leaves.");
  });

  it("has a section for each event, with the sentence at its type", () => {
    const page = pageOf(`
      /** What happens to tea. */
      export type TeaEvent =
        | {
            /** The water boils. */
            readonly type: "boil";
          }
        | {
            /** It is poured into so many cups. */
            readonly type: "pour";
            readonly cups: number;
          };`);
    expect(page).toContain("### `boil` {#TeaEvent-boil}\n\n`{}`\n\nThe water boils.");
    expect(page).toContain("### `pour` {#TeaEvent-pour}\n\n`{ cups: number }`\n\nIt is poured into so many cups.");
  });

  it("cuts types of more than 240 characters, and leads to the API", () => {
    const long = Array.from({ length: 40 }, (_, index) => `"leaf ${index}"`).join(" | ");
    const page = pageOf(`/** Tea. */\nexport interface Tea {\n/** The leaf. */\nreadonly leaf: ${long};\n}`);
    const [, type = ""] = /^(`"leaf 0".*)$/m.exec(page) ?? [];
    expect(type).toMatch(/ …` \(\[API\]\(\.\.\/api\/tea\.md\)\)$/);
    expect(type.length).toBeLessThan(280);
  });

  it("escapes what a page would take for HTML, and links names", () => {
    const page = pageOf(`
      /** Tea in a <cup>, like {@link Coffee}. */
      export interface Tea {
        /** The leaf. */
        readonly leaf: string;
      }
      /** Coffee. */
      export interface Coffee {
        /** The bean. */
        readonly bean: string;
      }`);
    expect(page).toContain("Tea in a &lt;cup>, like [`Coffee`](./tea.md#Coffee).");
  });

  it("misses the sentence of a name, an option, an event and an entry, by file and line", () => {
    const docs = read(`export interface Tea {\n  readonly leaf: string;\n}
/** What happens. */
export type TeaEvent = { readonly type: "boil" } | { readonly type: "pour" };
export const tea = 1;`);
    expect(findMissingSentences(docs)).toEqual([
      "src/tea/tea.ts:6 has no doc comment: tea",
      "src/tea/tea.ts:1 has no doc comment: Tea",
      "src/tea/tea.ts:2 has no doc comment: leaf of Tea",
      "src/tea/tea.ts:5 has no doc comment: boil of TeaEvent",
      "src/tea/tea.ts:5 has no doc comment: pour of TeaEvent",
    ]);
    write("src/tea/index.ts", `export * from "./tea.js";\n`);
    expect(findMissingSentences(readReference(folder, entries))).toContainEqual(
      "src/tea/index.ts:1 has no @packageDocumentation comment: what is small/tea for?",
    );
  });

  it("is known to be older than its source", () => {
    const [before] = read("/** Tea. */\nexport const tea = 1;");
    if (before === undefined) throw new Error("There is no entry.");
    const digest = digestOf(folder, before);
    expect(digestOf(folder, before)).toBe(digest);
    write("src/tea/tea.ts", "/** Green tea. */\nexport const tea = 1;");
    expect(digestOf(folder, before)).not.toBe(digest);
  });
});

it("knows which names of signatures are internal", () => {
  const module = parseModule(
    "src/a.ts",
    "/** Inside. @internal */\nexport type A = 1;\n/** Outside. */\nexport type B = 2;\n/** @internal */\nexport const c = 3;",
  );
  expect(findInternalNames([module])).toEqual(["src/a.ts:A", "src/a.ts:c"]);
});
