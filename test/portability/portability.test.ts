// The package in each runtime that can be had here: test/portability is a project of its own, which brings them.
import { execFile, execFileSync } from "node:child_process";
import { copyFileSync, existsSync, mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { promisify } from "node:util";
import { build } from "esbuild";
import { afterAll, beforeAll, describe, expect, it } from "vitest";

const own = import.meta.dirname;
const installed = install();

interface Engine {
  readonly name: string;
  readonly path: string;
  readonly options: readonly string[];
  /** What it is started with. @default "program.mjs" */
  readonly file?: string;
}

const engines: readonly Engine[] = [
  { name: `Node.js ${process.versions.node}`, path: process.execPath, options: [] },
  {
    name: "Node.js without code from strings",
    path: process.execPath,
    options: ["--disallow-code-generation-from-strings"],
  },
  { name: "Node.js 22", path: join(own, "node_modules/node-22/bin/node"), options: [] },
  { name: "Node.js 24", path: join(own, "node_modules/node-24/bin/node"), options: [] },
  { name: "Bun", path: join(own, "node_modules/@oven/bun-linux-x64/bin/bun"), options: ["run"] },
  {
    name: "workerd",
    path: join(own, "node_modules/@cloudflare/workerd-linux-64/bin/workerd"),
    options: ["test"],
    file: "worker.capnp",
  },
  { name: "Deno", path: join(own, "node_modules/@deno/linux-x64-glibc/deno"), options: ["run", "--no-lock"] },
];

let folder: string;

beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), "kumiko-portability-"));
  await build({
    entryPoints: [join(own, "program.ts"), join(own, "worker.ts")],
    outdir: folder,
    outExtension: { ".js": ".mjs" },
    bundle: true,
    format: "esm",
    target: "es2022",
    logLevel: "error",
  });
  copyFileSync(join(own, "worker.capnp"), join(folder, "worker.capnp"));
});
afterAll(() => rmSync(folder, { recursive: true, force: true }));

describe.each(engines)(
  "an agent with a tool, an approval, a stream, an abort and a save",
  ({ name, path, options, file = "program.mjs" }) => {
    const missing = existsSync(path) ? "" : ` (skipped: ${installed ?? "npm has none for this platform"})`;
    it.skipIf(missing !== "")(`runs in ${name}${missing}`, async () => {
      const { stdout } = await promisify(execFile)(path, [...options, join(folder, file)], {
        timeout: 50_000,
      });
      expect(JSON.parse(stdout)).toEqual({
        asked: { kind: "tool_approval", toolName: "pay", toolCallId: "c1", input: { euros: 3 } },
        answer: "done",
        reason: "enough",
      });
    });
  },
);

/** Installs the runtimes once; says why there are none. */
function install(): string | undefined {
  if (existsSync(join(own, "node_modules"))) return undefined;
  try {
    const options = ["--ignore-scripts", "--no-audit", "--no-fund", "--loglevel=error", "--fetch-retries=1"];
    execFileSync("npm", ["ci", ...options], { cwd: own, stdio: "ignore", timeout: 180_000 });
    return undefined;
  } catch {
    return "npm ci failed";
  }
}
