import { randomId } from "../../callbacks/random-id.js";
import { messageOf } from "../../errors.js";
import type { StoredCheckpoint } from "../checkpoint-store.js";
import type { CheckpointDocument } from "../document/document.js";
import type { JsonRecord } from "../document/json-parts.js";
import { indexToPut, readTree } from "../document/read-document.js";
import type { RunSnapshot, Slot } from "../document/snapshot.js";
import {
  type HeadFields,
  headFields,
  type RunIdentity,
  WholeRun,
  writeHead,
  writeRun,
} from "../document/write-document.js";
import { WrittenDocument } from "../document/written-document.js";
import type { HistoryLog } from "../history/history-log.js";
import type { EntryNote } from "../history/segments.js";
import type { RunIndex, RunStatus } from "../runs/run-index.js";
import { bytesOf } from "../values/text-bytes.js";
import type { ValueCodec } from "../values/value-codec.js";
import { processOwner } from "./process-owner.js";

/** One write: a whole document, or an entry that is appended to it. */
export interface Write {
  readonly data: Uint8Array;
  readonly isEntry: boolean;
  /** What the store finds the run by. */
  readonly index: RunIndex | undefined;
  /** Set if it replaces a document that belongs to the history: the text of that and its entries, if it is known. */
  readonly closes?: { readonly held: string | undefined } | undefined;
}

/** A run that goes on. */
export interface Continued {
  readonly runKey: string;
  /** Ids of the questions that are answered now. */
  readonly answered: readonly string[];
  /** The save that it is a copy of, if it is one. */
  readonly copyOf: string | undefined;
  readonly input: unknown;
  readonly attempts: number;
  /** `undefined`: now. */
  readonly startedAt: number | undefined;
}

/** The fields that a save records beside the run itself. */
export interface SaveHead {
  readonly status: RunStatus;
  /** It is the write that claims the run. */
  readonly claims?: boolean | undefined;
  /** When the first deadline of its questions passes. */
  readonly due?: number | undefined;
  /** Why it failed. */
  readonly failure?: unknown;
  /** The id of a requested stop. */
  readonly requested?: string | undefined;
  /** The result of a finished run. */
  readonly output?: Slot | undefined;
  /** Why it is saved, when a history is kept. */
  readonly cause?: EntryNote["cause"] | undefined;
  readonly error?: string | undefined;
}

const none: readonly string[] = [];

/** What a run is called, and when it is written. */
export interface OwnRun extends Omit<RunIdentity, "runKey" | "startedAt"> {
  readonly now: () => number;
}

interface KnownHead {
  readonly owner: string | undefined;
  readonly answered: readonly string[] | undefined;
  readonly attempts: number;
}

const nothingSaved: KnownHead = { owner: undefined, answered: undefined, attempts: 0 };

/** Entries that are smaller together are never replaced by a whole document: reading them costs next to nothing. */
const smallest = 2_048;
/** How much the entries grow until they are compared with the whole document again. */
const growth = 1.5;

/**
 * Produces the writes of one run. Where the store can append, a write is an entry with what has changed since the last one; the
 * first write is a whole document, and so is one when the entries have become larger than the document that replaces them.
 */
export class OwnDocument {
  /** The name of the claim, by which this process knows whether its run has ended. */
  claim: string | undefined = undefined;
  readonly #codec: ValueCodec;
  /** The document as the store has it; only where it can append. */
  readonly #written: WrittenDocument | undefined;
  /** The next write must be a whole document: there is none yet, or it is uncertain what the store has. */
  #mustBeWhole = true;
  #wholeSize = 0;
  #entriesSize = 0;
  /** The size of the entries from which they are compared with the whole document. */
  #compareAt = smallest;
  /** The text of the run as it was saved last, where the store cannot append; otherwise set only by {@link hold}. */
  #text: string | undefined = undefined;
  #hasRun = false;
  /** The last write is an entry of the history. */
  #hasNoted = false;
  #runKey: string | undefined = undefined;
  /** Ids of the questions that the last resume answered. */
  #answered: readonly string[] = [];
  /** The input of the run as text, or as it was read. */
  #input: string | { readonly json: unknown } | undefined = undefined;
  /** The field of the input in a whole document: empty where the run or a history holds it. */
  #inputField = "";
  /** The head as it was written last. */
  #head: HeadFields | undefined = undefined;
  /** The parts of the head that an entry need not repeat: the owner of the last claim in the store, and the answered questions. */
  #saved: KnownHead = nothingSaved;
  /** The head of a running document, cached: it is the same in every save. */
  #running: HeadFields | undefined = undefined;

