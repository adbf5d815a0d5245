import type { NodeContext } from "../components/context.js";
import type { AgenticModel, ModelContext } from "../components/model.js";
import { type AttemptedModel, attemptable, generateOnce, withPrefix } from "../models/attempts.js";
import { fallbackModel } from "../models/fallback-model.js";
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
  /** `call` tells its attempts from those of other calls in the node. */
  generate(request: ModelRequest, ctx: NodeContext, call?: string): Promise<AgenticMessage>;
  stream(request: ModelRequest, ctx: NodeContext, call?: string): StreamSource<AgenticMessage>;
}

export function modelChain(given: Model, parts: AgentParts, where: string): ModelChain {
  const model = toModel(given, where);
  const patient = patientModel(model, parts, where);
  const { retry, fallbacks = [] } = parts.options;
  return retry === false && fallbacks.length === 0 ? new OneAttempt(model, patient) : new Attempting(model, patient);
}

/** A model with the time limits, retries and fallbacks of an agent. */
export function patientModel(model: AgenticModel, { options }: AgentParts, where: string): AgenticModel {
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

/** It makes a run of each attempt itself. */
class Attempting implements ModelChain {
  readonly model: AgenticModel;
  readonly #attempts: AgenticModel;

  constructor(model: AgenticModel, attempts: AgenticModel) {
    this.model = model;
    this.#attempts = attempts;
  }

  generate(
    { messages, instructions, options }: ModelRequest,
    ctx: NodeContext,
    call?: string,
  ): Promise<AgenticMessage> {
    return this.#attempts.generate([...instructions, ...messages], contextOf(ctx, options, call));
  }

  stream(
    { messages, instructions, options }: ModelRequest,
    ctx: NodeContext,
    call?: string,
  ): StreamSource<AgenticMessage> {
    return this.#attempts.stream([...instructions, ...messages], contextOf(ctx, options, call));
  }
}

class OneAttempt implements ModelChain {
  readonly model: AgenticModel;
  readonly #run: AttemptedModel;

  constructor(model: AgenticModel, attempt: AgenticModel) {
    this.model = model;
    this.#run = attemptable(attempt);
  }

  generate(
    { messages, instructions, options }: ModelRequest,
    ctx: NodeContext,
    call?: string,
  ): Promise<AgenticMessage> {
    return generateOnce(this.#run, [...instructions, ...messages], contextOf(ctx, options, call), "attempt 1");
  }

  stream(
    { messages, instructions, options }: ModelRequest,
    ctx: NodeContext,
    call?: string,
  ): StreamSource<AgenticMessage> {
    return this.#run.stream([...instructions, ...messages], contextOf(ctx, options, call), "attempt 1");
  }
}

function contextOf(ctx: NodeContext, options: ModelRequest["options"], call: string | undefined): ModelContext {
  const own = ctx.with({ options }) as ModelContext;
  return call === undefined ? own : withPrefix(own, call);
}
