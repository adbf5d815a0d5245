import { existsSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, realpathSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { pathToFileURL } from "node:url";
import { gzipSync } from "node:zlib";
import { build, type Plugin } from "esbuild";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { buildWhenStale } from "../scripts/package/build.js";
import { type Consumer, createConsumer } from "../scripts/package/consumer.js";
import { readEntries } from "../scripts/public-api/entries.js";

const root = join(import.meta.dirname, "..");
const entries = readEntries(root);
const folder = mkdtempSync(join(realpathSync(tmpdir()), "kumiko-package-"));
const features: { require_module?: boolean } = process.features;
const timeout = 60_000;

let consumer: Consumer;

beforeAll(() => {
  buildWhenStale(root);
  consumer = createConsumer(root, folder);
}, 240_000);
afterAll(() => rmSync(folder, { recursive: true, force: true }));

/** The names that the source of an entry exports. */
const namesOf = async (source: string) => {
  const loaded: object = await import(pathToFileURL(join(root, source)).href);
  return Object.keys(loaded).sort();
};
const packedFiles = () =>
  readdirSync(consumer.installed, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => join(entry.parentPath, entry.name));

describe("the packed package", () => {
  it("holds what was built, the licence, the README, the change log, guides, a skill and starters, and nothing else", () => {
    const top = readdirSync(consumer.installed).sort();
    expect(top).toEqual(["CHANGELOG.md", "LICENSE", "README.md", "dist", "docs", "examples", "package.json", "skills"]);
  });

  it("names no folder of the machine that built it", () => {
    expect(packedFiles().filter((path) => readFileSync(path, "utf8").includes(root))).toEqual([]);
  });

  it("has a page of the viewer of at most 60 kB gzipped, and a player with which a saved page has at most 140 kB", async () => {
    const name = readdirSync(join(consumer.installed, "dist")).find((file) => /^page-assets-.*\.js$/.test(file));
    const { loadPageAssets } = await import(pathToFileURL(join(consumer.installed, "dist", name ?? "")).href);
    const { page, player, style } = await loadPageAssets();
    const sizes = [page, style].map((text) => gzipSync(text, { level: 9 }).length);
    expect(sizes.reduce((sum, size) => sum + size)).toBeLessThanOrEqual(60_000);
    expect(player.length + style.length).toBeLessThanOrEqual(140_000);
  });

  it("has source maps that carry their sources, by relative paths", () => {
    const maps = packedFiles().filter((path) => path.endsWith(".js.map"));
    expect(maps.length).toBeGreaterThan(0);
    for (const path of maps) {
      const { sources, sourcesContent }: { sources: string[]; sourcesContent?: string[] } = JSON.parse(
        readFileSync(path, "utf8"),
      );
      expect(sourcesContent ?? []).toHaveLength(sources.length);
      for (const source of sources)
        expect(existsSync(join(dirname(path.replace(consumer.installed, root)), source))).toBe(true);
    }
  });
});

const anyImport = /(?:from|import|import\() ?"(\.[^"]+)"/g;
const staticImport = /(?:from|import) ?"(\.[^"]+)"/g;

/** Every built file that an entry imports, itself included. */
function filesBehind(entry: string, form = anyImport): string[] {
  const reached = new Set([join(consumer.installed, entry.replace(/^src/, "dist").replace(/\.ts$/, ".js"))]);
  for (const path of reached) {
    const imported = readFileSync(path, "utf8").matchAll(form);
    for (const [, target = ""] of imported) reached.add(join(dirname(path), target));
  }
  return [...reached];
}

it("loads no CommonJS package with the root entry, which would cost a program more than all the rest of its start", () => {
  const packages = filesBehind("src/index.ts", staticImport).flatMap((path) =>
    [...readFileSync(path, "utf8").matchAll(/^(?:import|\}) .*from "([^."][^"]*)"/gm)].map(([, name]) => name),
  );
  expect(packages).toEqual([]);
});

