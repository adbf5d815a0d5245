import { createHook } from "node:async_hooks";
import { PerformanceObserver } from "node:perf_hooks";
import { getHeapSpaceStatistics } from "node:v8";

/** What is measured. When it gives a promise, that is awaited; what the awaiting costs is not counted. */
export type Work = () => unknown;

/**
 * Bytes that one run allocates, on the heap and in array buffers. They are read off the young generation, so nothing may be
 * collected meanwhile, and no optimising compiler may change its mind about what it allocates: see `flags` of child.ts.
 */
export async function countBytes(work: Work, runs: number): Promise<number> {
  return (await perRun(work, runs, countAllocated)) - (await awaiting(work, runs, countAllocated));
}

/** Promises that one run makes. */
export async function countPromises(work: Work, runs: number): Promise<number> {
  return (await perRun(work, runs, countMade)) - (await awaiting(work, runs, countMade));
}

/** Counts the garbage collections from now until the returned function is called. */
export function watchCollections(): () => Promise<number> {
  let collections = 0;
  const observer = new PerformanceObserver((list) => {
    collections += list.getEntries().length;
  });
  observer.observe({ entryTypes: ["gc"] });
  return async () => {
    // They are told in a later turn of the event loop.
    for (let turn = 0; turn < 3; turn++) await new Promise((resolve) => setImmediate(resolve));
    observer.disconnect();
    return collections;
  };
}

type Count = (drive: () => Promise<void>) => Promise<number>;

async function perRun(work: Work, runs: number, count: Count): Promise<number> {
  // What happens only once (something is loaded, a cache is filled) is not the price of a run.
  await count(() => repeat(work, runs));
  // Reading the figures, and driving no run at all, has a price too.
  const price = await count(() => repeat(work, 0));
  return ((await count(() => repeat(work, runs))) - price) / runs;
}

/** What our own `await` costs for a result like that of the work. */
async function awaiting(work: Work, runs: number, count: Count): Promise<number> {
  const result = work();
  if (!(result instanceof Promise)) return 0;
  await result;
  return perRun(() => result, runs, count);
}

async function repeat(work: Work, runs: number): Promise<void> {
  for (let run = 0; run < runs; run++) {
    const result = work();
    if (result instanceof Promise) await result;
  }
}

async function countAllocated(drive: () => Promise<void>): Promise<number> {
  const before = allocated();
  await drive();
  return allocated() - before;
}

function allocated(): number {
  let bytes = process.memoryUsage().arrayBuffers;
  for (const { space_name, space_used_size } of getHeapSpaceStatistics()) {
    if (space_name === "new_space" || space_name === "new_large_object_space") bytes += space_used_size;
  }
  return bytes;
}

async function countMade(drive: () => Promise<void>): Promise<number> {
  let made = 0;
  const hook = createHook({
    init: (_id, type) => {
      if (type === "PROMISE") made++;
    },
  });
  hook.enable();
  await drive();
  hook.disable();
  return made;
}
