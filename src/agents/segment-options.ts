import type { SegmentOptions } from "../compose/segment.js";
import type { AgentEvent } from "./agent-event.js";
import type { AgentCallOptions, Prompt } from "./call-options.js";

/** What records the events of runs: an `eventLog` of `kumiko/ui`. */
export interface EventRecorder {
  /** Returns the stream as it is, and keeps its events under this id as they pass. */
  record<Stream extends AsyncIterable<AgentEvent>>(id: string, stream: Stream): Stream;
}

/** Options of a segment of an agent. */
export type AgentSegmentOptions = Omit<SegmentOptions<Prompt>, "maxSteps"> &
  Pick<AgentCallOptions, "userId" | "onWaiting" | "modelOptions" | "maxSteps"> & {
    /** Records the events, under the id of the thread or of the run. */
    readonly record?: EventRecorder | undefined;
  };

/** Which run a segment drives: one by its id, or the turn of a thread that a request has named. */
export type SegmentTurn = string | { readonly threadId: string; readonly requestId: string };
