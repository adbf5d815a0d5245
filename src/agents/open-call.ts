import { OnDemand } from "../schema/on-demand.js";
import type { StreamCall, StreamedRun } from "./stream-call.js";
import { streamingPart } from "./streaming-part.js";

/** Not all programs read streams of their agents. */
const streaming = new OnDemand(async () => (await import("./streaming.js")).streaming);

/** The run behind a stream; a promise of it until the module of streams is loaded. */
export function openCall(run: StreamedRun): StreamCall | Promise<StreamCall> {
  return streamingPart.part?.openCall(run) ?? openLater(run);
}

async function openLater(run: StreamedRun): Promise<StreamCall> {
  const loaded = await streaming.load();
  streamingPart.register(loaded);
  return loaded.openCall(run);
}
