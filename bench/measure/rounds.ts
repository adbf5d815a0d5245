import type { Work } from "../contender.js";

export interface Measured {
  /** Median CPU nanoseconds of one call. */
  readonly ns: number;
  /** Median, over the rounds, of its time by that of the first work in the same round. */
  readonly ratio: number;
}

export interface RoundOptions {
  /** @default 9 */
  readonly rounds?: number | undefined;
  /** Calls per sample of every work. @default for each work as many as fill a sample */
  readonly calls?: number | undefined;
  /** How long a sample is, of CPU. Where much is kept, it must be long enough for the collector of old objects. @default 40 */
  readonly sampleMs?: number | undefined;
}

const SAMPLE_MS = 40;
/** Code that is long runs more often before the engine has made the best of it. */
const warmUpUntil = { ms: 350, calls: 5_000, blocks: 3, blockMs: 70, mostMs: 3_000 };

export const warmUpText = `Before that each ran until it got no faster: for ${warmUpUntil.ms} ms of CPU time and ${warmUpUntil.calls.toLocaleString("en")} calls at least, for ${warmUpUntil.mostMs / 1e3} s at most.`;

/**
 * Interleaved rounds in one process: every round runs each work for a while, in alternating order, and takes the ratio of its
 * CPU time to that of the first work. The result is the median over the rounds, so drift and noise that last longer than a
 * round cancel out; a ratio is good to about ±10 %. The garbage collector comes when it comes: its time is a part of the cost.
 */
export async function measureRounds(
  works: readonly Work[],
  { rounds = 9, calls, sampleMs = SAMPLE_MS }: RoundOptions = {},
): Promise<Measured[]> {
  const runners: Runner[] = [];
  for (const work of works) {
    const callMs = await warmUp(work);
    runners.push({ work, calls: calls ?? Math.max(1, Math.round(sampleMs / callMs)), samples: [] });
  }
  for (let round = 0; round < rounds; round++) {
    for (const runner of round % 2 === 0 ? runners : runners.toReversed()) {
      runner.samples.push((await cpuMs(runner.work, runner.calls)) / runner.calls);
    }
  }
  const base = runners[0]?.samples ?? [];
  return runners.map(({ samples }) => ({
    ns: median(samples) * 1e6,
    ratio: median(samples.map((ms, round) => ms / (base[round] ?? ms))),
  }));
}

interface Runner {
  readonly work: Work;
  readonly calls: number;
  readonly samples: number[];
}

/** Runs a work in blocks until some of them in a row are no faster than the fastest before them; milliseconds of a call. */
async function warmUp(work: Work): Promise<number> {
  let [ms, done, calls] = [0, 0, 1];
  let [best, noFaster] = [Number.POSITIVE_INFINITY, 0];
  for (;;) {
    const block = await cpuMs(work, calls);
    const callMs = Math.max(block / calls, 1e-6);
    ms += block;
    done += calls;
    noFaster = callMs > best * 0.97 ? noFaster + 1 : 0;
    best = Math.min(best, callMs);
    const flat = noFaster >= warmUpUntil.blocks && ms >= warmUpUntil.ms && done >= warmUpUntil.calls;
    if (flat || ms >= warmUpUntil.mostMs) return callMs;
    calls = Math.min(calls * 4, Math.max(1, Math.round(warmUpUntil.blockMs / callMs)));
  }
}

/** CPU milliseconds of this process, helper threads of the engine included, for so many calls one after another. */
async function cpuMs(work: Work, calls: number): Promise<number> {
  const start = process.cpuUsage();
  for (let n = 0; n < calls; n++) {
    const result = work();
    if (result instanceof Promise) await result;
  }
  const { user, system } = process.cpuUsage(start);
  return (user + system) / 1000;
}

export function median(values: readonly number[]): number {
  const sorted = values.toSorted((a, b) => a - b);
  const middle = sorted.length >> 1;
  const upper = sorted[middle] ?? Number.NaN;
  return sorted.length % 2 === 1 ? upper : (upper + (sorted[middle - 1] ?? upper)) / 2;
}
