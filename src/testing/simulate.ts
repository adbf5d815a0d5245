import { Runtime, type RuntimeOptions } from "../compose/runtime.js";
import { manualClock } from "./manual-clock.js";

/** What a simulated test works with. */
export interface Simulation {
  /** Compile with it: its clock is the simulated one, and its `random` the same in every test. */
  readonly runtime: Runtime;
  /** Lets so much time pass, with all that happens meanwhile. */
  advance(milliseconds: number): Promise<void>;
  /** The simulated time in milliseconds; it begins at 0. */
  now(): number;
}

/**
 * Runs a test in simulated time. Whenever nothing else can go on, the clock jumps to the next timer: a delay of an hour takes no
 * time, and always the same happens at the same time. Real input and output, and timers that are not of the runtime (half a second
 * at most), are waited for if the platform reports them (Node.js does), for at most two seconds.
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
  /** While the test itself moves the clock, it does not jump. */
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

/** How many turns of the event loop nothing must have happened. */
const quietTurns = 4;

/** How long timers of the machine are waited for: one that guards a test against hanging is never due. */
const longestTimerMs = 500;

/** How long anything else that is open is waited for: a connection may stay open for ever. */
const longestWaitMs = 2_000;

/**
 * Resolves when nothing can go on without time: several turns have passed, and no more is open than at the beginning. Turns are
 * immediates where there are any: they do not count as open, so that several may wait at once.
 */
function idleness(): () => Promise<void> {
  let known = openResources();
  return async () => {
    const start = performance.now();
    for (let quiet = 0; quiet < quietTurns; ) {
      await turn();
      const open = openResources();
      // what has ended since the beginning hides nothing that begins later
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

/** Timers, sockets, files: what Node.js says is open. Elsewhere nothing is known of them. */
function openResources(): OpenResources {
  const { process } = globalThis as { readonly process?: { getActiveResourcesInfo?: () => string[] } };
  const kinds = process?.getActiveResourcesInfo?.() ?? [];
  const timers = kinds.filter((kind) => kind === "Timeout").length;
  const immediates = kinds.filter((kind) => kind === "Immediate").length;
  return { timers, others: kinds.length - timers - immediates };
}

/** Numbers that look random, the same each time: mulberry32. */
function seeded(): () => number {
  let state = 1;
  return () => {
    state = (state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 4_294_967_296;
  };
}
