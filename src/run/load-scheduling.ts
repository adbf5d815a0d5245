import type { RunSnapshot } from "../checkpoint/document/snapshot.js";
import { OnDemand } from "../schema/on-demand.js";
import type { ChunkSource } from "../schema/stream/source.js";
import type { Targets } from "./routes.js";
import type { Task } from "./task.js";

/** The scheduler and what comes with it. `never` stands for the `Run` and its ledger, to avoid an import cycle. */
export interface Scheduling {
  readonly choose: (run: never, task: Task) => Targets | PromiseLike<Targets>;
  readonly schedule: (run: never, ledger: never, input: unknown, from: RunSnapshot | undefined) => unknown;
  /** Runs on from a task that has ended and was routed. */
  readonly finish: (run: never, task: Task) => Promise<unknown>;
  /** The output stream of a run as its caller reads it. */
  readonly outputOf: (run: never, reader: never) => ChunkSource<unknown>;
}

/**
 * Everything that the fast lane does without. In Node.js the entries load it with everything else, and it registers itself
 * here. Bundles load it when a graph is compiled that needs it, or at the first run that does.
 */
export const schedulingPart: OnDemand<Scheduling> = new OnDemand(
  async () => (await import("./scheduling.js")).scheduling,
);
