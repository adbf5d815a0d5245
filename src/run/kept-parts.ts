import type { Slot } from "../checkpoint/snapshot.js";
import type { Visit } from "../checkpoint/visit.js";
import { StreamReader } from "../schema/stream/reader.js";
import { whenReady } from "./async.js";
import type { Body } from "./body.js";
import { oneChunk } from "./joining.js";
import { KeptStream } from "./kept-stream.js";
import type { Task } from "./task.js";

/** What `before` makes of the input of a node, or what the node gives to `after`. */
type PartName = "prepared" | "produced";

/** A part of an invocation: kept from its earlier execution if that came to ask something, otherwise made now. */
export function keptOrMade(name: PartName, make: Body, input: unknown, task: Task): unknown {
  const kept = keptPart(name, task.openedVisit);
  if (kept === undefined) return whenReady(make(input, task), (made) => keep(name, made, task));
  if (!(input instanceof StreamReader)) return kept.value;
  void input.cancel();
  return oneChunk(kept.value, undefined);
}

function keep(name: PartName, made: unknown, task: Task): unknown {
  const { visit } = task;
  if (!(made instanceof StreamReader)) {
    // a node that has asked something gave nothing
    if (name === "prepared" || !visit.hasStopped) visit[name] = { value: made };
    return made;
  }
  const kept = new KeptStream(made, () => task.scope.throwIfAborted());
  visit.keepStream(name, kept);
  return kept.read();
}

function keptPart(name: PartName, visit: Visit | undefined): Slot | undefined {
  return visit?.isRestored === true && visit.hasQuestions ? visit[name] : undefined;
}

/** Waits for what began in an invocation, and reads the rest of streams that it has left. */
export async function settleKept(visit: Visit | undefined, settling: Promise<void> | undefined): Promise<void> {
  await settling;
  for (const [name, stream] of visit?.keptStreams ?? []) {
    await stream.drain();
    if (stream.ended && visit !== undefined) visit[name] = { value: stream.whole() };
  }
}
