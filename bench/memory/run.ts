/*
 * Repeats runs and half-read streams, up to a million times in one process each, and fails when memory grows:
 * `npm run memory`. `-- --quick` repeats less often, which finds whatever every single run leaves behind, and is what CI
 * does; parts of names after `--` choose scenarios. A full measurement of all is written to RESULTS.md.
 */
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { parseArgs } from "node:util";
import { machineText } from "../measure/machine.js";
import { FULL, type Measured, measureGrowth, QUICK } from "./measure.js";
import { scenarios } from "./scenarios/all.js";

const { values, positionals } = parseArgs({ allowPositionals: true, options: { quick: { type: "boolean" } } });
const known = Object.entries(scenarios).flatMap(([name, { onlyInFull }]) => (values.quick && onlyInFull ? [] : [name]));
const chosen = known.filter((name) => positionals.length === 0 || positionals.some((part) => name.includes(part)));
if (chosen.length === 0) throw new Error(`No scenario is named like that. There are: ${known.join(", ")}.`);

console.log(`Node ${process.version}\n${"".padEnd(60)}      runs  bytes left per run`);
const measured = await measureGrowth(chosen, values.quick ? QUICK : FULL, print);
for (const { name, grows } of measured) {
  if (!grows) continue;
  console.error(`\nEvery "${name}" leaves something in memory. \`npm run memory -- "${name}"\` measures it alone.`);
  process.exitCode = 1;
}

if (!values.quick && chosen.length === known.length)
  writeFileSync(join(import.meta.dirname, "RESULTS.md"), resultsOf(measured));

function resultsOf(measured: readonly Measured[]): string {
  const rows = measured.map(({ name, runs, perRun }) => `| ${name} | ${countText(runs)} | ${perRun.toFixed(2)} |`);
  const date = new Date().toISOString().slice(0, 10);
  return `# What repetitions leave in memory

Written by \`npm run memory\` on ${date}: ${machineText()}.

Bytes in use after a garbage collection, taken after each sixth of the repetitions: the median difference, per repetition.
An object of JavaScript takes 16 bytes and more, so less than that is what the engine has learned meanwhile, or given back.

| repeated | times | bytes left per repetition |
| --- | ---: | ---: |
${rows.join("\n")}
`;
}

function print({ name, runs, perRun, grows }: Measured): void {
  const columns = [countText(runs).padStart(10), perRun.toFixed(2).padStart(20)];
  console.log(`${name.padEnd(60)}${columns.join("")}${grows ? "  GROWS" : ""}`);
}

function countText(runs: number): string {
  return runs.toLocaleString("en-US");
}
