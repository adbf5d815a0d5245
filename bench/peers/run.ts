import { readFileSync } from "node:fs";
import { join } from "node:path";
import { buildWhenStale } from "../../scripts/package/build.js";
import { installedKumiko } from "../contenders/kumiko-installed.js";
import { readGroups } from "../groups.js";
import { runAgain } from "../measure/child.js";
import { machineText } from "../measure/machine.js";
import { packageRowIds, packageRows } from "../measure/package.js";
import { warmUpText } from "../measure/rounds.js";
import { typeRows } from "../measure/types.js";
import { crowdRows } from "../report/crowd-rows.js";
import { inOrder, joinRows, withGrowth } from "../report/join-rows.js";
import { type Crowd, openStore } from "../report/measured.js";
import { writePart } from "../report/results-file.js";
import type { Row } from "../report/row.js";
import { contenderTable, toMarkdown, toText } from "../report/table.js";
import { workloads } from "../workloads.js";
import { installedPeers } from "./installed-peers.js";
import { failed, measureHere } from "./measure-here.js";
import { newerNodeIn, type Peer, peers } from "./peers.js";

/*
 * What other libraries cost for the same work: `npm run bench:peers`, or a part of it: `npm run bench:peers -- Effect chains`.
 * Every peer has a process of its own, in which the work by hand, kumiko and the peer take turns. Some of them slow down all
 * promises of their process (AsyncLocalStorage does, before Node.js 24): the ratios stay fair, and are told in their favour.
 * What has been measured is kept, so that a part can be measured again on a calmer day, and the table still has all of it.
 */
const root = process.cwd();
const folder = join(root, "bench/peers");
const names = process.argv.slice(2);

if (names[0] === "--here") await measureHere(names[1] ?? "", names.slice(2));
else await main();

async function main(): Promise<void> {
  const chosen = peers.filter(({ name }) => names.includes(name));
  const asked = readGroups(names.filter((name) => !peers.some((peer) => peer.name === name)));
  const measured = chosen.length === 0 ? peers : chosen;
  const store = openStore(join(folder, "node_modules/.measured.json"), machineText());
  for (const peer of measured) {
    const { rows, crowds } = measuredApart(peer, asked);
    store.add(peer.name, rows, crowds);
  }
  store.addPackages(await rowsOfPackages(measured, asked));

  const { rows, crowds, text, missing } = store.read(peers.map(({ name }) => name));
  const timed = inOrder(
    withGrowth(joinRows(rows)),
    workloads.map(({ id }) => id),
  );
  const all = [...timed, ...crowdRows(crowds), ...inOrder(store.packages(), packageRowIds)];
  const table = contenderTable(all, [
    "by hand",
    "kumiko",
    ...peers.flatMap(({ name, beside }) => (beside ? [beside.name, name] : [name])),
  ]);
  const head = [
    `${text} Medians of 7 interleaved rounds.`,
    warmUpText,
    `Versions: ${peers.map((peer) => `${peer.package} ${versionOf(peer)}`).join(", ")}.`,
    `Node.js of Mastra, which needs a newer one: ${newerNodeIn(folder) === process.execPath ? "this one" : "24, installed beside it"}.`,
    "In brackets: times the work by hand, in the process of that library. A dash: there is no such thing in that library.",
    "kumiko/mastra runs the programs of Mastra as they are, and takes turns with it.",
    "The store in memory of Mastra keeps the live objects of a run, where that of kumiko keeps what a file would: like with like are the columns in files (LibSQL and SQLite, both with WAL and synchronous = normal). A list in Mastra is saved without the results of finished items, which a crash repeats.",
    "Tools: Mastra, Genkit and LangChain call the tools themselves; AI SDK, OpenAI Agents and TanStack AI do it in the one step of an agent whose model answers at once.",
  ].join("\n");
  console.log(`\n${toText(table)}\n\n${head}`);
  if (missing.length === 0) {
    writePart(join(root, "bench/RESULTS.md"), "bench:peers", `${head}\n\n${toMarkdown(table)}`);
  } else console.log(`\nNot written to RESULTS.md: ${missing.join(", ")} not measured yet.`);
}

type Printed = { readonly begun: Pick<Row, "id" | "title"> } | { readonly row: Row } | { readonly crowd: Crowd };

/** What a process of its own has measured: the cells of a peer, and those of the two that took turns with it. */
function measuredApart({ name, newerNode }: Peer, asked: readonly string[]): { rows: Row[]; crowds: Crowd[] } {
  if (!asked.some((group) => group !== "package" && group !== "types")) return { rows: [], crowds: [] };
  const printed = runAgain(["--here", name, ...asked], newerNode ? newerNodeIn(folder) : undefined) as Printed[];
  const rows = printed.flatMap((line) => ("row" in line ? [line.row] : []));
  const died = printed.flatMap((line) =>
    "begun" in line && !rows.some(({ id }) => id === line.begun.id)
      ? [failed(line.begun, name, "the process did not survive it")]
      : [],
  );
  return { rows: [...rows, ...died], crowds: printed.flatMap((line) => ("crowd" in line ? [line.crowd] : [])) };
}

async function rowsOfPackages(measured: readonly Peer[], asked: readonly string[]): Promise<Row[]> {
  const isMeasured = ({ name }: { name: string }) => measured.some((peer) => peer.name === name);
  const packages = [installedKumiko(root), ...installedPeers(folder).filter(isMeasured)];
  const rows: Row[] = [];
  if (asked.includes("package") || asked.includes("types")) buildWhenStale(root);
  if (asked.includes("package")) rows.push(...(await packageRows(packages)));
  if (asked.includes("types")) rows.push(...typeRows(join(root, "node_modules/typescript/bin/tsc"), packages));
  return rows;
}

function versionOf(peer: Peer): string {
  const text = readFileSync(join(folder, "node_modules", peer.package, "package.json"), "utf8");
  const { version }: { version: string } = JSON.parse(text);
  return version;
}
