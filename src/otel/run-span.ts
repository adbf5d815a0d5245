import { type Attributes, type Context, type Span, statusError, withSpan } from "./api.js";
import { attempt } from "./attempt.js";
import type { SpanForm } from "./span-form.js";
import { UsageTotals } from "./usage-totals.js";

/** The span of a run. An SDK call that throws does not prevent the next ones. */
export class RunSpan {
  readonly parent: RunSpan | undefined;
  readonly span: Span;
  readonly form: SpanForm;
  readonly startedAt = performance.now();
  /** The tokens of the model answers inside the run; only for graphs and agents. */
  readonly totals: UsageTotals | undefined;
  /** The thread id of the agent that the run belongs to. */
  readonly conversationId: string | undefined;
  /** Whether another model runs inside this one. If so, only the tokens of the inner one count. */
  hasInnerModel = false;
  #context: Context | undefined;
  readonly #outer: Context;
  /** The number of answers inside the run that are still being read; the run ends after them, to count their tokens. */
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

  /** The context for inner runs. */
  get context(): Context {
    this.#context ??= withSpan(this.#outer, this.span);
    return this.#context;
  }

  get isEnded(): boolean {
    return this.#isEnded || this.#end !== undefined;
  }

  setAttributes(attributes: Attributes): void {
    attempt(() => this.span.setAttributes(attributes));
  }

  /** `message` is `undefined` if content is not recorded: errors quote arguments, answers and results. */
  setError(type: string, message: string | undefined): void {
    this.setAttributes({ "error.type": type });
    const status = { code: statusError, ...(message !== undefined && { message }) };
    attempt(() => this.span.setStatus(status));
  }

  addEvent(name: string, attributes: Attributes): void {
    attempt(() => (this.span.isRecording() ? this.span.addEvent(name, attributes) : this.span));
  }

  /** Delays the end of this span and all outer ones while an answer is being read. */
  beginReading(): void {
    this.#reading += 1;
    this.parent?.beginReading();
  }

  endReading(): void {
    this.#reading -= 1;
    if (this.#reading === 0) this.#settle();
    this.parent?.endReading();
  }

  /** Ends the span after `finish` has set its last attributes. Only the first call counts. */
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
