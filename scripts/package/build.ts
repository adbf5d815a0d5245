import { execFileSync } from "node:child_process";
import { readdirSync, readFileSync, rmSync, statSync, writeFileSync } from "node:fs";
import { join } from "node:path";

/** Builds `dist/` when it is missing, or older than what it is made of. Of several processes that ask at once, one builds. */
export function buildWhenStale(root: string): void {
  const lock = join(root, "node_modules/.kumiko-build");
  lockFor(lock);
  try {
    if (isStale(root)) {
      // the steps of `npm run build`
      for (const script of ["node_modules/tsup/dist/cli-default.js", "scripts/build/import-named-types.mjs"]) {
        execFileSync(process.execPath, [join(root, script)], { cwd: root, stdio: ["ignore", "pipe", "pipe"] });
      }
    }
  } finally {
    rmSync(lock, { force: true });
  }
}

function isStale(root: string): boolean {
  const inputs = ["package.json", "tsconfig.json", "tsconfig.build.json", "tsup.config.ts"];
  inputs.push(...filesOf(root, "src"), ...filesOf(root, "scripts/build"));
  const outputs = filesOf(root, "dist").filter((path) => path.endsWith(".js") || path.endsWith(".d.ts"));
  const built = outputs.map((path) => timeOf(root, path)).sort((a, b) => a - b)[0];
  const fresh = built !== undefined && inputs.every((path) => timeOf(root, path) < built);
  return !fresh || !outputs.some((path) => path.endsWith(".d.ts"));
}

/** Makes a file that holds the id of this process; waits while it holds that of another one that is alive. */
function lockFor(lock: string): void {
  for (;;) {
    try {
      writeFileSync(lock, String(process.pid), { flag: "wx" });
      return;
    } catch (error) {
      if ((error as { code?: unknown }).code !== "EEXIST") throw error;
      const owner = ownerOf(lock);
      if (owner === undefined || isAlive(owner)) sleep(100);
      else rmSync(lock, { force: true });
    }
  }
}

/** Nothing when the lock is gone, or about to be written. */
function ownerOf(lock: string): number | undefined {
  try {
    return Number(readFileSync(lock, "utf8")) || undefined;
  } catch {
    return undefined;
  }
}

function isAlive(id: number): boolean {
  try {
    return process.kill(id, 0);
  } catch {
    return false;
  }
}

function sleep(milliseconds: number): void {
  Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, milliseconds);
}

function timeOf(root: string, path: string): number {
  return statSync(join(root, path)).mtimeMs;
}

function filesOf(root: string, folder: string): string[] {
  try {
    return readdirSync(join(root, folder), { recursive: true, withFileTypes: true })
      .filter((entry) => entry.isFile())
      .map((entry) => join(entry.parentPath, entry.name).slice(root.length + 1));
  } catch {
    return [];
  }
}
