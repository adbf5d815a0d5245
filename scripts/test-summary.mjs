// Prints one line for a machine to read, `12 passed, 0 failed`, from what vitest's JSON reporter wrote.
// Usage: node scripts/test-summary.mjs <report.json> <exit code of vitest>
import { readFileSync } from "node:fs";

const [path = "", exitCode = "1"] = process.argv.slice(2);
const { passed, failed, skipped } = countTests();
// What fails outside of any test (an error that nobody catches, a file that cannot be loaded) is a failure too.
const unseen = failed === 0 && (exitCode !== "0" || passed === 0) ? 1 : 0;
if (unseen > 0) console.log(`The run failed outside of a test (exit code ${exitCode}): see its output above.`);
console.log(`${passed} passed, ${failed + unseen} failed${skipped > 0 ? `, ${skipped} skipped` : ""}`);
process.exitCode = failed + unseen > 0 ? 1 : 0;

function countTests() {
  /** @type {{ testResults: { status: string, assertionResults: { status: string }[] }[] }} */
  const report = readReport();
  const statuses = report.testResults.flatMap(({ status, assertionResults }) => {
    const own = assertionResults.map((result) => result.status);
    // A file that fails without a failing test counts as one: it could not be loaded, or a hook of it failed.
    return status === "failed" && !own.includes("failed") ? [...own, "failed"] : own;
  });
  const count = (/** @type {string[]} */ ...wanted) => statuses.filter((status) => wanted.includes(status)).length;
  return { passed: count("passed"), failed: count("failed"), skipped: count("skipped", "pending", "todo", "disabled") };
}

function readReport() {
  try {
    return JSON.parse(readFileSync(path, "utf8"));
  } catch (error) {
    console.log(`There is no report of the tests: ${error instanceof Error ? error.message : error}`);
    return { testResults: [] };
  }
}
