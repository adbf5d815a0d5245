import type { NodeStop } from "../document/snapshot.js";

/** The `info` of an interrupt that is not a question: a requested stop, or one before or after nodes. */
export type StopInfo =
  | { readonly kind: "requested" }
  | ({ readonly kind: "before_after" } & Pick<NodeStop, "before" | "after">);

// a question of a user may have an info that looks the same
const stopInfos = new WeakSet<object>();

export function stopInfo(info: StopInfo): StopInfo {
  stopInfos.add(info);
  return info;
}

export function isStopInfo(info: unknown): info is StopInfo {
  return typeof info === "object" && info !== null && stopInfos.has(info);
}
