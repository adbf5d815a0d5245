import { unreadableCheckpoint } from "../checkpoint-errors.js";
import type { CheckpointStore, StoredCheckpoint } from "../checkpoint-store.js";
import { checkFormatVersion, formatVersion } from "../document/format-version.js";
import { asList, asRecord, asStep, asText, type JsonRecord, parseJson } from "../document/json-parts.js";
import { invalidCheckpointId } from "../errors.js";
import { readRow } from "../journal/store-calls.js";
import { quoteId } from "../names.js";
import { bytesOf } from "../values/text-bytes.js";

/** The longest encoded id that leaves room for the number of a segment. */
const longestEncoded = 490;

/** Whether an id is short enough for a run with a history. */
export function fitsHistory(id: string): boolean {
  return encodeId(id).length <= longestEncoded;
}

/** The prefix of the ids of a run's closed segments. */
export function historyPrefix(id: string): string {
  const encoded = encodeId(id);
  if (encoded.length > longestEncoded) {
    const why = `with history, an id may have up to ${longestEncoded} characters when percent-encoded, and this one has ${encoded.length}`;
    throw invalidCheckpointId(id, why);
  }
  return `~history/${encoded}/`;
}

/** Percent-encodes an id. Lone surrogates, which encodeURIComponent refuses, are encoded too. */
function encodeId(id: string): string {
  if (!/[^\w.~-]/.test(id)) return id;
  const parts = id.split(/(\p{Surrogate})/u);
  return parts
    .map((part, n) => (n % 2 === 0 ? encodeURIComponent(part) : `%u${part.charCodeAt(0).toString(16)}`))
    .join("");
}

export function segmentId(id: string, segment: number): string {
  return `${historyPrefix(id)}${String(segment).padStart(8, "0")}`;
}

/** A document and its appended entries, after another document has replaced them. */
export interface Segment {
  readonly data: Uint8Array;
  readonly appended: readonly Uint8Array[];
}

/** The bytes of a row as they are, in one JSON object. */
export function segmentBytes({ data, appended = [] }: StoredCheckpoint): Uint8Array {
  const before = bytesOf(`{"version":${formatVersion},"document":`);
  const between = bytesOf(',"entries":[');
  const after = bytesOf("]}");
  let size = before.length + data.length + between.length + Math.max(0, appended.length - 1) + after.length;
  for (const entry of appended) size += entry.length;
  const bytes = new Uint8Array(size);
  let at = 0;
  const add = (part: Uint8Array): void => {
    bytes.set(part, at);
    at += part.length;
  };
  add(before);
  add(data);
  add(between);
  for (const [index, entry] of appended.entries()) {
    if (index > 0) bytes[at++] = comma;
    add(entry);
  }
  add(after);
  return bytes;
}

/** The byte of a comma. */
const comma = 44;

/** The same for texts: those of the entries are joined by commas. */
export function segmentText(document: string, entries: string): string {
  return `{"version":${formatVersion},"document":${document},"entries":[${entries}]}`;
}

/** Replaces a segment that a crash has left there, which says less. `isOwn`: the row still belongs to the run that writes it. */
export async function putSegment(
  store: CheckpointStore,
  name: string,
  data: Uint8Array,
  isOwn: () => Promise<boolean>,
): Promise<void> {
  try {
    await store.put(name, data, undefined);
  } catch (error) {
    const former = await readRow(store, name);
    if (former === undefined) throw error;
    if (await isOwn()) await store.put(name, data, former.version);
  }
}

/** Returns `undefined` when the segment was pruned. */
export async function readSegment(
  store: CheckpointStore,
  id: string,
  segment: number,
): Promise<JsonSegment | undefined> {
  const row = await readRow(store, segmentId(id, segment));
  if (row === undefined) return undefined;
  const { version, document, entries } = asRecord(parseJson(row.data), "a segment");
  checkFormatVersion(version, `A segment of the history of ${quoteId(id)}`);
  return {
    document: asRecord(document, "the document of a segment"),
    entries: asList(entries, "the entries of a segment", (entry) => asRecord(entry, "an entry")),
  };
}

export interface JsonSegment {
  readonly document: JsonRecord;
  readonly entries: readonly JsonRecord[];
}

/** The data that a save records about itself when a history is kept. */
export interface EntryNote {
  readonly n: number;
  readonly at: number;
  readonly cause: "start" | "task" | "interrupt" | "failure" | "end" | "fork";
  readonly ran: readonly string[];
  readonly failed?: readonly string[] | undefined;
  readonly parent?: string | undefined;
  readonly error?: string | undefined;
}

const causes: readonly unknown[] = ["start", "task", "interrupt", "failure", "end", "fork"];

/** Returns `undefined` for a save that is not an entry of a history, such as a claim. */
export function noteOf({ entry }: JsonRecord): EntryNote | undefined {
  if (entry === undefined) return undefined;
  const { n, at, cause, ran, failed, parent, error } = asRecord(entry, "the note of an entry");
  if (!causes.includes(cause)) throw unreadableCheckpoint("an entry of its history has an unknown cause");
  return {
    n: asStep(n, 1, "the number of an entry"),
    at: asStep(at, 0, "the time of an entry"),
    cause: cause as EntryNote["cause"],
    ran: ran === undefined ? [] : asPaths(ran, "what an entry ran"),
    failed: failed === undefined ? undefined : asPaths(failed, "what failed in an entry"),
    parent: parent === undefined ? undefined : asText(parent, "the parent of an entry"),
    error: error === undefined ? undefined : asText(error, "the error of an entry"),
  };
}

const asPaths = (json: unknown, what: string): string[] => asList(json, what, (path) => asText(path, "a path"));

/** The note of the last entry of a segment. */
export function lastNote({ document, entries }: JsonSegment): EntryNote | undefined {
  for (let index = entries.length - 1; index >= 0; index--) {
    const note = noteOf(entries[index] ?? {});
    if (note !== undefined) return note;
  }
  return noteOf(document);
}

/** Deletes segments, oldest first, until one is not old; returns the first that is left and how many entries were deleted. */
export async function dropSegments(
  store: CheckpointStore,
  id: string,
  range: { readonly from: number; readonly before: number },
  isOld: (last: EntryNote) => boolean,
): Promise<{ readonly oldest: number; readonly entries: number }> {
  let oldest = range.from;
  let entries = 0;
  for (; oldest < range.before; oldest++) {
    const segment = await readSegment(store, id, oldest);
    if (segment === undefined) continue;
    const last = lastNote(segment);
    if (last !== undefined && !isOld(last)) break;
    entries += [segment.document, ...segment.entries].filter((entry) => noteOf(entry) !== undefined).length;
    await store.delete(segmentId(id, oldest));
  }
  return { oldest, entries };
}

/** The newest segment before one; `undefined` when there is none any more. */
export async function newestSegment(store: CheckpointStore, id: string, before: number): Promise<number | undefined> {
  const prefix = historyPrefix(id);
  let newest: number | undefined;
  for await (const segment of store.list(prefix)) {
    const number = Number(segment.slice(prefix.length));
    if (number < before) newest = number;
  }
  return newest;
}

/** Deletes all segments of an id. */
export async function dropHistory(store: CheckpointStore, id: string): Promise<void> {
  const ids: string[] = [];
  for await (const segment of store.list(historyPrefix(id))) ids.push(segment);
  for (const segment of ids) await store.delete(segment);
}
