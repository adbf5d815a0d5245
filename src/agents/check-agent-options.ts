import { defaultRuntime } from "../compose/default-runtime.js";
import { isFields } from "../is.js";
import { checkOutputSchema } from "../models/check-output-schema.js";
import { checkedPolicy } from "../models/retry-model.js";
import { modelFrom } from "../models/to-model.js";
import { toJsonSchema } from "../schema/json-schema/convert.js";
import type { Agent } from "./agent.js";
import { type AgentParts, type AnyAgentOptions, partsOf, reachableFrom } from "./agent-parts.js";
import { rulesIn } from "./approvals/approvals.js";
import { agentOptionNames, checkModelOptions, ofCall } from "./call-settings.js";
import { type AnyMiddleware, isScope } from "./create-middleware.js";
import {
  checkAgentOptionNames,
  duplicateMiddleware,
  invalidAgentName,
  invalidAgentOption,
  optionFailed,
  sameAgentName,
} from "./errors.js";
import { guardsIn } from "./guards/guard.js";
import { checkFixed } from "./ready-agent.js";

/** Checks the options of an agent, and gives them with their defaults. What functions return is checked when they do. */
export function checkAgentOptions(options: AnyAgentOptions): AgentParts {
  checkAgentOptionNames("createAgent", options, agentOptionNames, ofCall);
  const { name = "agent", description, middleware = [], handoffs = [], output } = options;
  if (typeof name !== "string" || !/^[\w-]{1,64}$/.test(name)) throw invalidAgentName(name);
  if (description !== undefined && typeof description !== "string")
    throw invalidAgentOption("description must be a string.");
  checkNumbers(options);
  checkWords(options);
  checkLists(options);
  checkHistory(options);
  checkOutput(name, options);
  checkMiddleware(middleware);
  const parts: AgentParts = {
    name,
    description,
    options,
    output,
    outputMode: options.outputMode ?? "auto",
    outputRepairs: options.outputRepairs ?? 1,
    maxSteps: options.maxSteps ?? 20,
    onMaxSteps: options.onMaxSteps ?? "answer",
    middleware,
    rules: rulesIn(middleware),
    guards: guardsIn(middleware),
    handoffs: () => partsOfAgents(name, typeof handoffs === "function" ? askHandoffs(name, handoffs) : handoffs),
  };
  for (const [index, model] of (options.fallbacks ?? []).entries()) {
    modelFrom(model, `fallbacks[${index}] of createAgent("${name}")`, options.runtime ?? defaultRuntime);
  }
  if (typeof handoffs !== "function") checkReachable(parts);
  checkFixed(parts);
  return parts;
}

/** Agents that can be handed over to have names of their own. */
export function checkReachable(parts: AgentParts): void {
  const seen = new Set<string>();
  for (const { name } of reachableFrom(parts)) {
    if (seen.has(name)) throw sameAgentName(name);
    seen.add(name);
  }
}

function askHandoffs(name: string, handoffs: () => readonly Agent<unknown>[]): readonly Agent<unknown>[] {
  try {
    return handoffs();
  } catch (error) {
    throw optionFailed(name, "handoffs", error);
  }
}

function partsOfAgents(name: string, agents: readonly Agent<unknown>[]): readonly AgentParts[] {
  if (!Array.isArray(agents)) throw invalidAgentOption(`handoffs of agent "${name}" must be a list of agents.`);
  return agents.map((agent: unknown, index) => {
    const parts = partsOf(agent);
    if (parts === undefined)
      throw invalidAgentOption(`handoffs[${index}] of agent "${name}" is not an agent. Make one with createAgent.`);
    return parts;
  });
}

function checkOutput(name: string, { output }: AnyAgentOptions): void {
  if (output === undefined) return;
  checkOutputSchema(`The output of agent "${name}"`, output);
  try {
    toJsonSchema(output, { target: "draft-07" });
  } catch (cause) {
    throw Object.assign(invalidAgentOption(`The output of agent "${name}" has no JSON form: ${String(cause)}`), {
      cause,
    });
  }
}

