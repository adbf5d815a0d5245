import { readFile } from "node:fs/promises";
import { dirname, relative, resolve } from "node:path";
import type { Plugin } from "esbuild";

/**
 * Makes the bundler write few files. It cuts the output wherever two entries do not need the same, which is in dozens of
 * places, and each file costs a program a millisecond at its start. Here every file of the record also "imports"
 * others: what they need too stays in one piece. The imports themselves are dropped from the output, for nothing of them is used.
 */
export function keepTogether(root: string, withFiles: Readonly<Record<string, string | readonly string[]>>): Plugin {
  const others = new Map(
    Object.entries(withFiles).map(([file, given]) => {
      return [resolve(root, file), [given].flat().map((other) => resolve(root, other))] as const;
    }),
  );
  return {
    name: "keep-together",
    setup({ onLoad, initialOptions }) {
      initialOptions.logOverride = { ...initialOptions.logOverride, "ignored-bare-import": "silent" };
      onLoad({ filter: /\.ts$/ }, async ({ path }) => {
        const other = others.get(path);
        if (other === undefined) return undefined;
        const imports = other.map((file) => `import ${JSON.stringify(specifierOf(file, path))};\n`);
        return { loader: "ts", contents: `${await readFile(path, "utf8")}\n${imports.join("")}` };
      });
    },
  };
}

function specifierOf(file: string, importer: string): string {
  return `./${relative(dirname(importer), file)}`.replaceAll("\\", "/");
}
