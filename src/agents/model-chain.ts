import { type Clock, clockOf } from "../components/clock.js";
import type { NodeContext } from "../components/context.js";
import type { AgenticModel, ModelContext } from "../components/model.js";
import { defaultRuntime } from "../compose/default-runtime.js";
import type { Runtime } from "../compose/runtime.js";
import {
  attemptable,
  generateWith,
  isAttempting,
  isRepeating,
  onlyAttempt,
  type RepeatingModel,
  repeatsOthers,
  streamWith,
} from "../models/attempts.js";
import { fallbackModel } from "../models/fallback-model.js";
import type { Model } from "../models/model.js";
import type { ModelAttempts } from "../models/model-attempts.js";
import { retryModel } from "../models/retry-model.js";
import { modelFrom } from "../models/to-model.js";
import type { AgenticMessage } from "../schema/message/agentic-message.js";
import { StreamReader } from "../schema/stream/reader.js";
import type { StreamSource } from "../schema/stream/source.js";
import type { AgentParts } from "./agent-parts.js";
import type { ModelRequest } from "./model-request.js";

/** A model with the patience of an agent around it. Each attempt is a model run of its own, inside the node. */
export interface ModelChain {
  /** The model that is asked first. */
  readonly model: AgenticModel;
  /** `name` tells its attempts from those of other calls in the node. */
  generate(request: ModelRequest, ctx: NodeContext, name?: string): Promise<AgenticMessage>;
  stream(request: ModelRequest, ctx: NodeContext, name?: string): StreamSource<AgenticMessage>;
}

export function modelChain(given: Model, parts: AgentParts, where: string): ModelChain {
  const model = modelFrom(given, where, runtimeOf(parts));
  const { retry, fallbacks = [] } = parts.options;
  const patient = patientModel(model, parts, where);
  if ((retry !== false || fallbacks.length > 0) && isAttempting(patient)) {
    return new Attempting(model, (ctx) => patient.attempts(ctx));
  }
  const attempts = onlyAttempt(attemptable(patient));
  return new Attempting(model, () => attempts);
}

/** The runtime that resolves the names of models. */
function runtimeOf({ options }: AgentParts): Pick<Runtime, "models"> {
  return options.runtime ?? defaultRuntime;
}

/** The model of an agent, by any of its forms, with the time limits, retries and fallbacks of the agent. */
export function patientModelOf(given: Model, parts: AgentParts, where: string): AgenticModel {
  return patientModel(modelFrom(given, where, runtimeOf(parts)), parts, where);
}

/** A model with the time limits, retries and fallbacks of an agent. */
export function patientModel(model: AgenticModel, parts: AgentParts, where: string): AgenticModel {
  const { retry, fallbacks = [], modelTimeoutMs, modelIdleTimeoutMs } = parts.options;
  const hasMore = fallbacks.length > 0 || modelTimeoutMs !== undefined || modelIdleTimeoutMs !== undefined;
  if (!hasMore) return retry === false ? model : retryModel(model, { ...retry, afterContent: "restart" });
  return limitedModel(model, parts, where);
}

/** It makes a run of each attempt itself. */
class Attempting implements ModelChain {
  readonly model: AgenticModel;
  readonly #attempts: (ctx: ModelContext) => ModelAttempts;

  constructor(model: AgenticModel, attempts: (ctx: ModelContext) => ModelAttempts) {
    this.model = model;
    this.#attempts = attempts;
  }

  generate(request: ModelRequest, ctx: NodeContext, name?: string): Promise<AgenticMessage> {
    const own = ctx as ModelContext;
    return generateWith(this.#attempts(own), messagesOf(request), own, { options: request.options, name });
  }

  stream(request: ModelRequest, ctx: NodeContext, name?: string): StreamSource<AgenticMessage> {
    const own = ctx as ModelContext;
    return streamWith(this.#attempts(own), messagesOf(request), own, { options: request.options, name });
  }
}

function messagesOf({ instructions, messages }: ModelRequest): readonly AgenticMessage[] {
  return [...instructions, ...messages];
}

/** A model with the time limits, retries and fallbacks of an agent. */
function limitedModel(model: AgenticModel, parts: AgentParts, where: string): AgenticModel {
  const { retry, fallbacks = [], modelTimeoutMs, modelIdleTimeoutMs, runtime } = parts.options;
  const patient = (one: AgenticModel): AgenticModel => {
    const times = { timeoutMs: modelTimeoutMs, idleTimeoutMs: modelIdleTimeoutMs, clock: runtime?.clock };
    const timed = timedModel(one, times);
    return retry === false ? timed : retryModel(timed, { ...retry, afterContent: "restart" });
  };
  if (fallbacks.length === 0) return patient(model);
  const others = fallbacks.map((other, index) => modelFrom(other, `${where}: fallbacks[${index}]`, runtimeOf(parts)));
  return fallbackModel([model, ...others].map(patient), { afterContent: "restart" });
}

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
