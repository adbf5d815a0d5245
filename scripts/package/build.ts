import { execFileSync } from "node:child_process";
import { readdirSync, statSync } from "node:fs";
import { join } from "node:path";

/** Builds `dist/` when it is missing, or older than what it is made of. */
export function buildWhenStale(root: string): void {
  const inputs = ["package.json", "tsconfig.json", "tsup.config.ts"];
  inputs.push(...filesOf(root, "src"), ...filesOf(root, "scripts/build"));
  const outputs = filesOf(root, "dist").filter((path) => path.endsWith(".js") || path.endsWith(".d.ts"));
  const built = outputs.map((path) => timeOf(root, path)).sort((a, b) => a - b)[0];
  const fresh = built !== undefined && inputs.every((path) => timeOf(root, path) < built);
  const complete = outputs.some((path) => path.endsWith(".d.ts"));
  if (fresh && complete) return;
  const tsup = join(root, "node_modules/tsup/dist/cli-default.js");
  execFileSync(process.execPath, [tsup], { cwd: root, stdio: ["ignore", "pipe", "pipe"] });
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
