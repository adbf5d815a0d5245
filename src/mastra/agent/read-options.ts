import type { AgentCallOptions } from "../../agents/call-options.js";
import { ofCall } from "../../agents/call-settings.js";
import { checkOptions } from "../../check-options.js";
import { isFields } from "../../is.js";
import type { AnyStandardSchema, JsonSchema } from "../../schema/standard-schema.js";
import { withoutUndefined } from "../../schema/without-undefined.js";
import { kindOf } from "../../wording.js";
import { type RequestOptions, requestContextOf, signalOf } from "../call-values.js";
import { bothOfPair, checkMastraSchemas, invalidMastraOption } from "../errors.js";
import type { CallHooks } from "./call-hooks.js";
import type { MastraCallMemory, MastraCallOptions, SharedCallOptions } from "./call-options.js";
import { refused } from "./refused-options.js";

/** What a call was given, in the terms of `kumiko/agents`. */
export interface ReadCall {
  readonly options: AgentCallOptions;
  readonly schema: AnyStandardSchema | JsonSchema | undefined;
  readonly asksAlways: boolean;
  readonly hooks: CallHooks;
  readonly runId: string | undefined;
  /** The run was found by a `runId` that is not the id under which it is saved. */
  readonly isNamed?: boolean | undefined;
  /** What is added to the metadata of the thread. */
  readonly metadata: Readonly<Record<string, unknown>> | undefined;
}

const sharedNames = [
  ...["runtimeContext", "abortSignal", "modelSettings", "providerOptions", "toolChoice", "structuredOutput"],
  ...["requireToolApproval", "onStepFinish", "onFinish", "onError"],
];
const callNames = [...ofCall.names, ...sharedNames, "memory", "runId"];
const ofNewRuns = ["parent", "key", "checkpointId", "threadId", "userId", "onWaiting", "onBusy", "forceNewRun"];
const resumeNames = [
  ...ofCall.names.filter((name) => !["requestId", "replaces", ...ofNewRuns].includes(name)),
  ...["userId", ...sharedNames],
];

/** Reads the options of `generate` and `stream`. Throws for what is unknown, not supported, or given twice. */
export function readCall(where: string, given: MastraCallOptions): ReadCall {
  checkOptions(where, given, callNames, { hint: refused.call });
  const { memory, runId, ...others } = given;
  if (runId !== undefined && (typeof runId !== "string" || runId === ""))
    throw invalidMastraOption(`runId of ${where} must be a non-empty string (got ${kindOf(runId)}).`);
  const shared = readShared(where, others);
  const { metadata, ...ofMemory } = memory === undefined ? {} : readMemory(where, memory, given);
  return { ...shared, runId, metadata, options: { ...shared.options, ...ofMemory } };
}

/** Reads the options of a resume. */
export function readResume(where: string, given: SharedCallOptions): ReadCall {
  checkOptions(where, given, resumeNames, { hint: refused.call });
  return { ...readShared(where, given), runId: undefined, metadata: undefined };
}

function readShared(where: string, given: SharedCallOptions & AgentCallOptions): Omit<ReadCall, "runId" | "metadata"> {
  const { requestContext, runtimeContext, abortSignal, signal, ...named } = given;
  const { modelSettings, providerOptions, toolChoice, modelOptions, structuredOutput, ...rest } = named;
  const { requireToolApproval, onStepFinish, onFinish, onError, ...others } = rest;
  const hooks = { onStepFinish, onFinish, onError };
  for (const [name, hook] of Object.entries(hooks)) {
    if (hook !== undefined && typeof hook !== "function")
      throw invalidMastraOption(`${name} of ${where} must be a function (got ${kindOf(hook)}).`);
  }
  if (requireToolApproval !== undefined && typeof requireToolApproval !== "boolean")
    throw invalidMastraOption(
      `requireToolApproval of ${where} must be true or false (got ${kindOf(requireToolApproval)}). For some calls only, use ` +
        "the middleware approvals of kumiko/agents, or the option requireApproval of a tool.",
    );
  const values: RequestOptions = enumerableOnly({ requestContext, runtimeContext }, given);
  const settings = { modelSettings, providerOptions, toolChoice };
  const options = withoutUndefined({
    ...others,
    requestContext: requestContextOf(where, values),
    signal: signalOf(where, given),
    modelOptions: modelOptionsOf(where, settings, modelOptions),
  });
  // an undefined user is an error, which the call tells
  const user = "userId" in given ? { userId: given.userId } : {};
  return {
    options: { ...options, ...user } as AgentCallOptions,
    schema: schemaOf(where, structuredOutput),
    asksAlways: requireToolApproval === true,
    hooks: { ...hooks, isUsed: Object.values(hooks).some((hook) => hook !== undefined) },
  };
}

