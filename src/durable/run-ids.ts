import { reservedMark } from "../checkpoint/journal/checkpoint-id.js";

/** The thread of the turn to which a run belongs; `undefined` for every other id. */
export function threadOfRun(id: string): string | undefined {
  const [, thread] = /^~thread\/([^/]+)\/\d{8}\/run$/.exec(id) ?? [];
  return thread === undefined ? undefined : decodeURIComponent(thread);
}

/** Whether runs have such ids: of the reserved ones, only those of turns do. */
export function isRunId(id: string): boolean {
  return !id.startsWith(reservedMark) || threadOfRun(id) !== undefined;
}

/** Whether a run belongs to those with a prefix, as stores compare it: of a turn, its thread does. */
export function isInside(id: string, prefix: string): boolean {
  return isRunId(id) && (threadOfRun(id) ?? id).startsWith(prefix);
}

/** The prefix of what has both; `undefined` if nothing can. */
export function commonPrefix(one: string, other: string): string | undefined {
  if (one.startsWith(other)) return one;
  return other.startsWith(one) ? other : undefined;
}
