import { inCheckpoint, unreadableCheckpoint } from "../checkpoint/checkpoint-errors.js";
import type { CheckpointStore, StoredCheckpoint } from "../checkpoint/checkpoint-store.js";
import type { CheckpointDocument } from "../checkpoint/document/document.js";
import { DocumentTree } from "../checkpoint/document/document-tree.js";
import { isJsonRecord, type JsonRecord } from "../checkpoint/document/json-parts.js";
import { documentOf, readTree } from "../checkpoint/document/read-document.js";
import { readRow } from "../checkpoint/journal/store-calls.js";
import type { RunRow } from "../checkpoint/runs/run-index.js";
import type { ValueCodec } from "../checkpoint/values/value-codec.js";
import type { SavedRun } from "../compose/segment.js";
import { KumikoError, messageOf } from "../errors.js";
import { savedRunOf } from "../run/saved/saved-run.js";

/** What reading a run needs. */
export interface ReadContext {
  readonly store: CheckpointStore;
  /** Reads unknown classes too. */
  readonly codec: ValueCodec;
  /** Milliseconds since 1970. */
  readonly now: () => number;
}

/** A run as it stands in its row. */
export interface StoredRun {
  readonly row: StoredCheckpoint;
  readonly tree: DocumentTree;
  /** Its head, its questions and its output: of what tasks have made, only the shape is kept. */
  readonly document: CheckpointDocument;
}

/** `undefined` for an id under which nothing is stored, or nothing that is listed. Throws if the row cannot be read. */
export async function readRun({ store, codec }: ReadContext, id: string): Promise<StoredRun | undefined> {
  const row = await readRow(store, id);
  return row === undefined ? undefined : runIn(id, row, codec);
}

function runIn(id: string, row: StoredCheckpoint, codec: ValueCodec): StoredRun | undefined {
  try {
    const tree = readTree(row);
    const document = documentOf(new DocumentTree(outlineOf(tree.finish())), codec);
    return document.isUnlisted ? undefined : { row, tree, document };
  } catch (error) {
    throw inCheckpoint(id, KumikoError.is(error) ? error : unreadableCheckpoint(messageOf(error), error));
  }
}

/** The state of a run with the version of its row; a row that cannot be read is one that has failed. */
export async function readState(
  context: ReadContext,
  id: string,
  listed?: RunRow,
): Promise<{ readonly run: SavedRun; readonly version: number } | undefined> {
  const { store, codec, now } = context;
  const row = await readRow(store, id);
  if (row === undefined) return undefined;
  const { version } = row;
  try {
    const stored = runIn(id, row, codec);
    return stored && { run: stateOf(id, stored.document, now()), version };
  } catch (error) {
    if (!KumikoError.is(error)) throw error;
    return { run: unreadableRun(id, error, listed ?? (await rowOf(store, id))), version };
  }
}

/** The row of one run in lists. */
async function rowOf(store: CheckpointStore, id: string): Promise<RunRow | undefined> {
  const found = await store.runs?.({ prefix: id }).catch(() => []);
  return found?.find((row) => row.id === id);
}

function unreadableRun(id: string, error: KumikoError, { graph = "", since = 0 }: Partial<RunRow> = {}): SavedRun {
  const at = new Date(since);
  return { id, graph, startedAt: at, changedAt: at, attempts: 0, interrupts: [], error, status: "failed" };
}

/** The state of a run; of its questions, those whose deadlines have not passed. */
export function stateOf(id: string, document: CheckpointDocument, now: number): SavedRun {
  const run = savedRunOf(id, document, ({ output }) => output?.value);
  const interrupts = run.interrupts.filter(({ expiresAt }) => expiresAt === undefined || expiresAt > now);
  return { ...run, interrupts };
}

/** A copy of a document without its values: they may be large, and of classes that are unknown here. */
function outlineOf({ root, input: _, given, ...head }: JsonRecord): JsonRecord {
  const outline = { ...head, root: isJsonRecord(root) ? runOutline(root) : root };
  return structuredClone(given === undefined ? outline : { ...outline, given: [{ json: null }] });
}

function runOutline({ state: _, tasks, ...run }: JsonRecord): JsonRecord {
  return { ...run, tasks: outlines(tasks, taskOutline) };
}

function taskOutline({ output: _, chunks: __, unjoinable: ___, visit, route, ...task }: JsonRecord): JsonRecord {
  return { ...task, ...invocationIn("visit", visit), ...invocationIn("route", route) };
}

function invocationIn(name: string, invocation: unknown): JsonRecord {
  if (!isJsonRecord(invocation)) return invocation === undefined ? {} : { [name]: invocation };
  const { once: _, prepared: __, produced: ___, questions, inner, calls, ...rest } = invocation;
  return {
    [name]: {
      ...rest,
      ...(questions !== undefined && { questions: outlines(questions, ({ state: ____, ...question }) => question) }),
      ...(inner !== undefined && { inner: outlines(inner, innerOutline) }),
      ...(calls !== undefined && { calls: outlines(calls, callOutline) }),
    },
  };
}

function innerOutline({ result: _, run, ...inner }: JsonRecord): JsonRecord {
  return run === undefined ? inner : { ...inner, run: isJsonRecord(run) ? runOutline(run) : run };
}

function callOutline({ result: _, visit, ...call }: JsonRecord): JsonRecord {
  return { ...call, ...invocationIn("visit", visit) };
}

/** Anything but a list of records stays as it is: the reader says what is wrong with it. */
function outlines(list: unknown, outline: (item: JsonRecord) => JsonRecord): unknown {
  return Array.isArray(list) ? list.map((item) => (isJsonRecord(item) ? outline(item) : item)) : list;
}
