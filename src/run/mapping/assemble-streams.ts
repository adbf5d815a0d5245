import { END_INDEX } from "../../compose/plan/plan.js";
import { joinChunks } from "../../schema/concat/concat-chunks.js";
import type { Joining } from "../../schema/concat/rule.js";
import { StreamReader } from "../../schema/stream/reader.js";
import { oneChunk, rejoin } from "../streams/joining.js";
import { lazyReader } from "../streams/lazy-reader.js";
import { mergeInputs } from "../streams/merge-inputs.js";
import type { Delivery } from "../task.js";
import type { BoundFrom, BoundMapping, BoundRecord, BoundSource, Outputs } from "./bound-mapping.js";
import { partOf, wholeOf } from "./mapped-stream.js";
import { isMissing, type MappingTarget, MISSING, orUndefined } from "./read-path.js";

/**
 * Assembles the input of a node as a stream. A path that leads through records passes on chunk by chunk, and parts join key by
 * key; anything that needs a whole value waits for it.
 */
export function assembleStreams(
  mapping: BoundMapping,
  target: MappingTarget,
  inbox: readonly Delivery[],
): StreamReader<unknown> {
  const at: Outputs = { ...target, at: () => MISSING, failureAt: (index) => failureIn(inbox, index) };
  const copies = copiesFor(mapping, inbox);
  const own: Joining = { registry: at.run.runtime.concat, where: placeOf(at) };
  if (mapping.kind !== "record") {
    const stream = streamOf(mapping, copies, at, own, true);
    return stream instanceof StreamReader ? stream : oneChunk(orUndefined(stream), own);
  }
  const parts = new Parts();
  const joining = partsOf(mapping, copies, at, own, parts);
  const { readers, fixed } = parts;
  const hasFixed = Object.keys(fixed).length > 0;
  if (readers.length === 0) return oneChunk(fixed, joining);
  const merged = mergeInputs(hasFixed ? [StreamReader.from([fixed]), ...readers] : readers);
  return rejoin(hasFixed ? merged : neverEmpty(merged), joining);
}

function placeOf({ run, target }: MappingTarget): string {
  const path = run.pathOf(target).join("/");
  return target === END_INDEX ? `the output of ${path === "" ? "the graph" : `node "${path}"`}` : `node "${path}"`;
}

/** A failure is a value, also in a run on streams. */
function failureIn(inbox: readonly Delivery[], index: number): unknown {
  return inbox.find(({ source }) => source.index === index)?.source.failure ?? MISSING;
}

/** By node: copies of its stream, one for each place in the mapping that reads it. */
type Copies = Map<number, StreamReader<unknown>[]>;

function copiesFor(mapping: BoundMapping, inbox: readonly Delivery[]): Copies {
  const counts = new Map<number, number>();
  countReads(mapping, counts);
  const copies: Copies = new Map();
  for (const { source, value } of inbox) {
    const count = counts.get(source.index);
    if (!(value instanceof StreamReader)) continue;
    if (source.failure !== undefined) void value.cancel();
    if (source.failure !== undefined || count === undefined) continue;
    copies.set(source.index, count === 1 ? [value] : value.copy(count));
  }
  return copies;
}

function countReads(mapping: BoundMapping, counts: Map<number, number>): void {
  if (mapping.kind === "record") for (const [, inner] of mapping.fields) countReads(inner, counts);
  else for (const index of readsOf(mapping)) counts.set(index, (counts.get(index) ?? 0) + 1);
}

function readsOf(source: BoundSource): readonly number[] {
  if (source.kind === "first") return source.sources.map(({ index }) => index);
  return source.kind === "constant" || source.kind === "failure" ? [] : [source.index];
}

/** The streamed parts of a record, and the fields that are known in advance. */
class Parts {
  readonly readers: StreamReader<unknown>[] = [];
  readonly fixed: Record<string, unknown> = {};
}

