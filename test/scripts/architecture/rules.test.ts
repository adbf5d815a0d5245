import { describe, expect, it } from "vitest";
import { findCycles } from "../../../scripts/architecture/cycles.js";
import { findForbiddenWords, findLongFiles, findVagueFileNames } from "../../../scripts/architecture/forbidden.js";
import {
  findIndexImports,
  findPlatformImports,
  findSharedPackages,
  findUndeclaredPackages,
  findUnresolvedImports,
} from "../../../scripts/architecture/imports.js";
import { findWrongArrows } from "../../../scripts/architecture/layers.js";
import { parseModule } from "../../../scripts/architecture/source-module.js";

/** One module per property, its path without `src/` and `.ts`. */
function modulesOf(files: Record<string, string>) {
  return Object.entries(files).map(([path, text]) => parseModule(`src/${path}.ts`, text));
}

describe("findWrongArrows", () => {
  const importing = (from: string, to: string) => {
    const depth = from.split("/").length - 1;
    const specifier = `${depth === 0 ? "./" : "../".repeat(depth)}${to}.js`;
    return findWrongArrows(modulesOf({ [from]: `\nimport { a } from "${specifier}";`, [to]: "" }));
  };

  it.each([
    ["errors", "schema/message", "errors may not import schema"],
    ["schema/message", "callbacks/handler", "schema may not import callbacks"],
    ["callbacks/handler", "components/tool", "callbacks may not import components"],
    ["components/tool", "compose/runnable", "components may not import contracts"],
    ["components/tool", "tools/define/create-tool", "components may not import tool definitions"],
    ["components/tool", "tools/node/options", "components may not import contracts"],
    ["components/tool", "run/executor", "components may not import run"],
    ["compose/plan/draft", "checkpoint/address", "plan may not import checkpoint"],
    ["compose/plan/draft", "run/executor", "plan may not import run"],
    ["compose/plan/draft", "compose/graph", "plan may not import builders"],
    ["checkpoint/address", "run/executor", "checkpoint may not import run"],
    ["run/executor", "compose/chain", "run may not import builders"],
    ["run/executor", "tools/node/tool-run", "run may not import tools node"],
    ["tools/node/tool-run", "compose/graph", "tools node may not import builders"],
    ["compose/graph", "stores/sqlite/store", "builders may not import stores"],
    ["compose/graph", "testing/fake-model", "builders may not import testing"],
    ["stores/sqlite/store", "testing/fake-model", "stores may not import testing"],
  ])("refuses that %s imports %s, with file and line", (from, to, rule) => {
    expect(importing(from, to)).toEqual([`src/${from}.ts:2 imports src/${to}.ts: ${rule}`]);
  });

  it.each([
    ["schema/message", "errors"],
    ["callbacks/handler", "schema/message"],
    ["components/tool", "callbacks/handler"],
    ["compose/plan/draft", "components/tool"],
    ["compose/plan/draft", "compose/runnable"],
    ["checkpoint/address", "compose/plan/draft"],
    ["run/executor", "checkpoint/address"],
    ["tools/node/tool-run", "run/executor"],
    ["compose/options", "tools/node/options"],
    ["compose/graph", "compose/chain"],
    ["compose/graph", "tools/node/tool-run"],
    ["stores/sqlite/store", "stores/owner"],
    ["stores/sqlite/store", "checkpoint/address"],
    ["testing/fake-model", "compose/graph"],
    ["index", "testing/fake-model"],
  ])("allows that %s imports %s", (from, to) => {
    expect(importing(from, to)).toEqual([]);
  });

  it("takes a file of compose/ which imports plan/ for a builder", () => {
    const modules = modulesOf({
      "run/executor": `import { lambda } from "../compose/lambda.js";`,
      "compose/lambda": `export { a } from "./modes.js";`,
      "compose/modes": `type A = import("./plan/draft.js").A;`,
      "compose/plan/draft": "",
    });
    expect(findWrongArrows(modules)).toEqual([
      "src/run/executor.ts:1 imports src/compose/lambda.ts: run may not import builders",
    ]);
  });

  it("takes other folders of compose/ for a part of it, contract or builder by what they import", () => {
    const modules = modulesOf({
      "run/executor": `import "../compose/types/plain.js";\nimport "../compose/types/made.js";`,
      "compose/types/plain": "",
      "compose/types/made": `import "../plan/draft.js";`,
      "compose/plan/draft": "",
    });
    expect(findWrongArrows(modules)).toEqual([
      "src/run/executor.ts:2 imports src/compose/types/made.ts: run may not import builders",
    ]);
  });

  it("refuses a folder that it does not know", () => {
    expect(findWrongArrows(modulesOf({ "extras/a": "" }))).toEqual([
      expect.stringContaining("src/extras/a.ts:1 is in no known layer"),
    ]);
  });
});

