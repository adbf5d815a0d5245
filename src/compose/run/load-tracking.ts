import { loadMessageJoining } from "../../schema/concat/load-message-joining.js";
import type { RunTracking } from "./run-tracking.js";

const loaded: { tracking?: RunTracking } = {};

/**
 * Loads at first use what most programs never need. Snapshots are taken at any moment, with streams in them joined, so what
 * that may need is there from the start. Asking the module system each time would cost more than a step.
 */
export function loadTracking(): RunTracking | Promise<RunTracking> {
  return loaded.tracking ?? load();
}

async function load(): Promise<RunTracking> {
  const [{ tracking }] = await Promise.all([import("./tracking.js"), loadMessageJoining()]);
  loaded.tracking = tracking;
  return tracking;
}
