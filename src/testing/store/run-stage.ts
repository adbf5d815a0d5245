import type { CheckpointStore } from "../../checkpoint/checkpoint-store.js";
import type { RunIndex, RunQuery, RunRow } from "../../checkpoint/runs/run-index.js";
import { type ConformanceCheck, expectSame } from "../conformance.js";
import { checkFailed } from "../errors.js";
import { bytes, type StoreChecks, type StoreStage, stored } from "./store-stage.js";

export type FindRuns = (query: RunQuery) => Promise<RunRow[]>;

/** Runs a check for a store that finds runs; `find` asks the second handle. Other stores pass. */
export type CheckRuns = (name: string, run: (stage: StoreStage, find: FindRuns) => Promise<void>) => ConformanceCheck;

export const runsCheck =
  (check: StoreChecks): CheckRuns =>
  (name, run) =>
    check(name, async (stage) => {
      const find = stage.other.runs?.bind(stage.other);
      if (stage.store.runs !== undefined && find !== undefined) await run(stage, find);
    });

export const readyIndex = (since: number, more: Partial<RunIndex> = {}): RunIndex => ({
  status: "ready",
  graph: "order",
  since,
  ...more,
});

/** Puts a new row, without data of interest. */
export function putRun({ store, id }: StoreStage, name: string, index: RunIndex | undefined): Promise<number> {
  return store.put(id(name), bytes(name), undefined, index);
}

/** Appends, or puts all that is stored and the entry: not every store appends. */
export async function save(
  store: CheckpointStore,
  id: string,
  entry: string,
  ifVersion: number,
  index?: RunIndex,
): Promise<number> {
  if (store.append !== undefined) return store.append(id, bytes(entry), ifVersion, index);
  const { data } = await stored(store, id);
  return store.put(id, data, ifVersion, index);
}

/** Expects that rows have these names, in this order. */
export function expectNames(rows: readonly RunRow[], names: readonly string[], { prefix }: StoreStage): void {
  const found = rows.map(({ id }) => id.replace(prefix, ""));
  expectSame(JSON.stringify(found), JSON.stringify(names), "The ids of the runs found");
}

/** Expects that a run is listed with exactly this index. Fields that are `undefined` may be left out. */
export function expectRow(row: RunRow | undefined, id: string, index: RunIndex): void {
  if (row === undefined) throw checkFailed(`The run ${JSON.stringify(id)} is not found.`);
  expectSame(textOf(row), textOf({ id, ...index }), "The run that is found");
}

function textOf(row: RunRow): string {
  const { id, status, graph, owner, since, due, threadId, userId, ...more } = row;
  return JSON.stringify({ id, status, graph, owner, since, due, threadId, userId, ...more });
}
