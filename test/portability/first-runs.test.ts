import { spawnSync } from "node:child_process";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { build as buildByEsbuild } from "esbuild";
import { build as buildByVite } from "vite";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { firstRuns } from "./first-runs.js";

const root = join(import.meta.dirname, "../..");
const program = join(import.meta.dirname, "first-runs.ts");

/** Bundlers, which write `program.mjs` into a folder. */
const bundlers: Readonly<Record<string, (folder: string) => Promise<unknown>>> = {
  Vite: (folder) =>
    buildByVite({
      root,
      configFile: false,
      logLevel: "error",
      resolve: {
        alias: [
          { find: /^kumiko$/, replacement: join(root, "src/index.ts") },
          { find: /^kumiko\/([a-z-]+)$/, replacement: join(root, "src/$1/index.ts") },
        ],
      },
      ssr: { noExternal: true },
      build: {
        ssr: true,
        outDir: folder,
        emptyOutDir: false,
        target: "node20",
        rolldownOptions: {
          input: { program },
          output: { entryFileNames: "[name].mjs", chunkFileNames: "[name]-[hash].mjs" },
        },
      },
    }),
  esbuild: (folder) =>
    buildByEsbuild({
      entryPoints: { program },
      tsconfig: join(root, "tsconfig.json"),
      absWorkingDir: root,
      bundle: true,
      minify: true,
      splitting: true,
      format: "esm",
      platform: "node",
      target: "node20",
      outdir: folder,
      outExtension: { ".js": ".mjs" },
      logLevel: "error",
    }),
};

describe.each(Object.entries(bundlers))("The first run of a program, bundled by %s", (_, bundle) => {
  const folder = mkdtempSync(join(tmpdir(), "kumiko-bundled-"));
  afterAll(() => rmSync(folder, { recursive: true, force: true }));
  beforeAll(() => bundle(folder));

  const runBundled = (name: string): string => {
    const script = `
      import { firstRuns } from "./program.mjs";
      console.log(JSON.stringify(await firstRuns[${JSON.stringify(name)}]()) ?? "undefined");`;
    const options = { cwd: folder, encoding: "utf8" } as const;
    const { stdout, stderr } = spawnSync(process.execPath, ["--input-type=module", "--eval", script], options);
    expect(stderr).toBe("");
    return stdout.trim();
  };

  it.each(Object.entries(firstRuns))("gives what it gives from the source: %s", async (name, run) => {
    expect(runBundled(name)).toBe(JSON.stringify(await run()) ?? "undefined");
  });
});
