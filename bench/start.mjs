// Runs a program of this folder as users run the package: as plain JavaScript, made by esbuild as `npm run build` does it. A
// loader that compiles on the fly (tsx) keeps the names of functions, which costs wherever one is made.
//
// node bench/start.mjs <program.ts> [arguments]
import { spawn } from "node:child_process";
import { readFileSync, rmSync } from "node:fs";
import { basename, dirname, join, resolve } from "node:path";
import { fileURLToPath } from "node:url";
import { build } from "esbuild";

const root = dirname(dirname(fileURLToPath(import.meta.url)));
const [program = "bench/run.ts", ...programArguments] = process.argv.slice(2);

// Beside the program, so that it finds the packages that are installed there.
const outdir = join(dirname(resolve(program)), ".out", String(process.pid));
try {
  await build({
    entryPoints: [resolve(program)],
    outdir,
    outExtension: { ".js": ".mjs" },
    bundle: true,
    splitting: true,
    format: "esm",
    platform: "node",
    target: "node20",
    tsconfig: join(root, "tsconfig.json"),
    external: packages(),
    // keeps the bare imports of the entries, with which Node.js loads at the start what bundlers load on demand
    ignoreAnnotations: true,
    banner: {
      js: 'import { createRequire as makeRequire } from "node:module"; const require = makeRequire(import.meta.url);',
    },
    logLevel: "warning",
  });
  process.exitCode = await run(join(outdir, `${basename(program, ".ts")}.mjs`));
} finally {
  rmSync(outdir, { recursive: true, force: true });
}

/** What is imported at run time. What kumiko itself needs is not among it: it is bundled with its code. */
function packages() {
  /** @type {{ devDependencies: object, peerDependencies: object }} */
  const own = JSON.parse(readFileSync(join(root, "package.json"), "utf8"));
  /** @type {{ dependencies: object }} */
  const peers = JSON.parse(readFileSync(join(root, "bench/peers/package.json"), "utf8"));
  return [own.devDependencies, own.peerDependencies, peers.dependencies].flatMap(Object.keys);
}

/**
 * @param {string} path
 * @returns {Promise<number>}
 */
function run(path) {
  return new Promise((settle) => {
    const child = spawn(process.execPath, [path, ...programArguments], { stdio: "inherit" });
    child.on("exit", (code) => settle(code ?? 1));
  });
}
