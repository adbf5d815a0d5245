// Bundles small programs as an application would, and measures what they weigh.
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { gzipSync } from "node:zlib";
import { build } from "esbuild";

const root = dirname(dirname(fileURLToPath(import.meta.url)));

/**
 * What is measured, by its name in budgets.json.
 *
 * @type {Readonly<Record<string, string>>}
 */
const programs = {
  root: `export * from "kumiko";`,
  oneNodeGraph: `
    import { END, Graph, START } from "kumiko";
    export const run = new Graph().addNode("a", (x) => x).addEdge(START, "a").addEdge("a", END).compile();
  `,
  toolsNode: `
    import { AgenticToolsNode, createTool } from "kumiko";
    const tool = createTool({ id: "a", description: "", inputSchema: { type: "object" }, execute: (x) => x });
    export const node = new AgenticToolsNode({ tools: [tool] });
  `,
};

/**
 * @typedef {{ file: string, bytes: number }} FileShare
 * @typedef {{ name: string, gzipped: number, minified: number, onDemand: number, files: FileShare[] }} BundleSize
 */

/** @returns {Promise<BundleSize[]>} in bytes; what is loaded on demand is counted apart */
export function measureBundles() {
  return Promise.all(Object.entries(programs).map(async ([name, program]) => ({ name, ...(await measure(program)) })));
}

/**
 * Bundles a program with everything that it imports, for browsers, so that an import of a Node.js module fails too. What is
 * imported dynamically (ajv) is not part of the start: it is counted apart.
 *
 * @param {string} program
 */
async function measure(program) {
  const { outputFiles, metafile } = await build({
    stdin: { contents: program, resolveDir: root, sourcefile: "program.ts", loader: "ts" },
    tsconfig: join(root, "tsconfig.json"),
    bundle: true,
    minify: true,
    splitting: true,
    treeShaking: true,
    format: "esm",
    target: "es2022",
    platform: "browser",
    outdir: join(root, "out"),
    absWorkingDir: root,
    write: false,
    metafile: true,
    logLevel: "error",
  });
  const sizes = new Map(
    Object.keys(metafile.outputs).map((path, index) => {
      const { contents } = outputFiles[index] ?? { contents: new Uint8Array() };
      return [path, { minified: contents.byteLength, gzipped: gzipSync(contents, { level: 9 }).byteLength }];
    }),
  );
  const start = withStaticImports(metafile.outputs, "out/stdin.js");
  const total = { gzipped: 0, minified: 0, onDemand: 0 };
  for (const [path, { gzipped, minified }] of sizes) {
    if (start.has(path)) {
      total.gzipped += gzipped;
      total.minified += minified;
    } else total.onDemand += gzipped;
  }
  const files = [...start].flatMap((path) => Object.entries(metafile.outputs[path]?.inputs ?? {}));
  return { ...total, files: files.map(([file, { bytesInOutput }]) => ({ file, bytes: bytesInOutput })) };
}

/**
 * @param {import("esbuild").Metafile["outputs"]} outputs
 * @param {string} entry
 */
function withStaticImports(outputs, entry) {
  if (outputs[entry] === undefined) throw new Error(`esbuild did not write ${entry}, but ${Object.keys(outputs)}.`);
  const reached = new Set([entry]);
  for (const path of reached) {
    for (const { path: target, kind } of outputs[path]?.imports ?? [])
      if (kind === "import-statement") reached.add(target);
  }
  return reached;
}
