import { END_INDEX } from "../compose/plan/plan.js";
import { isPromiseLike, isRecord } from "../is.js";
import { joinChunks } from "../schema/concat/concat-chunks.js";
import type { Joining } from "../schema/concat/rule.js";
import type { StreamReader } from "../schema/stream/reader.js";
import { duplicateRecordKey, hostileKey, mergeRecords, notARecord } from "./merge.js";
import type { KeyedInputs } from "./program.js";
import type { Run } from "./run.js";
import { oneChunk, rejoin } from "./streams/joining.js";
import { lazyReader } from "./streams/lazy-reader.js";
import { mergeInputs } from "./streams/merge-inputs.js";
import type { Delivery } from "./task.js";

/** Makes the one input of a node from the deliveries of its sources: a value, a reader, or a promise of either. */
export function joinInputs(run: Run, target: number, inbox: readonly Delivery[]): unknown {
  const { input } = run.node(target);
  if (input !== undefined) return input.assemble(run as never, target as never, inbox as never);
  const template = run.joinsKeyed(target);
  if (template !== undefined) return joinKeyed(run, inbox, template);
  const only = inbox[0];
  if (inbox.length === 1 && only !== undefined) return only.value;
  const { keys } = run.program;
  const { merge } = run.node(target).settings;
  const names = inbox.map(({ source }) => keys[source.index] ?? "");
  const values = inbox.map(({ value }) => value);
  if (run.mode === "transform") {
    const readers = values as readonly StreamReader<unknown>[];
    return merge === undefined ? joinStreams(run, target, names, readers) : mergeWhole(run, readers, names, merge);
  }
  return merge === undefined
    ? mergeRecords(values, names, { run, index: target })
    : merge(values as never, names as never);
}

/** {@link joinInputs} of END: an error is located at the graph. */
export function joinAtEnd(run: Run, inbox: readonly Delivery[]): unknown {
  const fail = (error: unknown): never => {
    throw run.aborted ? error : run.blame(error, END_INDEX);
  };
  try {
    const result = joinInputs(run, END_INDEX, inbox);
    return isPromiseLike(result) ? result.then(undefined, fail) : result;
  } catch (error) {
    return fail(error);
  }
}

/** Filling a copy of a record that has all keys is faster than adding them to an empty one, unless it is a large one. */
function joinKeyed(
  run: Run,
  inbox: readonly Delivery[],
  { keys, record: whole }: KeyedInputs,
): Record<string, unknown> {
  const { outputKeys } = run.program;
  const record: Record<string, unknown> = inbox.length === keys ? { ...whole } : {};
  for (const { source, value } of inbox) record[outputKeys[source.index] as string] = value;
  return record;
}

type Merge = (values: never, sources: never) => unknown;

async function mergeWhole(
  run: Run,
  readers: readonly StreamReader<unknown>[],
  names: string[],
  merge: Merge,
): Promise<unknown> {
  const values = await Promise.all(readers.map((reader) => reader.concat()));
  run.throwIfAborted();
  const merged = merge(values as never, names as never);
  return oneChunk(isPromiseLike(merged) ? await merged : merged, { registry: run.runtime.concat });
}

/** One of the streams that are joined. */
interface Source {
  readonly name: string;
  readonly joining: Joining | undefined;
  /** Whether it had a chunk, or reports an empty stream itself. */
  begun: boolean;
}

/** Passes on the chunks of all sources as they come. Each key belongs to one source; concatenation joins source by source. */
function joinStreams(
  run: Run,
  target: number,
  names: readonly string[],
  readers: readonly StreamReader<unknown>[],
): StreamReader<unknown> {
  const owners = new Map<string, Source>();
  const at = { run, index: target };
  // a conflict shows only while reading, in a later node: its error is located here, where the streams meet
  const located = (error: unknown): unknown => run.blame(error, target);
  const claim = (source: Source, chunk: unknown): unknown => {
    if (!isRecord(chunk)) {
      if (joinsByKey(source.joining)) joinChunks([chunk], source.joining);
      throw located(notARecord(chunk, source.name, at));
    }
    for (const key of Object.keys(chunk)) {
      const owner = owners.get(key);
      if (owner === source) continue;
      if (owner !== undefined) throw located(duplicateRecordKey(key, owner.name, source.name, at));
      if (key === "__proto__") throw located(hostileKey(source.name, at));
      owners.set(key, source);
    }
    return chunk;
  };
  const sources: Source[] = readers.map(({ joining }, n) => ({
    name: names[n] ?? "",
    joining,
    begun: false,
  }));
  const pieces = readers.map((reader, n) => piecesOf(reader, sources[n] as Source, claim));
  const whole = (chunks: readonly unknown[]): unknown => joinBySource(chunks, owners, sources);
  return rejoin(mergeInputs(pieces), {
    rule: { keyed: keyJoinings(sources), whole },
    registry: run.runtime.concat,
    where: `node "${run.pathOf(target).join("/")}"`,
  });
}

