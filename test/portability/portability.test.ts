// The packed package in each runtime that can be had here: test/portability is a project of its own, which brings them.
import { execFile } from "node:child_process";
import { copyFileSync, existsSync, mkdtempSync, realpathSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { promisify } from "node:util";
import { type BuildOptions, build } from "esbuild";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { buildWhenStale } from "../../scripts/package/build.js";
import { createConsumer } from "../../scripts/package/consumer.js";
import { chromium, openPage } from "./browser.js";
import { installRuntimes } from "./runtimes.js";

const own = import.meta.dirname;
const root = join(own, "../..");
const notInstalled = installRuntimes();

interface Engine {
  readonly name: string;
  readonly path: string;
  readonly options: readonly string[];
  /** What it is started with. @default "program.mjs" */
  readonly file?: string;
  /** Whether code may be made from strings. @default true */
  readonly makesCode?: boolean;
  /** What the tool of an OpenAPI document gives. @default an answer, and what is wrong with the second call */
  readonly openApi?: readonly unknown[];
}

const refused = expect.stringContaining("must be integer");
const answered = ['{"asked":"https://pets.example/pets/7"}', refused];
const noBuffer = [expect.stringContaining("openApiTools needs the global Buffer")];
const locked = ["--disallow-code-generation-from-strings"];
const engines: readonly Engine[] = [
  { name: `this Node.js (${process.versions.node})`, path: process.execPath, options: [] },
  { name: "this Node.js without code from strings", path: process.execPath, options: locked, makesCode: false },
  { name: "Node.js 20.19, the oldest", path: join(own, "node_modules/node-20/bin/node"), options: [] },
  { name: "Node.js 22", path: join(own, "node_modules/node-22/bin/node"), options: [] },
  { name: "Node.js 24", path: join(own, "node_modules/node-24/bin/node"), options: [] },
  {
    name: "Node.js 24 without code from strings",
    path: join(own, "node_modules/node-24/bin/node"),
    options: locked,
    makesCode: false,
  },
  { name: "Bun", path: join(own, "node_modules/@oven/bun-linux-x64/bin/bun"), options: ["run"] },
  {
    name: "Deno",
    path: join(own, "node_modules/@deno/linux-x64-glibc/deno"),
    options: ["run", "--no-lock", "--no-remote", "--no-prompt", "--node-modules-dir=manual"],
  },
  {
    name: "workerd",
    path: join(own, "node_modules/@cloudflare/workerd-linux-64/bin/workerd"),
    options: ["test"],
    file: "worker.capnp",
    makesCode: false,
    openApi: noBuffer,
  },
];

let folder: string;

beforeAll(async () => {
  folder = mkdtempSync(join(realpathSync(tmpdir()), "kumiko-portability-"));
  buildWhenStale(root);
  const { install } = createConsumer(root, folder);
  for (const name of ["zod", "@apidevtools/json-schema-ref-parser"]) install(name);
  const shared: BuildOptions = { bundle: true, format: "esm", target: "es2022", logLevel: "error" };
  // as a user writes it: the package and what it needs are found in node_modules
  await build({
    ...shared,
    entryPoints: ["program", "worker", "page"].map((name) => ({ in: join(own, `${name}.ts`), out: name })),
    outdir: folder,
    outExtension: { ".js": ".mjs" },
    packages: "external",
    tsconfigRaw: {},
  });
  // as a user builds it for runtimes without node_modules
  await build({
    ...shared,
    entryPoints: { worker: join(folder, "worker.mjs") },
    outdir: join(folder, "built"),
    outExtension: { ".js": ".mjs" },
  });
  await build({
    ...shared,
    entryPoints: { page: join(folder, "page.mjs") },
    outdir: join(folder, "site"),
    outExtension: { ".js": ".mjs" },
    platform: "browser",
    splitting: true,
  });
  copyFileSync(join(own, "worker.capnp"), join(folder, "worker.capnp"));
}, 300_000);
// the last processes of a browser end after it
afterAll(() => rmSync(folder, { recursive: true, force: true, maxRetries: 5 }));

const outcome = (codeFromStrings: boolean, openApi: readonly unknown[]) => ({
  asked: [{ kind: "tool_approval", toolName: "pay", toolCallId: "c2", input: { euros: 3 } }, "Who pays?"],
  refused: "ANSWER_MISMATCH",
  results: ['must be number (got "three")', "Ada paid 3"],
  answer: "done",
  saved: ["run"],
  reason: "enough",
  mcp: ['{"id":7}', refused],
  openApi,
  codeFromStrings,
});

describe("an agent with a tool, an approval, a question, a stream, an abort and saves, from the packed package", () => {
  for (const { name, path, options, file = "program.mjs", makesCode = true, openApi = answered } of engines) {
    const missing = existsSync(path) ? "" : ` (skipped: ${notInstalled ?? "npm has none for this platform"})`;
    it.skipIf(missing !== "")(`runs in ${name}${missing}`, async () => {
      const { stdout } = await promisify(execFile)(path, [...options, file], { cwd: folder, timeout: 50_000 });
      expect(JSON.parse(stdout)).toEqual(outcome(makesCode, openApi));
    });
  }

  const missing = chromium === undefined ? " (skipped: no Chromium is installed)" : "";
  it.skipIf(missing !== "")(`runs in Chromium under "script-src 'self'"${missing}`, async () => {
    const found = await openPage(chromium ?? "", join(folder, "site"), join(folder, "profile"));
    expect(found).toEqual(outcome(false, noBuffer));
  });
});
