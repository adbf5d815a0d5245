import { isMessageList, joinChunks } from "../../schema/concat/concat-chunks.js";
import type { Joining } from "../../schema/concat/rule.js";
import type { StreamReader } from "../../schema/stream/reader.js";
import { SerialSource } from "../../schema/stream/serial-source.js";
import { type ChunkSource, readChunk } from "../../schema/stream/source.js";
import { notItems } from "../errors.js";
import type { Program } from "../program.js";
import type { Task } from "../task.js";
import { EachRun, type EachSettings } from "./each-run.js";

/** How many results may wait to be read before no further chunk of the list is requested. */
const readAhead = 16;

/** The results as a stream; each chunk is an array with one result. Nothing happens before the first read. */
export class ItemChunks extends SerialSource<unknown[]> {
  readonly #items: StreamItems;

  constructor(program: Program, at: Task, settings: EachSettings, reader: StreamReader<unknown>) {
    super();
    this.#items = new StreamItems(program, at, settings, reader);
  }

  protected override async pull(): Promise<IteratorResult<unknown[], undefined>> {
    const items = this.#items;
    items.begin();
    for (;;) {
      this.checkOpen();
      const chunk = items.nextChunk();
      if (chunk !== undefined) {
        this.settle();
        return { done: false, value: chunk };
      }
      if (items.outcome !== undefined) {
        this.finish();
        if (items.outcome === "succeeded") return { done: true, value: undefined };
        throw items.outcome.error;
      }
      await items.nextChange();
    }
  }

  protected override stop(reason: unknown): void {
    this.#items.leave(reason);
  }
}

/** Runs the items of a streamed list: they start as they arrive, whether or not the results are read. */
class StreamItems extends EachRun {
  outcome: { readonly error: unknown } | "succeeded" | undefined = undefined;
  readonly #reader: StreamReader<unknown>;
  readonly #joining: Joining | undefined;
  #source: ChunkSource<unknown> | undefined = undefined;
  #hasBegun = false;
  #isPulling = false;
  /** A chunk is being taken, or is about to be. */
  #isTaking = false;
  #hasEnded = false;
  /** A chunk whose items cannot start yet. */
  #ahead: { readonly value: unknown } | undefined = undefined;
  /** A first chunk has arrived. */
  #hasChunk = false;
  /** Results that can be read; the next one is at `#head`. */
  #ready: unknown[] = [];
  #head = 0;
  /** Results that have to wait for those of earlier items, by index. */
  readonly #early = new Map<number, unknown>();
  #nextIndex = 0;
  #hasGiven = false;
  #onChange: (() => void) | undefined = undefined;

  constructor(program: Program, at: Task, settings: EachSettings, reader: StreamReader<unknown>) {
    super(program, at, settings);
    this.#reader = reader;
    this.#joining = reader.joining;
  }

