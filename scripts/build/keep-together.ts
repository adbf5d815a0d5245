import { readFile } from "node:fs/promises";
import { dirname, relative, resolve } from "node:path";
import type { Plugin } from "esbuild";

/**
 * Makes the bundler write few files. It cuts the output wherever two entries do not need the same, which is in dozens of
 * places, and each file costs a program a millisecond at its start. Here every file of the record also "imports" another
 * one: what both need stays in one piece. The import itself is dropped from the output, for nothing of it is used.
 */
export function keepTogether(root: string, withFile: Readonly<Record<string, string>>): Plugin {
  const others = new Map(
    Object.entries(withFile).map(([file, other]) => [resolve(root, file), resolve(root, other)] as const),
  );
  return {
    name: "keep-together",
    setup({ onLoad, initialOptions }) {
      initialOptions.logOverride = { ...initialOptions.logOverride, "ignored-bare-import": "silent" };
      onLoad({ filter: /\.ts$/ }, async ({ path }) => {
        const other = others.get(path);
        if (other === undefined) return undefined;
        const specifier = `./${relative(dirname(path), other)}`.replaceAll("\\", "/");
        return { loader: "ts", contents: `${await readFile(path, "utf8")}\nimport ${JSON.stringify(specifier)};\n` };
      });
    },
  };
}
