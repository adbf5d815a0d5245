import { readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { findCycles } from "../scripts/architecture/cycles.js";
import { findForbiddenWords, findLongFiles, findVagueFileNames } from "../scripts/architecture/forbidden.js";
import {
  findIndexImports,
  findPlatformImports,
  findSharedPackages,
  findUndeclaredPackages,
  findUnresolvedImports,
} from "../scripts/architecture/imports.js";
import { findWrongArrows } from "../scripts/architecture/layers.js";
import { findOldClosures } from "../scripts/architecture/old-closures.js";
import { readModules } from "../scripts/architecture/source-module.js";
import { readEntries } from "../scripts/public-api/entries.js";

const root = join(import.meta.dirname, "..");
const modules = readModules(root, "src");
const {
  dependencies,
  peerDependencies,
}: Record<"dependencies" | "peerDependencies", Record<string, string>> = JSON.parse(
  readFileSync(join(root, "package.json"), "utf8"),
);
const optional = Object.keys(peerDependencies);
/** Entries that are there for an optional package. */
const own: Readonly<Record<string, string>> = {
  "src/components/openapi/index.ts": "@apidevtools/json-schema-ref-parser",
};
const entries = readEntries(root).map(({ source }) => source);
const inRun = (name: string): string => `src/compose/run/${name}.ts`;
const perNode = ["task-context", "task-record"].map(inRun);
const hotFiles = [...perNode, ...["environment", "place-context", "root-run", "run", "scope"].map(inRun)];
/** What is made for every run, stream, call or handler stands there. */
const perRun = [
  "src/callbacks/",
  "src/schema/stream/",
  "src/compose/interrupt/",
  "src/compose/run/",
  "src/compose/tools/",
];

describe("the files of src/", () => {
  it("import only what stands below them", () => expect(findWrongArrows(modules)).toEqual([]));
  it("import each other without a cycle", () => expect(findCycles(modules)).toEqual([]));
  it("import the file that declares a name, never an index.ts", () => expect(findIndexImports(modules)).toEqual([]));
  it("import files that exist", () => expect(findUnresolvedImports(modules)).toEqual([]));
  it.each(entries.filter((entry) => !entry.startsWith("src/stores/")))(
    "keep Node.js modules and optional packages out of %s",
    (entry) => {
      const others = optional.filter((name) => name !== own[entry]);
      expect(findPlatformImports(modules, entry, others)).toEqual([]);
    },
  );
  it("import each package in one file only", () => expect(findSharedPackages(modules)).toEqual([]));
  it("import only dependencies", () =>
    expect(findUndeclaredPackages(modules, [...Object.keys(dependencies), ...optional])).toEqual([]));
  it("have at most 500 lines", () => expect(findLongFiles(modules)).toEqual([]));
  it("are named after what they export", () => expect(findVagueFileNames(modules)).toEqual([]));
  it.each(hotFiles)(
    "make no #private member in %s, of which one is made per node or run: that costs a call each",
    (file) => expect(readFileSync(join(root, file), "utf8")).not.toMatch(/this\.#/),
  );
  it.each(perNode)(
    "derive no class in %s, of which one is made per node: in an async function V8 would make it with calls of its runtime",
    (file) => expect(readFileSync(join(root, file), "utf8")).not.toMatch(/super\(/),
  );
  it("make nothing for a run that V8 puts into the old generation", () =>
    expect(findOldClosures(modules.filter(({ path }) => perRun.some((folder) => path.startsWith(folder))))).toEqual(
      [],
    ));
  it("use no way around the compiler and keep no state", () => expect(findForbiddenWords(modules)).toEqual([]));
});
