import type { NodeContext } from "../components/context.js";
import type { AgenticModel, ModelContext } from "../components/model.js";
import { attemptable, generateOnce, isRepeating, withPrefix } from "../models/attempts.js";
import { LaterModel } from "../models/later-model.js";
import { retryModel } from "../models/retry-model.js";
import { type Model, toModel } from "../models/to-model.js";
import type { AgenticMessage } from "../schema/message/agentic-message.js";
import { OnDemand } from "../schema/on-demand.js";
import type { StreamSource } from "../schema/stream/source.js";
import type { AgentParts } from "./agent-parts.js";
import type { ModelRequest } from "./model-request.js";

/** Few agents limit the time of their models, or have fallbacks. */
const limits = new OnDemand(() => import("./limited-model.js"));

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
  const { retry, fallbacks = [] } = parts.options;
  const patient = patientModel(model, parts, where);
  return new PatientChain(model, retry === false && fallbacks.length === 0 ? oneAttempt(patient) : patient);
}

/** A model with the time limits, retries and fallbacks of an agent. */
export function patientModel(model: AgenticModel, parts: AgentParts, where: string): AgenticModel {
  const { retry, fallbacks = [], modelTimeoutMs, modelIdleTimeoutMs } = parts.options;
  const hasMore = fallbacks.length > 0 || modelTimeoutMs !== undefined || modelIdleTimeoutMs !== undefined;
  if (!hasMore) return retry === false ? model : retryModel(model, { ...retry, afterContent: "restart" });
  const isAttempt = retry === false && fallbacks.length === 0;
  return new LaterModel(limits, ({ limitedModel }) => limitedModel(model, parts, where), {
    type: model.type,
    isRepeating: !isAttempt || isRepeating(model),
  });
}

class PatientChain implements ModelChain {
  readonly model: AgenticModel;
  readonly #attempts: Attempted;

  constructor(model: AgenticModel, attempts: Attempted) {
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

/** What makes a run of each attempt itself. */
type Attempted = Pick<AgenticModel, "generate" | "stream">;

function oneAttempt(model: AgenticModel): Attempted {
  const run = attemptable(model);
  return {
    generate: (messages, ctx) => generateOnce(run, messages, ctx, "attempt 1"),
    stream: (messages, ctx) => run.stream(messages, ctx, "attempt 1"),
  };
}

function contextOf(ctx: NodeContext, options: ModelRequest["options"], call: string | undefined): ModelContext {
  const own = ctx.with({ options }) as ModelContext;
  return call === undefined ? own : withPrefix(own, call);
}
