import { OnDemand } from "../on-demand.js";
import { messageJoining } from "./message-joining.js";

const onDemand = new OnDemand(() => import("../message/concat-lists.js"));

/** Loads what joins messages. A program that imports the root entry as a whole has it from its start. */
export async function loadMessageJoining(): Promise<void> {
  await onDemand.load();
}

/** What has to be awaited before these chunks can be joined: they may be messages, or have some in them. */
export function untilJoinable(chunks: readonly unknown[]): Promise<void> | undefined {
  if (messageJoining() !== undefined) return undefined;
  const first = chunks.find((chunk) => chunk !== undefined && chunk !== null);
  return typeof first === "object" ? loadMessageJoining() : undefined;
}
