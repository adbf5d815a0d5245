import { isPlainObject, isRecord } from "../../is.js";
import { joinChunks } from "../../schema/concat/concat-chunks.js";
import type { Joining } from "../../schema/concat/rule.js";
import { isAgenticMessage } from "../../schema/message/agentic-message.js";
import type { StreamReader } from "../../schema/stream/reader.js";
import { joiningOfKey } from "../streams/joining.js";
import { lazyReader } from "../streams/lazy-reader.js";
import type { BoundComputed, BoundFrom, Outputs } from "./bound-mapping.js";
import { type MappingTarget, MISSING, readPath, settled } from "./read-path.js";

type Chunks = AsyncGenerator<unknown, void>;

/** The result of a user function of the joined value. */
export async function* wholeOf(source: BoundComputed, reader: StreamReader<unknown>, at: Outputs): Chunks {
  const whole = await reader.concat();
  let made: unknown;
  try {
    at.run.throwIfAborted();
    made = await source.read({ ...at, at: () => whole });
  } catch (error) {
    throw at.run.blame(error, at.target);
  }
  yield made;
}

/** The value at the path of a source: chunk by chunk as far as the path leads through records. */
export function partOf(
  source: BoundFrom,
  reader: StreamReader<unknown>,
  at: MappingTarget,
  own: Joining,
  isWhole: boolean,
): StreamReader<unknown> {
  const { path, fallback, required } = source.reading.source;
  if (fallback !== undefined || path.some(isListStep)) {
    return lazyReader([reader], restOf(source, reader, at, 0, isWhole), own);
  }
  if (path.length === 0 && !required) return isWhole ? reader : filled(reader);
  let part = filled(reader);
  for (const [n, step] of path.entries()) {
    const joining = joiningOfKey(part.joining, step);
    if (joining === undefined) return lazyReader([part], restOf(source, part, at, n, isWhole), own);
    part = lazyReader([part], fieldOf(source, part, at, n), joining);
  }
  return lazyReader([part], found(source, part, at, isWhole), part.joining);
}

const isListStep = (step: string): boolean => step === "*" || /^\d+$/.test(step);

/** The same chunks; a stream without chunks fails, as it does when it is joined. */
function filled(reader: StreamReader<unknown>): StreamReader<unknown> {
  const { joining } = reader;
  async function* chunks(): Chunks {
    let isEmpty = true;
    for await (const chunk of reader) {
      isEmpty = false;
      yield chunk;
    }
    if (isEmpty) joinChunks([], joining);
  }
  return lazyReader([reader], chunks(), joining);
}

/** Reads the rest of a path in the joined value. A part without chunks is missing. */
async function* restOf(
  source: BoundFrom,
  reader: StreamReader<unknown>,
  at: MappingTarget,
  from: number,
  isWhole: boolean,
): Chunks {
  const { reading } = source;
  const chunks: unknown[] = [];
  for await (const chunk of reader) chunks.push(chunk);
  const isNothing = from > 0 && chunks.length === 0;
  const read = isNothing ? MISSING : readPath(joinChunks(chunks, reader.joining), reading, at, from);
  const value = settled(read, reading, at);
  if (value !== MISSING) yield value;
  else if (isWhole) yield undefined;
}

/** One field, from each chunk that has it. From the first chunk that does not join key by key, the rest is joined first. */
async function* fieldOf(source: BoundFrom, reader: StreamReader<unknown>, at: MappingTarget, n: number): Chunks {
  const { reading } = source;
  const { joining } = reader;
  const step = reading.source.path[n] as string;
  const joinsByKey = (chunk: unknown): chunk is Readonly<Record<string, unknown>> =>
    isRecord(chunk) && (joining?.rule !== "pieces" || (isPlainObject(chunk) && !isAgenticMessage(chunk)));
  const before: unknown[] = [];
  const others: unknown[] = [];
  for await (const chunk of reader) {
    if (chunk === undefined || chunk === null) continue;
    if (others.length > 0 || !joinsByKey(chunk)) {
      others.push(chunk);
    } else {
      before[0] = chunk;
      if (Object.hasOwn(chunk, step)) yield chunk[step];
    }
  }
  if (others.length === 0) return;
  const value = readPath(joinChunks([...before, ...others], joining), reading, at, n, n + 1);
  if (value !== MISSING) yield value;
}

/** The same chunks; if there are none, or only `undefined` where a value is required, the source is treated as missing. */
async function* found(source: BoundFrom, reader: StreamReader<unknown>, at: MappingTarget, isWhole: boolean): Chunks {
  const { required } = source.reading.source;
  let isFound = false;
  let heldBack = 0;
  for await (const chunk of reader) {
    if (required && !isFound && chunk === undefined) {
      heldBack++;
      continue;
    }
    for (; heldBack > 0; heldBack--) yield undefined;
    isFound = true;
    yield chunk;
  }
  if (isFound) return;
  settled(MISSING, source.reading, at);
  if (isWhole) yield undefined;
}
