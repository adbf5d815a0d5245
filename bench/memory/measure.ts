import { join } from "node:path";
import { bundleChild, forEachProcessor, interpreted } from "../gates/children.js";
import { type Growth, growthOf } from "./growth.js";
import { scenarios } from "./scenarios/all.js";

/** How a measurement is done. */
export interface Mode {
  /** The part of the repetitions of each scenario, and the most of them. */
  readonly share: number;
  readonly most: number;
  readonly flags: readonly string[];
  /** So many bytes are nothing. */
  readonly noise: number;
}

/** The noise is what an optimising compiler learns and keeps. */
export const FULL: Mode = { share: 1, most: Number.POSITIVE_INFINITY, flags: [], noise: 500_000 };
/**
 * So few repetitions would drown in that noise. The interpreter repeats to the kilobyte, except for what signals hold weakly: of
 * 5,400 calls that ran out of time up to 31 kB are still there, and of forty times as many nothing.
 */
export const QUICK: Mode = { share: 1 / 40, most: 2_500, flags: interpreted, noise: 50_000 };

export interface Measured extends Growth {
  readonly name: string;
  readonly runs: number;
}

const PARTS = 6;

/** Repeats scenarios, each in a process of its own; `onMeasured` hears of each as it is done. */
export async function measureGrowth(
  names: readonly string[],
  { share, most, flags, noise }: Mode,
  onMeasured: (measured: Measured) => void,
): Promise<Measured[]> {
  const children = await bundleChild(join(import.meta.dirname, "child.ts"), flags);
  try {
    return await forEachProcessor(names, async (name) => {
      const { times = 0 } = scenarios[name] ?? {};
      const runsPerPart = Math.ceil(Math.min(times * share, most) / PARTS);
      const bytes = (await children.run([name, String(runsPerPart), String(PARTS)])) as number[];
      const measured = { name, runs: runsPerPart * PARTS, ...growthOf(bytes, runsPerPart, noise) };
      onMeasured(measured);
      return measured;
    });
  } finally {
    children.close();
  }
}
