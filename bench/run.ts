import { join } from "node:path";
import { buildWhenStale } from "../scripts/package/build.js";
import { kumiko } from "./contenders/kumiko.js";
import { installedKumiko } from "./contenders/kumiko-installed.js";
import { plain } from "./contenders/plain.js";
import { apart, type Group, groups, readGroups } from "./groups.js";
import { runAgain } from "./measure/child.js";
import { type CrowdFigures, measureCrowd } from "./measure/crowd.js";
import { loadText, machineText } from "./measure/machine.js";
import { packageRows } from "./measure/package.js";
import { pollute } from "./measure/pollute.js";
import { warmUpText } from "./measure/rounds.js";
import { savedBytesRows } from "./measure/saved-bytes.js";
import { typeRows } from "./measure/types.js";
import { timeWorkload } from "./measure/workload.js";
import { crowdRows } from "./report/crowd-rows.js";
import { writePart } from "./report/results-file.js";
import type { Row } from "./report/row.js";
import { targetTable, toMarkdown, toText } from "./report/table.js";
import { workloads } from "./workloads.js";

/*
 * What kumiko costs beside the same work by hand: `npm run bench`, or some groups of it: `npm run bench -- chains tools`. When
 * all of them have run, the table is written to RESULTS.md too.
 */
const root = process.cwd();
const [mode, ...rest] = process.argv.slice(2);
if (mode === "--crowd") await crowdOf(rest[0] ?? "");
else if (mode === "--apart") await printRows(readGroups(rest));
else await main(readGroups(process.argv.slice(2)));

async function main(asked: readonly Group[]): Promise<void> {
  const loadAtStart = loadText();
  console.log(`${machineText()}, load ${loadAtStart}`);
  await pollute();
  const rows: Row[] = [];
  for (const group of asked) {
    console.log(`\n${group}: ${groups[group]}`);
    for await (const row of rowsOf(group)) {
      rows.push(row);
      console.log(toText({ head: [], rows: targetTable([row]).rows }));
    }
  }
  const table = targetTable(rows);
  console.log(`\n${toText(table)}`);
  const text = `${new Date().toISOString().slice(0, 10)}. ${machineText()}, load ${loadAtStart} at the start and ${loadText()} at the end.
Medians of 9 interleaved rounds in one process; ${[...apart].join(" and ")} have processes of their own. ${warmUpText}`;
  console.log(`\n${text}`);
  if (asked.length === Object.keys(groups).length) {
    writePart(join(root, "bench/RESULTS.md"), "bench", `${text}\n\n${toMarkdown(table)}`);
  }
}

async function* rowsOf(group: Group): AsyncGenerator<Row> {
  if (apart.has(group)) {
    yield* runAgain(["--apart", group]) as Row[];
    return;
  }
  yield* timedRows(group);
  if (group === "saving") yield* await savedBytesRows();
  if (group === "runs") yield* crowdRows(new Map([plain, kumiko].map(({ name }) => [name, figuresOf(name)])));
  if (group === "package" || group === "types") buildWhenStale(root);
  if (group === "package") yield* await packageRows([installedKumiko(root)]);
  if (group === "types") yield* typeRows(join(root, "node_modules/typescript/bin/tsc"), [installedKumiko(root)]);
}

async function* timedRows(group: Group): AsyncGenerator<Row> {
  for (const workload of workloads) if (workload.group === group) yield timeWorkload(workload);
}

/** In a process of its own: prints the rows as JSON, one a line. */
async function printRows(asked: readonly Group[]): Promise<void> {
  await pollute();
  for (const group of asked) for await (const row of timedRows(group)) console.log(JSON.stringify(row));
}

function figuresOf(name: string): CrowdFigures {
  const [figures] = runAgain(["--crowd", name]) as CrowdFigures[];
  if (figures === undefined) throw new Error(`${name} could not be measured.`);
  return figures;
}

/** In a process of its own: nothing else has used its heap. */
async function crowdOf(name: string): Promise<void> {
  const contender = [plain, kumiko].find((candidate) => candidate.name === name);
  if (contender === undefined) throw new Error(`There is no contender "${name}".`);
  console.log(JSON.stringify(await measureCrowd(contender)));
}
