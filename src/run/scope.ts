/**
 * One thing that can be stopped as a whole: a run, or a tool call with a time limit. Scopes form a tree; stopping one
 * stops what is open inside it. A signal is made only when somebody reads it.
 *
 * Here and in what is made for every run, fields are private to the compiler only: `#fields` are set by a function of their
 * own in each class, which a short run would feel.
 */
export class Scope {
  aborted = false;
  reason: unknown = undefined;
  readonly parent: Scope | undefined;
  private controller: AbortController | undefined = undefined;
  private firstInside: Scope | undefined = undefined;
  private previousBeside: Scope | undefined = undefined;
  private nextBeside: Scope | undefined = undefined;
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

  /** Throws the reason of the abort, if there was one: to be asked after every wait, before something new begins. */
  throwIfAborted(): void {
    if (this.aborted) throw this.reason;
  }

  /** Makes the parent stop this scope when it is stopped itself. */
  open(): void {
    const { parent } = this;
    if (parent === undefined) return;
    if (parent.aborted) {
      this.abort(parent.reason);
      return;
    }
    this.isLinked = true;
    this.nextBeside = parent.firstInside;
    if (parent.firstInside !== undefined) parent.firstInside.previousBeside = this;
    parent.firstInside = this;
  }

  /** Undoes {@link open}; harmless when not open. */
  close(): void {
    const { parent } = this;
    if (!this.isLinked || parent === undefined) return;
    this.isLinked = false;
    if (this.previousBeside === undefined) parent.firstInside = this.nextBeside;
    else this.previousBeside.nextBeside = this.nextBeside;
    if (this.nextBeside !== undefined) this.nextBeside.previousBeside = this.previousBeside;
    this.previousBeside = undefined;
    this.nextBeside = undefined;
  }

  /** Stops this scope and all that is open inside it. Only the first call counts. */
  abort(reason: unknown): void {
    if (this.aborted) return;
    this.aborted = true;
    this.reason = reason;
    this.beforeSignal(reason);
    this.controller?.abort(reason);
    for (let child = this.firstInside; child !== undefined; ) {
      const next: Scope | undefined = child.nextBeside;
      child.abort(reason);
      child = next;
    }
  }

  /** Called at the abort, before the signal fires: it must not throw. */
  protected beforeSignal(_reason: unknown): void {}
}

/** The reason for stopping what is left over: a sibling failed, a stream was left, the run has its result. */
export function abortError(message: string): DOMException {
  return new DOMException(message, "AbortError");
}

/** The reason for stopping a run that took too long. */
export function timeoutError(timeoutMs: number | undefined): DOMException {
  return new DOMException(`The run took longer than its timeoutMs of ${timeoutMs} ms.`, "TimeoutError");
}
