import { execFileSync } from "node:child_process";
import { statSync } from "node:fs";
import { join } from "node:path";

const own = import.meta.dirname;

/** Where a runtime is, once it is installed. */
export const runtimePath = (path: string): string => join(own, "node_modules", path);

/** Installs the runtimes once; says why there are none. */
export function installRuntimes(): string | undefined {
  const timeOf = (path: string) => statSync(join(own, path), { throwIfNoEntry: false })?.mtimeMs ?? 0;
  if (timeOf("node_modules/.package-lock.json") >= timeOf("package-lock.json")) return undefined;
  try {
    const options = ["--ignore-scripts", "--no-audit", "--no-fund", "--loglevel=error", "--fetch-retries=1"];
    execFileSync("npm", ["ci", ...options], { cwd: own, stdio: "ignore", timeout: 180_000 });
    return undefined;
  } catch {
    return "npm ci failed";
  }
}
