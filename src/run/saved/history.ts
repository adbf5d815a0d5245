import { randomId } from "../../callbacks/random-id.js";
import {
  checkpointInUse,
  inCheckpoint,
  unknownCheckpoint,
  unreadableCheckpoint,
} from "../../checkpoint/checkpoint-errors.js";
import type { CheckpointStore, StoredCheckpoint } from "../../checkpoint/checkpoint-store.js";
import type { CheckpointDocument } from "../../checkpoint/document/document.js";
import { DocumentTree } from "../../checkpoint/document/document-tree.js";
import { asRecord, type JsonRecord, parseJson } from "../../checkpoint/document/json-parts.js";
import { copyOf, documentOf, readSlot, readTree } from "../../checkpoint/document/read-document.js";
import type { Slot } from "../../checkpoint/document/snapshot.js";
import { headFields, type RunIdentity, writeHead, writeRun } from "../../checkpoint/document/write-document.js";
import { reservedId } from "../../checkpoint/errors.js";
import type {
  ForkOptions,
  HistoryEntry,
  HistoryLimits,
  PruneOptions,
  SavedState,
} from "../../checkpoint/history/history-entry.js";
import { noHistory, notEditable, unknownEntry } from "../../checkpoint/history/history-errors.js";
import {
  dropHistory,
  dropSegments,
  type EntryNote,
  fitsHistory,
  historyPrefix,
  type JsonSegment,
  newestSegment,
  noteOf,
  readSegment,
} from "../../checkpoint/history/segments.js";
import { checkCheckpointId, reservedMark } from "../../checkpoint/journal/checkpoint-id.js";
import type { Write } from "../../checkpoint/journal/own-document.js";
import { runningClaims } from "../../checkpoint/journal/running-claims.js";
import { callStore, readRow, versionOf } from "../../checkpoint/journal/store-calls.js";
import { modifyStates } from "../../checkpoint/pause/answers.js";
import { interruptsOf } from "../../checkpoint/pause/interrupts-of.js";
import type { RunIndex } from "../../checkpoint/runs/run-index.js";
import { codecOf } from "../../checkpoint/values/codec-of.js";
import { bytesOf } from "../../checkpoint/values/text-bytes.js";
import type { ValueCodec } from "../../checkpoint/values/value-codec.js";
import { KumikoError } from "../../errors.js";
import { howSaved } from "../options/checkpoint-options.js";
import type { Program } from "../program.js";
import { checkEdited, checkedOutputs, checkOutputPaths } from "./check-edits.js";
import { checkKinds, checksValues, checkValues } from "./check-snapshot.js";
import { checkHistoryOptions } from "./history-options.js";
import { newParts } from "./saved-parts.js";
import { editOutputs, inputOf, nextNodes, outputAt, renewQuestions, stateAt } from "./saved-values.js";

/** A head of which nothing is said. */
const nothingElse = {
  owner: undefined,
  claim: undefined,
  attempts: undefined,
  due: undefined,
  requested: undefined,
  error: undefined,
};

/** A save, and the document as it was then. */
interface Moment {
  readonly note: EntryNote;
  readonly document: CheckpointDocument;
}

interface Settled {
  readonly moment?: Moment | undefined;
  readonly failure?: { readonly error: unknown };
}

const over: Settled = {};
const settled = ({ value }: IteratorResult<Moment, void>): Settled => ({ moment: value || undefined });
const failed = (error: unknown): Settled => ({ failure: { error } });

/** Reads and edits the saved runs of a graph: `history`, `stateAt`, `fork`, `prune` and `forget`. */
export class History {
  readonly #program: Program;
  readonly #store: CheckpointStore;
  readonly #codec: ValueCodec;

  constructor(program: Program, store: CheckpointStore) {
    this.#program = program;
    this.#store = store;
    this.#codec = codecOf(program.plan.runtime.codecs);
  }

