import { readdirSync, readFileSync } from "node:fs";
import { join, posix } from "node:path";

/** Files below `test/` that import inner files of `src/`, entries excepted: from each of them, what it imports. */
export function findInnerImports(root: string): ReadonlyMap<string, readonly string[]> {
  const found = new Map<string, readonly string[]>();
  for (const name of readdirSync(join(root, "test"), { recursive: true, encoding: "utf8" }).sort()) {
    if (!name.endsWith(".ts") || name.includes("node_modules")) continue;
    const path = posix.join("test", name.replaceAll("\\", "/"));
    const inner = innerImportsOf(path, readFileSync(join(root, path), "utf8"));
    if (inner.length > 0) found.set(path, inner);
  }
  return found;
}

export function innerImportsOf(path: string, text: string): string[] {
  return [...text.matchAll(/^(?:import|export|\}).*?\bfrom "(\.[^"]+)"|\bimport\("(\.[^"]+)"\)/gm)]
    .map(([, from, dynamic]) => posix.join(posix.dirname(path), from ?? dynamic ?? ""))
    .filter((target) => target.startsWith("src/") && !target.endsWith("/index.js"));
}
