import type { RunTracking } from "./run-tracking.js";

const loaded: { tracking?: RunTracking } = {};

/** Loads at first use what most programs never need. Asking the module system each time would cost more than a step. */
export function loadTracking(): RunTracking | Promise<RunTracking> {
  return loaded.tracking ?? load();
}

async function load(): Promise<RunTracking> {
  const { tracking } = await import("./tracking.js");
  loaded.tracking = tracking;
  return tracking;
}
