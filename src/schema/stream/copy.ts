import { copyOverflow, invalidStreamOption, streamCancelled } from "../errors.js";
import { ArraySource } from "./array-source.js";
import { pullTarget } from "./iterable-source.js";
import { isDeep, nesting } from "./nesting.js";
import { isSize } from "./size.js";
import { type ChunkSource, ended } from "./source.js";

/**
 * Splits a source into independent copies. Each chunk is pulled once, by the copy that needs it first, and kept until the slowest
 * copy has read it. The source is cancelled when all copies are.
 */
export function copySource<T>(source: ChunkSource<T>, count: number, limit?: number): ChunkSource<T>[] {
  if (count === 1) return [source];
  if (source instanceof ArraySource && limit === undefined) return Array.from({ length: count }, () => source.fork());
  const first = new Cell<T>();
  const shared = new SharedSource(source, count, limit);
  const copies = Array.from({ length: count }, () => new CopySource(shared, first));
  if (limit !== undefined) shared.watch(copies);
  return copies;
}

/** Throws for invalid arguments of `copy`. */
export function checkCopy(count: number, limit: number | undefined): void {
  if (!(Number.isInteger(count) && count >= 1)) throw invalidStreamOption("The count of copy(count)", count);
  if (limit !== undefined && !isSize(limit)) throw invalidStreamOption("The limit of copy(count, { limit })", limit);
}

/** A node of a linked list: a pulled chunk, or the slot for the next one. Only copies that have not read a cell keep it alive. */
class Cell<T> {
  promise: Promise<IteratorResult<T, undefined>> | undefined = undefined;
  next: Cell<T> | undefined = undefined;
}

class CopySource<T> implements ChunkSource<T> {
  private readonly shared: SharedSource<T>;
  private cell: Cell<T> | undefined;
  private failure: (() => unknown) | undefined = undefined;
  /** How many chunks this copy has requested. */
  taken = 0;

  constructor(shared: SharedSource<T>, cell: Cell<T>) {
    this.shared = shared;
    this.cell = cell;
  }

  next(): Promise<IteratorResult<T, undefined>> {
    const { cell } = this;
    if (cell === undefined) return this.afterEnd();
    cell.promise ??= this.shared.pull();
    cell.next ??= new Cell();
    this.cell = cell.next;
    this.taken++;
    return cell.promise;
  }

  cancel(reason?: unknown): void {
    if (this.cell === undefined) return;
    this.cell = undefined;
    this.shared.leave(this, reason);
  }

  fail(makeError: () => unknown): void {
    this.failure = makeError;
    this.cancel();
  }

  private afterEnd(): Promise<IteratorResult<T, undefined>> {
    const { failure } = this;
    this.failure = undefined;
    return failure === undefined ? ended() : Promise.reject(failure());
  }
}

class SharedSource<T> {
  private readonly source: ChunkSource<T>;
  private readonly target: Pick<ChunkSource<T>, "next">;
  private readonly next: ChunkSource<T>["next"];
  private readonly limit: number | undefined;
  private open: number;
  private pulled = 0;
  private watched: readonly CopySource<T>[] = [];
  private onResult: ((result: IteratorResult<T, undefined>) => void) | undefined = undefined;
  /** How many reads are postponed until the stack has unwound. */
  private postponed = 0;
  private cancelReason: unknown = undefined;

  constructor(source: ChunkSource<T>, count: number, limit: number | undefined) {
    this.source = source;
    this.target = pullTarget(source);
    this.next = this.target.next;
    this.open = count;
    this.limit = limit;
  }

  pull(): Promise<IteratorResult<T, undefined>> {
    const promise = isDeep() || this.postponed > 0 ? this.pullLater() : this.pullNow();
    if (this.onResult !== undefined) promise.then(this.onResult, ignore);
    return promise;
  }

  leave(copy: CopySource<T>, reason: unknown): void {
    this.open--;
    if (this.watched.length > 0) this.watched = this.watched.filter((other) => other !== copy);
    if (this.open > 0) return;
    this.cancelReason = reason;
    if (isDeep()) Promise.resolve().then(() => this.cancelNow());
    else this.cancelNow();
  }

  /** Makes copies fail that fall too far behind from now on. */
  watch(copies: readonly CopySource<T>[]): void {
    this.watched = copies;
    this.onResult = this.count.bind(this);
  }

  private pullNow(): Promise<IteratorResult<T, undefined>> {
    nesting.depth++;
    try {
      return this.next.call(this.target);
    } finally {
      nesting.depth--;
    }
  }

  /** Reads that follow are postponed too, so that chunks keep their order. */
  private async pullLater(): Promise<IteratorResult<T, undefined>> {
    this.postponed++;
    await undefined;
    this.postponed--;
    if (this.open === 0) throw streamCancelled(this.cancelReason);
    return this.pullNow();
  }

  private cancelNow(): void {
    nesting.depth++;
    try {
      this.source.cancel(this.cancelReason);
    } finally {
      nesting.depth--;
    }
  }

  private count(result: IteratorResult<T, undefined>): void {
    if (!result.done) this.dropSlow(++this.pulled);
  }

  private dropSlow(pulled: number): void {
    const { limit = Number.POSITIVE_INFINITY } = this;
    for (const copy of this.watched) {
      if (pulled - copy.taken > limit) copy.fail(() => copyOverflow(limit));
    }
  }
}

function ignore(): void {}
