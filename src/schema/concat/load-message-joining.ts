import { OnDemand } from "../on-demand.js";
import { type MessageJoining, messageJoining } from "./message-joining.js";

const onDemand = new OnDemand(() => import("../message/concat-lists.js"));

/** Loads the module that joins messages. Programs that import the whole root entry have it from the start. */
export async function loadMessageJoining(): Promise<MessageJoining> {
  const { concatMessages, concatMessageLists } = await onDemand.load();
  return { message: concatMessages, list: concatMessageLists };
}

/** A promise to await before these chunks can be joined, if they may be messages or contain some. */
export function untilJoinable(chunks: readonly unknown[]): Promise<unknown> | undefined {
  if (messageJoining() !== undefined) return undefined;
  const first = chunks.find((chunk) => chunk !== undefined && chunk !== null);
  return typeof first === "object" ? loadMessageJoining() : undefined;
}
