import { readFileSync } from "node:fs";
import { join } from "node:path";

export interface Entry {
  /** What a user imports: `kumiko` or `kumiko/schema`. */
  readonly specifier: string;
  /** Its source, from the root of the repository: `src/schema/index.ts`. */
  readonly source: string;
}

/** The entries that package.json exports, in its order. */
export function readEntries(root: string): Entry[] {
  const manifest: { name: string; exports: Record<string, string | { default: string }> } = JSON.parse(
    readFileSync(join(root, "package.json"), "utf8"),
  );
  return Object.entries(manifest.exports).flatMap(([path, target]) => {
    if (typeof target === "string") return []; // a plain file: package.json
    const source = target.default.replace(/^\.\/dist\//, "src/").replace(/\.js$/, ".ts");
    return [{ specifier: manifest.name + path.slice(1), source }];
  });
}
