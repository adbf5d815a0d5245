import { wholeEvents } from "./chunk-events.js";
import { StreamCall } from "./stream-call.js";
import { AskedModel, tellAnswer } from "./streamed-answer.js";
import { type Streaming, streamingPart } from "./streaming-part.js";
import { ToldCalls } from "./told-calls.js";

export const streaming: Streaming = {
  openCall: (run) => new StreamCall(run),
  streamAnswer: (turn, chain, request, called) =>
    tellAnswer(turn, new AskedModel(turn, chain, request, called.ctx), called),
  tellWhole: (turn, answer) => {
    for (const event of wholeEvents(answer)) turn.emit(event);
  },
  toldCalls: (turn) => new ToldCalls(turn),
};

// a side effect of the import: see decision 10
streamingPart.register(streaming);
