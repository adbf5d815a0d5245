import { causedByInterrupt } from "../../checkpoint/pause/interrupt.js";
import type { ToolContext } from "../../components/tool.js";
import { isPromiseLike } from "../../is.js";
import { Context } from "../../run/context.js";
import { isToolStream, producerOf } from "../../tools/define/producer.js";
import { parsed } from "./canonical-message.js";
import { keptError, replayedError } from "./kept-error.js";
import { keptChunks, keptValue, replayedChunks, replayedValue } from "./kept-value.js";
import { toJson } from "./plain-json.js";
import type { Taken, TapeDeck, TapedRequest } from "./tape-deck.js";

export type Work = (input: unknown, ctx: ToolContext) => unknown;

/** The work of one tool, with a tape in between. */
export class ToolWork {
  readonly #name: string;
  readonly #deck: TapeDeck;

  constructor(name: string, deck: TapeDeck) {
    this.#name = name;
    this.#deck = deck;
  }

  /** For work that returns a value, or a stream. */
  async function(work: Work, input: unknown, ctx: ToolContext): Promise<unknown> {
    const taken = this.#take(input, ctx);
    if (taken.answer !== undefined && !isLive(taken)) {
      return "chunks" in taken.answer ? this.#replayedStream(taken, ctx) : this.#replayed(taken, ctx);
    }
    try {
      const value = await work(input, ctx);
      if (isToolStream(value)) return this.#recorded(value, taken, ctx);
      this.#keep(taken, ctx, () => keptValue(value, this.#what));
      return value;
    } catch (error) {
      this.#keepError(taken, error, [], ctx);
      throw error;
    }
  }

  /** For work that is a generator function, or returns a stream at once. */
  async *generator(work: Work, input: unknown, ctx: ToolContext): AsyncGenerator<unknown, unknown> {
    const taken = this.#take(input, ctx);
    if (taken.answer !== undefined && !isLive(taken)) return yield* this.#replayedStream(taken, ctx);
    let stream: unknown;
    try {
      const given = work(input, ctx);
      stream = isPromiseLike(given) ? await given : given;
    } catch (error) {
      this.#keepError(taken, error, [], ctx);
      throw error;
    }
    return yield* this.#recorded(stream as object, taken, ctx);
  }

  get #what(): string {
    return `the tool "${this.#name}"`;
  }

  #take(given: unknown, ctx: ToolContext): Taken {
    const { redact } = this.#deck.text;
    const input = toJson(typeof given === "string" ? parsed(given) : given, redact) ?? null;
    const taped: TapedRequest = {
      kind: "tool",
      request: { kind: "tool", name: redact(this.#name), input },
      what: `a call of the tool "${this.#name}" with ${JSON.stringify(input).slice(0, 200)}`,
    };
    // what was asked before is answered by now
    const isResumed = ctx instanceof Context && ctx.openedInvocation?.isRestored === true;
    return this.#deck.take(taped, ctx, isResumed ? ({ live }) => live === "question" : undefined);
  }

  #replayed({ answer = {}, path }: Taken, ctx: ToolContext): unknown {
    ctx.signal?.throwIfAborted();
    if (answer.error !== undefined) {
      throw replayedError(answer.error, path, { toolName: this.#name, callId: ctx.toolCallId });
    }
    return replayedValue(answer, path);
  }

  async *#replayedStream(taken: Taken, ctx: ToolContext): AsyncGenerator<unknown, unknown> {
    const { answer = {}, path } = taken;
    if (!("chunks" in answer)) return this.#replayed(taken, ctx);
    for (const chunk of replayedChunks(answer.chunks ?? null, path)) {
      ctx.signal?.throwIfAborted();
      yield chunk;
    }
    const { chunks: _chunks, ...end } = answer;
    return Object.keys(end).length === 0 ? undefined : this.#replayed({ ...taken, answer: end }, ctx);
  }

  async *#recorded(stream: object, taken: Taken, ctx: ToolContext): AsyncGenerator<unknown, unknown> {
    const producer = producerOf(stream);
    const chunks: unknown[] = [];
    let isSettled = false;
    try {
      for (;;) {
        const { done, value } = await producer.next();
        if (done === true) {
          isSettled = true;
          this.#keep(taken, ctx, () => ({
            chunks: this.#kept(chunks),
            ...(value !== undefined && keptValue(value, this.#what)),
          }));
          return value;
        }
        chunks.push(value);
        yield value;
      }
    } catch (error) {
      if (!isSettled) this.#keepError(taken, error, chunks, ctx);
      isSettled = true;
      throw error;
    } finally {
      if (!isSettled) {
        taken.drop();
        producer.cancel(undefined);
      }
    }
  }

  #kept(chunks: readonly unknown[]): ReturnType<typeof keptChunks> {
    return keptChunks(chunks, this.#what, this.#deck.text.redact);
  }

  /** Of work that ran children, only that is kept: they are on the tape themselves. */
  #keep(taken: Taken, ctx: ToolContext, make: () => Parameters<Taken["keep"]>[0]): void {
    if (taken.answer !== undefined) return;
    const hasAsked = ctx instanceof Context && ctx.openedInvocation?.hasStopped === true;
    if (hasAsked) taken.keep({ live: "question" });
    else taken.keep(hasChildren(ctx) ? { live: "children" } : this.#recordable(make, ctx));
  }

  /** What no tape can keep ends the run: told to a model, it would be a part of what is recorded. */
  #recordable<T>(make: () => T, ctx: ToolContext): T {
    try {
      return make();
    } catch (error) {
      throw this.#deck.end(error, ctx);
    }
  }

  #keepError(taken: Taken, error: unknown, chunks: readonly unknown[], ctx: ToolContext): void {
    if (taken.answer !== undefined) return;
    const kept = keptError(error, ctx.signal);
    if (causedByInterrupt(error)) taken.keep({ live: "question" });
    else if (kept === undefined) taken.drop();
    else if (hasChildren(ctx)) taken.keep({ live: "children" });
    else taken.keep({ error: kept, ...(chunks.length > 0 && { chunks: this.#kept(chunks) }) });
  }
}

/** Whether the tape only says that the tool has to run. */
function isLive({ answer }: Taken): boolean {
  return answer?.live !== undefined;
}

function hasChildren(ctx: ToolContext): boolean {
  return ctx instanceof Context && ctx.openedChildren !== undefined;
}
