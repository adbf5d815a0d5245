import type { Slot } from "../../checkpoint/snapshot.js";
import type { Visit } from "../../checkpoint/visit.js";
import { StreamReader } from "../../schema/stream/reader.js";
import { whenReady } from "../async.js";
import type { Body } from "../body.js";
import { oneChunk } from "../node-stream.js";
import type { TaskContext } from "../task-context.js";
import { KeptStream } from "./kept-stream.js";

/** What `before` makes of the input of a place. One that stopped to wait is given that again, without running `before`. */
export function preparedInput(before: Body, input: unknown, ctx: TaskContext): unknown {
  const kept = keptInput(ctx.openedVisit);
  if (kept === undefined) return whenReady(before(input, ctx), (prepared) => keep(prepared, ctx));
  if (!(input instanceof StreamReader)) return kept.value;
  void input.cancel();
  return oneChunk(kept.value, undefined);
}

function keep(prepared: unknown, ctx: TaskContext): unknown {
  if (!(prepared instanceof StreamReader)) {
    ctx.visit.prepared = { value: prepared };
    return prepared;
  }
  const kept = new KeptStream(prepared, () => ctx.scope.throwIfAborted());
  ctx.visit.preparedStream = kept;
  return kept.reader;
}

/** What `before` made of the input in a former execution, if that one came to ask something. */
function keptInput(visit: Visit | undefined): Slot | undefined {
  return visit?.isRestored === true && visit.hasQuestions ? visit.prepared : undefined;
}

/** Reads the rest of an input that the place has left. */
export async function settleInput(visit: Visit): Promise<void> {
  const { preparedStream: input } = visit;
  if (input === undefined) return;
  await input.drain();
  if (input.ended) visit.prepared = { value: input.whole() };
}
