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
const own: Readonly<Record<string, readonly string[]>> = {
  "src/tools/openapi/index.ts": ["@apidevtools/json-schema-ref-parser"],
  "src/tools/grpc/index.ts": ["@grpc/grpc-js", "protobufjs"],
  "src/rag/index.ts": ["gpt-tokenizer", "parse5"],
  "src/search/index.ts": ["parse5"],
  "src/templates/index.ts": ["@huggingface/jinja", "mustache"],
  "src/otel/index.ts": ["@opentelemetry/api"],
  "src/svg/index.ts": ["@viz-js/viz"],
};
const entries = readEntries(root).map(({ source }) => source);
describe("the files of src/", () => {
  it("import only what stands below them", () => expect(findWrongArrows(modules)).toEqual([]));
  it("import each other without a cycle", () => expect(findCycles(modules)).toEqual([]));
  it("import the file that declares a name, never an index.ts", () => expect(findIndexImports(modules)).toEqual([]));
  it("import files that exist", () => expect(findUnresolvedImports(modules)).toEqual([]));
  // src/mcp/ loads its packages at the first connection, and node:http in `listen`; src/mastra/ has its MCPServer;
  // src/tools/grpc/ loads node:fs for paths of .proto files, src/tools/thrift/ opens sockets
  it.each(entries.filter((entry) => !/^src\/(stores|rag\/files|mcp|mastra|tools\/(grpc|thrift))\//.test(entry)))(
    "keep Node.js modules and optional packages out of %s",
    (entry) => {
      const others = optional.filter((name) => !own[entry]?.includes(name));
      expect(findPlatformImports(modules, entry, others)).toEqual([]);
    },
  );
  it("import each package in one file only", () => expect(findSharedPackages(modules)).toEqual([]));
  it("import only dependencies", () =>
    expect(findUndeclaredPackages(modules, [...Object.keys(dependencies), ...optional])).toEqual([]));
  it("have at most 500 lines", () => expect(findLongFiles(modules)).toEqual([]));
  it("are named after what they export", () => expect(findVagueFileNames(modules)).toEqual([]));
  it("use no way around the compiler and keep no state", () => expect(findForbiddenWords(modules)).toEqual([]));
});