describe("findCycles", () => {
  it("finds a cycle of type-only imports and shows the way round", () => {
    const modules = modulesOf({
      "schema/a": `import type { B } from "./b.js";`,
      "schema/b": `\nexport type { C } from "./c.js";`,
      "schema/c": `\n\ntype A = import("./a.js").A;`,
    });
    expect(findCycles(modules)).toEqual([
      "src/schema/c.ts:3 closes a cycle: src/schema/a.ts → src/schema/b.ts → src/schema/c.ts → src/schema/a.ts",
    ]);
  });

  it("accepts two ways to the same file", () => {
    const modules = modulesOf({
      a: `import "./b.js"; import "./c.js";`,
      b: `import "./d.js";`,
      c: `import "./d.js";`,
      d: "",
    });
    expect(findCycles(modules)).toEqual([]);
  });
});

describe("the rules for imports", () => {
  it("find the import of an index.ts", () => {
    const modules = modulesOf({ "compose/a": `import { b } from "../schema/index.js";`, "schema/index": "" });
    expect(findIndexImports(modules)).toEqual([
      "src/compose/a.ts:1 imports src/schema/index.ts: import the file that declares the name",
    ]);
  });

  it("find an import of a file that does not exist, or without its ending", () => {
    const modules = modulesOf({ a: `import "./gone.js";\nimport "./b";`, b: "" });
    expect(findUnresolvedImports(modules)).toEqual([
      `src/a.ts:1 imports "./gone.js": no such file, or its ending is not .js`,
      `src/a.ts:2 imports "./b": no such file, or its ending is not .js`,
    ]);
  });

  it("find a Node.js module which the root entry reaches, and no other", () => {
    const modules = modulesOf({
      index: `export { a } from "./a.js";`,
      a: `\nconst b = () => import("./b.js");`,
      b: `import type { Readable } from "node:stream";\nimport { join } from "path";`,
      "testing/c": `import "node:fs";`,
    });
    expect(findPlatformImports(modules, "src/index.ts", [])).toEqual([
      `src/b.ts:1 imports "node:stream", and src/index.ts reaches it`,
      `src/b.ts:2 imports "path", and src/index.ts reaches it`,
    ]);
  });

  it("find optional packages which an entry reaches, dynamic imports included", () => {
    const modules = modulesOf({
      index: `export { a } from "./a.js";`,
      a: `const load = () => import("pg");\nimport "ajv";`,
      "stores/index": `import "libsql";`,
    });
    expect(findPlatformImports(modules, "src/index.ts", ["pg", "libsql"])).toEqual([
      `src/a.ts:1 imports "pg", and src/index.ts reaches it`,
    ]);
  });

  it("do not take a missing entry for a clean one", () => {
    expect(findPlatformImports(modulesOf({ a: `import "node:fs";` }), "src/index.ts", [])).toEqual([
      "src/index.ts:1 is missing",
    ]);
  });

  it("find a package with two import sites, dynamic ones included", () => {
    const modules = modulesOf({
      a: `import "@scope/one/deep";\nimport "@scope/one";\nimport "@scope/two";`,
      b: `const load = () => import("@scope/one");`,
    });
    expect(findSharedPackages(modules)).toEqual([
      `src/b.ts:1 imports "@scope/one", which src/a.ts imports already: a package has one import site`,
    ]);
  });

  it("find a package that is no dependency", () => {
    const modules = modulesOf({ a: `import "ajv/dist/2020.js";\nimport "zod";` });
    expect(findUndeclaredPackages(modules, ["ajv"])).toEqual([
      `src/a.ts:2 imports "zod", which is no dependency in package.json`,
    ]);
  });
});

describe("the rules for files", () => {
  it("find a file of more than 500 lines", () => {
    const modules = modulesOf({ long: "a;\n".repeat(501), short: "a;\n".repeat(500) });
    expect(findLongFiles(modules)).toEqual(["src/long.ts:501 the file has 501 lines, 500 is the limit"]);
  });

  it("find a vague name", () => {
    expect(findVagueFileNames(modulesOf({ "schema/utils": "", "schema/text": "" }))).toEqual([
      "src/schema/utils.ts:1 says nothing about its content: name the file after its main export",
    ]);
  });
});

describe("findForbiddenWords", () => {
  it.each([
    ["let a: any;", "uses any"],
    ["const a = b as unknown as C;", "uses as unknown as"],
    ["const a = (b as unknown) as C;", "uses as unknown as"],
    ["const a = b!;", "uses !"],
    ["// @ts-ignore", "has @ts-ignore"],
    ["// @ts-expect-error", "has @ts-expect-error"],
    ["// biome-ignore lint: why", "has biome-ignore"],
    ["let a = 1;", "has a variable at the top level"],
    ["export var a = 1;", "has a variable at the top level"],
    ["export default 1;", "has a default export"],
    ["export default function a() {}", "has a default export"],
    [`export * from "./b.js";`, "uses export *"],
    [`export * as b from "./b.js";`, "uses export *"],
    ["// TODO later", "has TODO"],
  ])("finds %s", (line, problem) => {
    const found = findForbiddenWords(modulesOf({ a: `\n${line}` }));
    expect(found).toContainEqual(expect.stringContaining(`src/a.ts:2 ${problem}`));
  });

  it("accepts the words in text, in comments and inside functions", () => {
    const text = `/** any value, as unknown as it is */ const any = "any"; function f() { let any = 1; return any as number; }`;
    expect(findForbiddenWords(modulesOf({ a: text }))).toEqual([]);
  });
});
