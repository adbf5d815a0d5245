import { readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { findCycles } from "../scripts/architecture/cycles.js";
import { findForbiddenWords, findLongFiles, findVagueFileNames } from "../scripts/architecture/forbidden.js";
import {
  findIndexImports,
  findNodeImports,
  findSharedPackages,
  findUndeclaredPackages,
  findUnresolvedImports,
} from "../scripts/architecture/imports.js";
import { findWrongArrows } from "../scripts/architecture/layers.js";
import { readModules } from "../scripts/architecture/source-module.js";

const root = join(import.meta.dirname, "..");
const modules = readModules(root, "src");
const { dependencies }: { dependencies: Record<string, string> } = JSON.parse(
  readFileSync(join(root, "package.json"), "utf8"),
);

describe("the files of src/", () => {
  it("import only what stands below them", () => expect(findWrongArrows(modules)).toEqual([]));
  it("import each other without a cycle", () => expect(findCycles(modules)).toEqual([]));
  it("import the file that declares a name, never an index.ts", () => expect(findIndexImports(modules)).toEqual([]));
  it("import files that exist", () => expect(findUnresolvedImports(modules)).toEqual([]));
  it("keep Node.js modules out of the root entry", () => expect(findNodeImports(modules, "src/index.ts")).toEqual([]));
  it("import each package in one file only", () => expect(findSharedPackages(modules)).toEqual([]));
  it("import only dependencies", () => expect(findUndeclaredPackages(modules, Object.keys(dependencies))).toEqual([]));
  it("have at most 500 lines", () => expect(findLongFiles(modules)).toEqual([]));
  it("are named after what they export", () => expect(findVagueFileNames(modules)).toEqual([]));
  it("use no way around the compiler and keep no state", () => expect(findForbiddenWords(modules)).toEqual([]));
});