describe("what is built for browsers too", () => {
  const imported = /(?:from|import|import\() ?"(?:node:|libsql|pg"|fs|path|os)/;
  const importing = (source: string) => filesBehind(source).filter((path) => imported.test(readFileSync(path, "utf8")));

  it.each(
    entries.filter(
      ({ source }) => !/^src\/(stores|rag\/files|evals|workspace|mcp|mastra|tools\/(grpc|thrift))\//.test(source),
    ),
  )("has no module of Node.js and no database in $specifier", ({ source }) => expect(importing(source)).toEqual([]));

  it("would be found to have them", () => {
    expect(importing("src/stores/sqlite/index.ts").length).toBeGreaterThan(0);
  });
});

describe("a bundler", () => {
  const leaveOnDemand: Plugin = {
    name: "leave-on-demand",
    setup({ onResolve }) {
      onResolve({ filter: /./ }, ({ kind, path }) =>
        kind === "dynamic-import" ? { path, external: true } : undefined,
      );
    },
  };
  const bundled = async (name: string): Promise<string> => {
    const contents = `import { ${name} } from "kumiko"; console.log(${name});`;
    const { outputFiles } = await build({
      stdin: { contents, resolveDir: consumer.folder },
      bundle: true,
      format: "esm",
      platform: "browser",
      plugins: [leaveOnDemand],
      write: false,
      logLevel: "error",
    });
    return outputFiles[0]?.text ?? "";
  };

  it.each(["textOf", "isInterrupt", "memoryStore", "StreamReader"])(
    "leaves the graphs out of a program that uses %s only",
    { timeout },
    async (name) => {
      const program = await bundled(name);
      expect(program).toContain(name);
      expect(program).not.toContain("addEdge");
    },
  );

  it("leaves nearly everything out of a program that uses one small function", { timeout }, async () => {
    expect((await bundled("textOf")).length).toBeLessThan(4_000);
  });

  it("leaves the builders out of a program that uses a tools node only", { timeout }, async () => {
    expect(await bundled("AgenticToolsNode")).not.toContain("addEdge");
    expect(await bundled("Graph")).toContain("addEdge");
  });
});

it("starts the first run of a program inside the call, in Node.js", { timeout }, () => {
  const script = `
    import { END, Graph, START } from "kumiko";
    let isCalled = false;
    const choose = () => { isCalled = true; return "a"; };
    const graph = new Graph().addNode("a", (x) => x).addNode("b", (x) => x).addBranch(START, ["a", "b"], choose);
    const result = graph.addEdge("a", END).addEdge("b", END).compile().invoke("tea");
    console.log(isCalled, await result);`;
  expect(consumer.node("--input-type=module", "--eval", script).trim()).toBe("true tea");
});

describe.each(entries)("$specifier, installed", ({ specifier, source }) => {
  let names: readonly string[];
  /** Classes that are called something else than they are exported as. */
  let misnamed: readonly string[];

  beforeAll(() => {
    const script = `const entry = await import("${specifier}");
      const isMisnamed = (value) => typeof value === "function" && /^class\\b/.test(value.toString()) && entry[value.name] !== value;
      const names = Object.keys(entry).sort();
      console.log(JSON.stringify({ names, misnamed: names.filter((name) => isMisnamed(entry[name])) }));`;
    ({ names, misnamed } = JSON.parse(consumer.node("--input-type=module", "--eval", script)));
  }, timeout);

  it("is imported with the names of its source", async () => expect(names).toEqual(await namesOf(source)));
  it("has classes that are called as they are exported", () => expect(misnamed).toEqual([]));
});

it.skipIf(!features.require_module)(
  "is required with the names of its sources (skipped where Node.js cannot require ES modules)",
  { timeout },
  async () => {
    const specifiers = JSON.stringify(entries.map(({ specifier }) => specifier));
    const script = `console.log(JSON.stringify(${specifiers}.map((specifier) => Object.keys(require(specifier)).sort())))`;
    const required: string[][] = JSON.parse(consumer.node("--input-type=commonjs", "--eval", script));
    for (const [index, { specifier, source }] of entries.entries()) {
      const names = required[index]?.filter((name) => name !== "__esModule");
      expect({ specifier, names }).toEqual({ specifier, names: await namesOf(source) });
    }
  },
);

