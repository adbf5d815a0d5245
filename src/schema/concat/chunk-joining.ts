import type { ConcatRegistry } from "./registry.js";
import type { Joining } from "./rule.js";

/** Joins all chunks of a stream as its `Joining` declares. Await `untilJoinable` first. */
export type JoinChunks = (
  chunks: readonly unknown[],
  joining: Joining | undefined,
  where?: string,
  registry?: ConcatRegistry,
) => unknown;

const registered: { join?: JoinChunks } = {};

/** Called by the module that joins chunks. */
export function registerChunkJoining(join: JoinChunks): void {
  registered.join = join;
}

/** Whether the module that joins chunks is loaded. In Node.js it is from the start. */
export function canJoinChunks(): boolean {
  return registered.join !== undefined;
}

/** Joins chunks. Throws a TypeError if the module that joins them is not loaded. */
export const joinLoadedChunks: JoinChunks = (chunks, joining, where, registry) => {
  if (registered.join === undefined) throw new TypeError("Await untilJoinable() first.");
  return registered.join(chunks, joining, where, registry);
};
