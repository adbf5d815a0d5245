import { type Attributes, type Context, type Span, SpanStatusCode, trace } from "./api.js";
import { attempt } from "./attempt.js";
import type { SpanForm } from "./span-form.js";
import { UsageTotals } from "./usage-totals.js";

/** One run that has a span, from its start to its end. What one call of an SDK throws does not keep the others from being made. */
export class RunSpan {
  readonly parent: RunSpan | undefined;
  readonly span: Span;
  readonly form: SpanForm;
  readonly startedAt = performance.now();
  /** Tokens of the answers inside it; only of runs that contain others. */
  readonly totals: UsageTotals | undefined;
  /** The thread of the agent that it belongs to. */
  readonly conversationId: string | undefined;
  /** Whether a model runs inside this one: then that one's tokens count, and not this one's. */
  hasInnerModel = false;
  #context: Context | undefined;
  readonly #outer: Context;
  /** Answers inside that are still read: what they cost belongs to this run too. */
  #reading = 0;
  #end: (() => void) | undefined;
  #isEnded = false;

  constructor(
    span: Span,
    outer: Context,
    parent: RunSpan | undefined,
    {
      form,
      isContainer,
      conversationId,
    }: { readonly form: SpanForm; readonly isContainer: boolean; readonly conversationId: string | undefined },
  ) {
    this.span = span;
    this.parent = parent;
    this.form = form;
    this.totals = isContainer ? new UsageTotals() : undefined;
    this.conversationId = conversationId;
    this.#outer = outer;
  }

  /** The context of what runs inside this one. */
  get context(): Context {
    this.#context ??= trace.setSpan(this.#outer, this.span);
    return this.#context;
  }

  get isEnded(): boolean {
    return this.#isEnded || this.#end !== undefined;
  }

  setAttributes(attributes: Attributes): void {
    attempt(() => this.span.setAttributes(attributes));
  }

  setError(type: string, message: string): void {
    this.setAttributes({ "error.type": type });
    attempt(() => this.span.setStatus({ code: SpanStatusCode.ERROR, message }));
  }

  addEvent(name: string, attributes: Attributes): void {
    attempt(() => (this.span.isRecording() ? this.span.addEvent(name, attributes) : this.span));
  }

  /** An answer inside is being read: no run around it ends before it is. */
  beginReading(): void {
    this.#reading += 1;
    this.parent?.beginReading();
  }

  endReading(): void {
    this.#reading -= 1;
    if (this.#reading === 0) this.#settle();
    this.parent?.endReading();
  }

  /** Ends the span, after what is still to be said of it. Once. */
  end(finish: () => void): void {
    if (this.isEnded) return;
    this.#end = finish;
    if (this.#reading === 0) this.#settle();
  }

  #settle(): void {
    const finish = this.#end;
    if (finish === undefined || this.#isEnded) return;
    this.#isEnded = true;
    attempt(finish);
    attempt(() => this.span.end());
  }
}
