import { readFileSync } from "node:fs";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { beforeAll, describe, expect, it } from "vitest";
import { parseModule } from "../scripts/architecture/source-module.js";
import { readEntries } from "../scripts/public-api/entries.js";
import { type ExportedName, readExportedNames } from "../scripts/public-api/exported-names.js";
import { findMisplacedNames, findOtherStatements } from "../scripts/public-api/rules.js";

const root = join(import.meta.dirname, "..");
const entries = readEntries(root);
let names: Map<string, ExportedName[]>;

beforeAll(() => {
  names = readExportedNames(root, entries);
}, 60_000);

describe.each(entries)("$specifier", ({ specifier, source }) => {
  it("exports the names of the last review, and no others", async () => {
    const list = names.get(specifier)?.map(({ name, kind }) => `${kind} ${name}\n`);
    // A change here is a change for users: look at it, write a changeset, then update with `npx vitest run -u`.
    await expect(list?.join("")).toMatchFileSnapshot(`public-api/${specifier.replaceAll("/", "-")}.txt`);
  });

  it("has at run time what its types promise", async () => {
    const promised = names.get(specifier)?.filter(({ kind }) => kind === "value");
    const loaded: object = await import(pathToFileURL(join(root, source)).href);
    expect(Object.keys(loaded).sort()).toEqual(promised?.map(({ name }) => name));
  });

  it("holds explicit named re-exports only", () => {
    const module = parseModule(source, readFileSync(join(root, source), "utf8"));
    expect(findOtherStatements(module)).toEqual([]);
  });
});

it("gives every name of the root exactly one subpath", () => {
  expect(findMisplacedNames(names, "kumiko")).toEqual([]);
});
