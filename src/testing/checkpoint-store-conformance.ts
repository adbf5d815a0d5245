import type { ConformanceCheck } from "./conformance.js";
import { appendChecks } from "./store/append-checks.js";
import { appendCrashChecks } from "./store/append-crash-checks.js";
import { appendRaceChecks } from "./store/append-race-checks.js";
import { byteChecks } from "./store/byte-checks.js";
import { crashChecks } from "./store/crash-checks.js";
import { idChecks } from "./store/id-checks.js";
import { listChecks } from "./store/list-checks.js";
import { raceChecks } from "./store/race-checks.js";
import { rowChecks } from "./store/row-checks.js";
import { type OpenStore, openStage, type StoreChecks } from "./store/store-stage.js";

/**
 * What every `CheckpointStore` promises: the contract row by row, compare-and-swap under concurrency, the order of lists,
 * fidelity of bytes and ids, and what is left when a handle goes away in the middle. The checks of `append` hold for a store
 * without it. For any test runner. `openStore` is
 * called twice for each check, or more often, for handles on the same rows (a store in memory may give the same object each
 * time); closing them is up to you, except for some that the last checks close. The rows need not be empty: each check
 * uses ids of its own.
 */
export function checkpointStoreConformance(openStore: OpenStore): ConformanceCheck[] {
  const check: StoreChecks = (name, run) => ({
    name,
    run: async () => run(await openStage(openStore)),
  });
  return groups.flatMap((checks) => checks(check));
}

const groups = [
  rowChecks,
  byteChecks,
  idChecks,
  listChecks,
  raceChecks,
  crashChecks,
  appendChecks,
  appendRaceChecks,
  appendCrashChecks,
];
