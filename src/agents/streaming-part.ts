import type { AgenticMessage } from "../schema/message/agentic-message.js";
import type { BatchFollower } from "../tools/node/call-batch.js";
import type { Called } from "./model-answer.js";
import type { ModelChain } from "./model-chain.js";
import type { ModelRequest } from "./model-request.js";
import type { StreamCall, StreamedRun } from "./stream-call.js";
import type { OngoingTurn } from "./turn.js";

/** The functions of the module of streams. */
export interface Streaming {
  /** The run behind a stream of an agent. */
  readonly openCall: (run: StreamedRun) => StreamCall;
  /** Asks a model for an answer, and emits events as it arrives. */
  readonly streamAnswer: (
    turn: OngoingTurn,
    chain: ModelChain,
    request: ModelRequest,
    called: Called,
  ) => Promise<AgenticMessage>;
  /** Emits the events that need a whole answer. */
  readonly tellWhole: (turn: OngoingTurn, answer: AgenticMessage) => void;
  /** Emits events of the calls of a message. */
  readonly toldCalls: (turn: OngoingTurn) => BatchFollower;
}

const registered: { streaming?: Streaming } = {};

/**
 * Called by the module of streams, which the nodes of an agent do not import: in Node.js the entry imports it, and bundles load it
 * with the first stream.
 */
export function registerStreaming(streaming: Streaming): void {
  registered.streaming = streaming;
}

/** `undefined` until the module of streams is loaded. */
export function findStreaming(): Streaming | undefined {
  return registered.streaming;
}

/** The module of streams, for runs with a reader: what is read has loaded it. */
export function loadedStreaming(): Streaming {
  if (registered.streaming === undefined) throw new TypeError("The module of streams is not loaded.");
  return registered.streaming;
}
