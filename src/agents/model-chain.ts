import type { NodeContext } from "../components/context.js";
import type { AgenticModel, ModelContext } from "../components/model.js";
import { attemptable, generateWith, isAttempting, onlyAttempt, streamWith, withCall } from "../models/attempts.js";
import { fallbackModel } from "../models/fallback-model.js";
import type { ModelAttempts } from "../models/model-attempts.js";
import { retryModel } from "../models/retry-model.js";
import { type Model, toModel } from "../models/to-model.js";
import type { AgenticMessage } from "../schema/message/agentic-message.js";
import type { StreamSource } from "../schema/stream/source.js";
import type { AgentParts } from "./agent-parts.js";
import type { ModelRequest } from "./model-request.js";
import { timedModel } from "./timed-model.js";

/** A model with the patience of an agent around it. Each attempt is a model run of its own, inside the node. */
export interface ModelChain {
  /** The model that is asked first. */
  readonly model: AgenticModel;
  /** `name` tells its attempts from those of other calls in the node. */
  generate(request: ModelRequest, ctx: NodeContext, name?: string): Promise<AgenticMessage>;
  stream(request: ModelRequest, ctx: NodeContext, name?: string): StreamSource<AgenticMessage>;
}

export function modelChain(given: Model, parts: AgentParts, where: string): ModelChain {
  const model = toModel(given, where);
  const { retry, fallbacks = [] } = parts.options;
  const patient = patientModel(model, parts, where);
  if (retry === false && fallbacks.length === 0) {
    const attempts = onlyAttempt(attemptable(patient));
    return new Attempting(model, () => attempts);
  }
  return isAttempting(patient) ? new Attempting(model, (ctx) => patient.attempts(ctx)) : new Delegating(model, patient);
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

/** The same for any other model. */
class Delegating implements ModelChain {
  readonly model: AgenticModel;
  readonly #patient: AgenticModel;

  constructor(model: AgenticModel, patient: AgenticModel) {
    this.model = model;
    this.#patient = patient;
  }

  generate(request: ModelRequest, ctx: NodeContext, name?: string): Promise<AgenticMessage> {
    return this.#patient.generate(messagesOf(request), withCall(ctx, { options: request.options, name }));
  }

  stream(request: ModelRequest, ctx: NodeContext, name?: string): StreamSource<AgenticMessage> {
    return this.#patient.stream(messagesOf(request), withCall(ctx, { options: request.options, name }));
  }
}

function messagesOf({ instructions, messages }: ModelRequest): readonly AgenticMessage[] {
  return messages.toSpliced(0, 0, ...instructions);
}

/** A model with the time limits, retries and fallbacks of an agent. */
function limitedModel(model: AgenticModel, { options }: AgentParts, where: string): AgenticModel {
  const { retry, fallbacks = [], modelTimeoutMs, modelIdleTimeoutMs, runtime } = options;
  const patient = (one: AgenticModel): AgenticModel => {
    const times = { timeoutMs: modelTimeoutMs, idleTimeoutMs: modelIdleTimeoutMs, clock: runtime?.clock };
    const timed = timedModel(one, times);
    return retry === false ? timed : retryModel(timed, { ...retry, afterContent: "restart" });
  };
  if (fallbacks.length === 0) return patient(model);
  const others = fallbacks.map((other, index) => toModel(other, `${where}: fallbacks[${index}]`));
  return fallbackModel([model, ...others].map(patient), { afterContent: "restart" });
}
