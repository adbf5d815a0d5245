import { gzipSync } from "node:zlib";
import { build, type Plugin } from "esbuild";

/**
 * Bytes of what a program loads when it starts: minified, with all that it imports, in one file; and the same gzipped. What is
 * imported dynamically may never be loaded, and is left out. (Splitting would leave more in: esbuild cuts by file, not by use.)
 */
export async function bundleBytes(
  contents: string,
  { folder, tsconfig }: { folder: string; tsconfig?: string },
): Promise<{ minified: number; gzipped: number }> {
  const { outputFiles } = await build({
    stdin: { contents, resolveDir: folder, sourcefile: "program.ts", loader: "ts" },
    ...(tsconfig === undefined ? {} : { tsconfig }),
    bundle: true,
    minify: true,
    format: "esm",
    target: "es2022",
    platform: "node",
    outdir: "out",
    absWorkingDir: folder,
    write: false,
    logLevel: "error",
    plugins: [leaveOnDemand],
  });
  const [file] = outputFiles;
  if (file === undefined) throw new Error("esbuild wrote nothing.");
  return { minified: file.contents.length, gzipped: gzipSync(file.contents, { level: 9 }).length };
}

const leaveOnDemand: Plugin = {
  name: "leave-on-demand",
  setup({ onResolve }) {
    onResolve({ filter: /./ }, ({ kind, path }) => (kind === "dynamic-import" ? { path, external: true } : undefined));
  },
};
