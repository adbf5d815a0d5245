import { bytesInUse } from "../measure/garbage.js";

/** Bytes that one of many waiting things keeps in memory. */
export async function retainedBytes(keep: () => unknown, count: number): Promise<number> {
  for (let n = 0; n < 100; n++) keep();
  const kept: unknown[] = new Array(count).fill(undefined);
  const before = await bytesInUse();
  for (let n = 0; n < count; n++) kept[n] = keep();
  const after = await bytesInUse();
  // What is kept has to live until here.
  if (kept.length !== count) throw new Error("unreachable");
  return (after - before) / count;
}