describe("an optional package that is not installed", () => {
  const document = '{ openapi: "3.1.0", servers: [{ url: "http://127.0.0.1:1" }], paths: {} }';
  const server = 'new MCPServer({ name: "s", version: "1" })';

  // [names of an entry, the entry, what is called, the package that it needs]
  const rows: readonly (readonly [names: string, entry: string, call: string, name: string])[] = [
    ["postgresStore", "postgres", 'postgresStore({ connectionString: "postgres://127.0.0.1:1/x" }).get("a")', "pg"],
    [
      "postgresVectors",
      "postgres",
      'postgresVectors({ connectionString: "postgres://127.0.0.1:1/x" }).listIndexes()',
      "pg",
    ],
    ["sqliteVectors", "sqlite", 'sqliteVectors(":memory:", { driver: "libsql" }).listIndexes()', "libsql"],
    ["connectMcp", "mcp", 'connectMcp({ s: { url: "http://127.0.0.1:1" } })', "@modelcontextprotocol/client"],
    ["MCPServer", "mcp", `${server}.listen({ port: 0 })`, "@modelcontextprotocol/server"],
    ["MCPServer", "mastra", `${server}.startStdio()`, "@modelcontextprotocol/server"],
    ["openApiTools", "openapi", `openApiTools(${document})`, "@apidevtools/json-schema-ref-parser"],
    ["grpcTools", "grpc", 'grpcTools({ address: "127.0.0.1:1", proto: { "a.proto": "" } })', "@grpc/grpc-js"],
    ["thriftTools", "thrift", 'thriftTools({ idl: "service A {}", connection: { port: 1 } })', "thrift"],
    ["processor", "bullmq", "processor({})({ name: 'a', data: {} })", "bullmq"],
    [
      "promptTemplate, jinja",
      "templates",
      'promptTemplate([["user", "{{ a }}"]], { syntax: jinja }).format({ a: 1 })',
      "@huggingface/jinja",
    ],
    [
      "promptTemplate, mustache",
      "templates",
      'promptTemplate([["user", "{{ a }}"]], { syntax: mustache }).format({ a: 1 })',
      "mustache",
    ],
    [
      "MDocument",
      "rag",
      'MDocument.fromHTML("<p>a</p>").chunk({ strategy: "html", headers: [["h1", "h1"]] })',
      "parse5",
    ],
    ["MDocument", "rag", 'MDocument.fromText("a").chunk({ strategy: "token", maxSize: 5 })', "gpt-tokenizer"],
    ["fileLoader", "rag/files", 'fileLoader().load({ uri: "empty.pdf" })', "unpdf"],
    ["fileLoader", "rag/files", 'fileLoader().load({ uri: "empty.docx" })', "mammoth"],
    [
      "duckDuckGoSearch",
      "search",
      'duckDuckGoSearch({ fetch: async () => new Response("<p>a</p>") }).invoke(\'{"query":"a"}\')',
      "parse5",
    ],
    [
      "folderFiles, skills",
      "workspace",
      'createAgent({ model: scriptedModel("a"), middleware: [skills({ files: folderFiles(".") })] }).generate("a")',
      "yaml",
    ],
  ];
  // needed beside another package, which is installed first
  const second = [
    [
      "grpcTools",
      "grpc",
      'grpcTools({ address: "127.0.0.1:1", proto: { "a.proto": "" } })',
      "protobufjs",
      "@grpc/grpc-js",
    ],
    [
      "sqliteVectors",
      "sqlite",
      'sqliteVectors(":memory:", { driver: "libsql" }).listIndexes()',
      "sqlite-vec",
      "libsql",
    ],
  ] as const;

  const told = (names: string, entry: string, call: string) =>
    consumer.node(
      "--input-type=module",
      "--eval",
      `import { createAgent } from "kumiko/agents";
      import { scriptedModel } from "kumiko/testing";
      import { ${names} } from "kumiko/${entry}";
      const call = async () => ${call};
      await call().then(() => console.log("worked"), (error) => console.log(error.code, error.message));
      process.exit();`,
    );

  const expectMissing = (text: string, name: string) => {
    expect(text).toMatch(/^PACKAGE_MISSING /);
    expect(/npm install ([^\n]*)/.exec(text)?.[1]?.split(/[\s,)]+|\.(?=\s|$)/)).toContain(name);
  };

  it.each(rows)(
    "is PACKAGE_MISSING with what to install: %s of kumiko/%s (%s)",
    { timeout },
    (names, entry, call, name) => {
      consumer.write("empty.pdf", "%PDF-1.7");
      consumer.write("empty.docx", "PK");
      mkdirSync(join(consumer.folder, "skills/a"), { recursive: true });
      consumer.write("skills/a/SKILL.md", "---\nname: a\ndescription: b\n---\n");
      expectMissing(told(names, entry, call), name);
    },
  );

  it.each(second)("is named though another one is there: %s of kumiko/%s (%s)", { timeout }, (...row) => {
    const [names, entry, call, name, other] = row;
    consumer.install(other);
    expectMissing(told(names, entry, call), name);
  });

  it("is named beside its entry in the README, whichever it is", () => {
    const { peerDependencies }: { peerDependencies: object } = JSON.parse(
      readFileSync(join(root, "package.json"), "utf8"),
    );
    const otel = ["otelTracer", "otel", "", "@opentelemetry/api"] as const; // no error: see below
    const all = [...rows, ...second, otel];
    expect([...new Set(all.map(([, , , name]) => name))].sort()).toEqual(Object.keys(peerDependencies).sort());
    const lines = readFileSync(join(root, "README.md"), "utf8").split("\n");
    for (const [, entry, , name] of all) {
      expect(lines.find((line) => line.startsWith(`| \`kumiko/${entry}\` |`))).toContain(`\`${name}\``);
    }
  });

  it("is no error for otelTracer, which records as soon as an SDK is there", { timeout }, () => {
    const script = `import { Chain, Runtime } from "kumiko";
      import { otelTracer } from "kumiko/otel";
      const runtime = new Runtime({ callbacks: [otelTracer()] });
      console.log(await new Chain().append((x) => x + 1).compile({ runtime }).invoke(1));`;
    expect(consumer.node("--input-type=module", "--eval", script)).toBe("2\n");
    consumer.install("@opentelemetry/api"); // its types are those of kumiko/otel
  });
});

