import { LatePart } from "../late-part.js";
import type { ConcatRegistry } from "./registry.js";
import type { Joining } from "./rule.js";

/** Joins all chunks of a stream as its `Joining` declares. Await `untilJoinable` first. */
export type JoinChunks = (
  chunks: readonly unknown[],
  joining: Joining | undefined,
  where?: string,
  registry?: ConcatRegistry,
) => unknown;

/** What joins chunks. In Node.js it is loaded from the start; elsewhere, await `untilJoinable` first. */
export const chunkJoining = new LatePart<JoinChunks>();
