import type { Contender } from "../contender.js";
import { kumiko } from "../contenders/kumiko.js";
import { plain, plainRecord } from "../contenders/plain.js";
import { measureCrowd } from "../measure/crowd.js";
import { pollute } from "../measure/pollute.js";
import { checkResult, timeWorkload } from "../measure/workload.js";
import type { Row } from "../report/row.js";
import { type Workload, workloads } from "../workloads.js";
import { peers } from "./peers.js";

/** What takes so long is run once. */
const SLOW_MS = 2_500;

/** Measures a peer, with the work by hand and kumiko beside it, in this process, and prints each row as a line of JSON. */
export async function measureHere(name: string, groups: readonly string[]): Promise<void> {
  const found = peers.find((candidate) => candidate.name === name);
  if (found === undefined) throw new Error(`There is no peer "${name}".`);
  const [peer, beside] = [await found.load(), await found.beside?.load()];
  await pollute();
  for (const workload of workloads) {
    if (workload.own === true || !groups.includes(workload.group) || workload.work(peer) === undefined) continue;
    console.log(JSON.stringify({ begun: { id: workload.id, title: workload.title } }));
    const start = performance.now();
    const row = await rowOf(workload, peer, beside).catch((error: unknown) => failed(workload, name, error));
    console.log(JSON.stringify({ row }));
    console.error(`${name}: ${workload.title} (${((performance.now() - start) / 1e3).toFixed(1)} s)`);
  }
  if (groups.includes("runs")) {
    // What the others need is told by the process of the first peer.
    for (const contender of peer.name === peers[0]?.name
      ? [plain, kumiko, peer]
      : [peer, ...(beside ? [beside] : [])]) {
      const figures = await measureCrowd(contender);
      if (figures !== undefined) console.log(JSON.stringify({ crowd: { name: contender.name, figures } }));
      console.error(`${contender.name}: 10,000 runs at a time`);
    }
  }
  // Some of them keep timers and servers open.
  process.exit(0);
}

async function rowOf(workload: Workload, peer: Contender, beside?: Contender): Promise<Row> {
  const ours = beside ? [kumiko, beside] : [kumiko];
  const base = workload.base === plainRecord ? { ...plainRecord, name: plain.name } : plain;
  const { ms, note } = await runOnce(workload, peer);
  if (ms <= SLOW_MS) {
    const contenders = [base, ...ours, peer];
    const row = await timeWorkload(workload, { contenders, rounds: 7, others: note === undefined ? [] : [peer] });
    return { ...row, cells: row.cells.map((cell) => (cell.contender === peer.name ? { ...cell, note } : cell)) };
  }
  const row = await timeWorkload(workload, { contenders: [base, ...ours], rounds: 7 });
  const value = (ms * 1e6) / workload.operations;
  const ratio = value / (row.cells[0]?.value ?? Number.NaN);
  return {
    ...row,
    cells: [
      ...row.cells,
      { contender: peer.name, value, ratio, note: note === undefined ? "one run" : `one run, ${note}` },
    ],
  };
}

/** Its CPU milliseconds. A splitter that loses or doubles what it splits is measured all the same, and the table says so. */
async function runOnce(workload: Workload, peer: Contender): Promise<{ ms: number; note?: string | undefined }> {
  const { group, expected, read } = workload;
  const work = workload.work(peer);
  const start = process.cpuUsage();
  const result = await work?.();
  const { user, system } = process.cpuUsage(start);
  const ms = (user + system) / 1e3;
  const kept = read?.(result);
  if (group === "documents" && typeof kept === "number" && typeof expected === "number" && kept !== expected)
    return { ms, note: `keeps ${kept.toLocaleString("en")} of ${expected.toLocaleString("en")}` };
  await checkResult(workload, peer.name, () => result);
  return { ms };
}

/** A row that says why there is no figure. */
export function failed({ id, title }: Pick<Workload, "id" | "title">, name: string, error: unknown): Row {
  const note = `fails: ${error instanceof Error ? error.message : String(error)}`.slice(0, 80);
  return { id, title, unit: "ns", cells: [{ contender: name, value: -1, note }] };
}