describe("stores, installed", () => {
  // libsql: the entries above were imported without it
  it("keep checkpoints once their optional package is installed", { timeout }, () => {
    const script = `import { sqliteStore } from "kumiko/sqlite";
      const store = sqliteStore("runs.db");
      const version = await store.put("order-7", new TextEncoder().encode("kept"), undefined);
      await store.close();
      const found = await sqliteStore("runs.db").get("order-7");
      console.log(found.version === version, new TextDecoder().decode(found.data));`;
    expect(consumer.node("--input-type=module", "--eval", script)).toBe("true kept\n");
  });

  it("say which package is missing", { timeout }, () => {
    const script = `import { postgresStore } from "kumiko/postgres";
      await postgresStore({ connectionString: "postgres://127.0.0.1:1/none" }).get("a").catch((error) => console.log(error.code, error.message));`;
    expect(consumer.node("--input-type=module", "--eval", script)).toMatch(/^PACKAGE_MISSING .*npm install pg/);
  });
});

describe.each([
  { module: "nodenext", moduleResolution: "nodenext", file: "consumer.mts" },
  { module: "nodenext", moduleResolution: "nodenext", file: "consumer.cts" },
  { module: "esnext", moduleResolution: "bundler", file: "consumer.ts" },
])("types for $file with moduleResolution $moduleResolution", ({ module, moduleResolution, file }) => {
  it("check with the library of es2022, without Node.js types and without skipLibCheck", { timeout: 120_000 }, () => {
    const imports = entries.flatMap(({ specifier }, index) => [
      `import * as entry${index} from "${specifier}";`,
      `export const names${index}: readonly string[] = Object.keys(entry${index});`,
      "// @ts-expect-error the types are known, so a wrong name is an error",
      `entry${index}.thereIsNoSuchName;`,
    ]);
    consumer.write(file, imports.join("\n"));
    const compilerOptions = {
      module,
      moduleResolution,
      target: "es2022",
      types: [],
      strict: true,
      skipLibCheck: false,
      noEmit: true,
    };
    consumer.write("tsconfig.json", JSON.stringify({ compilerOptions, files: [file] }));
    expect(consumer.node(join(root, "node_modules/typescript/bin/tsc"), "--project", "tsconfig.json")).toBe("");
  });
});

