import type { Contender, Run, Step } from "../contender.js";
import { asyncSteps } from "../steps.js";
import { bytesInUse } from "./garbage.js";
import { median } from "./rounds.js";

/** Many runs at a time, in a process where nothing else happens. */
export interface CrowdFigures {
  /** Bytes of a run that waits in the fifth of its ten nodes. */
  readonly parkedBytes: number;
  /** CPU nanoseconds of a short run: ten nodes, of which one waits for the next turn of the event loop. */
  readonly shortNs: number;
  /** How long the slowest of a hundred short runs takes, in milliseconds. */
  readonly p99Ms: number;
  /** How many short runs end in a second. */
  readonly perSecond: number;
  /** The most that the heap has above a clean start, garbage included. */
  readonly heapBytes: number;
  /** How many runs there were, and how often they were measured. */
  readonly runs: number;
  readonly rounds: number;
}

const AT_A_TIME = 100;
/** Whoever needs longer for one run is measured with fewer of them, and once. */
const SLOW_MS = 0.3;
const fast = { runs: 10_000, rounds: 7 };
const slow = { runs: 1_000, rounds: 1 };

export async function measureCrowd({ name, chain }: Contender): Promise<CrowdFigures | undefined> {
  if (chain === undefined) return undefined;
  const turn = (): Promise<void> => new Promise((resolve) => setImmediate(resolve));
  const short = chain(withMiddle(async (value) => turn().then(() => value + 4)));
  await crowd(short, 200);
  const { cpuMs } = await crowd(short, 500);
  const { runs, rounds: count } = cpuMs / 500 > SLOW_MS ? slow : fast;

  const rounds: CrowdRound[] = [];
  for (let n = 0; n < count; n++) rounds.push(await crowd(short, runs));
  if (rounds.some(({ sum }) => sum !== 46 * runs)) throw new Error(`${name} gives wrong sums.`);
  const of = (figure: keyof CrowdRound): number => median(rounds.map((round) => round[figure]));
  const clean = await bytesInUse();
  const { heapBytes } = await crowd(short, runs);
  return {
    parkedBytes: await parkedBytes(chain, runs),
    shortNs: (of("cpuMs") * 1e6) / runs,
    p99Ms: of("p99Ms"),
    perSecond: (runs * 1e3) / of("wallMs"),
    heapBytes: Math.max(0, heapBytes - clean),
    runs,
    rounds: count,
  };
}

function withMiddle(middle: Step): Step[] {
  return asyncSteps.map((step, n) => (n === 4 ? middle : step));
}

interface CrowdRound {
  readonly cpuMs: number;
  readonly wallMs: number;
  readonly p99Ms: number;
  readonly heapBytes: number;
  readonly sum: number;
}

async function crowd(run: Run, count: number): Promise<CrowdRound> {
  const times = new Float64Array(count);
  let [next, sum, heapBytes] = [0, 0, 0];
  const lane = async (): Promise<void> => {
    while (next < count) {
      const index = next++;
      if (index % 100 === 99) heapBytes = Math.max(heapBytes, process.memoryUsage().heapUsed);
      const start = performance.now();
      const result = await run(1);
      times[index] = performance.now() - start;
      sum += result;
    }
  };
  const [cpu, start] = [process.cpuUsage(), performance.now()];
  await Promise.all(Array.from({ length: AT_A_TIME }, lane));
  const wallMs = performance.now() - start;
  const { user, system } = process.cpuUsage(cpu);
  const p99Ms = times.toSorted()[Math.floor(count * 0.99)] ?? Number.NaN;
  return { cpuMs: (user + system) / 1e3, wallMs, p99Ms, heapBytes, sum };
}

async function parkedBytes(chain: (steps: readonly Step[]) => Run, count: number): Promise<number> {
  const gates: (() => void)[] = [];
  const run = chain(withMiddle((value) => new Promise((resolve) => gates.push(() => resolve(value + 4)))));
  const park = async (wanted: number): Promise<Promise<number>[]> => {
    const runs = Array.from({ length: wanted }, () => run(1));
    while (gates.length < wanted) await new Promise((resolve) => setImmediate(resolve));
    return runs;
  };
  const open = async (runs: readonly Promise<number>[]): Promise<void> => {
    for (const gate of gates.splice(0)) gate();
    for (const result of await Promise.all(runs)) if (result !== 46) throw new Error("A parked run went on wrongly.");
  };
  await open(await park(200));
  const before = await bytesInUse();
  const runs = await park(count);
  const bytes = ((await bytesInUse()) - before) / count;
  await open(runs);
  return bytes;
}
