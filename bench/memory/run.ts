/*
 * Repeats runs and half-read streams, up to a million times in one process each, and fails when memory grows:
 * `npm run memory`. `-- --quick` repeats less often, which finds whatever every single run leaves behind, and is what CI
 * does; parts of names after `--` choose scenarios.
 */
import { parseArgs } from "node:util";
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

function print({ name, runs, perRun, grows }: Measured): void {
  const columns = [runs.toLocaleString("en-US").padStart(10), perRun.toFixed(2).padStart(20)];
  console.log(`${name.padEnd(60)}${columns.join("")}${grows ? "  GROWS" : ""}`);
}