function checkNumbers({ outputRepairs, maxSteps, modelTimeoutMs, modelIdleTimeoutMs }: AnyAgentOptions): void {
  atLeast("maxSteps", maxSteps, 1, true);
  atLeast("outputRepairs", outputRepairs, 0, true);
  for (const [option, given] of Object.entries({ modelTimeoutMs, modelIdleTimeoutMs })) {
    atLeast(option, given, 1, false);
    if (given !== undefined && given > longestTimeout) {
      throw invalidAgentOption(
        `${option} of an agent must be at most ${longestTimeout} (got ${given}). Leave it out for no limit.`,
      );
    }
  }
}

/** The longest delay of `setTimeout`. */
const longestTimeout = 2_147_483_647;

function atLeast(option: string, value: unknown, least: number, whole: boolean): void {
  if (value === undefined) return;
  if (typeof value === "number" && value >= least && (!whole || Number.isInteger(value))) return;
  throw invalidAgentOption(
    `${option} of an agent must be a${whole ? " whole" : ""} number of at least ${least} (got ${String(value)}).`,
  );
}

const words: Readonly<Record<string, readonly unknown[]>> = {
  outputMode: ["auto", "native", "tool"],
  onMaxSteps: ["answer", "stop", "throw"],
  durability: ["exit", "step"],
  autoResumeSuspendedTools: [true, false],
};

function checkWords(options: AnyAgentOptions): void {
  for (const [name, allowed] of Object.entries(words)) {
    const given: unknown = options[name as keyof AnyAgentOptions];
    if (given === undefined || allowed.includes(given)) continue;
    throw invalidAgentOption(
      `${name} of an agent must be ${allowed.map((one) => JSON.stringify(one)).join(" or ")} (got ${String(given)}).`,
    );
  }
}

function checkLists({
  stopWhen,
  countTokens,
  returnDirectly,
  middleware,
  fallbacks,
  toolsNode,
  modelOptions,
  retry,
}: AnyAgentOptions): void {
  for (const [name, list] of Object.entries({ returnDirectly, middleware, fallbacks })) {
    if (list !== undefined && !Array.isArray(list)) throw invalidAgentOption(`${name} of an agent must be a list.`);
  }
  if (countTokens !== undefined && typeof countTokens !== "function")
    throw invalidAgentOption("countTokens of an agent must be a function of messages that returns a number.");
  const stops = Array.isArray(stopWhen) ? stopWhen : [stopWhen ?? (() => false)];
  if (stops.some((stop) => typeof stop !== "function")) {
    throw invalidAgentOption("stopWhen of an agent must be a function of the run, or a list of them.");
  }
  if (toolsNode !== undefined && !isFields(toolsNode))
    throw invalidAgentOption("toolsNode of an agent must be an object.");
  if (retry !== undefined && retry !== false) {
    if (!isFields(retry))
      throw invalidAgentOption("retry of an agent must be false, or an object such as { attempts: 3 }.");
    checkedPolicy(retry, "the option retry of an agent");
  }
  checkModelOptions("createAgent", modelOptions);
  if (toolsNode !== undefined && ["tools", "onToolError"].some((name) => name in toolsNode)) {
    throw invalidAgentOption("tools and onToolError are options of the agent: leave them out of toolsNode.");
  }
}

/** Checks the kind of `history` and its store; the graph checks the limits in it. */
function checkHistory({ history = false, store }: AnyAgentOptions): void {
  if (typeof history !== "boolean" && !isFields(history)) {
    throw invalidAgentOption("history of an agent must be true, false or { last, maxAgeMs }.");
  }
  if (history !== false && store?.append === undefined) {
    throw invalidAgentOption(
      "history of an agent needs a store that appends: memoryStore(), sqliteStore(…) or postgresStore(…), as createAgent({ store }).",
    );
  }
}

function checkMiddleware(middleware: readonly AnyMiddleware[]): void {
  const seen = new Set<string>();
  for (const [index, one] of middleware.entries()) {
    const { name, scope } = (one ?? {}) as { name?: unknown; scope?: unknown };
    if (typeof name !== "string" || !isScope(scope)) {
      throw invalidAgentOption(`middleware[${index}] of an agent is not a middleware. Make one with createMiddleware.`);
    }
    if (seen.has(name)) throw duplicateMiddleware(name);
    seen.add(name);
  }
}
