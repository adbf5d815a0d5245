import type { RunSnapshot } from "../checkpoint/document/snapshot.js";
import type { NodeSettings, StateHandler } from "../compose/plan/plan.js";
import type { Joining } from "../schema/concat/rule.js";
import { LatePart } from "../schema/late-part.js";
import type { StreamReader } from "../schema/stream/reader.js";
import type { ChunkSource } from "../schema/stream/source.js";
import type { Body, Natives } from "./body.js";
import type { Targets } from "./routes.js";
import type { checkedStream, endingWith } from "./streams/output-streams.js";
import type { StreamMode } from "./streams/stream-body.js";
import type { NodePlace } from "./streams/stream-ports.js";
import type { Task } from "./task.js";

/** The functions of the scheduler's module. `never` stands for the `Run` and its ledger, to avoid an import cycle. */
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
  readonly nameStream: (output: StreamReader<unknown>, key: string) => StreamReader<unknown>;
  /** `invoke` of a node, without joining what it returns. */
  readonly unjoinedBody: (natives: Natives, joining: Joining) => Body;
  /** A stream handler of a node in a run on values. `before`: the node that it runs before. */
  readonly handleAsStream: (handler: StateHandler, before: NodePlace | undefined) => Body;
}

/** Loads the module of the scheduler. */
export type LoadScheduling = () => Promise<Scheduling>;

/** The scheduler. Its module is loaded in bundles when a graph is compiled that needs it, or at the first run that does. */
export const schedulingPart = new LatePart<Scheduling>();

/** A body created by the scheduler's module: immediately if it is loaded, otherwise in the first call, which loads it. */
export function scheduledBody(load: LoadScheduling, make: (scheduling: Scheduling) => Body): Body {
  const { part } = schedulingPart;
  if (part !== undefined) return make(part);
  let made: Body | undefined;
  return (input, task) => {
    if (made !== undefined) return made(input, task);
    return load().then((loaded) => {
      task.scope.throwIfAborted();
      made ??= make(loaded);
      return made(input, task);
    });
  };
}