it("has types for `await using`, where the library of the program has them", { timeout: 120_000 }, () => {
  consumer.write(
    "using.mts",
    `import type { ClosableTools } from "kumiko/components";
      import type { GrpcTool } from "kumiko/grpc";
      import type { McpConnection } from "kumiko/mcp";
      export async function close(open: () => Promise<McpConnection>, tools: ClosableTools<GrpcTool>): Promise<string[]> {
        await using connection = await open();
        await using grpc = tools;
        await grpc[Symbol.asyncDispose]();
        return [...connection.tools(), ...grpc].map(({ id }) => id);
      }`,
  );
  const compilerOptions = {
    ...{ module: "nodenext", target: "es2022", lib: ["es2022", "dom", "esnext.disposable"], types: [] },
    ...{ strict: true, skipLibCheck: false, noEmit: true },
  };
  consumer.write("tsconfig.json", JSON.stringify({ compilerOptions, files: ["using.mts"] }));
  expect(consumer.node(join(root, "node_modules/typescript/bin/tsc"), "--project", "tsconfig.json")).toBe("");
});

describe("openApiTools, installed", () => {
  const script = `import { openApiTools } from "kumiko/openapi";
    const document = { openapi: "3.1.0", servers: [{ url: "https://a.example" }], paths: { "/pets": { get: {} } } };
    await openApiTools(document).then((tools) => console.log(tools.map(({ id }) => id)), (error) => console.log(error.message));`;

  it("says which package is missing, and works once it is installed", { timeout }, () => {
    expect(consumer.node("--input-type=module", "--eval", script)).toMatch(
      /npm install @apidevtools\/json-schema-ref-parser/,
    );
    consumer.install("@apidevtools/json-schema-ref-parser");
    expect(consumer.node("--input-type=module", "--eval", script)).toBe("[ 'get_pets' ]\n");
  });
});

describe.each([
  ["jinja", "@huggingface/jinja"],
  ["mustache", "mustache"],
])("promptTemplate with %s, installed", (syntax, name) => {
  const script = `import { ${syntax}, promptTemplate } from "kumiko/templates";
    const template = promptTemplate([["user", "Hello {{ name }}"]], { syntax: ${syntax} });
    await template.format({ name: "Mio" }).then(([{ contentBlocks }]) => console.log(contentBlocks[0].text), (error) => console.log(error.code, error.message));`;

  it("says which package is missing, and works once it is installed", { timeout }, () => {
    expect(consumer.node("--input-type=module", "--eval", script)).toMatch(`npm install ${name}`);
    consumer.install(name);
    expect(consumer.node("--input-type=module", "--eval", script)).toBe("Hello Mio\n");
  });
});

it("asks the model of a first stream without loading anything, in Node.js", { timeout }, () => {
  const script = `
    import { createAgent } from "kumiko/agents";
    import { retryModel } from "kumiko/models";
    import { scriptedModel } from "kumiko/testing";
    const model = scriptedModel("tea");
    const { textStream: text } = createAgent({ model: retryModel(model) }).stream("What?");
    const first = text.next();
    for (let turn = 0; turn < 100; turn++) await undefined;
    console.log(model.calls.length, (await first).value);`;
  expect(consumer.node("--input-type=module", "--eval", script).trim()).toBe("1 tea");
});
