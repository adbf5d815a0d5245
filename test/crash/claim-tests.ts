import { expect, it } from "vitest";
import { chooseSeed, dice } from "./dice.js";
import { readLog } from "./effects-log.js";
import { expectedReceipt } from "./expected-order.js";
import { findMissing, findMistakes } from "./find-mistakes.js";
import { answersTo, OrderRun, type Workshop } from "./order-run.js";
import type { Outcome, WorkerProcess } from "./worker-process.js";

const timeout = 60_000;
const takers = 6;

/** What becomes of a run that several processes want. */
export function claimTests(workshop: () => Workshop): void {
  it("go on in one of two processes that resume them at once; the other gets CHECKPOINT_IN_USE", {
    timeout,
  }, async () => {
    const run = new OrderRun(workshop(), "two");
    let last = await run.start("invoke").end;
    for (const place of ["confirm_2.do", "approve.note"]) {
      const both = await Promise.all([1, 2].map(() => run.ready({ answers: answersTo(last), holds: [place] })));
      for (const worker of both) worker.say("go");
      const winner = await firstThatBegins(both, place);
      const [loser] = both.filter((worker) => worker !== winner);
      expect(await loser?.said("failed")).toMatchObject({ code: "CHECKPOINT_IN_USE" });
      expect(loser?.lines.filter(({ kind }) => kind === "begin")).toEqual([]);
      winner.say(place);
      for (const worker of both) worker.closeInput();
      last = await winner.end;
      await loser?.end;
    }
    expect(await run.finish(last)).toEqual(expectedReceipt);
    expect(findMistakes(readLog(run.log), new Set())).toEqual([]);
  });

  it("are taken away from a process, which ends with CHECKPOINT_LOST and begins nothing more", {
    timeout,
  }, async () => {
    const run = new OrderRun(workshop(), "taken");
    const former = run.start("invoke", { holds: ["price.do", "stock.do"] });
    await former.wrote("begin", "price");
    await former.wrote("begin", "stock");
    expect(await run.start("resume").end).toMatchObject({ outcome: "failed", code: "CHECKPOINT_IN_USE" });

    const last = await run.start("resume", { takeover: true }).end;
    former.say("price.do");
    expect(await former.said("failed")).toMatchObject({ code: "CHECKPOINT_LOST" });
    await former.wrote("aborted", "stock");
    former.say("stock.do");
    former.closeInput();
    await former.end;

    expect(await run.finish(last)).toEqual(expectedReceipt);
    const log = readLog(run.log);
    const price = log.filter(({ kind, task }) => kind === "begin" && task === "price");
    expect(price.map(({ life }) => life)).toEqual([1, 3]);
    expect(new Set(price.map(({ taskKey }) => taskKey)).size).toBe(1);
    expect(findMistakes(log, new Set([1]))).toEqual([]);
  });

  it(`may be taken by ${takers} processes from each other, anywhere`, { timeout }, async () => {
    const seed = chooseSeed();
    const roll = dice(seed);
    const run = new OrderRun(workshop(), "wanted");
    const lost = new Set<number>();
    let [owner, life] = [run.start("invoke"), 1];
    for (let n = 0; n < takers; n++) {
      const taker = await run.ready({ takeover: true });
      await cameTo(owner, 3 + roll(20));
      taker.say("go");
      if (hasLost(await owner.end)) lost.add(life);
      [owner, life] = [taker, life + 1];
    }
    const hint = `with KUMIKO_CRASH_SEED=${seed}`;
    expect(await run.finish(await owner.end), hint).toEqual(expectedReceipt);
    expect(findMistakes(readLog(run.log), lost), hint).toEqual([]);
    expect(findMissing(readLog(run.log)), hint).toEqual([]);
  });
}

function firstThatBegins(workers: readonly WorkerProcess[], place: string): Promise<WorkerProcess> {
  const [task = ""] = place.split(".");
  return Promise.any(workers.map((worker) => worker.wrote("begin", task).then(() => worker)));
}

/** Until it has written so much, or has ended. */
function cameTo(worker: WorkerProcess, count: number): Promise<unknown> {
  const came = new Promise<void>((resolve) => {
    worker.onLine = (written) => {
      if (written >= count) resolve();
    };
  });
  return Promise.race([came, worker.end]);
}

function hasLost(outcome: Outcome | undefined): boolean {
  if (outcome?.outcome === "done" || outcome?.outcome === "waits") return false;
  if (outcome?.outcome === "failed" && outcome.code === "CHECKPOINT_LOST") return true;
  throw new Error(`The run ended with ${JSON.stringify(outcome)}`);
}
