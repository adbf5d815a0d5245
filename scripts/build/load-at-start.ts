import { dirname, posix, relative, resolve } from "node:path";
import type { Metafile, OutputFile, Plugin } from "esbuild";

/**
 * Lets entries load in Node.js, at the start, files that bundles of applications load on demand: each import of such a file by an
 * `index.ts`, of which nothing is used, becomes an import of the output file. The bundler never sees it, or it would put the file
 * into one piece with what is needed at the start, and bundlers of applications take a piece whole. They drop the import itself,
 * because this package has no side effects.
 */
export function loadAtStart(root: string, files: readonly string[]): Plugin {
  const paths = new Set(files.map((file) => resolve(root, file)));
  const names = files.map((file) => file.replace(/^.*\//, "").replace(/\.ts$/, "")).join("|");
  return {
    name: "load-at-start",
    setup({ onResolve, onLoad, onEnd }) {
      const imports = new Map<string, string[]>();
      onResolve({ filter: new RegExp(`/(?:${names})\\.js$`) }, ({ kind, importer, resolveDir, path: specifier }) => {
        const path = resolve(resolveDir, specifier.replace(/\.js$/, ".ts"));
        if (kind !== "import-statement" || !importer.endsWith("/index.ts") || !paths.has(path)) return undefined;
        const entry = relative(root, importer);
        imports.set(entry, [...(imports.get(entry) ?? []), relative(root, path)]);
        return { path, namespace: "load-at-start" };
      });
      onLoad({ filter: /./, namespace: "load-at-start" }, () => ({ contents: "" }));
      onEnd(({ metafile, outputFiles = [] }) => {
        for (const [entry, parts] of imports) {
          const output = outputOf(entry, metafile);
          const file = outputFiles.find(({ path }) => relative(root, path) === output);
          if (file === undefined) throw new Error(`The bundler did not write ${output}.`);
          addImports(file, new Set(parts.map((part) => importOf(fileWith(part, metafile), output))));
        }
      });
    },
  };
}

/** The file with the code of a source: what loads it on demand may have to go through another one. */
function fileWith(source: string, metafile: Metafile | undefined): string {
  const outputs = Object.entries(metafile?.outputs ?? {});
  const [output] = outputs.find(([, { inputs }]) => source in inputs) ?? [];
  if (output === undefined) throw new Error(`Nothing loads ${source} on demand.`);
  return output;
}

function outputOf(source: string, metafile: Metafile | undefined): string {
  const [output] = Object.entries(metafile?.outputs ?? {}).find(([, { entryPoint }]) => entryPoint === source) ?? [];
  if (output === undefined) throw new Error(`The bundler wrote no entry for ${source}.`);
  return output;
}

function importOf(file: string, importer: string): string {
  const path = posix.relative(dirname(importer), file);
  return `import ${JSON.stringify(path.startsWith(".") ? path : `./${path}`)};\n`;
}

/** Before the comment about the source map, so that no line of it moves. */
function addImports(file: OutputFile, imports: ReadonlySet<string>): void {
  const code = file.text.replace(/(?=^\/\/# sourceMappingURL=.*\s*$)|$(?![\s\S])/m, () => [...imports].join(""));
  file.contents = new TextEncoder().encode(code);
}
