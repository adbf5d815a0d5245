import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterAll, describe, expect, it } from "vitest";
import { expectedTexts, findProblem, runExample } from "../../scripts/examples.js";
import { compilePrograms } from "../../scripts/programs.js";

const root = join(import.meta.dirname, "../..");
const folder = mkdtempSync(join(root, "node_modules/.examples-"));
afterAll(() => rmSync(folder, { recursive: true, force: true }));

async function problemOf(source: string, timeoutMs = 30_000) {
  const path = join(folder, "example.ts");
  writeFileSync(path, source);
  const programOf = await compilePrograms([path], join(folder, "out"));
  return findProblem(await runExample(root, programOf(path), timeoutMs), source);
}

describe("an example", { timeout: 60_000 }, () => {
  it("is fine when it ends well and prints what it promises", async () => {
    expect(
      await problemOf(`// One idea.\n// expect: a 1\n// expect: b\nconsole.log("a", 1 as number); console.error("b");`),
    ).toBeUndefined();
  });

  it("is wrong when it throws", async () => {
    expect(await problemOf(`throw new Error("broken");`)).toMatch(/It ended with 1\..*broken/s);
  });

  it("is wrong when it does not print what it promises", async () => {
    expect(await problemOf(`// expect: a 1\n// expect: b\nconsole.log("a 1");`)).toBe(`It does not print "b".\na 1\n`);
  });

  it("is wrong when it does not end", async () => {
    expect(await problemOf("setInterval(() => {}, 1_000);", 1_500)).toContain("It did not end in time.");
  });
});

it("promises only in the comments at its start", () => {
  expect(expectedTexts(`// Title\n//\n// expect: one\n// expect:  two \n\nconst a = 1;\n// expect: three\n`)).toEqual([
    "one",
    "two",
  ]);
});
