import { type AnswerSink, callStreaming, type GrpcCall, statusError } from "./call-server.js";

/** How a stream of answers is opened and read. */
export interface AnswerStreamOptions {
  /** Called at the first read. */
  readonly open: () => Promise<GrpcCall>;
  readonly read: (bytes: Uint8Array) => unknown;
  /** Made of each message before it is given out. */
  readonly wrap: (message: unknown) => unknown;
}

type Result = IteratorResult<unknown, readonly unknown[]>;

/**
 * The messages that a method answers with. Nothing happens before the first read; leaving early cancels the call at once,
 * also while a read is pending. Messages that came before an error are given out before it. An empty stream returns an
 * empty list: a tool takes that as its output.
 */
export class GrpcAnswerStream implements AsyncIterableIterator<unknown, readonly unknown[]>, AnswerSink {
  readonly #options: AnswerStreamOptions;
  readonly #ready: unknown[] = [];
  readonly #received: unknown[] = [];
  #call: GrpcCall | undefined = undefined;
  #opening: Promise<void> | undefined = undefined;
  #cancel: (() => void) | undefined = undefined;
  #ending: { readonly error?: unknown } | undefined = undefined;
  #wake: (() => void) | undefined = undefined;

  constructor(options: AnswerStreamOptions) {
    this.#options = options;
  }

  [Symbol.asyncIterator](): this {
    return this;
  }

  async next(): Promise<Result> {
    this.#opening ??= this.#open();
    await this.#opening;
    while (this.#ready.length === 0 && this.#ending === undefined) {
      await new Promise<void>((resolve) => {
        this.#wake = resolve;
      });
    }
    if (this.#ready.length > 0) return { done: false, value: this.#options.wrap(this.#ready.shift()) };
    const ending = this.#ending;
    this.#ending = {};
    if (ending !== undefined && "error" in ending) throw ending.error;
    return { done: true, value: [] };
  }

  async return(): Promise<Result> {
    this.#ready.length = 0;
    this.#end({});
    this.#cancel?.();
    return { done: true, value: [] };
  }

  onMessage(bytes: Uint8Array): void {
    try {
      const message = this.#options.read(bytes);
      this.#ready.push(message);
      this.#received.push(message);
    } catch (error) {
      this.#end({ error });
      this.#cancel?.();
    }
    this.#notify();
  }

  onEnd(): void {
    this.#end({});
  }

  onFailure(error: unknown): void {
    this.#end({ error: this.#call === undefined ? error : statusError(this.#call, error, this.#received) });
  }

  async #open(): Promise<void> {
    const call = await this.#options.open();
    // left meanwhile
    if (this.#ending !== undefined) return;
    this.#call = call;
    this.#cancel = callStreaming(call, this);
  }

  #end(ending: { readonly error?: unknown }): void {
    this.#ending ??= ending;
    this.#notify();
  }

  #notify(): void {
    const wake = this.#wake;
    this.#wake = undefined;
    wake?.();
  }
}
