import { expect, it } from "vitest";
import { CheckedExceptions } from "../../../scripts/ways/checked-exceptions.js";
import { type Report, summarize } from "../../../scripts/ways/summary.js";
import { formatTable } from "../../../scripts/ways/table.js";

type Test = Report["testResults"][number]["assertionResults"][number];

const test = (fullName: string, status: string, meta?: Test["meta"]): Test => ({
  fullName,
  status,
  failureMessages: status === "failed" ? ["Error: no\n  at"] : [],
  ...(meta === undefined ? {} : { meta }),
});

const report = (...assertionResults: readonly Test[]): Report => ({
  status: assertionResults.some(({ status }) => status === "failed") ? 1 : 0,
  testResults: [{ name: "a.test.ts", status: "passed", message: "", assertionResults }],
});

it("counts exceptions and defects among the tests that passed", () => {
  const tests = [test("a", "passed"), test("b", "passed", { exception: "why" })];
  const defect = test("c", "passed", { exception: "why", isDefect: true });
  expect(summarize(report(...tests, defect))).toEqual({ passed: 3, excepted: 1, defects: 1, failures: [] });
});

it("says of each failure where it is", () => {
  expect(summarize(report(test("a", "failed"))).failures).toEqual(["FAIL a.test.ts > a: Error: no"]);
});

it("counts what fails outside of a test", () => {
  expect(summarize({ status: 1, testResults: [] }).failures).toEqual(["FAIL outside of a test: see above"]);
  const broken = { name: "a.test.ts", status: "failed", message: "Cannot load", assertionResults: [] };
  expect(summarize({ status: 1, testResults: [broken] }).failures).toEqual(["FAIL a.test.ts: Cannot load"]);
});

it("puts one line for each combination into a table", () => {
  const summary = summarize(report(test("a", "passed")));
  expect(formatTable([["plain:stream", summary]]).split("\n")[1]).toMatch(/^plain:stream +1 +0 +0 +0$/);
});

it("names the exceptions that hold everywhere, and those that hold in part", () => {
  const checked = new CheckedExceptions();
  checked.add("one", report(test("holds", "failed"), test("partly", "failed"), test("needed", "passed")));
  checked.add("two", report(test("holds", "failed"), test("partly", "passed"), test("other", "skipped")));
  expect(checked.stale).toEqual(["a.test.ts > holds"]);
  expect(checked.format()).toContain("partly  a.test.ts > partly: holds in one");
  expect(checked.format()).toContain("3 excepted tests, 1 of them hold everywhere");
});
