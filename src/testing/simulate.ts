import { Runtime, type RuntimeOptions } from "../compose/runtime.js";
import { manualClock } from "./manual-clock.js";

/** The tools of a simulated test. */
export interface Simulation {
  /** Pass it to `compile`. It uses the simulated clock, and a `random` that is the same in every test. */
  readonly runtime: Runtime;
  /** Advances the time, and waits for everything that happens meanwhile. */
  advance(milliseconds: number): Promise<void>;
  /** The simulated time in milliseconds; it begins at 0. */
  now(): number;
}

/**
 * Runs a test in simulated time. When nothing else can continue, the clock jumps to the next timer: a delay of an hour takes no
 * time, and the order of events is deterministic. If the platform reports them (Node.js does), the simulation also waits for real
 * I/O (up to two seconds) and for timers outside of the runtime (up to half a second).
 *
 * @example
 * await simulate(async ({ runtime, now }) => {
 *   let attempts = 0;
 *   const flaky = (text: string) => {
 *     if (++attempts < 4) throw new Error("not yet");
 *     return text;
 *   };
 *   const app = new Chain<string>().append(flaky, { retry: { attempts: 4, delayMs: 60_000 } }).compile({ runtime });
 *   await app.invoke("hello");
 *   console.log(attempts, now());
 * });
 */
export async function simulate<T>(
  test: (simulation: Simulation) => Promise<T>,
  options: Omit<RuntimeOptions, "clock"> = {},
): Promise<T> {
  const clock = manualClock();
  const runtime = new Runtime({ random: seeded(), ...options, clock });
  const isIdle = idleness();
  let isOver = false;
  /** How many calls of `advance` are active. The clock does not jump during them. */
  let advancing = 0;
  const advance = async (milliseconds: number): Promise<void> => {
    const end = clock.now() + milliseconds;
    advancing++;
    try {
      await isIdle();
      for (let next = clock.nextTimer; next !== undefined && next <= end; next = clock.nextTimer) {
        clock.advance(next - clock.now());
        await isIdle();
      }
      clock.advance(end - clock.now());
      await isIdle();
    } finally {
      advancing--;
    }
  };
  const work = test({ runtime, advance, now: () => clock.now() }).finally(() => {
    isOver = true;
  });
  work.catch(() => undefined);
  while (!isOver) {
    await isIdle();
    const next = clock.nextTimer;
    if (!isOver && advancing === 0 && next !== undefined) clock.advance(next - clock.now());
  }
  return work;
}

/** How many quiet turns of the event loop count as idle. */
const quietTurns = 4;

/** How long to wait for real timers. Some never fire during a test, such as its own time limit. */
const longestTimerMs = 500;

/** How long to wait for other open resources. Some never close, such as idle connections. */
const longestWaitMs = 2_000;

/**
 * Returns a function that resolves when nothing can continue unless time passes: several turns have passed, and no more resources
 * are open than at the beginning. Turns use `setImmediate` if available, as immediates do not count as open resources.
 */
function idleness(): () => Promise<void> {
  let known = openResources();
  return async () => {
    const start = performance.now();
    for (let quiet = 0; quiet < quietTurns; ) {
      await turn();
      const open = openResources();
      // lowers the baseline when resources close, so that new ones are noticed
      known = { timers: Math.min(known.timers, open.timers), others: Math.min(known.others, open.others) };
      const waited = performance.now() - start;
      if (waited > longestWaitMs) known = open;
      else if (waited > longestTimerMs && open.others === known.others) known = { ...known, timers: open.timers };
      quiet = open.timers > known.timers || open.others > known.others ? 0 : quiet + 1;
    }
  };
}

function turn(): Promise<void> {
  const { setImmediate } = globalThis as { readonly setImmediate?: (run: () => void) => unknown };
  return new Promise((resolve) => (setImmediate === undefined ? setTimeout(resolve, 0) : setImmediate(resolve)));
}

interface OpenResources {
  readonly timers: number;
  readonly others: number;
}

/** The open timers, sockets and files, as Node.js reports them. Other platforms report none. */
function openResources(): OpenResources {
  const { process } = globalThis as { readonly process?: { getActiveResourcesInfo?: () => string[] } };
  const kinds = process?.getActiveResourcesInfo?.() ?? [];
  const timers = kinds.filter((kind) => kind === "Timeout").length;
  const immediates = kinds.filter((kind) => kind === "Immediate").length;
  return { timers, others: kinds.length - timers - immediates };
}

/** A deterministic random number generator (mulberry32). */
function seeded(): () => number {
  let state = 1;
  return () => {
    state = (state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 4_294_967_296;
  };
}
