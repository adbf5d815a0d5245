// Measures what an application pays for this package, minified and gzipped, and fails over the budgets of budgets.json.
import { readFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { gzipSync } from "node:zlib";
import { build } from "esbuild";

const root = dirname(dirname(fileURLToPath(import.meta.url)));

/** What is measured, by its name in budgets.json. */
const programs = {
  root: `export * from "kumiko";`,
  oneNodeGraph: `
    import { END, Graph, START } from "kumiko";
    export const run = new Graph().addNode("a", (x) => x).addEdge(START, "a").addEdge("a", END).compile();
  `,
};

/** @type {{ gzippedBytes: Record<string, number> }} */
const { gzippedBytes: budgets } = JSON.parse(readFileSync(join(root, "budgets.json"), "utf8"));

const rows = [];
for (const [name, program] of Object.entries(programs)) {
  const budget = budgets[name];
  if (budget === undefined) throw new Error(`budgets.json has no gzippedBytes.${name}.`);
  rows.push({ name, budget, ...(await measure(program)) });
}

const columns = ["", "gzipped", "minified", "budget", "on demand (gzipped)"];
const table = rows.map(({ name, gzipped, minified, budget, onDemand }) => [
  name,
  ...[gzipped, minified, budget, onDemand].map((bytes) => bytes.toLocaleString("en-US")),
]);
for (const row of [columns, ...table]) {
  console.log(row.map((cell, index) => (index === 0 ? cell.padEnd(14) : cell.padStart(21))).join(""));
}
if (process.argv.includes("--files")) for (const { name, files } of rows) printFiles(name, files);
const over = rows.filter(({ gzipped, budget }) => gzipped > budget);
for (const { name, gzipped, budget } of over) {
  console.error(
    `${name} is ${gzipped - budget} bytes over its budget. Make it smaller, or raise the budget in budgets.json.`,
  );
}
if (over.length > 0) process.exitCode = 1;

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
 * @param {string} name
 * @param {{ file: string, bytes: number }[]} files
 */
function printFiles(name, files) {
  console.log(`\n${name}: the 25 largest of ${files.length} files, minified`);
  for (const { file, bytes } of files.sort((a, b) => b.bytes - a.bytes).slice(0, 25)) {
    console.log(`${bytes.toLocaleString("en-US").padStart(8)}  ${file}`);
  }
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
