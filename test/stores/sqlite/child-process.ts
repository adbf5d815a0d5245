import { type ChildProcess, execFile, spawn } from "node:child_process";
import { once } from "node:events";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { pathToFileURL } from "node:url";
import { promisify } from "node:util";
import { build, type Plugin } from "esbuild";

/** A Node.js in which the store uses one of its drivers. */
export interface Runtime {
  readonly name: "node:sqlite" | "libsql";
  /** The command and what stands before the script; `undefined` when this machine has no such Node.js. */
  readonly command: readonly string[] | undefined;
}

const root = join(import.meta.dirname, "../../..");
const hasOwn = process.getBuiltinModule("node:sqlite") !== undefined;

/** Both drivers; for `node:sqlite` npm is asked for another Node.js where this one has none. */
export async function findRuntimes(): Promise<Runtime[]> {
  return [
    { name: "libsql", command: hasOwn ? [process.execPath, "--no-experimental-sqlite"] : [process.execPath] },
    { name: "node:sqlite", command: hasOwn ? [process.execPath] : await findNewerNode() },
  ];
}

/** Bundles a script beside this one, without drivers. `libsql` is where the package is said to be. */
export async function bundleChild(
  folder: string,
  libsql = "node_modules/libsql/index.js",
  source = "child.ts",
): Promise<string> {
  const script = join(folder, `${`${source} ${libsql}`.replaceAll(/\W/g, "-")}.mjs`);
  const driver: Plugin = {
    name: "driver",
    setup({ onResolve }) {
      const external = (path: string) => ({ path: pathToFileURL(join(root, path)).href, external: true });
      onResolve({ filter: /^libsql$/ }, () => external(libsql));
      onResolve({ filter: /^sqlite-vec$/ }, () => external("node_modules/sqlite-vec/index.mjs"));
    },
  };
  await build({
    entryPoints: [join(import.meta.dirname, source)],
    outfile: script,
    bundle: true,
    format: "esm",
    platform: "node",
    target: "node20",
    plugins: [driver],
  });
  return script;
}

const running = new Set<ChildProcess>();

export interface Child {
  readonly process: ChildProcess;
  /** What it says, line by line. */
  readonly lines: AsyncIterable<unknown>;
  /** Its exit code, and all that it wrote to stderr. */
  readonly end: Promise<{ readonly code: number | null; readonly stderr: string }>;
}

export function startChild(command: readonly string[], script: string, ...args: string[]): Child {
  const [file = "", ...before] = command;
  const child = spawn(file, [...before, script, ...args], { stdio: ["ignore", "pipe", "pipe"] });
  running.add(child);
  let stderr = "";
  child.stderr.on("data", (chunk) => {
    stderr += chunk;
  });
  const end = once(child, "close").then(([code]) => {
    running.delete(child);
    return { code, stderr };
  });
  return { process: child, lines: parseLines(child.stdout), end };
}

/** Ends what a test has left running. */
export function killChildren(): void {
  for (const child of running) child.kill("SIGKILL");
}

/** All that a child says, when it ends as it should. */
export async function outputOf({ lines, end }: Child): Promise<unknown[]> {
  const said: unknown[] = [];
  for await (const line of lines) said.push(line);
  const { code, stderr } = await end;
  if (code !== 0) throw new Error(`The child ended with code ${code}: ${stderr}`);
  return said;
}

async function* parseLines(output: NodeJS.ReadableStream): AsyncGenerator<unknown> {
  for await (const line of createInterface(output)) yield JSON.parse(line);
}

async function findNewerNode(): Promise<string[] | undefined> {
  const call = ["exec", "--yes", "--prefer-offline", "--fetch-retries=0", "--package=node@24", "--call"];
  try {
    const shell = process.platform === "win32"; // where npm is a command file
    const ask = shell ? '"node -p process.execPath"' : "node -p process.execPath";
    const { stdout } = await promisify(execFile)("npm", [...call, ask], { timeout: 120_000, shell, cwd: root });
    return [stdout.trim()];
  } catch {
    return undefined;
  }
}
