import { spawnSync } from "node:child_process";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { build } from "esbuild";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { firstRuns, startsAtOnce } from "./first-runs.js";

const root = join(import.meta.dirname, "../..");

describe("The first run of a program, bundled", () => {
  const folder = mkdtempSync(join(tmpdir(), "kumiko-bundled-"));
  afterAll(() => rmSync(folder, { recursive: true, force: true }));

  beforeAll(async () => {
    const contents = `
      import { firstRuns, startsAtOnce } from "./first-runs.js";
      const result = await (firstRuns[process.argv[2]] ?? startsAtOnce)();
      console.log(JSON.stringify(result) ?? "undefined");`;
    await build({
      stdin: { contents, resolveDir: import.meta.dirname, sourcefile: "program.ts", loader: "ts" },
      tsconfig: join(root, "tsconfig.json"),
      absWorkingDir: root,
      bundle: true,
      splitting: true,
      minify: true,
      format: "esm",
      platform: "node",
      outdir: folder,
      outExtension: { ".js": ".mjs" },
      logLevel: "error",
    });
  });

  const runBundled = (name: string): string => {
    const { stdout, stderr } = spawnSync(process.execPath, [join(folder, "stdin.mjs"), name], { encoding: "utf8" });
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
