import type { CheckpointStore } from "../checkpoint/checkpoint-store.js";
import type { Runtime } from "../compose/runtime.js";
import type { MastraLogger } from "./logger.js";

/** The method that a {@link Mastra} calls on everything registered with it. */
export const register: unique symbol = Symbol.for("kumiko/mastra/register") as never;

/** An agent, workflow or tool that is told which Mastra instance it is registered with. @internal */
export interface Registrable {
  readonly [register]: (owner: Owner) => void;
}

/** The parts of a {@link Mastra} that registered agents, workflows and tools use. @internal */
export interface Owner {
  readonly storage: CheckpointStore;
  /** Whether nobody has given the storage, which is in memory then: nothing in it outlives the process. */
  readonly isStorageOwn: boolean;
  readonly logger: MastraLogger;
  /** Resolves the names of models; `undefined` without any. */
  readonly runtime?: Runtime | undefined;
  /** The instance that steps and tools get as `mastra`. */
  readonly mastra: object;
}

export function isRegistrable(value: unknown): value is Registrable {
  return (typeof value === "object" || typeof value === "function") && value !== null && register in value;
}
