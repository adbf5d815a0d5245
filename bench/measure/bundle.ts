import { gzipSync } from "node:zlib";
import { build, type Metafile } from "esbuild";

/** Bytes of what a program loads when it starts: minified, with all that it imports; and the same gzipped. */
export async function bundleBytes(
  contents: string,
  { folder, tsconfig }: { folder: string; tsconfig?: string },
): Promise<{ minified: number; gzipped: number }> {
  const { outputFiles, metafile } = await build({
    stdin: { contents, resolveDir: folder, sourcefile: "program.ts", loader: "ts" },
    ...(tsconfig === undefined ? {} : { tsconfig }),
    bundle: true,
    minify: true,
    splitting: true,
    format: "esm",
    target: "es2022",
    platform: "node",
    outdir: "out",
    absWorkingDir: folder,
    write: false,
    metafile: true,
    logLevel: "error",
  });
  const start = startOf(metafile.outputs);
  const sizes = Object.keys(metafile.outputs)
    .map((path, index) => ({ path, contents: outputFiles[index]?.contents ?? new Uint8Array() }))
    .filter(({ path }) => start.has(path))
    .map(({ contents: bytes }) => ({ minified: bytes.length, gzipped: gzipSync(bytes, { level: 9 }).length }));
  const sum = (figure: "minified" | "gzipped"): number => sizes.reduce((total, size) => total + size[figure], 0);
  return { minified: sum("minified"), gzipped: sum("gzipped") };
}

/** The files that are loaded at once; what is imported dynamically may never be. */
function startOf(outputs: Metafile["outputs"]): Set<string> {
  const reached = new Set(["out/stdin.js"]);
  for (const path of reached) {
    for (const { path: target, kind } of outputs[path]?.imports ?? [])
      if (kind === "import-statement") reached.add(target);
  }
  return reached;
}
