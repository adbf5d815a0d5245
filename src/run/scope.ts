/**
 * A unit of work that can be aborted as a whole: a run, an attempt, a tool call with a time limit. Scopes form a tree; aborting
 * one aborts what is open inside it. The signal is created when it is first read.
 *
 * Here and in other objects that every run allocates, fields are `private` rather than `#private`: engines initialize the
 * latter in a separate function per class, which is measurable in a short run.
 */
export class Scope {
  aborted = false;
  reason: unknown = undefined;
  readonly parent: Scope | undefined;
  private controller: AbortController | undefined = undefined;
  private firstInside: Scope | undefined = undefined;
  private previousSibling: Scope | undefined = undefined;
  private nextSibling: Scope | undefined = undefined;
  private isLinked = false;

  constructor(parent: Scope | undefined) {
    this.parent = parent;
  }

  get signal(): AbortSignal {
    if (this.controller === undefined) {
      this.controller = new AbortController();
      if (this.aborted) this.controller.abort(this.reason);
    }
    return this.controller.signal;
  }

  /** Throws the reason of the abort, if there was one. Call it after every wait, before something new begins. */
  throwIfAborted(): void {
    if (this.aborted) throw this.reason;
  }

  /** Links this scope to its parent, so that aborting the parent aborts it too. */
  open(): void {
    const { parent } = this;
    if (parent === undefined) return;
    if (parent.aborted) {
      this.abort(parent.reason);
      return;
    }
    this.isLinked = true;
    this.nextSibling = parent.firstInside;
    if (parent.firstInside !== undefined) parent.firstInside.previousSibling = this;
    parent.firstInside = this;
  }

  /** Undoes {@link open}; does nothing if it is not open. */
  close(): void {
    const { parent } = this;
    if (!this.isLinked || parent === undefined) return;
    this.isLinked = false;
    if (this.previousSibling === undefined) parent.firstInside = this.nextSibling;
    else this.previousSibling.nextSibling = this.nextSibling;
    if (this.nextSibling !== undefined) this.nextSibling.previousSibling = this.previousSibling;
    this.previousSibling = undefined;
    this.nextSibling = undefined;
  }

  /** Aborts this scope and everything open inside it. Only the first call has an effect. */
  abort(reason: unknown): void {
    if (this.aborted) return;
    this.aborted = true;
    this.reason = reason;
    this.beforeSignal(reason);
    this.controller?.abort(reason);
    for (let child = this.firstInside; child !== undefined; ) {
      const next: Scope | undefined = child.nextSibling;
      child.abort(reason);
      child = next;
    }
  }

  /** Called on abort, before the signal fires. Must not throw. */
  protected beforeSignal(_reason: unknown): void {}
}

/** The reason for aborting leftover work: a sibling failed, a stream was cancelled, the run has its result. */
export function abortError(message: string): DOMException {
  return new DOMException(message, "AbortError");
}

/** The reason for aborting a run that exceeds its `timeoutMs`. */
export function timeoutError(timeoutMs: number | undefined): DOMException {
  return new DOMException(`The run took longer than its timeoutMs of ${timeoutMs} ms.`, "TimeoutError");
}
