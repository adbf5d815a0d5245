import { randomId } from "../../callbacks/random-id.js";
import type { StoredCheckpoint } from "../checkpoint-store.js";
import type { CheckpointDocument } from "../document/document.js";
import { readTree } from "../document/read-document.js";
import type { RunSnapshot, Slot } from "../document/snapshot.js";
import { type HeadFields, headFields, WholeRun, writeHead, writeRun } from "../document/write-document.js";
import { WrittenDocument } from "../document/written-document.js";
import type { HistoryLog } from "../history/history-log.js";
import type { EntryNote } from "../history/segments.js";
import { bytesOf } from "../values/text-bytes.js";
import type { ValueCodec } from "../values/value-codec.js";
import { processOwner } from "./process-owner.js";

/** One write: a whole document, or an entry that is appended to it. */
export interface Write {
  readonly data: Uint8Array;
  readonly isEntry: boolean;
  /** Set if it replaces a document that belongs to the history: the text of that and its entries, if it is known. */
  readonly closes?: { readonly held: string | undefined } | undefined;
}

/** The fields that a save records beside the run itself. */
export interface SaveHead {
  readonly status: CheckpointDocument["status"];
  /** The id of a requested stop. */
  readonly requested?: string | undefined;
  /** The result of a finished run. */
  readonly output?: Slot | undefined;
  /** Why it is saved, when a history is kept. */
  readonly cause?: EntryNote["cause"] | undefined;
  readonly error?: string | undefined;
}

const none: readonly string[] = [];

interface KnownHead {
  readonly owner: string | undefined;
  readonly answered: readonly string[] | undefined;
}

const nothingSaved: KnownHead = { owner: undefined, answered: undefined };

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

  constructor(
    codec: ValueCodec,
    appends: boolean,
    {
      history,
      isPassing = false,
    }: { readonly history?: HistoryLog | undefined; readonly isPassing?: boolean | undefined } = {},
  ) {
    this.#codec = codec;
    this.#history = history;
    this.isPassing = isPassing;
    this.#written = appends ? new WrittenDocument(codec) : undefined;
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
    const { root, lastOwner, answered, isPassing } = document;
    this.isPassing = isPassing;
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
    this.#saved = { owner: lastOwner, answered };
  }

  /** Continues a run. A copy under another id is written as a whole document, with this input. */
  continue(runKey: string, answered: readonly string[], copyOf: string | undefined, input: unknown): void {
    const isCopy = copyOf !== undefined;
    if (isCopy) this.history?.begin(copyOf);
    this.#input = input === undefined ? undefined : { json: input };
    this.#runKey = runKey;
    this.#answered = answered;
    this.#running = undefined;
    if (isCopy) this.#mustBeWhole = true;
  }

  /** The next write; `undefined` when nothing has changed. Without `run`, the saved run stays as it is. */
  next(head: SaveHead, run?: RunSnapshot): Write | undefined {
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
    const changed = isSame ? "" : this.#changedHead(fields, run === undefined ? none : written.answered);
    const text = entryText(changed, change, output);
    const data = bytesOf(text);
    // what has finished is not added to any more
    const mayBeWhole = head.status !== "finished" && (this.history === undefined || head.cause !== undefined);
    if (run !== undefined && mayBeWhole && this.#isTooMuch(data.length, run))
      return this.#whole(fields, output, this.#all(run));
    if (!isSame) this.#noteHead(fields, this.#saved.owner);
    this.#entriesSize += data.length;
    this.history?.held.add(text);
    return { data, isEntry: true };
  }

  #noteHead(fields: HeadFields, formerOwner: string | undefined): void {
    this.#head = fields;
    this.#saved = { owner: fields.owner ?? formerOwner, answered: fields.answered };
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
    const text = `${writeHead(this.runKey, headFields(fields), this.isPassing)}${output}${place}${run === undefined ? "" : this.#inputField},"root":${run ?? "null"}}`;
    const data = bytesOf(text);
    history?.held.begin(text);
    this.#noteHead(fields, undefined);
    this.#hasRun = run !== undefined;
    this.#wholeSize = data.length;
    this.#entriesSize = 0;
    this.#compareAt = Math.max(smallest, data.length);
    return { data, isEntry: false, closes };
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

  #fieldsOf({ status, requested }: SaveHead): HeadFields {
    const answered = this.#answered;
    if (status !== "running") {
      const stop = status === "stopped" ? requested : undefined;
      return { status, owner: undefined, claim: undefined, answered, requested: stop };
    }
    this.#running ??= { status, owner: processOwner(), claim: this.claim, answered, requested: undefined };
    return this.#running;
  }

  /** The head of an entry as text, without what a reader knows from the entry itself and those before it. */
  #changedHead({ status, owner, claim, answered = none, requested }: HeadFields, answers: readonly string[]): string {
    const isKnown = answers.length === 0 ? answered === this.#saved.answered : isSameSet(answered, answers);
    const changed = headFields({
      status: claim === undefined ? status : undefined,
      owner: owner === this.#saved.owner ? undefined : owner,
      claim,
      answered: isKnown ? undefined : answered,
      requested,
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

/** A write that claims the document of another run. */
export function claimedWrite(stored: StoredCheckpoint, claim: string, appends: boolean): Write {
  const document = readTree(stored).finish();
  const answered = document.answered as readonly string[];
  if (appends) {
    const fields = headFields({ status: "running", owner: processOwner(), claim, answered, requested: undefined });
    return { data: bytesOf(`{"head":{${fields}}}`), isEntry: true };
  }
  const claimed = Object.assign(document, { status: "running", owner: processOwner(), claim });
  return { data: bytesOf(JSON.stringify(claimed)), isEntry: false };
}

/** A stored document with its entries applied, as bytes. */
export function mergedBytes(stored: StoredCheckpoint): Uint8Array {
  if ((stored.appended ?? []).length === 0) return stored.data;
  return bytesOf(JSON.stringify(readTree(stored).finish()));
}
