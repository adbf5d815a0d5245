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
 * Bundles a program for browsers, so that an import of a Node.js module fails too. What is loaded on demand, by dynamic
 * imports, is no part of its start and counted apart. The start is one file, as Vite, Rollup and webpack write it; esbuild
 * would cut it wherever something on demand needs a part of it.
 *
 * @param {string} program
 */
async function measure(program) {
  const start = await bundle(program, { plugins: [leaveOnDemand] });
  const [file] = start.sizes;
  if (file === undefined) throw new Error("esbuild wrote nothing.");
  const files = Object.entries(file.inputs).map(([path, { bytesInOutput }]) => ({ file: path, bytes: bytesInOutput }));
  const { sizes, outputs } = await bundle(program, { splitting: true });
  const first = withStaticImports(outputs, "out/stdin.js");
  const later = sizes.filter(({ path }) => !first.has(path));
  const onDemand = later.reduce((sum, { gzipped }) => sum + gzipped, 0);
  return { gzipped: file.gzipped, minified: file.minified, onDemand, files };
}

/** @type {import("esbuild").Plugin} */
const leaveOnDemand = {
  name: "leave-on-demand",
  setup({ onResolve }) {
    onResolve({ filter: /./ }, ({ kind, path }) => (kind === "dynamic-import" ? { path, external: true } : undefined));
  },
};

/**
 * @param {string} program
 * @param {import("esbuild").BuildOptions} options
 */
async function bundle(program, options) {
  const { outputFiles = [], metafile } = await build({
    stdin: { contents: program, resolveDir: root, sourcefile: "program.ts", loader: "ts" },
    tsconfig: join(root, "tsconfig.json"),
    bundle: true,
    minify: true,
    treeShaking: true,
    format: "esm",
    target: "es2022",
    platform: "browser",
    outdir: join(root, "out"),
    absWorkingDir: root,
    write: false,
    metafile: true,
    logLevel: "error",
    ...options,
  });
  const outputs = metafile?.outputs ?? {};
  const sizes = Object.entries(outputs).map(([path, { inputs }], index) => {
    const { contents } = outputFiles[index] ?? { contents: new Uint8Array() };
    const gzipped = gzipSync(contents, { level: 9 }).byteLength;
    return { path, inputs, minified: contents.byteLength, gzipped };
  });
  return { outputs, sizes };
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
