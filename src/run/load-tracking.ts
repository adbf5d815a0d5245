import { loadMessageJoining } from "../schema/concat/load-message-joining.js";
import { OnDemand } from "../schema/on-demand.js";
import type { RunTracking } from "./run-tracking.js";

const onDemand = new OnDemand<RunTracking>(async () => {
  const [{ tracking }] = await Promise.all([import("./tracking.js"), loadMessageJoining()]);
  return tracking;
});

/**
 * Loads at first use what most programs never need. Snapshots are taken at any moment, with streams in them joined, so what
 * that may need is there from the start.
 */
export function loadTracking(): RunTracking | Promise<RunTracking> {
  return onDemand.part ?? onDemand.load();
}