/** The chunks as they come; the whole record if a declared rule needs all chunks to make it. */
function piecesOf(
  reader: StreamReader<unknown>,
  source: Source,
  claim: (source: Source, chunk: unknown) => unknown,
): StreamReader<unknown> {
  const { joining } = reader;
  if (joinsByKey(joining)) {
    const isPiece = (chunk: unknown): boolean => {
      source.begun = true;
      return chunk !== undefined && chunk !== null;
    };
    return reader.filter(isPiece).map((chunk) => claim(source, chunk));
  }
  const pieces = joining?.rule === undefined ? flowing(reader, source, claim) : wholeOf(reader, source, claim);
  return lazyReader([reader], pieces, undefined);
}

async function* wholeOf(
  reader: StreamReader<unknown>,
  source: Source,
  claim: (source: Source, chunk: unknown) => unknown,
): AsyncGenerator<unknown, void> {
  source.begun = true;
  yield claim(source, await reader.concat());
}

/** With no declared rule: records pass through; from the first other chunk on, the rest is joined and passed on as one. */
async function* flowing(
  reader: StreamReader<unknown>,
  source: Source,
  claim: (source: Source, chunk: unknown) => unknown,
): AsyncGenerator<unknown, void> {
  source.begun = true;
  const { joining } = reader;
  const others: unknown[] = [];
  let records = 0;
  let nulls = 0;
  for await (const chunk of reader) {
    if (chunk === undefined || chunk === null) {
      nulls++;
    } else if (others.length === 0 && isRecord(chunk)) {
      records++;
      yield claim(source, chunk);
    } else {
      others.push(chunk);
    }
  }
  if (others.length === 0 && records > 0) return;
  const before: unknown[] = records > 0 ? [{}] : nulls > 0 ? [null] : [];
  yield claim(source, joinChunks([...before, ...others], joining));
}

function flows(joining: Joining | undefined): boolean {
  return joining?.rule === undefined || joinsByKey(joining);
}

function joinsByKey(joining: Joining | undefined): boolean {
  const rule = joining?.rule;
  return rule === "record" || rule === "pieces" || (typeof rule === "object" && rule !== null);
}

/** The joinings of the keys that are known in advance: output keys. */
function keyJoinings(sources: readonly Source[]): ReadonlyMap<string, Joining> {
  const joinings = new Map<string, Joining>();
  for (const { joining } of sources) {
    if (typeof joining?.rule !== "object") continue;
    for (const [key, own] of joining.rule.keyed) joinings.set(key, own);
  }
  return joinings;
}

/** Joins the records of each source with its own joining, in the order of the sources. */
function joinBySource(
  chunks: readonly unknown[],
  owners: ReadonlyMap<string, Source>,
  sources: readonly Source[],
): unknown {
  const bySource = new Map<Source, unknown[]>();
  for (const chunk of chunks) {
    const source = owners.get(Object.keys(chunk as object)[0] ?? "");
    if (source === undefined) continue;
    const own = bySource.get(source);
    if (own === undefined) bySource.set(source, [chunk]);
    else own.push(chunk);
  }
  const joined: Record<string, unknown> = {};
  for (const source of sources) {
    const { joining, name, begun } = source;
    const own = bySource.get(source) ?? [];
    if (own.length === 0 && begun) continue;
    const isWhole = !flows(joining);
    Object.assign(joined, ...(isWhole ? own : [joinChunks(own, joining, joining?.where ?? `node "${name}"`)]));
  }
  return joined;
}
