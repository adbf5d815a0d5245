/**
 * Bytes that one of many waiting things keeps in memory: on the heap and in array buffers, after a full garbage collection.
 * Needs `--expose-gc`.
 */
export async function retainedBytes(keep: () => unknown, count: number): Promise<number> {
  for (let n = 0; n < 100; n++) keep();
  const kept: unknown[] = new Array(count).fill(undefined);
  const before = await memoryInUse();
  for (let n = 0; n < count; n++) kept[n] = keep();
  const after = await memoryInUse();
  // What is kept has to live until here.
  if (kept.length !== count) throw new Error("unreachable");
  return (after - before) / count;
}

/** Bytes in use when everything that runs has come to rest, and what nobody needs has been collected. */
export async function memoryInUse(): Promise<number> {
  const { gc } = globalThis;
  if (gc === undefined) throw new Error("Memory is measured with --expose-gc.");
  for (let round = 0; round < 3; round++) {
    await new Promise((resolve) => setImmediate(resolve));
    gc();
  }
  const { heapUsed, arrayBuffers } = process.memoryUsage();
  return heapUsed + arrayBuffers;
}
