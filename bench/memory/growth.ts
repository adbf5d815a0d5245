import { bytesInUse } from "../measure/garbage.js";

/** Repeats something in equal parts, and gives the bytes in use after each. */
export async function bytesAfterParts(repeat: () => unknown, runsPerPart: number, parts: number): Promise<number[]> {
  const bytes: number[] = [];
  for (let part = 0; part < parts; part++) {
    for (let run = 0; run < runsPerPart; run++) await repeat();
    bytes.push(await bytesInUse());
  }
  return bytes;
}

export interface Growth {
  /** Bytes that a repetition leaves behind; negative when memory is given back. */
  readonly perRun: number;
  readonly grows: boolean;
}

/**
 * Whether memory grows, from what was in use after each of some equal parts. The first part is warm-up. A leak grows by the
 * same in every part, so the median is looked at: what an engine takes once, or takes and gives back, does not count. Less than
 * `noise` bytes in all parts is nothing.
 */
export function growthOf(bytesAfterParts: readonly number[], runsPerPart: number, noise: number): Growth {
  const steps = bytesAfterParts.slice(1).map((bytes, index) => bytes - (bytesAfterParts[index] ?? bytes));
  if (steps.length < 5) throw new Error("Growth is seen over six parts or more.");
  const median = steps.toSorted((a, b) => a - b)[Math.floor((steps.length - 1) / 2)] ?? 0;
  return { perRun: median / runsPerPart, grows: median * steps.length > noise };
}