  /** See {@link CheckpointDocument.isPassing}. */
  isPassing: boolean;
  readonly #history: HistoryLog | undefined;
  #run: OwnRun;
  /** Milliseconds since 1970; `undefined` until they are needed. */
  #startedAt: number | undefined = undefined;
  #since = 0;
  #status: RunStatus | undefined = undefined;
  /** How many claims in a row were taken from dead processes with no task saved. */
  #attempts = 0;
  #index: RunIndex | undefined = undefined;

  constructor(codec: ValueCodec, appends: boolean, run: OwnRun, history?: HistoryLog) {
    this.#codec = codec;
    this.#history = history;
    this.#run = run;
    this.isPassing = run.isPassing === true;
    this.#written = appends ? new WrittenDocument(codec) : undefined;
  }

  /** What the last write says about the run. */
  get noted(): { readonly startedAt: number; readonly since: number; readonly attempts: number } {
    return { startedAt: this.#startedAt ?? this.#since, since: this.#since, attempts: this.#attempts };
  }

  /** Created when it is first read; a resumed run already has one. */
  get runKey(): string {
    this.#runKey ??= randomId();
    return this.#runKey;
  }

  /** Of a run that stays. */
  get history(): HistoryLog | undefined {
    return this.isPassing ? undefined : this.#history;
  }

  /** Whether the saved document contains the run. */
  get hasRun(): boolean {
    return this.#hasRun;
  }

  /** Continues the document that was read. To be called before anything in it is changed. */
  load(document: CheckpointDocument, { data, appended = [] }: StoredCheckpoint): void {
    const { root, lastOwner, answered, isPassing, isUnlisted, startedAt } = document;
    const { threadId, userId } = document.index;
    this.isPassing = isPassing;
    this.#run = { ...this.#run, isUnlisted, threadId, userId };
    this.#startedAt = startedAt;
    this.unclaimed();
    if (this.#written === undefined || root === undefined) return;
    this.#written.takeRead(root);
    this.history?.load(document);
    this.#wholeSize = data.length;
    this.#entriesSize = appended.reduce((size, entry) => size + entry.length, 0);
    this.#compareAt = Math.max(smallest, data.length);
    this.#compareLater();
    this.#mustBeWhole = false;
    this.#hasRun = true;
    this.#saved = { owner: lastOwner, answered, attempts: document.attempts };
  }

  /** Continues a run. A copy under another id is written as a whole document, with its input. */
  continue({ runKey, answered, copyOf, input, attempts, startedAt }: Continued): void {
    const isCopy = copyOf !== undefined;
    this.#attempts = attempts;
    this.#startedAt = startedAt;
    if (isCopy) this.history?.begin(copyOf);
    this.#input = input === undefined ? undefined : { json: input };
    this.#runKey = runKey;
    this.#answered = answered;
    this.#running = undefined;
    if (isCopy) this.#mustBeWhole = true;
  }

  /** The next write; `undefined` when nothing has changed. Without `run`, the saved run stays as it is. */
  next(head: SaveHead, run?: RunSnapshot): Write | undefined {
    const getsOn = head.status === "finished" || (run !== undefined && head.status === "running");
    if (getsOn && head.claims !== true && this.#attempts > 0) {
      // a saved task shows that the run gets on
      this.#attempts = 0;
      this.#running = undefined;
    }
    const fields = this.#fieldsOf(head);
    const result = head.output === undefined ? "" : `,"output":${this.#outputText(head.output)}`;
    const more = (): string => `${result}${this.#note(head)}`;
    const written = this.#written;
    if (written === undefined) {
      if (run !== undefined) this.#text = this.#runText(run);
      return this.#whole(fields, more(), this.#text);
    }
    if (this.#text !== undefined) return this.#whole(fields, more(), this.#text);
    if (run !== undefined && (this.#mustBeWhole || !this.#hasRun)) {
      const all = this.#all(run); // may throw: then nothing is noted
      // a whole document begins a segment of the history, and so is an entry of it
      return this.#whole(fields, `${result}${this.#note({ ...head, cause: head.cause ?? "task" })}`, all);
    }
    if (this.#wholeSize === 0) return this.#whole(fields, more(), undefined);
    const change = run === undefined ? "" : this.#changeOf(written, run);
    const isSame = isSameHead(fields, this.#head);
    if (change === "" && result === "" && isSame) return undefined;
    const output = `${this.#shortOutput(head, written) ?? result}${this.#note(head)}`;
    const changed = isSame ? "" : this.#changedHead(fields, head, run === undefined ? none : written.answered);
    const text = entryText(changed, change, output);
    const data = bytesOf(text);
    // what has finished is not added to any more
    const mayBeWhole = head.status !== "finished" && (this.history === undefined || head.cause !== undefined);
    if (run !== undefined && mayBeWhole && this.#isTooMuch(data.length, run))
      return this.#whole(fields, output, this.#all(run));
    if (!isSame) this.#noteHead(fields, this.#saved.owner);
    this.#entriesSize += data.length;
    this.history?.held.add(text);
    return { data, isEntry: true, index: this.#index };
  }

  #noteHead(fields: HeadFields, formerOwner: string | undefined): void {
    this.#head = fields;
    this.#saved = { owner: fields.owner ?? formerOwner, answered: fields.answered, attempts: this.#attempts };
  }

  /** Whether the entries, with one more, are larger than the whole document. It is rarely written to find out. */
  #isTooMuch(size: number, run: RunSnapshot): boolean {
    if (this.#entriesSize + size <= Math.max(this.#compareAt, this.history?.leastSegment ?? 0)) return false;
    if (this.#entriesSize + size > writeRun(run, this.#codec).length) return true;
    this.#compareLater(size);
    return false;
  }

  #compareLater(size = 0): void {
    while (this.#compareAt < this.#entriesSize + size) this.#compareAt *= growth;
  }

  #note({ cause, error }: SaveHead): string {
    this.#hasNoted = this.history !== undefined && cause !== undefined;
    return this.history === undefined || cause === undefined ? "" : `,${this.history.note(cause, error)}`;
  }

  #changeOf(written: WrittenDocument, run: RunSnapshot): string {
    try {
      return written.update(run);
    } catch (error) {
      this.#mustBeWhole = true;
      throw error;
    }
  }

  #all(run: RunSnapshot): string {
    this.#mustBeWhole = true;
    const text = this.#runText(run);
    this.#mustBeWhole = false;
    return text;
  }

  #runText(run: RunSnapshot): string {
    const writer = this.#written ?? new WholeRun(this.#codec);
    const text = writer.write(run);
    if (writer.input !== undefined) this.#input = writer.input;
    // a history has it in its first document
    const isKept = this.history === undefined || this.#wholeSize === 0;
    this.#inputField = writer.input === undefined && isKept ? this.#keptInput() : "";
    return text;
  }

  /** No node can read it any more, but people can. */
  #keptInput(): string {
    const input = this.#input;
    if (input === undefined) return "";
    return `,"input":${typeof input === "string" ? `[${input}]` : JSON.stringify(input.json)}`;
  }

  #whole(fields: HeadFields, output: string, run: string | undefined): Write {
    const { history } = this;
    const closes = history !== undefined && this.#wholeSize > 0 ? { held: history.held.text } : undefined;
    const place = history === undefined ? "" : `,${history.place(closes !== undefined)}`;
    const { runKey, isPassing } = this;
    const startedAt = this.#startedAt ?? this.#since;
    const head = writeHead({ ...this.#run, runKey, isPassing, startedAt }, headFields(fields));
    const text = `${head}${output}${place}${run === undefined ? "" : this.#inputField},"root":${run ?? "null"}}`;
    const data = bytesOf(text);
    history?.held.begin(text);
    this.#noteHead(fields, undefined);
    this.#hasRun = run !== undefined;
    this.#wholeSize = data.length;
    this.#entriesSize = 0;
    this.#compareAt = Math.max(smallest, data.length);
    return { data, isEntry: false, index: this.#index, closes };
  }

  /** To be called when a save has failed: the next one says all that it has said. */
  retract(): void {
    this.forget();
    if (this.#hasNoted) this.history?.retract();
  }

  /** To be called when it is unknown what the store has. */
  forget(): void {
    this.#mustBeWhole = true;
    this.#forgetRow();
  }

  #forgetRow(): void {
    this.#head = undefined;
    this.#saved = nothingSaved;
    this.history?.held.forget();
  }

  /** To be called when the store has nothing of this run. */
  unclaimed(): void {
    this.#mustBeWhole = true;
    this.#wholeSize = 0;
    this.#entriesSize = 0;
    this.#forgetRow();
    this.#input = undefined;
    this.history?.begin(undefined);
  }

  /** Keeps the run as it is now for later writes without a run. */
  hold(run: RunSnapshot): void {
    this.#text = this.#written === undefined ? this.#runText(run) : this.#all(run);
  }

  #fieldsOf({ status, claims, requested, due, failure }: SaveHead): HeadFields {
    const isRunning = status === "running";
    if (isRunning && claims !== true && this.#running !== undefined) return this.#running;
    if (status !== this.#status || claims === true) this.#since = this.#run.now();
    this.#status = status;
    this.#startedAt ??= this.#since;
    const since = this.#since;
    const owner = isRunning ? processOwner() : undefined;
    const fields: HeadFields = {
      status,
      since,
      owner,
      claim: isRunning ? this.claim : undefined,
      attempts: this.#attempts === 0 ? undefined : this.#attempts,
      due,
      answered: this.#answered,
      requested: isRunning || status === "finished" ? undefined : requested,
      error: failure === undefined ? undefined : this.#errorText(failure),
    };
    this.#running = isRunning ? fields : undefined;
    this.#index = this.#indexOf(status, since, owner, due);
    return fields;
  }

  #indexOf(status: RunStatus, since: number, owner: string | undefined, due: number | undefined): RunIndex | undefined {
    const { graph, isUnlisted, threadId, userId } = this.#run;
    return isUnlisted === true ? undefined : { status, graph, owner, since, due, threadId, userId };
  }

  /** An error that cannot be saved is saved as its message. */
  #errorText(failure: unknown): string {
    try {
      return `[${this.#codec.encode(failure, "the error")}]`;
    } catch {
      return `[${this.#codec.encode(new Error(messageOf(failure)), "the error")}]`;
    }
  }

  /** The head of an entry as text, without what a reader knows from the entry itself and those before it. */
  #changedHead(fields: HeadFields, { claims }: SaveHead, answers: readonly string[]): string {
    const { status, owner, claim, answered = none, attempts = 0 } = fields;
    const isCounted = claims === true && (attempts > 0 || this.#saved.attempts > 0);
    const isKnown = answers.length === 0 ? answered === this.#saved.answered : isSameSet(answered, answers);
    const changed = headFields({
      ...fields,
      status: claim === undefined ? status : undefined,
      owner: owner === this.#saved.owner ? undefined : owner,
      attempts: isCounted ? attempts : undefined,
      answered: isKnown ? undefined : answered,
    });
    return `"head":{${changed}}`;
  }

  /** The result in an entry, if it refers to what the document holds: usually it is the output of the last node. */
  #shortOutput({ output }: SaveHead, written: WrittenDocument): string | undefined {
    const tree = output && written.treeOf(output.value);
    return tree === undefined ? undefined : `,"output":[{"tree":${tree}}]`;
  }

  #outputText({ value }: Slot): string {
    return `[${this.#codec.encode(value, "output of the graph")}]`;
  }
}

/** Few pieces: the more there are, the longer it takes to make bytes of a text. `more` begins with a comma. */
function entryText(head: string, change: string, more: string): string {
  if (head === "" && change === "") return `{${more.slice(1)}}`;
  if (head === "") return `{"root":${change}${more}}`;
  return change === "" ? `{${head}${more}}` : `{${head},"root":${change}${more}}`;
}

function isSameHead(a: HeadFields, b: HeadFields | undefined): boolean {
  if (a === b || b === undefined) return a === b;
  const { status, owner, claim, answered, requested } = b;
  if (a.status !== status || a.owner !== owner || a.claim !== claim) return false;
  return a.requested === requested && (a.answered === answered || isSameSet(a.answered ?? none, answered ?? none));
}

function isSameSet(a: readonly string[], b: readonly string[]): boolean {
  return a.length === b.length && a.every((item) => b.includes(item));
}

/** A write that claims the document of another run for as long as it is copied. */
export function claimedWrite(stored: StoredCheckpoint, claim: string, appends: boolean): Write {
  const document = readTree(stored).finish();
  const change = { status: "running", owner: processOwner(), claim };
  Object.assign(document, change);
  const index = indexToPut(document);
  const head = { ...change, answered: document.answered };
  return { data: bytesOf(JSON.stringify(appends ? { head } : document)), isEntry: appends, index };
}

/** A write of a stored document with its entries applied. */
export function mergedWrite(stored: StoredCheckpoint): Write {
  let document: JsonRecord;
  try {
    document = readTree(stored).finish();
  } catch (error) {
    // a row that cannot be read is restored as it was
    if ((stored.appended ?? []).length > 0) throw error;
    return { data: stored.data, isEntry: false, index: undefined };
  }
  const data = (stored.appended ?? []).length === 0 ? stored.data : jsonBytes(document);
  return { data, isEntry: false, index: indexToPut(document) };
}

const jsonBytes = (document: JsonRecord): Uint8Array => bytesOf(JSON.stringify(document));
