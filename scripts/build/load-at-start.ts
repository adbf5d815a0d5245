import { resolve } from "node:path";
import type { Plugin } from "esbuild";

/**
 * Keeps an import of a file of which nothing is used: programs in Node.js load it with the entries that import it. Bundlers of
 * applications drop the import, because this package has no side effects, and load the file on demand.
 */
export function loadAtStart(root: string, file: string): Plugin {
  const path = resolve(root, file);
  return {
    name: "load-at-start",
    setup({ onResolve }) {
      onResolve({ filter: /\/scheduling\.js$/ }, ({ kind, resolveDir, path: specifier }) => {
        const isFile = resolve(resolveDir, specifier.replace(/\.js$/, ".ts")) === path;
        return kind === "import-statement" && isFile ? { path, sideEffects: true } : undefined;
      });
    },
  };
}