  begin(): void {
    if (this.#hasBegun) return;
    this.#hasBegun = true;
    this.open();
    if (this.outcome !== undefined) return;
    if (comesInPieces(this.#joining)) {
      this.#source = this.#reader.takeSource();
      this.more();
      return;
    }
    this.#reader.concat().then(
      (list) => this.#takeWhole(list),
      (error) => this.fail(error),
    );
  }

  /** The next result, if there is one. A list without items gives one empty chunk, since an empty stream cannot be joined. */
  nextChunk(): unknown[] | undefined {
    if (this.#head < this.#ready.length) {
      const value = this.#ready[this.#head];
      this.#ready[this.#head++] = undefined;
      if (this.#head === this.#ready.length) {
        this.#ready = [];
        this.#head = 0;
      }
      this.#hasGiven = true;
      return [value];
    }
    if (this.outcome === "succeeded" && !this.#hasGiven) {
      this.#hasGiven = true;
      return [];
    }
    this.startMore();
    return undefined;
  }

  nextChange(): Promise<void> {
    return new Promise((resolve) => {
      this.#onChange = resolve;
    });
  }

  /** The reader has cancelled: aborts running items. */
  leave(reason: unknown): void {
    if (this.outcome === undefined) this.abort(reason);
    void this.#reader.cancel(reason);
    this.#source?.cancel(reason);
    this.#changed();
  }

  /** Takes the next chunk of the list, unless enough results are waiting to be read. */
  protected override more(): void {
    if (this.#isTaking || this.#isAhead) return;
    const chunk = this.#ahead;
    if (chunk === undefined) {
      this.#pull();
      return;
    }
    this.#ahead = undefined;
    this.#isTaking = true;
    // in a microtask, to keep the stack flat: a list may come in very many chunks
    void Promise.resolve().then(() => this.#takeChunk(chunk.value));
  }

  /** Whether enough results are waiting to be read. */
  get #isAhead(): boolean {
    return this.#ready.length - this.#head >= readAhead;
  }

  /** Reads one chunk ahead, so that the end of the list is known before its last item has its result. */
  #pull(): void {
    const source = this.#source;
    if (source === undefined || this.#isPulling || this.#ahead !== undefined) return;
    const pulled = readChunk(source);
    if (!(pulled instanceof Promise)) {
      this.#arrived(pulled, source);
      return;
    }
    this.#isPulling = true;
    pulled.then(
      (result) => {
        this.#isPulling = false;
        if (this.outcome === undefined) this.#arrived(result, source);
      },
      (error) => this.fail(error),
    );
  }

  #arrived({ done, value }: IteratorResult<unknown, undefined>, source: ChunkSource<unknown>): void {
    if (done === true) {
      this.#source = undefined;
      this.#hasEnded = true;
      if (!this.#hasChunk) this.#takeNothing();
      else if (!this.#isTaking) this.takeEnd();
    } else if (!this.#hasChunk && this.#joining?.rule !== "list" && hasMessages(value)) {
      this.#source = undefined;
      void this.#joinRest(value, source);
    } else {
      this.#hasChunk = true;
      if (this.isUsedUp && !this.#isTaking && !this.#isAhead) this.#takeChunk(value);
      else this.#ahead = { value };
    }
  }

  /** A stream without chunks is not an empty list: it fails as it does when it is joined. */
  #takeNothing(): void {
    try {
      joinChunks([], this.#joining);
    } catch (error) {
      this.fail(error);
    }
  }

  #takeChunk(chunk: unknown): void {
    if (this.outcome !== undefined) return;
    this.#isTaking = true;
    try {
      const items = this.#itemsOf(chunk);
      this.#pull();
      this.#isTaking = false;
      this.take(items, this.#hasEnded);
    } catch (error) {
      this.fail(error);
    }
  }

  #itemsOf(chunk: unknown): readonly unknown[] {
    if (this.#joining?.rule === "list") return [chunk].flat();
    if (Array.isArray(chunk)) return chunk;
    if (chunk === undefined || chunk === null) return [];
    throw notItems(this.nodePath, chunk);
  }

  /** Lists of messages join message by message. */
  async #joinRest(first: unknown, source: ChunkSource<unknown>): Promise<void> {
    try {
      const chunks: unknown[] = [first];
      for (let result = await source.next(); !result.done; result = await source.next()) chunks.push(result.value);
      this.#takeWhole(joinChunks(chunks, this.#joining));
    } catch (error) {
      this.fail(error);
    }
  }

  #takeWhole(list: unknown): void {
    if (this.outcome !== undefined) return;
    if (Array.isArray(list)) this.take(list, true);
    else this.fail(notItems(this.nodePath, list));
  }

  protected override given(index: number, value: unknown): void {
    if (!this.settings.ordered) this.#ready.push(value);
    else if (index > this.#nextIndex) this.#early.set(index, value);
    else {
      this.#ready.push(value);
      this.#nextIndex++;
      for (; this.#early.has(this.#nextIndex); this.#nextIndex++) {
        this.#ready.push(this.#early.get(this.#nextIndex));
        this.#early.delete(this.#nextIndex);
      }
    }
    this.#changed();
  }

  protected override succeeded(): void {
    this.outcome = "succeeded";
    this.#changed();
  }

  protected override failed(error: unknown): void {
    this.outcome = { error };
    this.#source?.cancel(error);
    this.#changed();
  }

  #changed(): void {
    const onChange = this.#onChange;
    this.#onChange = undefined;
    onChange?.();
  }
}

/** Whether each chunk contains some of the items. Without a declared rule, that holds for an input stream of the run. */
function comesInPieces(joining: Joining | undefined): boolean {
  return joining === undefined || joining.rule === "list" || joining.rule === "pieces";
}

function hasMessages(chunk: unknown): boolean {
  return isMessageList(chunk) && chunk.some((slot) => slot !== undefined && slot !== null);
}
