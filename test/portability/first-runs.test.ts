import { spawnSync } from "node:child_process";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { build } from "vite";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { firstRuns, startsAtOnce } from "./first-runs.js";

const root = join(import.meta.dirname, "../..");

describe("The first run of a program, bundled", () => {
  const folder = mkdtempSync(join(tmpdir(), "kumiko-bundled-"));
  afterAll(() => rmSync(folder, { recursive: true, force: true }));

  beforeAll(async () => {
    await build({
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
          input: { program: join(import.meta.dirname, "first-runs.ts") },
          output: { entryFileNames: "[name].mjs", chunkFileNames: "[name]-[hash].mjs" },
        },
      },
    });
  });

  const runBundled = (name: string): string => {
    const script = `
      import { firstRuns, startsAtOnce } from "./program.mjs";
      const result = await (firstRuns[${JSON.stringify(name)}] ?? startsAtOnce)();
      console.log(JSON.stringify(result) ?? "undefined");`;
    const options = { cwd: folder, encoding: "utf8" } as const;
    const { stdout, stderr } = spawnSync(process.execPath, ["--input-type=module", "--eval", script], options);
    expect(stderr).toBe("");
    return stdout.trim();
  };

  it.each(Object.entries(firstRuns))("gives what it gives from the source: %s", async (name, run) => {
    expect(runBundled(name)).toBe(JSON.stringify(await run()) ?? "undefined");
  });

  it("waits for the scheduler, which in Node.js is there from the start", async () => {
    expect(await startsAtOnce()).toBe(true);
    expect(runBundled("startsAtOnce")).toBe("false");
  });
});
