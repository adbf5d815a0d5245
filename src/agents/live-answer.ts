import type { AgenticMessage } from "../schema/message/agentic-message.js";
import { hasToolCalls } from "../schema/message/read-message.js";

/** Takes the answers of an agent's models, piece by piece. */
export interface AnswerTaker {
  /** Another answer begins: those before it were not the last one. */
  begin(): void;
  /** Takes a piece of it. Resolves when there is a reader for more. */
  take(chunk: AgenticMessage): Promise<void> | undefined;
  /** The answer is whole. */
  told(message: AgenticMessage): void;
}

/**
 * The answer of an agent that is a node of a streamed graph, as its models write it. An answer with tool calls is not the last one:
 * what was sent of it is void, which the next chunk says by `restart`.
 */
export class LiveAnswer implements AnswerTaker {
  readonly #chunks: AgenticMessage[] = [];
  #state: "open" | "left" | { readonly error: unknown } | "over" = "open";
  /** Wakes the reader, and the model. */
  #wake: (() => void) | undefined;
  #goOn: (() => void) | undefined;
  /** Whether something was sent, whether that is void, and whether the answer that arrives has calls. */
  #hasSent = false;
  #isVoid = false;
  #hasCalls = false;
  #message: AgenticMessage | undefined;

  begin(): void {
    this.#isVoid = this.#hasSent;
    this.#hasCalls = false;
    this.#message = undefined;
  }

  take(chunk: AgenticMessage): Promise<void> | undefined {
    if (chunk.restart === true) this.begin();
    if (this.#state !== "open" || this.#hasCalls) return undefined;
    this.#hasCalls = hasToolCalls(chunk);
    if (this.#hasCalls || (chunk.restart === true && chunk.contentBlocks.length === 0)) return undefined;
    this.#send(chunk);
    return new Promise((resolve) => {
      this.#goOn = resolve;
    });
  }

  told(message: AgenticMessage): void {
    this.#message = message;
  }

  /** Resolves to the stream of the answer once there is something to read. Rejects if the run ends without any. */
  open(run: PromiseLike<unknown>): Promise<AsyncIterable<AgenticMessage>> {
    return new Promise((resolve, reject) => {
      const begin = (): void => resolve(this.#read());
      this.#wake = begin;
      run.then(
        (answer) => this.#end(answer as AgenticMessage),
        (error: unknown) => {
          if (this.#hasSent) this.#close({ error });
          else reject(error);
        },
      );
    });
  }

  /** What the run has come to is sent as a whole, unless it is what was sent. */
  #end(answer: AgenticMessage): void {
    const isSent = this.#hasSent && !this.#isVoid && !this.#hasCalls && isSame(answer, this.#message);
    if (!isSent) {
      this.#isVoid = this.#hasSent;
      this.#send(answer);
    }
    this.#close("over");
  }

  #send(chunk: AgenticMessage): void {
    const { restart, ...piece } = chunk;
    this.#chunks.push(this.#isVoid ? { ...piece, restart: true } : restart === true ? piece : chunk);
    this.#isVoid = false;
    this.#hasSent = true;
    this.#wake?.();
  }

  #close(state: "over" | { readonly error: unknown }): void {
    if (this.#state === "open") this.#state = state;
    this.#wake?.();
  }

  async *#read(): AsyncGenerator<AgenticMessage, void> {
    try {
      for (;;) {
        for (let chunk = this.#chunks.shift(); chunk !== undefined; chunk = this.#chunks.shift()) yield chunk;
        if (typeof this.#state === "object") throw this.#state.error;
        if (this.#state !== "open") return;
        const woken = new Promise<void>((resolve) => {
          this.#wake = resolve;
        });
        this.#goOn?.();
        await woken;
      }
    } finally {
      if (this.#state === "open") this.#state = "left";
      this.#goOn?.();
    }
  }
}

function isSame(one: AgenticMessage, other: AgenticMessage | undefined): boolean {
  return one === other || JSON.stringify(one) === JSON.stringify(other);
}
