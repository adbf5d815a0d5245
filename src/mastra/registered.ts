import type { CheckpointStore } from "../checkpoint/checkpoint-store.js";
import type { MastraLogger } from "./logger.js";

/** How a Mastra makes itself known to what is registered with it. */
export const register: unique symbol = Symbol.for("kumiko/mastra/register") as never;

/** What can be registered with a Mastra. */
export interface Registrable {
  readonly [register]: (owner: Owner) => void;
}

/** What what is registered needs of the Mastra that it belongs to. */
export interface Owner {
  readonly storage: CheckpointStore;
  readonly logger: MastraLogger;
  /** What steps and tools get as `mastra`. */
  readonly mastra: object;
}

export function isRegistrable(value: unknown): value is Registrable {
  return (typeof value === "object" || typeof value === "function") && value !== null && register in value;
}