function modelOptionsOf(
  where: string,
  {
    modelSettings,
    providerOptions,
    toolChoice,
  }: Pick<SharedCallOptions, "modelSettings" | "providerOptions" | "toolChoice">,
  modelOptions: AgentCallOptions["modelOptions"],
): AgentCallOptions["modelOptions"] {
  if (modelSettings === undefined && providerOptions === undefined && toolChoice === undefined) return modelOptions;
  if (modelOptions !== undefined)
    throw bothOfPair(where, "modelOptions", "modelSettings, providerOptions or toolChoice");
  if (modelSettings !== undefined)
    checkOptions(`modelSettings of ${where}`, modelSettings, settingNames, { hint: refused.modelSettings });
  const { stopSequences, ...settings } = modelSettings ?? {};
  const isOne = isFields(toolChoice) && "toolName" in toolChoice;
  const choice = isOne ? { toolNames: [String(toolChoice.toolName)] } : toolChoice;
  return withoutUndefined({ ...settings, stop: stopSequences, providerOptions, toolChoice: choice }) as never;
}

const settingNames = [
  ...["temperature", "topP", "topK", "maxOutputTokens", "stopSequences", "seed", "presencePenalty"],
  ...["frequencyPenalty", "headers", "reasoningEffort", "reasoning", "model"],
];

function schemaOf(where: string, given: SharedCallOptions["structuredOutput"]): ReadCall["schema"] {
  if (given === undefined) return undefined;
  const owner = `structuredOutput of ${where}`;
  checkOptions(owner, given, ["schema"], { hint: refused.structuredOutput });
  checkMastraSchemas(owner, { schema: given.schema ?? null });
  return given.schema;
}

interface OfThread extends Pick<AgentCallOptions, "threadId" | "userId"> {
  readonly metadata?: ReadCall["metadata"];
}

function readMemory(where: string, memory: MastraCallMemory, given: MastraCallOptions): OfThread {
  const owner = `memory of ${where}`;
  checkOptions(owner, memory, ["resource", "thread"], { hint: (name) => (name === "options" ? onlyThreads : "") });
  for (const name of ["threadId", "userId"]) if (name in given) throw bothOfPair(where, "memory", name);
  const { thread } = memory;
  const user = "resource" in memory ? { userId: memory.resource as string } : {};
  if (typeof thread === "string") return { threadId: thread, ...user };
  if (!isFields(thread))
    throw invalidMastraOption(`thread of ${owner} must be an id or { id } (got ${kindOf(thread)}).`);
  checkOptions(`thread of ${owner}`, thread, ["id", "title", "metadata"]);
  const { id, title, metadata } = thread;
  if (typeof id !== "string")
    throw invalidMastraOption(`id of thread of ${owner} must be a string (got ${kindOf(id)}).`);
  if (metadata !== undefined && !isFields(metadata))
    throw invalidMastraOption(`metadata of thread of ${owner} must be an object (got ${kindOf(metadata)}).`);
  if (title !== undefined && typeof title !== "string")
    throw invalidMastraOption(`title of thread of ${owner} must be a string (got ${kindOf(title)}).`);
  const added = { ...metadata, ...(title !== undefined && { title }) };
  return { threadId: id, ...user, ...(Object.keys(added).length > 0 && { metadata: added }) };
}

const onlyThreads =
  "Threads are kept whole. Use the middlewares trimMessages and summarize of kumiko/agents for long ones.";

/** Keeps only enumerable options: an alias that is not enumerable does not count as given twice. */
function enumerableOnly(values: RequestOptions, options: object): RequestOptions {
  const given = Object.keys(options);
  return Object.fromEntries(Object.entries(values).filter(([name]) => given.includes(name)));
}
