import { LatePart } from "../schema/late-part.js";
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

/** The module of streams. Bundles load it with the first stream, so it is loaded in every run with a reader. */
export const streamingPart = new LatePart<Streaming>();
