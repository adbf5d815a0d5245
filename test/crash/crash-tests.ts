import { join } from "node:path";
import { expect, it } from "vitest";
import { crashRun } from "./crash-run.js";
import { chooseSeed, dice } from "./dice.js";
import { readLog } from "./effects-log.js";
import { expectedReceipt } from "./expected-order.js";
import { findMissing, findMistakes } from "./find-mistakes.js";
import type { Workshop } from "./order-run.js";

/** How many processes are killed; `npm run laws -- crashes` kills 500. */
export const killsOf = (few: number): number => Number(process.env.KUMIKO_CRASH_KILLS ?? few);

/** What becomes of runs whose processes are killed: as many runs as it takes to kill so many. */
export function crashTests(workshop: () => Workshop, kills: number): void {
  it(`end right although their processes are killed, ${kills} times, and repeat only what was under way`, {
    timeout: 60_000 + kills * 3_000,
  }, async () => {
    const seed = chooseSeed();
    const hint = `with KUMIKO_CRASH_SEED=${seed}`;
    const roll = dice(seed);
    const receipts: unknown[] = [];
    for (let left = kills, n = 1; left > 0 || receipts.length === 0; n++) {
      const id = `order-${n}`;
      const { receipt, killed } = await crashRun(workshop(), { id, roll, kills: left });
      left -= killed.size;
      const log = readLog(join(workshop().folder, `${id}.log`));
      expect(findMistakes(log, killed), hint).toEqual([]);
      expect(findMissing(log), hint).toEqual([]);
      if (receipt !== undefined) receipts.push(receipt);
    }
    expect(receipts, hint).toEqual(receipts.map(() => expectedReceipt));
  });
}
