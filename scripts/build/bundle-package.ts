import { readFile } from "node:fs/promises";
import { join } from "node:path";
import type { Plugin } from "esbuild";

/**
 * Puts a file of a package into the output, under the licence of the package: for one that Node.js would have to load as a
 * CommonJS module, which costs a program more than all the rest of its start.
 */
export function bundlePackage(root: string, name: string, file: string): Plugin {
  const folder = join(root, "node_modules", name);
  const bundled = join(folder, file);
  return {
    name: `bundle-${name}`,
    setup({ onResolve, onLoad }) {
      onResolve({ filter: new RegExp(`^${name}$`) }, () => ({ path: bundled }));
      onLoad({ filter: /\.js$/ }, async ({ path }) => {
        if (path !== bundled) return undefined;
        const licence = await readFile(join(folder, "LICENSE"), "utf8");
        return { contents: `/*! ${name}\n${licence.trim()}\n*/\n${await readFile(path, "utf8")}` };
      });
    },
  };
}
