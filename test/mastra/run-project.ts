import { type SpawnOptions, spawn } from "node:child_process";
import { existsSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";

const folder = import.meta.dirname;
const root = join(folder, "../..");

export interface Outcome {
  readonly name: string;
  readonly failure: string | undefined;
}

/** What the tests of this project came to, or why they could not be run. */
export type ProjectRun = { readonly outcomes: readonly Outcome[] } | { readonly missing: string };

/** Installs the project where that is needed, and runs its tests and the compiler in the Node.js that it brings. */
export async function runProject(): Promise<ProjectRun> {
  const missing = await install();
  if (missing !== undefined) return { missing };
  const node = findNode();
  if (node === undefined) return { missing: `npm has no Node.js 22 for ${process.platform} ${process.arch}` };
  return { outcomes: [...(await runTests(node)), await compile(node)] };
}

/** Once per lockfile. It takes 20 seconds and 320 MB, more than half of it for Node.js. */
async function install(): Promise<string | undefined> {
  const lockfile = readFileSync(join(folder, "package-lock.json"), "utf8");
  const mark = join(folder, "node_modules", ".installed-lockfile");
  if (existsSync(mark) && readFileSync(mark, "utf8") === lockfile) return undefined;
  // nothing in it has to be built, and the engines are checked for this Node.js, which will not run it
  const ended = await runNpm([
    "ci",
    "--ignore-scripts",
    "--no-audit",
    "--no-fund",
    "--loglevel=error",
    "--fetch-retries=1",
  ]);
  if (ended.code !== 0) return `npm ci failed: ${ended.output.split("\n", 1)[0] || "no answer in 3 minutes"}`;
  writeFileSync(mark, lockfile);
  return undefined;
}

/** This one when it is new enough. */
function findNode(): string | undefined {
  const [major = 0, minor = 0] = process.versions.node.split(".").map(Number);
  if (major > 22 || (major === 22 && minor >= 13)) return process.execPath;
  const { platform, arch } = process;
  const packages = [`node-${platform}-${arch}`, `node-bin-${platform}-${arch}`];
  return packages.map((name) => join(folder, "node_modules", name, "bin/node")).find((path) => existsSync(path));
}

interface Report {
  readonly testResults: readonly {
    readonly message: string;
    readonly assertionResults: readonly {
      readonly fullName: string;
      readonly status: string;
      readonly failureMessages: readonly string[];
    }[];
  }[];
}

async function runTests(node: string): Promise<readonly Outcome[]> {
  const vitest = join(root, "node_modules/vitest/vitest.mjs");
  const ended = await run(node, [vitest, "run", "--root", folder, "--reporter=json"]);
  const start = ended.printed.indexOf('{"num');
  if (start < 0) throw new Error(`The tests with Mastra did not run:\n${ended.output}`);
  const { testResults }: Report = JSON.parse(ended.printed.slice(start));
  const results = testResults.flatMap(({ assertionResults }) => assertionResults);
  if (results.length === 0) throw new Error(testResults.map(({ message }) => message).join("\n"));
  return results.map(({ fullName, status, failureMessages }) => ({
    name: fullName,
    failure: status === "passed" ? undefined : failureMessages.join("\n") || status,
  }));
}

/** The tools node takes Mastra's tools without a cast. */
async function compile(node: string): Promise<Outcome> {
  const ended = await run(node, [join(root, "node_modules/typescript-7/bin/tsc"), "--noEmit", "-p", folder]);
  return { name: "their types fit", failure: ended.code === 0 ? undefined : ended.output };
}

interface Ended {
  readonly code: number | null;
  readonly printed: string;
  /** That, and what it said of errors. */
  readonly output: string;
}

function runNpm(command: readonly string[]): Promise<Ended> {
  const npm = process.env.npm_execpath;
  if (npm?.endsWith("npm-cli.js")) return run(process.execPath, [npm, ...command]);
  // On Windows npm is a command file, which only a shell can start. The command line is a constant.
  return run(["npm", ...command].join(" "), [], { shell: true });
}

function run(file: string, args: readonly string[], more: SpawnOptions = {}): Promise<Ended> {
  const names = Object.keys(process.env).filter((name) => !/^(VITEST|NODE_OPTIONS)/.test(name));
  const env = Object.fromEntries(names.map((name) => [name, process.env[name]]));
  const child = spawn(file, args, { cwd: folder, env, timeout: 180_000, stdio: ["ignore", "pipe", "pipe"], ...more });
  let printed = "";
  let output = "";
  child.stdout?.on("data", (chunk) => (printed += chunk));
  for (const stream of [child.stdout, child.stderr]) stream?.on("data", (chunk) => (output += chunk));
  return new Promise((resolve, reject) => {
    child.on("error", reject);
    child.on("close", (code) => resolve({ code, printed, output: output.trim() }));
  });
}
