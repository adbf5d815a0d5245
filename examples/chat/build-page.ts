import { cp } from "node:fs/promises";
import { join } from "node:path";
import { build } from "esbuild";

const source = join(import.meta.dirname, "page");

/** Builds the page into a folder: index.html, style.css and one script. */
export async function buildPage(folder: string): Promise<void> {
  await build({
    entryPoints: [join(source, "main.tsx")],
    outdir: folder,
    bundle: true,
    minify: true,
    format: "esm",
    target: "es2022",
    jsx: "automatic",
    define: { "process.env.NODE_ENV": '"production"' },
    logLevel: "silent",
  });
  for (const name of ["index.html", "style.css"]) await cp(join(source, name), join(folder, name));
}
