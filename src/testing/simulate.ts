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
 * time, and always the same happens at the same time. Real input and output, and timers that are not of the runtime, are waited
 * for where the platform tells of them (Node.js does).
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

/** Resolves when nothing can go on without time: several turns have passed, and no more is open than at the beginning. */
function idleness(): () => Promise<void> {
  const before = openResources();
  return async () => {
    for (let quiet = 0; quiet < quietTurns; ) {
      await new Promise<void>((resolve) => setTimeout(resolve, 0));
      quiet = openResources() > before ? 0 : quiet + 1;
    }
  };
}

/** Timers, sockets, files: what Node.js says is open. Elsewhere nothing is known of them. */
function openResources(): number {
  const { process } = globalThis as { readonly process?: { getActiveResourcesInfo?: () => string[] } };
  return process?.getActiveResourcesInfo?.().length ?? 0;
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
