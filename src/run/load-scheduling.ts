import type { RunSnapshot } from "../checkpoint/document/snapshot.js";
import type { NodeSettings, StateHandler } from "../compose/plan/plan.js";
import { OnDemand } from "../schema/on-demand.js";
import type { ChunkSource } from "../schema/stream/source.js";
import type { Body } from "./body.js";
import type { Targets } from "./routes.js";
import type { Task } from "./task.js";
import type { NodePlace } from "./wrap.js";

/** The scheduler and what comes with it. `never` stands for the `Run` and its ledger, to avoid an import cycle. */
export interface Scheduling {
  readonly choose: (run: never, task: Task) => Targets | PromiseLike<Targets>;
  readonly schedule: (run: never, ledger: never, input: unknown, from: RunSnapshot | undefined) => unknown;
  /** Runs on from a task that has ended and was routed. */
  readonly finish: (run: never, task: Task) => Promise<unknown>;
  /** The output stream of a run as its caller reads it. */
  readonly outputOf: (run: never, reader: never) => ChunkSource<unknown>;
  /** The layers around the function of a node, in a run on streams. */
  readonly wrapStream: (core: Body, settings: NodeSettings) => Body;
  /** A stream handler of a node in a run on values. `before`: the node that it stands before. */
  readonly handleAsStream: (handler: StateHandler, before: NodePlace | undefined) => Body;
}

/**
 * Everything that the fast lane does without. In Node.js the entries load it with everything else, and it registers itself
 * here. Bundles load it when a graph is compiled that needs it, or at the first run that does.
 */
export const schedulingPart: OnDemand<Scheduling> = new OnDemand(
  async () => (await import("./scheduling.js")).scheduling,
);

/** The part, in a run that has waited for it. */
export function loadedScheduling(): Scheduling {
  if (schedulingPart.part === undefined) throw new TypeError("The scheduler is not loaded.");
  return schedulingPart.part;
}
