import { causedByInterrupt } from "../../checkpoint/pause/interrupt.js";
import { mergeSources } from "../../schema/stream/merge.js";
import { StreamReader } from "../../schema/stream/reader.js";

/**
 * The streams of several sources as one. An interrupt in one of them is held back until the others have ended: if one of these
 * fails, the policies around the node decide about that failure.
 */
export function mergeInputs(readers: readonly StreamReader<unknown>[]): StreamReader<unknown> {
  const sources = readers.map((reader) => reader.takeSource());
  return new StreamReader(mergeSources(sources, causedByInterrupt));
}
