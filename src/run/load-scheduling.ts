import type { RunSnapshot } from "../checkpoint/document/snapshot.js";
import type { NodeSettings, StateHandler } from "../compose/plan/plan.js";
import type { Joining } from "../schema/concat/rule.js";
import { OnDemand } from "../schema/on-demand.js";
import type { ChunkSource } from "../schema/stream/source.js";
import type { Body, Natives } from "./body.js";
import type { Targets } from "./routes.js";
import type { checkedStream, endingWith } from "./streams/output-streams.js";
import type { StreamMode } from "./streams/stream-body.js";
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
  readonly checkedStream: typeof checkedStream;
  readonly endingWith: typeof endingWith;
  /** A node in a run on streams. */
  readonly streamBody: (mode: StreamMode, natives: Natives, joining: Joining, settings: NodeSettings) => Body;
  /** `invoke` of a node, without joining what it returns. */
  readonly unjoinedBody: (natives: Natives, joining: Joining) => Body;
  /** A stream handler of a node in a run on values. `before`: the node that it runs before. */
  readonly handleAsStream: (handler: StateHandler, before: NodePlace | undefined) => Body;
}

/**
 * Everything that the fast lane does without. In Node.js the entries load it with everything else, and it registers itself
 * here. Bundles load it when a graph is compiled that needs it, or at the first run that does.
 */
export const schedulingPart: OnDemand<Scheduling> = new OnDemand(
  async () => (await import("./scheduling.js")).scheduling,
);

/** A body made by that part: at once if it is loaded, otherwise at the first call, which waits for it. */
export function bodyOfPart(make: (part: Scheduling) => Body): Body {
  if (schedulingPart.part !== undefined) return make(schedulingPart.part);
  let made: Body | undefined;
  return (input, task) => {
    if (made !== undefined) return made(input, task);
    return schedulingPart.load().then((part) => {
      made ??= make(part);
      return made(input, task);
    });
  };
}

/** That part, in a run that has waited for it. */
export function loadedScheduling(): Scheduling {
  if (schedulingPart.part === undefined) throw new TypeError("The scheduler is not loaded.");
  return schedulingPart.part;
}
