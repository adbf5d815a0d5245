import { OnDemand } from "../on-demand.js";
import { chunkJoining } from "./chunk-joining.js";
import { type MessageJoining, messageJoining } from "./message-joining.js";

const joinsMessages = new OnDemand(() => import("../message/concat-lists.js"));
const joinsChunks = new OnDemand(() => import("./concat-chunks.js"));

/** Loads the module that joins messages. Programs that import the whole root entry have it from the start. */
export async function loadMessageJoining(): Promise<MessageJoining> {
  const { concatMessages, concatMessageLists } = await joinsMessages.load();
  return { message: concatMessages, list: concatMessageLists };
}

/** A promise to await before these chunks can be joined: what joins them is loaded, and what joins messages if some may be. */
export function untilJoinable(chunks: readonly unknown[]): Promise<unknown> | undefined {
  if (chunkJoining.part === undefined) return joinsChunks.load().then(() => untilJoinable(chunks));
  if (messageJoining.part !== undefined) return undefined;
  const first = chunks.find((chunk) => chunk !== undefined && chunk !== null);
  return typeof first === "object" ? loadMessageJoining() : undefined;
}
