import { type ConformanceCheck, checkMake } from "./conformance.js";
import { appendChecks } from "./store/append-checks.js";
import { appendCrashChecks } from "./store/append-crash-checks.js";
import { appendRaceChecks } from "./store/append-race-checks.js";
import { byteChecks } from "./store/byte-checks.js";
import { changeChecks } from "./store/change-checks.js";
import { crashChecks } from "./store/crash-checks.js";
import { idChecks } from "./store/id-checks.js";
import { listChecks } from "./store/list-checks.js";
import { raceChecks } from "./store/race-checks.js";
import { rowChecks } from "./store/row-checks.js";
import { runChecks } from "./store/run-checks.js";
import { runQueryChecks } from "./store/run-query-checks.js";
import { type OpenStore, openStage, type StoreChecks } from "./store/store-stage.js";

/**
 * Checks for a `CheckpointStore`, for any test runner: single rows, compare-and-swap under concurrency, the order of lists,
 * fidelity of bytes and ids, the lists of runs, and what remains if a handle is closed during writes. A store without `append`,
 * `runs` or `changes` passes the checks of these. `openStore` is called at least twice per check, for handles on the same rows (a
 * store in memory may return the same object each time). Close the handles yourself; some checks close theirs. The store need not
 * be empty, because each check uses unique ids.
 *
 * @example
 * const checks = checkpointStoreConformance(() => sqliteStore("checks.db"));
 * for (const { name, run } of checks) await run().catch((error: unknown) => console.error(name, error));
 */
export function checkpointStoreConformance(openStore: OpenStore): ConformanceCheck[] {
  checkMake("checkpointStoreConformance", openStore);
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
  runChecks,
  runQueryChecks,
  changeChecks,
];
