// Bundles small programs as an application would, and measures what they weigh.
import { realpathSync } from "node:fs";
import { readFile } from "node:fs/promises";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { gzipSync } from "node:zlib";
import { build } from "esbuild";

const root = dirname(dirname(fileURLToPath(import.meta.url)));

/** What an agent is compared with: it must never be larger. */
export const aiSdk = "generateText and streamText of the AI SDK";

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
  loopOfModelAndTools: `
    import { AgenticToolsNode, createTool, END, Graph, START, toolCallsOr } from "kumiko";
    const tool = createTool({ id: "a", description: "", inputSchema: { type: "object" }, execute: (x) => x });
    export const loop = (model) =>
      new Graph()
        .withState(() => ({}))
        .addNode("model", model)
        .addNode("tools", new AgenticToolsNode({ tools: [tool] }))
        .addEdge(START, "model")
        .addBranch("model", ["tools", END], toolCallsOr("tools", END))
        .addEdge("tools", "model")
        .compile();
  `,
  agent: `
    import { createTool } from "kumiko";
    import { createAgent } from "kumiko/agents";
    const tool = createTool({ id: "a", description: "", inputSchema: { type: "object" }, execute: (x) => x });
    export const agent = (model) => createAgent({ model, tools: [tool] });
  `,
  agents: `export * from "kumiko/agents";`,
  rag: `export * from "kumiko/rag";`,
  mastra: `export * from "kumiko/mastra";`,
  [aiSdk]: `export { generateText, streamText } from "ai";`,
};

/** What runs on servers only: without the packages of others, such as those of MCP. */
const onServers = ["mastra", "mastraBesideRoot", "evalsBesideRoot"];
/** @type {import("esbuild").BuildOptions} */
const serverOptions = { platform: "node", packages: "external" };

/**
 * Entries that an application has beside others: what they add is measured, by its name in budgets.json.
 *
 * @type {Readonly<Record<string, { readonly base: string, readonly added: string }>>}
 */
const additions = {
  ragBesideRoot: { base: `export * from "kumiko";`, added: `export * from "kumiko/rag";` },
  evalsBesideRoot: { base: `export * from "kumiko";`, added: `export * from "kumiko/evals";` },
  mastraBesideRoot: { base: `export * from "kumiko";`, added: `export * as mastra from "kumiko/mastra";` },
};

/**
 * @typedef {{ file: string, bytes: number }} FileShare
 * @typedef {{ name: string, gzipped: number, minified: number, onDemand: number, files: FileShare[] }} BundleSize
 */

/** @returns {Promise<BundleSize[]>} in bytes; what is loaded on demand is counted apart */
export async function measureBundles() {
  const optionsOf = (/** @type {string} */ name) => (onServers.includes(name) ? serverOptions : {});
  const alone = Object.entries(programs).map(async ([name, program]) => {
    return { name, ...(await measure(program, optionsOf(name))) };
  });
  const beside = Object.entries(additions).map(async ([name, parts]) => {
    return { name, ...(await measureAddition(parts, optionsOf(name))) };
  });
  return [...(await Promise.all(alone)), ...(await Promise.all(beside))];
}

/**
 * How much larger a bundle becomes.
 *
 * @param {{ readonly base: string, readonly added: string }} parts
 * @param {import("esbuild").BuildOptions} options
 */
async function measureAddition({ base, added }, options) {
  const [before, after] = await Promise.all([measure(base, options), measure(`${base}\n${added}`, options)]);
  const own = new Set(before.files.map(({ file }) => file));
  return {
    gzipped: after.gzipped - before.gzipped,
    minified: after.minified - before.minified,
    onDemand: after.onDemand - before.onDemand,
    files: after.files.filter(({ file }) => !own.has(file)),
  };
}

/**
 * Bundles a program for browsers, so that an import of a Node.js module fails too. What is loaded on demand, by dynamic
 * imports, is no part of its start and counted apart. The start is one file, as Vite, Rollup and webpack write it; esbuild
 * would cut it wherever something on demand needs a part of it.
 *
 * @param {string} program
 * @param {import("esbuild").BuildOptions} options
 */
async function measure(program, options) {
  const file = await bundleStart(program, [], options);
  const files = Object.entries(file.inputs).map(([path, { bytesInOutput }]) => ({ file: path, bytes: bytesInOutput }));
  const { sizes, outputs } = await bundle(program, { splitting: true, ...options });
  const first = withStaticImports(outputs, "out/stdin.js");
  const later = sizes.filter(({ path }) => !first.has(path));
  const onDemand = later.reduce((sum, { gzipped }) => sum + gzipped, 0);
  return { gzipped: file.gzipped, minified: file.minified, onDemand, files };
}

/**
 * What the smallest graph would weigh at its start with some files of src/ left empty, so that nothing of what only they need
 * is in it either.
 *
 * @param {readonly string[]} files paths in src/
 */
export async function measureWithout(files) {
  const emptied = new Set(files.map((file) => realpathSync(join(root, "src", file))));
  /** @type {import("esbuild").Plugin} */
  const leaveEmpty = {
    name: "leave-empty",
    setup({ onLoad }) {
      onLoad({ filter: /\.ts$/ }, async ({ path }) => {
        if (!emptied.has(path)) return undefined;
        const names = (await readFile(path, "utf8")).matchAll(/^export (?:async )?(?:function|class|const) (\w+)/gm);
        const exported = new Set([...names].map(([, name]) => name));
        return { contents: [...exported].map((name) => `export const ${name} = globalThis.nothing;`).join("\n") };
      });
    },
  };
  const { gzipped } = await bundleStart(programs.oneNodeGraph ?? "", [leaveEmpty]);
  return gzipped;
}

/**
 * @param {string} program
 * @param {readonly import("esbuild").Plugin[]} plugins
 * @param {import("esbuild").BuildOptions} [options]
 */
async function bundleStart(program, plugins, options) {
  const { sizes } = await bundle(program, { plugins: [leaveOnDemand, ...plugins], ...options });
  const [file] = sizes;
  if (file === undefined) throw new Error("esbuild wrote nothing.");
  return file;
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
