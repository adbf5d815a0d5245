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
import { findInnerImports } from "../scripts/architecture/test-imports.js";
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
/** The build puts these into the package. */
const bundled = ["@dagrejs/dagre", "preact"];
/** Entries that are there for an optional package. */
const own: Readonly<Record<string, readonly string[]>> = {
  "src/tools/openapi/index.ts": ["@apidevtools/json-schema-ref-parser"],
  "src/tools/grpc/index.ts": ["@grpc/grpc-js", "protobufjs"],
  "src/rag/index.ts": ["gpt-tokenizer", "parse5"],
  "src/search/index.ts": ["parse5"],
  "src/templates/index.ts": ["@huggingface/jinja", "mustache"],
  "src/otel/index.ts": ["@opentelemetry/api"],
  "src/bullmq/index.ts": ["bullmq"],
};
/** Folders below test/ with unit tests of inner files: what they compute is worth a test of its own. */
const innerFolders = [
  "bin",
  "viewer/layout",
  "viewer/page",
  "viewer/server",
  "compose/plan",
  "checkpoint/values",
  "schema/concat",
  "schema/stream",
  "ways",
];
/** Other files below test/ that import inner files, by reason. Anything new is tested through an entry. */
const innerFiles: Readonly<Record<string, readonly string[]>> = {
  "They write and read documents of saved runs field by field.": [
    "agents/threads/abandoned-turns.test.ts",
    "agents/threads/lost-runs.test.ts",
    "checkpoint/document-fields.property.test.ts",
    "checkpoint/hanging-stores.test.ts",
    "checkpoint/watched-store.ts",
    "run/segment/stores.test.ts",
  ],
  "They make names of processes that are dead, on other machines or of another time.": [
    "checkpoint/journal/process-owner.test.ts",
    "stores/owner-alive.test.ts",
    "stores/postgres/client.ts",
    "stores/postgres/owners.test.ts",
    "stores/sqlite/sqlite-store.test.ts",
  ],
  "They look into a database beside the store, to break it or to see what is there.": [
    "stores/id-bytes.test.ts",
    "stores/sqlite/old-file.ts",
    "stores/sqlite/processes.test.ts",
    "stores/sqlite/vectors/sqlite-vectors.test.ts",
  ],
  "A table of cases for a function of text or numbers, which a run would need a page each to show.": [
    "callbacks/colors.test.ts",
    "callbacks/json-safe.test.ts",
    "callbacks/preview.test.ts",
    "callbacks/random-id.test.ts",
    "mcp/client/fingerprint.test.ts",
    "models/partial-json.test.ts",
    "models/prompt.test.ts",
    "models/usage.test.ts",
    "rag/chunking/latex.test.ts",
    "rag/chunking/markdown.test.ts",
    "rag/chunking/unified-latex.ts",
    "rag/files/loaders.test.ts",
    "rag/retrieval/query-tools.test.ts",
    "rag/vectors/memory-vectors.test.ts",
    "schema/encode-json.test.ts",
    "stores/postgres/secrets.test.ts",
    "testing/deep-equal.test.ts",
    "tools/define/json-error-position.test.ts",
    "tools/define/repair-arguments.test.ts",
    "tools/formats/model-extra.test.ts",
    "tools/grpc/sources.test.ts",
    "tools/node/aliases.test.ts",
    "tools/node/result-limit.test.ts",
    "tools/node/tool-table.test.ts",
    "tools/thrift/codec.test.ts",
  ],
  "They compare the two validators of JSON Schema, of which the machine chooses one.": [
    "schema/json-schema-validator-child.ts",
    "schema/json-schema-validator.test.ts",
    "schema/json-schema/interpret-child.ts",
    "schema/json-schema/interpret.test.ts",
    "schema/json-schema/two-validators.property.test.ts",
    "tools/unchecked-schemas-child.ts",
    "tools/unchecked-schemas.test.ts",
  ],
  "It opens spans: runs open them only in passing, and what each does at every end is a table of its own.": [
    "callbacks/listener.ts",
  ],
};
const entries = readEntries(root).map(({ source }) => source);
describe("the files of src/", () => {
  it("import only what stands below them", () => expect(findWrongArrows(modules)).toEqual([]));
  it("import each other without a cycle", () => expect(findCycles(modules)).toEqual([]));
  it("import the file that declares a name, never an index.ts", () => expect(findIndexImports(modules)).toEqual([]));
  it("import files that exist", () => expect(findUnresolvedImports(modules)).toEqual([]));
  // src/mcp/ loads its packages at the first connection, and node:http in `listen`; src/mastra/ has its MCPServer;
  // src/evals/ keeps tapes in files; src/workspace/ loads node:fs for folders; src/tools/grpc/ loads node:fs for paths of .proto files, src/tools/thrift/ opens sockets
  it.each(
    entries.filter(
      (entry) => !/^src\/(evals|stores|workspace|rag\/files|mcp|mastra|tools\/(grpc|thrift))\//.test(entry),
    ),
  )("keep Node.js modules and optional packages out of %s", (entry) => {
    const others = optional.filter((name) => !own[entry]?.includes(name));
    expect(findPlatformImports(modules, entry, others)).toEqual([]);
  });
  it("import each package in one file only, but for what the page is written in", () => {
    const others = modules.filter(({ path }) => !path.startsWith("src/viewer/page/"));
    expect(findSharedPackages(others)).toEqual([]);
  });
  it("import only dependencies", () =>
    expect(findUndeclaredPackages(modules, [...Object.keys(dependencies), ...optional, ...bundled])).toEqual([]));
  it("have at most 500 lines", () => expect(findLongFiles(modules)).toEqual([]));
  it("are named after what they export", () => expect(findVagueFileNames(modules)).toEqual([]));
  it("use no way around the compiler and keep no state", () => expect(findForbiddenWords(modules)).toEqual([]));
});

describe("the files of test/", () => {
  it("import the entries of the package, but for what no entry can show", () => {
    const others = [...findInnerImports(root).keys()].filter(
      (path) =>
        !innerFolders.some((folder) => path.startsWith(`test/${folder}/`)) &&
        !Object.values(innerFiles).flat().includes(path.slice("test/".length)),
    );
    expect(others).toEqual([]);
  });
  it("that may import inner files still do", () => {
    const found = findInnerImports(root);
    expect(
      Object.values(innerFiles)
        .flat()
        .filter((file) => !found.has(`test/${file}`)),
    ).toEqual([]);
  });
});
