import { execFile } from "node:child_process";
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { promisify } from "node:util";
import { afterAll, expect, it } from "vitest";

const folder = mkdtempSync(join(tmpdir(), "kumiko-build-"));
afterAll(() => rmSync(folder, { recursive: true, force: true }));

const builder = `const { appendFileSync, mkdirSync, writeFileSync } = require("node:fs");
appendFileSync("builds", "built ");
Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 300);
mkdirSync("dist", { recursive: true });
for (const name of ["index.js", "index.d.ts"]) writeFileSync("dist/" + name, "");`;

it("builds once when several processes ask at once, also after one that was killed", async () => {
  for (const name of ["src", "scripts/build", "node_modules/tsup/dist"])
    mkdirSync(join(folder, name), { recursive: true });
  for (const name of ["package.json", "tsconfig.json", "tsconfig.build.json", "tsup.config.ts"])
    writeFileSync(join(folder, name), "{}");
  writeFileSync(join(folder, "node_modules/tsup/dist/cli-default.js"), builder);
  writeFileSync(join(folder, "scripts/build/import-named-types.mjs"), "");
  writeFileSync(join(folder, "node_modules/.kumiko-build"), "999999999");
  const source = pathToFileURL(join(import.meta.dirname, "../../../scripts/package/build.ts")).href;
  const script = `import { buildWhenStale } from ${JSON.stringify(source)}; buildWhenStale(${JSON.stringify(folder)});`;
  const run = () =>
    promisify(execFile)(process.execPath, [
      "--import",
      import.meta.resolve("tsx"),
      "--input-type=module",
      "--eval",
      script,
    ]);
  await Promise.all([run(), run(), run()]);
  expect(readFileSync(join(folder, "builds"), "utf8")).toBe("built ");
});
