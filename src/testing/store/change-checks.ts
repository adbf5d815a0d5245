import type { RunRow } from "../../checkpoint/runs/run-index.js";
import { type ConformanceCheck, expectSame } from "../conformance.js";
import { checkFailed } from "../errors.js";
import { openToClose } from "./crash-checks.js";
import { expectRow, readyIndex } from "./run-stage.js";
import { bytes, type StoreChecks, type StoreStage } from "./store-stage.js";

type Changes = (listener: (row?: RunRow) => void) => () => void;

/** Checks of `changes`. A store without it passes them. Calls may be lost, so runs are changed until one comes. */
export const changeChecks = (check: StoreChecks): ConformanceCheck[] => {
  const checkChanges = (name: string, run: (stage: StoreStage, changes: readonly Changes[]) => Promise<void>) =>
    check(name, async (stage) => {
      const own = stage.store.changes?.bind(stage.store);
      const others = stage.other.changes?.bind(stage.other);
      if (own !== undefined && others !== undefined) await run(stage, [own, others]);
    });
  return [
    checkChanges("calls the listeners of every handle after changes of runs", async (stage, handles) => {
      for (const [at, changes] of handles.entries()) {
        const heard: (RunRow | undefined)[] = [];
        const end = changes((row) => heard.push(row));
        await changeUntil(stage, `calls/${at}/`, () => heard.length > 0);
        end();
        for (const row of heard) if (row?.id.startsWith(stage.prefix)) expectRow(row, row.id, readyIndex(row.since));
      }
    }),
    checkChanges("calls no listener that has ended", async (stage, [changes, other]) => {
      let [calls, callsOfOther] = [0, 0];
      const listener = () => {
        calls += 1;
      };
      const ends = [changes?.(listener), changes?.(listener)];
      const endOther = other?.(() => {
        callsOfOther += 1;
      });
      await changeUntil(stage, "before/", () => calls > 0 && callsOfOther > 0);
      for (const end of ends) end?.();
      ends[0]?.();
      [calls, callsOfOther] = [0, 0];
      await changeUntil(stage, "after/", () => callsOfOther > 1);
      endOther?.();
      expectSame(calls, 0, "Calls of listeners that have ended");
    }),
    checkChanges("calls no listener of a closed handle", async (stage, [changes]) => {
      const handle = await openToClose(stage);
      let [calls, callsOfOther] = [0, 0];
      handle?.changes?.(() => {
        calls += 1;
      });
      await handle?.close();
      calls = 0;
      const end = changes?.(() => {
        callsOfOther += 1;
      });
      await changeUntil(stage, "closed/", () => callsOfOther > 1);
      end?.();
      expectSame(calls, 0, "Calls of listeners of a closed handle");
    }),
  ];
};

/** Changes runs through the first handle until something has happened. */
async function changeUntil({ store, id }: StoreStage, start: string, happened: () => boolean): Promise<void> {
  for (let at = 0; at < attempts; at++) {
    await store.put(id(start + at), bytes("run"), undefined, readyIndex(at));
    for (let waited = 0; waited < 10; waited++) {
      await new Promise((resolve) => setTimeout(resolve, 5));
      if (happened()) return;
    }
  }
  throw checkFailed(`A listener was not called in ${(attempts * 50) / 1_000} seconds, while runs became ready.`);
}

const attempts = 80;
