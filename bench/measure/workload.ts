import { isDeepStrictEqual } from "node:util";
import type { Contender, Work } from "../contender.js";
import type { Cell, Row } from "../report/row.js";
import { contendersOf, type Workload } from "../workloads.js";
import { type Measured, measureRounds } from "./rounds.js";

export interface TimeOptions {
  readonly contenders?: readonly Contender[] | undefined;
  /** @default 9 */
  readonly rounds?: number | undefined;
  /** Those of them whose results are known to differ. */
  readonly others?: readonly Contender[] | undefined;
}

/**
 * Times a workload with all contenders that can do it, the first of them being the base. What they give is checked before they
 * are timed, and once more when that is done.
 */
export async function timeWorkload(
  workload: Workload,
  { contenders = contendersOf(workload), rounds = 9, others = [] }: TimeOptions = {},
): Promise<Row> {
  const prepared: (readonly [string, Work])[] = [];
  for (const contender of contenders) {
    const work = workload.work(contender);
    if (work === undefined) continue;
    if (!others.includes(contender)) await checkResult(workload, contender.name, work);
    prepared.push([contender.name, work]);
  }
  const works = prepared.map(([, work]) => work);
  const measured = await measureRounds(works, { rounds, calls: workload.calls });
  for (const [name, work] of prepared) {
    if (!others.some((contender) => contender.name === name)) await checkResult(workload, name, work);
  }
  return {
    id: workload.id,
    title: workload.title,
    unit: "ns",
    cells: prepared.map(([name], index) => cellOf(name, measured[index], workload.operations)),
    target: targetOf(workload),
  };
}

/** Throws when a contender does not give what the workload expects. */
export async function checkResult(workload: Workload, name: string, work: Work): Promise<void> {
  const { id, expected, read = (result) => result } = workload;
  const result = await read(await work());
  if (isDeepStrictEqual(result, expected)) return;
  const [wanted, got] = [expected, result].map((value) => JSON.stringify(value)?.slice(0, 200));
  throw new Error(`${name} gives ${got} for "${id}", and not ${wanted}.`);
}

function cellOf(contender: string, measured: Measured | undefined, operations: number): Cell {
  return { contender, value: (measured?.ns ?? Number.NaN) / operations, ratio: measured?.ratio };
}

function targetOf({ target }: Workload): Row["target"] {
  if (target === undefined) return undefined;
  return "ratio" in target
    ? { contender: "kumiko", of: "ratio", atMost: target.ratio }
    : { contender: "kumiko", of: "value", atMost: target.microseconds * 1_000 };
}
