import { type ChildProcess, type SpawnOptions, spawn } from "node:child_process";
import { existsSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { build } from "esbuild";

const folder = import.meta.dirname;
const root = join(folder, "../../..");

/** The official conformance suite, the Node.js that it needs, and the reference servers. */
export interface Suite {
  readonly node22: string;
  readonly referee: string;
  readonly servers: { readonly everything: string; readonly filesystem: string };
}

/** Installs them once per lockfile; gives why they cannot be had, if so. */
export async function installSuite(): Promise<Suite | { readonly missing: string }> {
  const missing = await install();
  if (missing !== undefined) return { missing };
  const node22 = findNode();
  if (node22 === undefined) return { missing: `npm has no Node.js 22 for ${process.platform} ${process.arch}` };
  const packages = join(folder, "node_modules/@modelcontextprotocol");
  return {
    node22,
    referee: join(packages, "conformance/dist/index.js"),
    servers: {
      everything: join(packages, "server-everything/dist/index.js"),
      filesystem: join(packages, "server-filesystem/dist/index.js"),
    },
  };
}

async function install(): Promise<string | undefined> {
  const lockfile = readFileSync(join(folder, "package-lock.json"), "utf8");
  const mark = join(folder, "node_modules", ".installed-lockfile");
  if (existsSync(mark) && readFileSync(mark, "utf8") === lockfile) return undefined;
  const command = ["ci", "--ignore-scripts", "--no-audit", "--no-fund", "--loglevel=error", "--fetch-retries=1"];
  const npm = process.env.npm_execpath;
  const ended = npm?.endsWith("npm-cli.js")
    ? await run(process.execPath, [npm, ...command])
    : await run(["npm", ...command].join(" "), [], { shell: true });
  if (ended.code !== 0) return `npm ci failed: ${ended.output.split("\n", 1)[0] || "no answer in 3 minutes"}`;
  writeFileSync(mark, lockfile);
  return undefined;
}

function findNode(): string | undefined {
  const [major = 0] = process.versions.node.split(".").map(Number);
  if (major >= 22) return process.execPath;
  const { platform, arch } = process;
  const packages = [`node-${platform}-${arch}`, `node-bin-${platform}-${arch}`];
  return packages.map((name) => join(folder, "node_modules", name, "bin/node")).find((path) => existsSync(path));
}

export interface Ended {
  readonly code: number | null;
  readonly output: string;
}

export function run(file: string, args: readonly string[], more: SpawnOptions = {}): Promise<Ended> {
  const names = Object.keys(process.env).filter((name) => !/^(VITEST|NODE_OPTIONS)/.test(name));
  const env = Object.fromEntries(names.map((name) => [name, process.env[name]]));
  const child = spawn(file, args, { cwd: folder, env, timeout: 280_000, stdio: ["ignore", "pipe", "pipe"], ...more });
  let output = "";
  for (const stream of [child.stdout, child.stderr]) stream?.on("data", (chunk) => (output += chunk));
  return new Promise((resolve, reject) => {
    child.on("error", reject);
    child.on("close", (code) => resolve({ code, output: output.trim() }));
  });
}

/** A fixture in one file, which both versions of Node.js run. */
export async function bundle(fixture: string): Promise<string> {
  const outfile = join(folder, "node_modules/.out", fixture.replace(/\.ts$/, ".mjs"));
  await build({
    entryPoints: [join(folder, "../fixtures", fixture)],
    outfile,
    absWorkingDir: root,
    bundle: true,
    platform: "node",
    format: "esm",
    logLevel: "error",
    banner: { js: 'import { createRequire } from "node:module"; const require = createRequire(import.meta.url);' },
  });
  return outfile;
}

/** Starts a program that prints where it is reached. */
export async function startSubject(
  node: string,
  file: string,
  stderr: "inherit" | "ignore" = "inherit",
): Promise<{ child: ChildProcess; printed: string }> {
  const child = spawn(node, [file], { stdio: ["ignore", "pipe", stderr] });
  const printed = await new Promise<string>((resolve, reject) => {
    child.stdout.once("data", (data) => resolve(String(data)));
    child.once("exit", (code) => reject(new Error(`The program ended with ${code}.`)));
  });
  return { child, printed: printed.trim() };
}
