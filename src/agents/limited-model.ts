import type { AgenticModel } from "../components/model.js";
import { fallbackModel } from "../models/fallback-model.js";
import { retryModel } from "../models/retry-model.js";
import { toModel } from "../models/to-model.js";
import type { AgentParts } from "./agent-parts.js";
import { timedModel } from "./timed-model.js";

/** A model with the time limits, retries and fallbacks of an agent. */
export function limitedModel(model: AgenticModel, { options }: AgentParts, where: string): AgenticModel {
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
