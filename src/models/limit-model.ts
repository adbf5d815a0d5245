import type { AgenticModel, ModelContext } from "../components/model.js";
import type { AgenticMessage } from "../schema/message/agentic-message.js";
import { PulledSource } from "../schema/stream/pulled-source.js";
import { StreamReader } from "../schema/stream/reader.js";
import type { ChunkSource, StreamSource } from "../schema/stream/source.js";
import { isRepeating, type RepeatingModel, repeatsOthers } from "./attempts.js";
import { invalidModelOption } from "./errors.js";
import type { Model } from "./model.js";
import { modelFrom } from "./to-model.js";

/** Runs work when a slot is free, like the return value of `pLimit(5)`. */
export type Limit = <T>(work: () => Promise<T>) => Promise<T>;

/**
 * Makes model calls wait for a limit, which several models can share. A stream holds its slot until it ends or is
 * cancelled.
 *
 * @example
 * const limit = pLimit(5);
 * const writer = limitModel(model, limit);
 * const critic = limitModel(model, limit); // five calls at a time, of both together
 */
export function limitModel(model: Model, limit: Limit): AgenticModel {
  if (typeof limit !== "function") {
    throw invalidModelOption(
      "limitModel takes a function that runs work when a slot is free: limitModel(model, pLimit(5)).",
    );
  }
  return new LimitedModel(modelFrom(model, "limitModel"), limit);
}

class LimitedModel implements RepeatingModel {
  readonly component = "model" as const;
  readonly type: string | undefined;
  readonly [repeatsOthers]: boolean;
  readonly #model: AgenticModel;
  readonly #limit: Limit;

  constructor(model: AgenticModel, limit: Limit) {
    this.#model = model;
    this.type = model.type;
    this[repeatsOthers] = isRepeating(model);
    this.#limit = limit;
  }

  /** A call that is aborted while it waits rejects immediately; its slot is released when it is granted. */
  async generate(messages: readonly AgenticMessage[], ctx: ModelContext): Promise<AgenticMessage> {
    const slot = new Slot(this.#limit);
    const leave = (): void => slot.leave();
    ctx.signal.throwIfAborted();
    ctx.signal.addEventListener("abort", leave, { once: true });
    try {
      await slot.taken;
      ctx.signal.throwIfAborted();
      return await this.#model.generate(messages, ctx);
    } finally {
      ctx.signal.removeEventListener("abort", leave);
      slot.leave();
    }
  }

  stream(messages: readonly AgenticMessage[], ctx: ModelContext): StreamReader<AgenticMessage> {
    const open = (): StreamSource<AgenticMessage> => this.#model.stream(messages, ctx);
    return new StreamReader(new LimitedStream(open, this.#limit, ctx.signal));
  }
}

/** A slot of a limit. */
class Slot {
  /** Resolves when the slot is granted, or when the caller has left. */
  readonly taken: Promise<void>;
  #leave: () => void = () => undefined;

  constructor(limit: Limit) {
    const left = new Promise<void>((resolve) => {
      this.#leave = resolve;
    });
    this.taken = new Promise((resolve, reject) => {
      left.then(resolve);
      const work = (): Promise<void> => {
        resolve();
        return left;
      };
      Promise.resolve(limit(work)).then(undefined, reject);
    });
  }

  leave(): void {
    this.#leave();
  }
}

class LimitedStream extends PulledSource<AgenticMessage> {
  readonly #open: () => StreamSource<AgenticMessage>;
  readonly #limit: Limit;
  readonly #signal: AbortSignal;
  readonly #stopByCaller = (): void => this.#slot?.leave();
  #slot: Slot | undefined;
  #source: ChunkSource<AgenticMessage> | undefined;

  constructor(open: () => StreamSource<AgenticMessage>, limit: Limit, signal: AbortSignal) {
    super();
    this.#open = open;
    this.#limit = limit;
    this.#signal = signal;
  }

  protected override async nextValue(): Promise<AgenticMessage | undefined> {
    this.#source ??= await this.#begin();
    const { value } = await this.#source.next();
    return value;
  }

  protected override ended(): void {
    this.#release();
  }

  protected override stop(reason: unknown): void {
    this.#source?.cancel(reason);
    this.#release();
  }

  async #begin(): Promise<ChunkSource<AgenticMessage>> {
    this.#signal.throwIfAborted();
    this.#signal.addEventListener("abort", this.#stopByCaller, { once: true });
    this.#slot = new Slot(this.#limit);
    await this.#slot.taken;
    this.#signal.throwIfAborted();
    this.checkOpen();
    return StreamReader.from(this.#open()).takeSource();
  }

  #release(): void {
    this.#signal.removeEventListener("abort", this.#stopByCaller);
    this.#slot?.leave();
  }
}
