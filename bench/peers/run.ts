import { readFileSync } from "node:fs";
import { join } from "node:path";
import { buildWhenStale } from "../../scripts/package/build.js";
import { installedKumiko } from "../contenders/kumiko-installed.js";
import { groups, readGroups } from "../groups.js";
import { runAgain } from "../measure/child.js";
import { loadText, machineText } from "../measure/machine.js";
import { packageRows } from "../measure/package.js";
import { typeRows } from "../measure/types.js";
import { crowdRows } from "../report/crowd-rows.js";
import { joinRows, withGrowth } from "../report/join-rows.js";
import { writePart } from "../report/results-file.js";
import type { Row } from "../report/row.js";
import { contenderTable, toMarkdown, toText } from "../report/table.js";
import { installedPeers } from "./installed-peers.js";
import { measureHere } from "./measure-here.js";
import { newerNodeIn, type Peer, peers } from "./peers.js";

/*
 * What other libraries cost for the same work: `npm run bench:peers`, or a part of it: `npm run bench:peers -- Effect chains`.
 * Every peer has a process of its own, in which the work by hand, kumiko and the peer take turns. Some of them slow down all
 * promises of their process (AsyncLocalStorage does, before Node.js 24): the ratios stay fair, and are told in their favour.
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
  const start = `${new Date().toISOString().slice(0, 10)}. ${machineText()}, load ${loadText()} at the start`;
  console.log(start);

  const results = measured.map((peer) => ({ peer, ...measuredApart(peer, asked) }));
  const rows = withGrowth(joinRows(results.map(({ rows: own }) => own)));
  if (asked.includes("runs")) {
    rows.push(
      ...crowdRows(
        new Map(results.flatMap(({ crowds }) => crowds.map(({ name, figures }) => [name, figures] as const))),
      ),
    );
  }
  const columns = ["by hand", "kumiko", ...measured.map(({ name }) => name)];
  if (rows.length > 0) console.log(`\n${toText(contenderTable(rows, columns))}\n`);
  rows.push(...(await rowsOfPackages(measured, asked)));

  const table = contenderTable(rows, columns);
  console.log(`\n${toText(table)}`);
  const text = [
    `${start} and ${loadText()} at the end; medians of 7 interleaved rounds.`,
    `Versions: ${measured.map((peer) => `${peer.package} ${versionOf(peer)}`).join(", ")}.`,
    `Node.js of Mastra, which needs a newer one: ${newerNodeIn(folder) === process.execPath ? "this one" : "24, installed beside it"}.`,
    "In brackets: times the work by hand, in the process of that library. A dash: there is no such thing in that library.",
  ].join("\n");
  console.log(`\n${text}`);
  if (chosen.length === 0 && asked.length === Object.keys(groups).length) {
    writePart(join(root, "bench/RESULTS.md"), "bench:peers", `${text}\n\n${toMarkdown(table)}`);
  }
}

type Printed = { readonly row: Row } | { readonly crowd: Crowd };
type Crowd = {
  readonly name: string;
  readonly figures: Parameters<typeof crowdRows>[0] extends ReadonlyMap<string, infer F> ? F : never;
};

/** The rows that a process of its own has measured: a contender's cells, and those of the two that took turns with it. */
function measuredApart({ name, newerNode }: Peer, asked: readonly string[]): { rows: Row[]; crowds: Crowd[] } {
  const printed = runAgain(["--here", name, ...asked], newerNode ? newerNodeIn(folder) : undefined) as Printed[];
  return {
    rows: printed.flatMap((line) => ("row" in line ? [line.row] : [])),
    crowds: printed.flatMap((line) => ("crowd" in line ? [line.crowd] : [])),
  };
}

async function rowsOfPackages(measured: readonly Peer[], asked: readonly string[]): Promise<Row[]> {
  const isMeasured = ({ name }: { name: string }) => measured.some((peer) => peer.name === name);
  const packages = [installedKumiko(root), ...installedPeers(folder).filter(isMeasured)];
  const rows: Row[] = [];
  if (asked.includes("package")) {
    buildWhenStale(root);
    rows.push(...(await packageRows(packages)));
  }
  if (asked.includes("types")) rows.push(...typeRows(join(root, "node_modules/typescript/bin/tsc"), packages));
  return rows;
}

function versionOf(peer: Peer): string {
  const text = readFileSync(join(folder, "node_modules", peer.package, "package.json"), "utf8");
  const { version }: { version: string } = JSON.parse(text);
  return version;
}
