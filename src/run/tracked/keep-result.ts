import type { Slot } from "../../checkpoint/snapshot.js";
import { StreamReader } from "../../schema/stream/reader.js";
import type { Run } from "../run.js";
import { KeptStream } from "./kept-stream.js";

/**
 * The result of a run, remembered where it is one of several in a place that may be entered again. (A graph that is a node
 * stays in its place as it is, until the node itself is done: an abort may come between the two.)
 */
export function keepResult(run: Run, result: unknown): unknown {
  const { place } = run;
  if (place === undefined || run.nested) return result;
  if (!(result instanceof StreamReader) || run.mode === "invoke") {
    place.visit.finishInner(run.innerKey, { value: result });
    return result;
  }
  const kept = new KeptStream(result);
  run.onStreamEnd = finishStreamed.bind(undefined, run, kept);
  return kept.reader;
}

/** The stream of a child run has ended. */
function finishStreamed({ place, innerKey }: Run, kept: KeptStream): void {
  place?.visit.finishInner(innerKey, slotOf(kept));
}

/** What cannot be joined is not remembered: then the child runs again. */
function slotOf(kept: KeptStream): Slot | undefined {
  try {
    return { value: kept.whole() };
  } catch {
    return undefined;
  }
}
