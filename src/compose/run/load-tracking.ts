import type { RunTracking } from "./run-tracking.js";

/** Loads at first use what most programs never need. */
export async function loadTracking(): Promise<RunTracking> {
  return (await import("./tracking.js")).tracking;
}