/** Collects the parts of a record into `parts`; returns how they join. */
function partsOf(
  { fields }: BoundRecord,
  copies: Copies,
  at: Outputs,
  own: Joining,
  parts: Pick<Parts, "fixed" | "readers">,
): Joining {
  const keyed = new Map<string, Joining>();
  for (const [name, inner] of fields) {
    if (inner.kind === "record") {
      const below = new Parts();
      keyed.set(name, partsOf(inner, copies, at, own, below));
      parts.fixed[name] = below.fixed;
      for (const reader of below.readers) parts.readers.push(reader.map((chunk) => ({ [name]: chunk })));
      continue;
    }
    const stream = streamOf(inner, copies, at, own, false);
    if (stream instanceof StreamReader) {
      keyed.set(name, stream.joining ?? own);
      parts.readers.push(stream.map((chunk) => ({ [name]: chunk })));
    } else if (stream !== MISSING) {
      parts.fixed[name] = stream;
    }
  }
  const names = fields.map(([name]) => name);
  return { ...own, rule: { keyed, whole: (chunks) => joinRecords(chunks, names, keyed, own) } };
}

/** The value of a source that is known in advance, or `MISSING`, or the stream of a source. */
function streamOf(source: BoundSource, copies: Copies, at: Outputs, own: Joining, isWhole: boolean): unknown {
  const take = (index: number): StreamReader<unknown> | undefined => copies.get(index)?.pop();
  switch (source.kind) {
    case "constant":
    case "failure":
      return source.read(at);
    case "computed": {
      const reader = take(source.index);
      return reader === undefined ? MISSING : lazyReader([reader], wholeOf(source, reader, at), own);
    }
    case "from": {
      const reader = take(source.index);
      return reader === undefined ? source.read(at) : partOf(source, reader, at, own, isWhole);
    }
    case "first": {
      const readers = source.sources.map((from) => [from, take(from.index)] as const);
      const known = readers.filter((read): read is [BoundFrom, StreamReader<unknown>] => read[1] !== undefined);
      if (known.length === 0) return source.read(at);
      return lazyReader(
        known.map(([, reader]) => reader),
        firstOf(readers, at, isWhole),
        own,
      );
    }
    default:
      return source satisfies never;
  }
}

/** Reads the sources one after another, until one is not missing. */
async function* firstOf(
  sources: readonly (readonly [BoundFrom, StreamReader<unknown> | undefined])[],
  at: Outputs,
  isWhole: boolean,
): AsyncGenerator<unknown, void> {
  try {
    for (const [from, reader] of sources) {
      const whole = reader === undefined ? MISSING : await reader.concat();
      const found = from.read({ ...at, at: () => whole });
      if (isMissing(found)) continue;
      yield found;
      return;
    }
    if (isWhole) yield undefined;
  } finally {
    for (const [, reader] of sources) void reader?.cancel();
  }
}

/** Joins chunks field by field; the fields keep their order in the mapping, whichever came first. */
function joinRecords(
  chunks: readonly unknown[],
  names: readonly string[],
  keyed: ReadonlyMap<string, Joining>,
  own: Joining,
): unknown {
  const values = new Map<string, unknown[]>(names.map((name) => [name, []]));
  for (const chunk of chunks) {
    for (const [name, value] of Object.entries(chunk ?? {})) {
      const known = values.get(name);
      if (known === undefined) values.set(name, [value]);
      else known.push(value);
    }
  }
  const filled = [...values].filter(([, pieces]) => pieces.length > 0);
  const where = (name: string): string => `${own.where}, key "${name}"`;
  return Object.fromEntries(
    filled.map(([name, pieces]) => {
      const joining = keyed.get(name) ?? own;
      return [name, joinChunks(pieces, joining, joining.where ?? where(name), joining.registry ?? own.registry)];
    }),
  );
}

/** A stream without chunks becomes one empty record. */
function neverEmpty(reader: StreamReader<unknown>): StreamReader<unknown> {
  async function* chunks(): AsyncGenerator<unknown, void> {
    let isEmpty = true;
    for await (const chunk of reader) {
      isEmpty = false;
      yield chunk;
    }
    if (isEmpty) yield {};
  }
  return lazyReader([reader], chunks(), undefined);
}
