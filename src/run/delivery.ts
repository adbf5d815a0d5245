import type { Task } from "./task.js";

/** What one task gives to a node: a value, or a reader in a run on streams. */
export interface Delivery {
  readonly source: Task;
  readonly value: unknown;
}
