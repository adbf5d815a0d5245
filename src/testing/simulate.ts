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
 * time, and the order of events is deterministic.
 *
 * Node.js reports what can still continue, and the clock waits for it: turns of the event loop, requests to files and the network,
 * cryptography and compression, and (up to half a second) timers outside of the runtime. What stays open for two seconds no longer
 * holds it up, such as an idle connection. Not reported, and so not waited for, is work in native add-ons and the compilation of
 * WebAssembly; and on other platforms everything but a few turns of the event loop. Give such nodes no `timeoutMs`, or use
 * {@link manualClock}. So nothing tells work that never ends from work that is not reported: a test that waits for it, without any
 * timer, does not end either.
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
  const idle = idleness();
  let isOver = false;
  /** How many calls of `advance` are active. The clock does not jump during them. */
  let advancing = 0;
  const advance = async (milliseconds: number): Promise<void> => {
    const end = clock.now() + milliseconds;
    advancing++;
    try {
      await idle.wait();
      for (let next = clock.nextTimer; next !== undefined && next <= end; next = clock.nextTimer) {
        clock.advance(next - clock.now());
        await idle.wait();
      }
      clock.advance(end - clock.now());
      await idle.wait();
    } finally {
      advancing--;
    }
  };
  const work = test({ runtime, advance, now: () => clock.now() }).finally(() => {
    isOver = true;
  });
  work.catch(() => undefined);
  while (!isOver) {
    await idle.wait();
    const next = clock.nextTimer;
    if (!isOver && advancing === 0 && next !== undefined) clock.advance(next - clock.now());
  }
  idle.stop();
  return work;
}

/** How many quiet turns of the event loop count as idle: more than one, for work that the platform does not report. */
const quietTurns = 4;

/** How long to wait for real timers. Some never fire during a test, such as its own time limit. */
const longestTimerMs = 500;

/** How long to wait for anything else. Some resources never close, such as idle connections. */
const longestWaitMs = 2_000;

interface Idleness {
  /** Resolves when nothing can continue unless time passes. */
  wait(): Promise<void>;
  stop(): void;
}

/**
 * Observes what can still continue: it asks the platform, and does not guess. A turn is quiet if at its beginning, when all promises
 * have settled, no immediate and no request is pending, and no more handles are open than before the test.
 */
function idleness(): Idleness {
  const work = workInThreads();
  let known = handlesIn(openResources(work));
  const wait = async (): Promise<void> => {
    const start = performance.now();
    for (let quiet = 0; quiet < quietTurns; ) {
      const open = await turn(work);
      // lowers the baseline when resources close, so that new ones are noticed
      known = new Map([...known].map(([kind, count]) => [kind, Math.min(count, open.get(kind) ?? 0)]));
      const waited = performance.now() - start;
      for (const [kind, count] of open) {
        if (waited > (kind === "Timeout" ? longestTimerMs : longestWaitMs)) known.set(kind, count);
      }
      quiet = [...open].some(([kind, count]) => count > (known.get(kind) ?? 0)) ? 0 : quiet + 1;
    }
  };
  return { wait, stop: work.stop };
}

/** How many resources of each kind are open. */
type OpenResources = ReadonlyMap<string, number>;

/** The turns that simulations of this process wait for, which must not take each other for work that goes on. */
const turns = { pending: 0 };

/** The work that is open at the beginning of the next turn, before anything else happens in it. */
function turn(work: ThreadWork): Promise<OpenResources> {
  const { setImmediate } = globalThis as { readonly setImmediate?: (run: () => void) => unknown };
  if (setImmediate === undefined) return new Promise((resolve) => setTimeout(() => resolve(openResources(work)), 0));
  turns.pending++;
  return new Promise((resolve) => {
    setImmediate(() => {
      turns.pending--;
      resolve(openResources(work));
    });
  });
}

/** The open timers, immediates, requests, sockets and files, as Node.js reports them. Other platforms report none. */
function openResources(work: ThreadWork): OpenResources {
  const { process } = globalThis as { readonly process?: { getActiveResourcesInfo?: () => string[] } };
  const counts = new Map<string, number>();
  for (const kind of process?.getActiveResourcesInfo?.() ?? []) {
    counts.set(kind, (counts.get(kind) ?? 0) + 1);
  }
  counts.set("Immediate", (counts.get("Immediate") ?? 0) - turns.pending);
  counts.set("ThreadWork", work.count());
  return counts;
}

/** Work that ends by itself, so that it is always in progress. */
const requests =
  /^(?:Immediate$|FSReq|FileHandleCloseReq|CloseReq|Get\w+Req|Query\w*Req|\w+ConnectWrap|\w*WriteWrap|ShutdownWrap|\w+SendWrap)/;

/** The resources that may stay open for a long time without any work. */
function handlesIn(open: OpenResources): Map<string, number> {
  return new Map([...open].filter(([kind]) => !requests.test(kind)));
}

/** Work in other threads that Node.js does not list among its resources: cryptography and compression. */
interface ThreadWork {
  /** How much of it is in progress. */
  count(): number;
  stop(): void;
}

/** The part of `node:async_hooks` that is used. */
interface AsyncHooks {
  createHook(hooks: {
    init(id: number, type: string, trigger: number, resource: object): void;
    after(id: number): void;
    destroy(id: number): void;
  }): { enable(): void; disable(): void };
}

function workInThreads(): ThreadWork {
  const requests = new Set<number>();
  /** Held weakly, because they are reported as destroyed only once they are collected. */
  const compressors = new Map<number, WeakRef<object>>();
  const count = (): number => requests.size + [...compressors.values()].filter((one) => isWriting(one.deref())).length;
  const { process } = globalThis as { readonly process?: { getBuiltinModule?: (name: string) => unknown } };
  const hooks = process?.getBuiltinModule?.("node:async_hooks") as AsyncHooks | undefined;
  if (typeof hooks?.createHook !== "function") return { count, stop: () => undefined };
  const hook = hooks.createHook({
    init: (id, type, _trigger, resource) => {
      if (type.endsWith("REQUEST")) requests.add(id);
      else if (type === "ZLIB") compressors.set(id, new WeakRef(resource));
    },
    after: (id) => void requests.delete(id),
    destroy: (id) => {
      requests.delete(id);
      compressors.delete(id);
    },
  });
  hook.enable();
  return { count, stop: () => hook.disable() };
}

/** Whether a compressor holds the bytes that it compresses. */
function isWriting(compressor: object | undefined): boolean {
  return compressor !== undefined && "buffer" in compressor && compressor.buffer !== null;
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
