import { causedByInterrupt } from "../../checkpoint/pause/interrupt.js";
import { mergeSources } from "../../schema/stream/merge.js";
import { StreamReader } from "../../schema/stream/reader.js";

/**
 * The streams of several sources as one. A question in one of them is no outcome while another one can still fail, which a
 * policy around would decide about: it arrives after the others have ended.
 */
export function mergeInputs(readers: readonly StreamReader<unknown>[]): StreamReader<unknown> {
  const sources = readers.map((reader) => reader.takeSource());
  return new StreamReader(mergeSources(sources, causedByInterrupt));
}
