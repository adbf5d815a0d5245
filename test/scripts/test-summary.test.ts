import { spawnSync } from "node:child_process";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, expect, it } from "vitest";

const script = join(import.meta.dirname, "../../scripts/test-summary.mjs");
const folder = mkdtempSync(join(tmpdir(), "kumiko-summary-"));
const path = join(folder, "report.json");
afterAll(() => rmSync(folder, { recursive: true, force: true }));

function summarize(files: readonly (readonly [status: string, ...tests: string[]])[], exitCode: number) {
  const testResults = files.map(([status, ...tests]) => ({
    status,
    assertionResults: tests.map((test) => ({ status: test })),
  }));
  writeFileSync(path, JSON.stringify({ testResults }));
  return run(path, exitCode);
}

function run(report: string, exitCode: number) {
  const { stdout, status } = spawnSync(process.execPath, [script, report, String(exitCode)], { encoding: "utf8" });
  return { lastLine: stdout.trimEnd().split("\n").at(-1), status };
}

it("counts the tests of every file", () => {
  const files = [
    ["passed", "passed", "passed"],
    ["passed", "passed"],
  ] as const;
  expect(summarize(files, 0)).toEqual({ lastLine: "3 passed, 0 failed", status: 0 });
});

it("names skipped tests, and fails when a test failed", () => {
  const files = [["failed", "passed", "failed", "skipped", "pending", "todo"]] as const;
  expect(summarize(files, 1)).toEqual({ lastLine: "1 passed, 1 failed, 3 skipped", status: 1 });
});

it("counts a file that could not be loaded as a failure", () => {
  expect(summarize([["passed", "passed"], ["failed"]], 1)).toEqual({ lastLine: "1 passed, 1 failed", status: 1 });
});

it("counts a run that failed outside of the tests as a failure", () => {
  expect(summarize([["passed", "passed"]], 1)).toEqual({ lastLine: "1 passed, 1 failed", status: 1 });
});

it("does not take a missing report for a success", () => {
  expect(run(join(folder, "none.json"), 0)).toEqual({ lastLine: "0 passed, 1 failed", status: 1 });
});
