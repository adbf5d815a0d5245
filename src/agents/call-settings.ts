import type { RunOptions } from "../compose/options.js";
import { isFields } from "../is.js";
import { requireModelOptions } from "../models/check-options.js";
import type { AgentParts } from "./agent-parts.js";
import type { AgentCallOptions, AgentModelOptions } from "./call-options.js";
import { checkAgentOptionNames, type Elsewhere, invalidAgentOption, invalidUser, needsStore } from "./errors.js";
import type { RunWatch } from "./stream-call.js";

/** The options of a run that a call may have. */
export const runNames: readonly string[] = [
  ...["parent", "key", "signal", "timeoutMs", "callbacks", "requestContext", "maxSteps", "options", "nodes"],
  ...["control", "checkpointId", "writeToCheckpointId", "forceNewRun", "takeover", "modifyState"],
];
const callNames = [
  ...[...runNames, "threadId", "userId", "onWaiting", "onBusy", "modelOptions", "requestId", "replaces"],
];

/** The options of `createAgent`. */
export const agentOptionNames: readonly string[] = [
  ...["model", "name", "description", "instructions", "tools", "output", "outputMode", "outputRepairs"],
  ...["maxSteps", "onMaxSteps", "stopWhen", "returnDirectly", "middleware", "handoffs", "retry", "fallbacks"],
  ...["modelTimeoutMs", "modelIdleTimeoutMs", "onToolError", "toolsNode"],
  ...["autoResumeSuspendedTools", "modelOptions", "countTokens", "store", "durability", "history"],
  ...["callbacks", "runtime"],
];

/** Options of an agent, for those who give them to a call. */
export const ofCreateAgent: Elsewhere = {
  names: agentOptionNames,
  use: (option) => `an agent: createAgent({ ${option} })`,
};
/** Options of a call, for those who give them to an agent. */
export const ofCall: Elsewhere = { names: callNames, use: (option) => `a call: generate(prompt, { ${option} })` };

/** Checks the options of one call, before anything runs. */
export function checkCallOptions({ name, options: { store } }: AgentParts, options: AgentCallOptions): void {
  checkAgentOptionNames(`generate and stream of agent "${name}"`, options, callNames, ofCreateAgent);
  const { maxSteps, onWaiting, onBusy } = options;
  for (const option of ["checkpointId", "writeToCheckpointId"] as const) {
    if (options[option] === undefined || store !== undefined || options.parent !== undefined) continue;
    throw needsStore(`Agent "${name}" was called with a ${option}`);
  }
  checkModelOptions("generate", options.modelOptions);
  checkMaxSteps(maxSteps);
  if (onWaiting !== undefined && onWaiting !== "throw" && onWaiting !== "close") {
    throw invalidAgentOption('onWaiting must be "throw" or "close".');
  }
  if (onBusy !== undefined && onBusy !== "throw" && onBusy !== "wait") {
    throw invalidAgentOption('onBusy must be "throw" or "wait".');
  }
  checkUser(`generate and stream of agent "${name}"`, options);
  checkRequest(options);
}

/** A user who is there must be one: nothing opens because a login gave `undefined`. */
export function checkUser(where: string, options: { readonly userId?: unknown }): void {
  if (!("userId" in options)) return;
  const { userId } = options;
  if (typeof userId !== "string" || encodedId(userId) === undefined) throw invalidUser(where, userId);
}

function checkRequest({ threadId, requestId, replaces }: AgentCallOptions): void {
  for (const [option, id] of Object.entries({ requestId, replaces })) {
    if (id === undefined) continue;
    if (threadId === undefined) throw invalidAgentOption(`${option} is for a turn of a thread: give a threadId too.`);
    if (typeof id !== "string" || encodedId(id) === undefined)
      throw invalidAgentOption(`${option} must be a string of 1 to 256 characters, percent-encoded.`);
  }
  if (requestId !== undefined && replaces !== undefined)
    throw invalidAgentOption(
      "requestId and replaces exclude each other: a turn that replaces another one is a new one each time.",
    );
}

const longestId = 256;

/** An id as a key of a store has it; `undefined` when it cannot be the id of a thread, or of a request. */
export function encodedId(id: string): string | undefined {
  try {
    const encoded = encodeURIComponent(id);
    return encoded.length >= 1 && encoded.length <= longestId ? encoded : undefined;
  } catch {
    return undefined; // half of a surrogate pair
  }
}

const setByAgent = { tools: "tools", responseFormat: "output" } as const;

/** Options of models that the agent does not set itself. `option` is where they were given. */
export function checkModelOptions(where: string, modelOptions: unknown, option = "modelOptions"): void {
  if (modelOptions === undefined) return;
  if (!isFields(modelOptions)) throw invalidAgentOption(`${option} of ${where} must be an object.`);
  for (const [name, instead] of Object.entries(setByAgent)) {
    if (modelOptions[name] === undefined) continue;
    throw invalidAgentOption(`${option}.${name} of ${where} is set by the agent. Use its option ${instead}.`);
  }
  requireModelOptions(`${option} of ${where}`, modelOptions, Object.keys(setByAgent));
}

export function checkMaxSteps(maxSteps: number | undefined): void {
  if (maxSteps === undefined || (Number.isInteger(maxSteps) && maxSteps >= 1)) return;
  throw invalidAgentOption(`maxSteps must be a whole number of at least 1 (got ${String(maxSteps)}).`);
}

/** The options of models, wherever the call gives them. What the agent sets itself goes over those of a run. */
export function modelOptionsOf({ options, nodes, modelOptions }: AgentCallOptions): AgentModelOptions {
  return { ...options?.model, ...nodes?.model?.options, ...modelOptions } as AgentModelOptions;
}

/** The options of the run of the graph: models are called inside a node, and get theirs through the turn. */
export function runOptionsOf(
  given: AgentCallOptions,
  { signal, watch }: { readonly signal?: AbortSignal | undefined; readonly watch?: RunWatch | undefined } = {},
): RunOptions {
  const { threadId, userId, onWaiting, onBusy, modelOptions, requestId, replaces, maxSteps, ...ofRun } = given;
  const { options, nodes, ...others } = ofRun;
  const { model, ...kinds } = options ?? {};
  // events need the handlers of tools only, and a handler of the whole run would be called for every chunk
  const callbacks = watch === undefined ? nodes?.tools?.callbacks : [...(nodes?.tools?.callbacks ?? []), watch];
  const run: Record<string, unknown> = {};
  if (nodes !== undefined || watch !== undefined) {
    const { options: _, ...ofModel } = nodes?.model ?? {};
    run.nodes = { ...nodes, model: ofModel, tools: { ...nodes?.tools, callbacks } };
  }
  for (const name in others) {
    const value = others[name as keyof typeof others];
    if (value !== undefined) run[name] = value;
  }
  // the run checks its options, and rejects what is not a signal
  if (signal !== undefined && (given.signal === undefined || isFields(given.signal))) {
    run.signal = given.signal === undefined ? signal : AbortSignal.any([given.signal, signal]);
  }
  for (const _ in kinds) run.options = kinds;
  return run;
}
