import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { expect, it } from "vitest";
import { parseModule } from "../../../scripts/architecture/source-module.js";
import { readEntries } from "../../../scripts/public-api/entries.js";
import { readExportedNames } from "../../../scripts/public-api/exported-names.js";
import { findMisplacedNames, findOtherStatements } from "../../../scripts/public-api/rules.js";

function withProject<T>(files: Record<string, string>, use: (root: string) => T): T {
  const root = mkdtempSync(join(tmpdir(), "kumiko-api-"));
  try {
    for (const [path, text] of Object.entries(files)) {
      mkdirSync(dirname(join(root, path)), { recursive: true });
      writeFileSync(join(root, path), text);
    }
    return use(root);
  } finally {
    rmSync(root, { recursive: true, force: true });
  }
}

const manifest = JSON.stringify({
  name: "lib",
  exports: {
    ".": { types: "./dist/index.d.ts", default: "./dist/index.js" },
    "./a": { types: "./dist/a/index.d.ts", default: "./dist/a/index.js" },
    "./package.json": "./package.json",
  },
});

it("reads run-time and type names of every entry that package.json exports", { timeout: 60_000 }, () => {
  const files = {
    "package.json": manifest,
    "tsconfig.json": `{ "compilerOptions": { "module": "NodeNext", "types": [] } }`,
    "src/index.ts": `export { C, type T, type make as makeType } from "./a/a.js";`,
    "src/a/index.ts": `export { C, make } from "./a.js"; export type { T } from "./a.js";`,
    "src/a/a.ts": "export class C {} export interface T { a: 1 } export const make = (): T => ({ a: 1 });",
  };
  const names = withProject(files, (root) => readExportedNames(root, readEntries(root)));
  expect([...names]).toEqual([
    [
      "lib",
      [
        { name: "C", kind: "value", declaration: "src/a/a.ts#C" },
        { name: "T", kind: "type", declaration: "src/a/a.ts#T" },
        { name: "makeType", kind: "type", declaration: "src/a/a.ts#make" },
      ],
    ],
    [
      "lib/a",
      [
        { name: "C", kind: "value", declaration: "src/a/a.ts#C" },
        { name: "T", kind: "type", declaration: "src/a/a.ts#T" },
        { name: "make", kind: "value", declaration: "src/a/a.ts#make" },
      ],
    ],
  ]);
});

it("refuses an entry without a file", { timeout: 60_000 }, () => {
  const files = { "package.json": manifest, "tsconfig.json": "{}" };
  expect(() => withProject(files, (root) => readExportedNames(root, readEntries(root)))).toThrow(
    "src/index.ts is missing",
  );
});

it("finds names in no subpath, in two, and with two meanings; errors may stand in the root alone", () => {
  const named = (name: string, file: string) => ({
    name,
    kind: "value" as const,
    declaration: `src/${file}.ts#${name}`,
  });
  const names = new Map([
    ["lib", [named("good", "a"), named("homeless", "a"), named("double", "a"), named("Failure", "errors")]],
    ["lib/a", [named("good", "a"), named("double", "a"), named("only", "a"), named("twin", "a")]],
    ["lib/b", [named("double", "a"), named("twin", "b")]],
  ]);
  expect(findMisplacedNames(names, "lib")).toEqual([
    `"homeless" of lib stands in no subpath`,
    `"double" stands in lib/a and lib/b`,
    `"twin" stands in lib/a and lib/b`,
  ]);
  const clash = new Map([
    ["lib", [named("name", "a")]],
    ["lib/b", [named("name", "b")]],
  ]);
  expect(findMisplacedNames(clash, "lib")).toEqual([`"name" of lib is another thing in lib/b`]);
});

it.each([
  [`export * from "./a.js";`, "lists no names"],
  [`export * as a from "./a.js";`, "lists no names"],
  ["export const a = 1;", "is no re-export"],
  [`import { a } from "./a.js";`, "is no re-export"],
  [`export { a } from "package";`, "re-exports no file of src/"],
  [`export { a } from "./a/index.js";`, "re-exports another entry"],
])("finds that %s is no explicit re-export", (statement, problem) => {
  const module = parseModule("src/index.ts", `export { b, type C } from "./b.js";\n${statement}`);
  expect(findOtherStatements(module)).toEqual([expect.stringContaining(`src/index.ts:2 ${problem}`)]);
});
