// Runs the tests of the executor in every way to run and every mode (test/ways/ways.ts), one after the other.
// `npm run test:ways -- saved-step controlled:stream test/run` runs a part of it: ways, ways with a mode, and files.
// `npm run test:ways -- --exceptions` runs nothing but the tests of test/ways/exceptions.ts, and fails for those that hold in
// every combination for which they are excepted.
import { spawnSync } from "node:child_process";
import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { type Combination, combinations } from "../../test/ways/ways.js";
import { CheckedExceptions } from "./checked-exceptions.js";
import { type Report, type Summary, summarize } from "./summary.js";
import { formatTable } from "./table.js";

const root = join(import.meta.dirname, "../..");
const given = process.argv.slice(2);
const checksExceptions = given.includes("--exceptions");
const files = given.filter((argument) => argument.startsWith("test/"));
const wanted = given.filter((argument) => argument !== "--exceptions" && !files.includes(argument));

const chosen = combinations.filter(
  ({ way, mode }) => wanted.length === 0 || wanted.some((name) => name === way || name === `${way}:${mode}`),
);
const unknown = wanted.find((name) => !chosen.some(({ way, mode }) => name === way || name === `${way}:${mode}`));
if (unknown !== undefined) {
  throw new Error(
    `"${unknown}" is not a way to run. Ways: ${[...new Set(combinations.map(({ way }) => way))].join(", ")}.`,
  );
}

const summaries: [string, Summary][] = [];
const checked = new CheckedExceptions();
for (const combination of chosen) {
  const name = `${combination.way}:${combination.mode}`;
  const report = run(combination);
  if (checksExceptions) {
    checked.add(name, report);
    console.log(`${name}: ${checked.size} exceptions so far`);
    continue;
  }
  const summary = summarize(report);
  summaries.push([name, summary]);
  for (const failure of summary.failures) console.log(failure);
  console.log(`${name}: ${summary.passed} passed, ${summary.failures.length} failed`);
}
if (checksExceptions) {
  console.log(`\n${checked.format()}`);
  if (checked.stale.length > 0) process.exitCode = 1;
} else {
  console.log(`\n${formatTable(summaries)}`);
  if (summaries.some(([, { failures }]) => failures.length > 0)) process.exitCode = 1;
}

function run({ way, mode }: Combination): Report {
  const folder = mkdtempSync(join(tmpdir(), "kumiko-ways-"));
  const path = join(folder, "report.json");
  const vitest = join(root, "node_modules/vitest/vitest.mjs");
  const options = ["--project", "ways", "--reporter", "json", "--outputFile", path];
  // what is expected to fail may hang, or leave a rejection behind
  if (checksExceptions) options.push("--testTimeout", "10000", "--dangerouslyIgnoreUnhandledErrors");
  try {
    const { status } = spawnSync(process.execPath, [vitest, "run", ...options, ...files], {
      cwd: root,
      env: {
        ...process.env,
        KUMIKO_WAY: way,
        KUMIKO_MODE: mode,
        ...(checksExceptions ? { KUMIKO_EXCEPTIONS: "check" } : {}),
      },
      stdio: ["ignore", "ignore", "inherit"],
    });
    return { ...JSON.parse(readFileSync(path, "utf8")), status: status ?? 1 };
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}
