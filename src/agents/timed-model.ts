import { type Clock, clockOf } from "../components/clock.js";
import type { AgenticModel, ModelContext } from "../components/model.js";
import { isRepeating, type RepeatingModel, repeatsOthers } from "../models/attempts.js";
import type { AgenticMessage } from "../schema/message/agentic-message.js";
import { StreamReader } from "../schema/stream/reader.js";

export interface ModelTimes {
  /** For a whole attempt. */
  readonly timeoutMs: number | undefined;
  /** For the time to each next chunk. */
  readonly idleTimeoutMs: number | undefined;
  /** An attempt is a run of its own, which does not know the clock of the agent. */
  readonly clock: Clock | undefined;
}

/** A model whose attempts end with a `TimeoutError` when they take too long, also when the model ignores its signal. */
export function timedModel(model: AgenticModel, times: ModelTimes): AgenticModel {
  if (times.timeoutMs === undefined && times.idleTimeoutMs === undefined) return model;
  return new TimedModel(model, times);
}

class TimedModel implements RepeatingModel {
  readonly component = "model" as const;
  readonly type: string | undefined;
  readonly [repeatsOthers]: boolean;
  readonly #model: AgenticModel;
  readonly #times: ModelTimes;

  constructor(model: AgenticModel, times: ModelTimes) {
    this.type = model.type;
    this[repeatsOthers] = isRepeating(model);
    this.#model = model;
    this.#times = times;
  }

  async generate(messages: readonly AgenticMessage[], ctx: ModelContext): Promise<AgenticMessage> {
    const { timeoutMs, clock } = this.#times;
    if (timeoutMs === undefined) return this.#model.generate(messages, ctx);
    const limit = new Limit(ctx, clock);
    limit.start("total", timeoutMs);
    try {
      return await limit.race(this.#model.generate(messages, limit.ctx));
    } finally {
      limit.stop();
    }
  }

  async *stream(messages: readonly AgenticMessage[], ctx: ModelContext): AsyncGenerator<AgenticMessage, void> {
    const { timeoutMs, idleTimeoutMs, clock } = this.#times;
    const limit = new Limit(ctx, clock);
    if (timeoutMs !== undefined) limit.start("total", timeoutMs);
    const reader = StreamReader.from(this.#model.stream(messages, limit.ctx));
    try {
      for (;;) {
        if (idleTimeoutMs !== undefined) limit.start("idle", idleTimeoutMs);
        const { done, value } = await limit.race(reader.next());
        if (done === true) return;
        limit.clear("idle");
        yield value;
      }
    } finally {
      limit.stop();
      void reader.cancel();
    }
  }
}

/** The time that an attempt has. */
class Limit {
  readonly ctx: ModelContext;
  readonly #controller = new AbortController();
  readonly #timers = new Map<"total" | "idle", unknown>();
  readonly #clock: Clock;
  readonly #over: Promise<never>;

  constructor(ctx: ModelContext, clock: Clock = clockOf(ctx)) {
    this.#clock = clock;
    const { signal } = this.#controller;
    this.ctx = ctx.with({ signal: AbortSignal.any([ctx.signal, signal]) }) as ModelContext;
    this.#over = new Promise((_resolve, reject) => {
      signal.addEventListener("abort", () => reject(signal.reason), { once: true });
    });
    this.#over.catch(() => undefined);
  }

  start(name: "total" | "idle", milliseconds: number): void {
    this.clear(name);
    const expire = (): void => {
      const what =
        name === "total"
          ? "The model took longer than its modelTimeoutMs"
          : "The model was silent for longer than its modelIdleTimeoutMs";
      this.#controller.abort(new DOMException(`${what} of ${milliseconds} ms.`, "TimeoutError"));
    };
    this.#timers.set(name, this.#clock.setTimer(expire, milliseconds));
  }

  clear(name: "total" | "idle"): void {
    const timer = this.#timers.get(name);
    if (timer !== undefined) this.#clock.clearTimer(timer);
    this.#timers.delete(name);
  }

  race<T>(work: Promise<T>): Promise<T> {
    return Promise.race([work, this.#over]);
  }

  stop(): void {
    this.clear("total");
    this.clear("idle");
  }
}
