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
  /** The most that the heap had above its start, garbage included. */
  readonly heapBytes: number;
  readonly rounds: number;
}

const RUNS = 10_000;
const AT_A_TIME = 100;
const ROUNDS = 7;
/** Whoever needs longer for one round is measured once. */
const SLOW_MS = 4_000;

export async function measureCrowd({ name, chain }: Contender): Promise<CrowdFigures | undefined> {
  if (chain === undefined) return undefined;
  const turn = (): Promise<void> => new Promise((resolve) => setImmediate(resolve));
  const short = chain(withMiddle(async (value) => turn().then(() => value + 4)));
  for (let n = 0; n < 20; n++) await crowd(short, 100);

  const rounds: CrowdRound[] = [];
  do rounds.push(await crowd(short, RUNS));
  while (rounds.length < ROUNDS && (rounds[0]?.cpuMs ?? 0) < SLOW_MS);
  if (rounds.some(({ sum }) => sum !== 46 * RUNS)) throw new Error(`${name} gives wrong sums.`);
  const of = (figure: keyof CrowdRound): number => median(rounds.map((round) => round[figure]));
  return {
    parkedBytes: await parkedBytes(chain),
    shortNs: (of("cpuMs") * 1e6) / RUNS,
    p99Ms: of("p99Ms"),
    perSecond: (RUNS * 1e3) / of("wallMs"),
    heapBytes: of("heapBytes"),
    rounds: rounds.length,
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
  const heapAtStart = process.memoryUsage().heapUsed;
  let [next, sum, heap] = [0, 0, 0];
  const lane = async (): Promise<void> => {
    while (next < count) {
      const index = next++;
      if (index % 500 === 0) heap = Math.max(heap, process.memoryUsage().heapUsed);
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
  return { cpuMs: (user + system) / 1e3, wallMs, p99Ms, heapBytes: Math.max(0, heap - heapAtStart), sum };
}

async function parkedBytes(chain: (steps: readonly Step[]) => Run): Promise<number> {
  const gates: (() => void)[] = [];
  const run = chain(withMiddle((value) => new Promise((resolve) => gates.push(() => resolve(value + 4)))));
  const park = async (count: number): Promise<Promise<number>[]> => {
    const runs = Array.from({ length: count }, () => run(1));
    while (gates.length < count) await new Promise((resolve) => setImmediate(resolve));
    return runs;
  };
  const open = async (runs: readonly Promise<number>[]): Promise<void> => {
    for (const gate of gates.splice(0)) gate();
    for (const result of await Promise.all(runs)) if (result !== 46) throw new Error("A parked run went on wrongly.");
  };
  await open(await park(200));
  const before = await bytesInUse();
  const runs = await park(RUNS);
  const bytes = ((await bytesInUse()) - before) / RUNS;
  await open(runs);
  return bytes;
}