  /** The saves of a run, newest first. */
  async *entries(id: string, limits: HistoryLimits = {}): AsyncGenerator<HistoryEntry, void, undefined> {
    checkHistoryOptions("history", limits);
    const { limit, before } = limits;
    const newest = await this.#newest(id);
    if (newest.entry === undefined) throw noHistory(id);
    const end = before === undefined ? Number.POSITIVE_INFINITY : numberOf(id, before);
    let left = limit ?? Number.POSITIVE_INFINITY;
    const moments = this.#moments(id, end);
    const read = (): Promise<Settled> => moments.next().then(settled, failed);
    // what an entry has saved is the difference to the one before it
    let newer = left > 0 ? await read() : over;
    while (newer.moment !== undefined) {
      const older: Settled = await read();
      yield entryOf(newer.moment, older.moment, this.#program);
      if (--left <= 0) return;
      newer = older;
    }
    if (newer.failure !== undefined) throw newer.failure.error;
  }

  async state(id: string, entry?: string): Promise<SavedState> {
    const { document } = entry === undefined ? { document: await this.#newest(id) } : await this.#find(id, entry);
    const { root } = document;
    const input = this.#inputOf(document) ?? (await this.#firstInput(id, document));
    return {
      input: input?.value,
      state: (path = "") => stateAt(root, path),
      output: (path = "") =>
        path === "" && document.output !== undefined ? document.output.value : outputAt(root, path),
    };
  }

  async fork(id: string, options: ForkOptions = {}): Promise<string> {
    checkCheckpointId(id);
    checkHistoryOptions("fork", options);
    const { entry, to, editState, outputs } = options;
    const target = to ?? copyId(id);
    checkCheckpointId(target);
    if (target.startsWith(reservedMark) && howSaved(options).hasReservedId !== true) throw reservedId(target);
    // with a history, ids have to be shorter: throws now rather than on resume
    if (this.#program.plan.history !== undefined) historyPrefix(target);
    const moment =
      entry === undefined ? { document: await this.#newest(id), note: undefined } : await this.#find(id, entry);
    const { root } = moment.document;
    if (root === undefined) throw unknownCheckpoint(id);
    checkKinds(root, this.#program, []);
    const checks = checksValues(this.#program);
    if (checks) await checkValues(root, this.#program, []);
    renewQuestions(root, randomId);
    if (editState !== undefined) modifyStates(root, editState, "editState");
    if (outputs !== undefined) {
      const [first] = Object.keys(outputs);
      // what is still there was read by END
      if (moment.document.status === "finished" && first !== undefined) throw notEditable(first);
      checkOutputPaths(this.#program, Object.keys(outputs));
      editOutputs(root, await checkedOutputs(this.#program, outputs), notEditable);
    }
    if (checks && outputs !== undefined) await checkEdited(root, this.#program);
    const at = moment.note?.n ?? moment.document.entry?.n ?? 0;
    const { isUnlisted, threadId, userId } = howSaved(options);
    const of = { graph: this.#program.plan.name, isUnlisted, threadId, userId };
    const { data, index } = this.#copyOf(moment.document, `${id}#${at}`, of);
    await callStore("write", target, async () => {
      versionOf(await this.#store.put(target, data, undefined, index), target);
    });
    return target;
  }

  #copyOf({ root, input }: CheckpointDocument, parent: string, of: Omit<RunIdentity, "startedAt" | "runKey">): Write {
    const at = Math.floor(this.#now());
    const { graph, isUnlisted, threadId, userId } = of;
    const fields = headFields({ ...nothingElse, status: "stopped", since: at, answered: [] });
    const index: RunIndex = { status: "stopped", since: at, graph, threadId, userId };
    const note = { n: 1, at: this.#now(), cause: "fork", parent } satisfies Omit<EntryNote, "ran">;
    const kept =
      this.#program.plan.history === undefined ? "" : `,"entry":${JSON.stringify(note)},"segment":0,"oldest":0`;
    const run = root === undefined ? "null" : writeRun(root, this.#codec);
    const given = input === undefined || inputOf(root) !== undefined ? "" : `,"input":${JSON.stringify(input)}`;
    const head = writeHead({ ...of, runKey: randomId(), startedAt: at }, fields);
    const data = bytesOf(`${head}${kept}${given},"root":${run}}`);
    return { data, isEntry: false, index: isUnlisted === true ? undefined : index };
  }

  /** Deletes old saves; resolves to how many. */
  async prune(id: string, options: PruneOptions = {}): Promise<number> {
    checkHistoryOptions("prune", options);
    const { last, maxAgeMs } = options;
    const { entry, segment = 0, oldest = 0 } = await this.#newest(id);
    if (entry === undefined) throw noHistory(id);
    const isOld = (note: EntryNote): boolean =>
      (last !== undefined && entry.n - note.n >= last) || (maxAgeMs !== undefined && this.#now() - note.at > maxAgeMs);
    return (await dropSegments(this.#store, id, { from: oldest, before: segment }, isOld)).entries;
  }

  /** Deletes a checkpoint and its history. */
  async forget(id: string, options: { readonly takeover?: boolean | undefined } = {}): Promise<void> {
    checkHistoryOptions("forget", options);
    const { takeover = false } = options;
    checkCheckpointId(id);
    const row = await readRow(this.#store, id);
    if (row !== undefined) {
      if (!takeover) await this.#checkOwner(id, row);
      await callStore("remove", id, () => this.#store.delete(id, takeover ? undefined : row.version));
    }
    await callStore("remove the history of", id, () => dropHistory(this.#store, id));
  }

  async #checkOwner(id: string, row: StoredCheckpoint): Promise<void> {
    const { owner, claim } = this.#read(id, row);
    if (owner === undefined || runningClaims.hasEnded(owner, claim)) return;
    const isAlive = this.#store.isOwnerAlive === undefined || (await this.#store.isOwnerAlive(owner));
    if (isAlive) throw checkpointInUse(id, owner);
  }

  #now(): number {
    return this.#program.plan.runtime.clock.now();
  }

  // reading

  async #newest(id: string): Promise<CheckpointDocument> {
    checkCheckpointId(id);
    const row = await readRow(this.#store, id);
    if (row === undefined) throw unknownCheckpoint(id);
    return this.#read(id, row);
  }

  #read(id: string, row: StoredCheckpoint): CheckpointDocument {
    return named(id, () => documentOf(readTree(row), this.#codec));
  }

  async #find(id: string, entry: string): Promise<Moment> {
    const n = numberOf(id, entry);
    const newest = await this.#newest(id);
    if (newest.entry === undefined) throw noHistory(id);
    for await (const moment of this.#moments(id, n + 1)) {
      if (moment.note.n === n) return moment;
      if (n < newest.entry.n) throw inCheckpoint(id, missingEntries(moment.note.n + 1, n));
      break;
    }
    throw unknownEntry(id, entry);
  }

  async #firstInput(
    id: string,
    { entry, oldest = 0 }: CheckpointDocument,
  ): Promise<{ readonly value: unknown } | undefined> {
    if (entry === undefined) return undefined;
    const segment = (await readSegment(this.#store, id, oldest)) ?? (await this.#openSegment(id));
    const [first] = segment === undefined ? [] : this.#momentsOf(id, segment, Number.POSITIVE_INFINITY);
    // a fork has the input only if it was made before the input was read
    return first?.note.n === 1 ? this.#inputOf(first.document) : undefined;
  }

  #inputOf({ root, input }: CheckpointDocument): Slot | undefined {
    return inputOf(root) ?? readSlot(input, "the input", this.#codec);
  }

  async #openSegment(id: string): Promise<JsonSegment | undefined> {
    const row = await readRow(this.#store, id);
    if (row === undefined) return undefined;
    return named(id, () => ({
      document: asRecord(parseJson(row.data), "the document"),
      entries: (row.appended ?? []).map((data) => asRecord(parseJson(data), "an entry")),
    }));
  }

  /** Every save whose number is below `before`, newest first. */
  async *#moments(id: string, before: number): AsyncGenerator<Moment, void, undefined> {
    const open = await this.#openSegment(id);
    if (open === undefined) throw unknownCheckpoint(id);
    const { segment = 0, oldest = 0 } = open.document as { readonly segment?: number; readonly oldest?: number };
    let end = before;
    let last: number | undefined;
    let part: JsonSegment | undefined = open;
    for (let number = segment; ; ) {
      const moments: Moment[] = part === undefined ? [] : this.#momentsOf(id, part, end);
      const newest = moments.at(-1)?.note.n;
      if (last !== undefined && newest !== undefined && newest < last - 1)
        throw inCheckpoint(id, missingEntries(newest + 1, last - 1));
      // a save that a crash has left in two segments counts in the later one
      end = Math.min(end, moments[0]?.note.n ?? end, part === undefined ? end : (noteOf(part.document)?.n ?? end));
      last = moments[0]?.note.n ?? last;
      yield* moments.reverse();
      if (--number < oldest) return;
      part = await readSegment(this.#store, id, number);
      if (part !== undefined) continue;
      // what was pruned is the oldest: behind it there is nothing
      number = (await newestSegment(this.#store, id, number)) ?? oldest;
      part = await readSegment(this.#store, id, number);
    }
  }

  #momentsOf(id: string, { document, entries }: JsonSegment, before: number): Moment[] {
    return named(id, () => {
      const tree = new DocumentTree(structuredClone(document));
      const moments: Moment[] = [];
      const add = (json: JsonRecord): void => {
        const note = noteOf(json);
        if (note === undefined || note.n >= before) return;
        // written again, because the store has not confirmed it
        if (moments.at(-1)?.note.n === note.n) moments.pop();
        moments.push({ note, document: copyOf(tree, this.#codec) });
      };
      add(document);
      for (const entry of entries) {
        tree.apply(structuredClone(entry));
        add(entry);
      }
      return moments;
    });
  }
}

function missingEntries(first: number, last: number): KumikoError {
  const which = first === last ? `entry ${first}` : `the entries ${first} to ${last}`;
  return unreadableCheckpoint(`${which} of its history ${first === last ? "is" : "are"} not in the store`);
}

function entryOf({ note, document }: Moment, before: Moment | undefined, program: Program): HistoryEntry {
  const { n, at, cause, ran, failed, parent, error } = note;
  const { root, runKey, status } = document;
  const isOver = status === "finished" || root === undefined;
  const calls = before === undefined ? undefined : newParts(root, before.document.root);
  return {
    id: String(n),
    parent: parent ?? (n > 1 ? String(n - 1) : undefined),
    at,
    cause,
    ran,
    ...(failed !== undefined && { failed }),
    ...(calls !== undefined && { calls }),
    next: isOver ? [] : nextNodes(root, program),
    interrupts: isOver ? [] : interruptsOf(root, runKey),
    ...(error !== undefined && { error }),
  };
}

/** A new id that starts with the id of the original, if that is not too long. */
function copyId(id: string): string {
  const end = randomId().slice(0, 12);
  const copy = `${id.startsWith(reservedMark) ? "fork" : id}-${end}`;
  return fitsHistory(copy) ? copy : `fork-${end}`;
}

function numberOf(id: string, entry: unknown): number {
  if (typeof entry === "string" && /^[1-9]\d{0,14}$/.test(entry)) return Number(entry);
  throw unknownEntry(id, entry);
}

function named<T>(id: string, read: () => T): T {
  try {
    return read();
  } catch (error) {
    throw KumikoError.is(error) ? inCheckpoint(id, error) : error;
  }
}
