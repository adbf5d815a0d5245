import { resolve } from "node:path";
import type { Plugin } from "esbuild";

/**
 * Keeps imports of files of which nothing is used: programs in Node.js load these files with the entries that import them.
 * Bundlers of applications drop the imports, because this package has no side effects, and load the files on demand.
 */
export function loadAtStart(root: string, files: readonly string[]): Plugin {
  const paths = new Set(files.map((file) => resolve(root, file)));
  const names = files.map((file) => file.replace(/^.*\//, "").replace(/\.ts$/, "")).join("|");
  return {
    name: "load-at-start",
    setup({ onResolve }) {
      onResolve({ filter: new RegExp(`/(?:${names})\\.js$`) }, ({ kind, resolveDir, path: specifier }) => {
        const path = resolve(resolveDir, specifier.replace(/\.js$/, ".ts"));
        return kind === "import-statement" && paths.has(path) ? { path, sideEffects: true } : undefined;
      });
    },
  };
}
