import { concatChunks } from "../schema/concat/concat-chunks.js";
import type { ConcatRule, Joining } from "../schema/concat/rule.js";
import { StreamReader } from "../schema/stream/reader.js";
import { isPromiseLike, isStream } from "./async.js";
import { duplicateKey, hostileKey, isRecord, mergeRecords, notARecord } from "./merge.js";
import { oneChunk, rejoin } from "./node-stream.js";
import type { Run } from "./run.js";

/** Whether this run moves streams between nodes, and not values. */
export function movesStreams(run: Run): boolean {
  return run.mode === "transform";
}

/** One output for several takers: a value is shared, a stream is copied. */
export function split(run: Run, output: unknown, count: number): readonly unknown[] {
  if (count === 1) return [output];
  if (movesStreams(run)) return (output as StreamReader<unknown>).copy(count);
  return new Array<unknown>(count).fill(output);
}

/** Nobody takes this output. */
export function drop(run: Run, output: unknown): void {
  if (movesStreams(run) && output instanceof StreamReader) void output.cancel();
}

/** A node gave this too late: nobody will read it. */
export function discard(output: unknown): void {
  if (!isStream(output)) return;
  try {
    void StreamReader.from(output).cancel();
  } catch {
    // a web stream that somebody else reads is theirs
  }
}

/** What several sources gave to one node, as its one input: a value, or a promise of it. */
export function join(run: Run, target: number, sources: readonly number[], values: readonly unknown[]): unknown {
  if (values.length === 1) return withKey(run, sources[0] as number, values[0]);
  const { keys } = run.program;
  const { merge } = run.node(target).settings;
  if (merge === undefined && run.mode === "invoke" && run.program.keyedJoin(target) !== undefined) {
    return joinKeyed(run, sources, values);
  }
  const names = sources.map((source) => keys[source] ?? "");
  if (movesStreams(run)) {
    const readers = values as readonly StreamReader<unknown>[];
    return merge === undefined ? joinStreams(run, target, names, readers) : mergeWhole(run, readers, names, merge);
  }
  const records = values.map((value, n) => withKey(run, sources[n] as number, value));
  return merge === undefined
    ? mergeRecords(records, names, { run, index: target })
    : merge(records as never, names as never);
}

/** The output of a node as others get it: under its output key, if it has one. */
export function withKey(run: Run, index: number, output: unknown): unknown {
  const key = run.program.outputKeys[index];
  return key === undefined || run.mode !== "invoke" ? output : { [key]: output };
}

function joinKeyed(run: Run, sources: readonly number[], values: readonly unknown[]): Record<string, unknown> {
  const { outputKeys } = run.program;
  const record: Record<string, unknown> = {};
  for (let n = 0; n < values.length; n++) record[outputKeys[sources[n] as number] as string] = values[n];
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

/** Chunks of all sources as they come. Each key belongs to one source; concatenation joins source by source. */
function joinStreams(
  run: Run,
  target: number,
  names: string[],
  readers: readonly StreamReader<unknown>[],
): StreamReader<unknown> {
  const at = { run, index: target };
  const owners = new Map<string, string>();
  const begun = new Set<string>();
  // it comes to light when somebody reads on, and is placed here, where the streams meet
  const refuse = (error: unknown): unknown => run.blame(error, target);
  const claim = (source: string, chunk: unknown): unknown => {
    if (!isRecord(chunk)) throw refuse(notARecord(chunk, source, at));
    begun.add(source);
    for (const key of Object.keys(chunk)) {
      const owner = owners.get(key);
      if (owner === source) continue;
      if (owner !== undefined) throw refuse(duplicateKey(key, owner, source, at));
      if (key === "__proto__") throw refuse(hostileKey(source, at));
      owners.set(key, source);
    }
    return chunk;
  };
  const claimed = readers.map((reader, n) => reader.map((chunk) => claim(names[n] ?? "", chunk)));
  const joinings = new Map(readers.map((reader, n) => [names[n] ?? "", reader.joining]));
  const whole = (chunks: readonly unknown[]): unknown => joinBySource(chunks, { owners, begun, joinings });
  return rejoin(StreamReader.merge(claimed), {
    rule: { keyed: keyRules(joinings), whole },
    registry: run.runtime.concat,
    where: `node "${run.pathOf(target).join("/")}"`,
  });
}

type Joinings = ReadonlyMap<string, Joining | undefined>;

/** How the keys join that are known beforehand: output keys. */
function keyRules(joinings: Joinings): ReadonlyMap<string, ConcatRule | undefined> {
  const rules = new Map<string, ConcatRule | undefined>();
  for (const joining of joinings.values()) {
    if (typeof joining?.rule !== "object") continue;
    for (const [key, rule] of joining.rule.keyed) rules.set(key, rule);
  }
  return rules;
}

interface SourceRecords {
  /** Which source a key belongs to. */
  readonly owners: ReadonlyMap<string, string>;
  /** Sources that gave anything at all. */
  readonly begun: ReadonlySet<string>;
  readonly joinings: Joinings;
}

/** A source that gave nothing has no value, as in a run on values. */
function joinBySource(chunks: readonly unknown[], { owners, begun, joinings }: SourceRecords): unknown {
  const bySource = new Map<string, unknown[]>();
  for (const chunk of chunks) {
    const source = owners.get(Object.keys(chunk as object)[0] ?? "");
    if (source === undefined) continue;
    const own = bySource.get(source);
    if (own === undefined) bySource.set(source, [chunk]);
    else own.push(chunk);
  }
  const joined: Record<string, unknown> = {};
  for (const [source, joining] of joinings) {
    const own = bySource.get(source) ?? [];
    if (own.length === 0 && begun.has(source)) continue;
    Object.assign(joined, concatChunks(own, joining?.rule ?? "record", joining?.registry, `node "${source}"`));
  }
  return joined;
}
