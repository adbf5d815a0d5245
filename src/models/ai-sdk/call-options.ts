import type { ModelOptions, ToolChoice } from "../../components/model.js";
import type { Fields } from "../../is.js";
import type { AgenticMessage } from "../../schema/message/agentic-message.js";
import type { ToolInfo } from "../../schema/tool-info.js";
import { withoutUndefined } from "../../schema/without-undefined.js";
import { nothingToSend } from "../errors.js";
import { isModelOptionName, modelOptionHint } from "../model-option-names.js";
import { promptOf } from "./prompt.js";
import { type AiSdkModel, type AiSdkVersion, providerModelName } from "./provider-model.js";
import { ignoresReasoning, providerOptionsOf } from "./provider-options.js";

export interface Call {
  readonly messages: readonly AgenticMessage[];
  readonly options: ModelOptions;
  /** Holds the signal that aborts the call. It is read lazily, because creating a signal is expensive. */
  readonly stop: { readonly signal: AbortSignal };
}

/** Converts a call to the options of a provider package. */
export function callOptionsOf({ messages, options, stop }: Call, model: AiSdkModel): Fields {
  const { specificationVersion: version, provider } = model;
  const { tools, choice } = chosenTools(options);
  const call = new LazySignalCall(stop);
  const prompt = promptOf(messages, { provider, version });
  if (prompt.length === 0) throw nothingToSend(providerModelName(model));
  call.prompt = prompt;
  for (const name in options) {
    const value = options[name as keyof ModelOptions];
    if (value !== undefined && passedOptions.has(name)) call[name] = value;
  }
  const { responseFormat, reasoning } = options;
  const providerOptions = providerOptionsOf(options, model);
  if (providerOptions !== undefined) call.providerOptions = providerOptions;
  if (options.stop !== undefined) call.stopSequences = [...options.stop];
  if (responseFormat !== undefined) call.responseFormat = withoutUndefined({ ...responseFormat });
  if (reasoning !== undefined && version === "v4") call.reasoning = reasoning;
  if (tools.length === 0) return call;
  call.tools = tools.map((tool) => toolOf(tool, version));
  if (choice !== undefined) call.toolChoice = choice;
  return call;
}

/** Call options whose signal is created when it is read. (A closure instead would keep finished calls alive longer.) */
class LazySignalCall {
  readonly #stop: Call["stop"];
  [option: string]: unknown;

  constructor(stop: Call["stop"]) {
    this.#stop = stop;
    Object.defineProperty(this, "abortSignal", LazySignalCall.abortSignal);
  }

  static readonly abortSignal: PropertyDescriptor = {
    enumerable: true,
    get(this: LazySignalCall) {
      return this.#stop.signal;
    },
  };
}

/** Options that are passed on unchanged. */
const passedOptions: ReadonlySet<string> = new Set<keyof ModelOptions>([
  "maxOutputTokens",
  "temperature",
  "topP",
  "topK",
  "seed",
  "presencePenalty",
  "frequencyPenalty",
  "headers",
]);

/** Returns a warning for each option that the model does not support: with other models in the same run, it may be meant for those. */
export function unsupportedOptions(options: ModelOptions, target: AiSdkModel): string[] {
  const { model } = options;
  const found: string[] = [];
  for (const name in options) {
    if (isModelOptionName(name)) continue;
    found.push(`options.${name} is ignored: unknown option. ${modelOptionHint(name)}`.trim());
  }
  if (model !== undefined && model !== target.modelId) {
    found.push(
      `options.model "${model}" is ignored: this model is ${target.modelId}. Use another model object instead.`,
    );
  }
  if (ignoresReasoning(options, target)) {
    found.push(
      `options.reasoning "${options.reasoning}" is ignored: this model of spec ${target.specificationVersion} takes such a setting in providerOptions only, if its provider has one.`,
    );
  }
  return found;
}

/** Converts the tool choice. If it names several tools, only those are offered, and a call is required. */
function chosenTools({ tools = [], toolChoice }: ModelOptions): {
  tools: readonly ToolInfo[];
  choice: Fields | undefined;
} {
  if (toolChoice === undefined) return { tools, choice: undefined };
  if (typeof toolChoice === "string") return { tools, choice: { type: toolChoice } };
  const { toolNames } = toolChoice satisfies Exclude<ToolChoice, string>;
  const [only, ...others] = toolNames;
  if (only !== undefined && others.length === 0) return { tools, choice: { type: "tool", toolName: only } };
  return { tools: tools.filter(({ name }) => toolNames.includes(name)), choice: { type: "required" } };
}

/** Converted tools: an agent sends the same ones with every step. */
const convertedTools = new WeakMap<ToolInfo, Partial<Record<AiSdkVersion, Fields>>>();

/** Returns a copy for each call, as a provider package may change what it is given. */
function toolOf(info: ToolInfo, version: AiSdkVersion): Fields {
  const known = convertedTools.get(info) ?? {};
  convertedTools.set(info, known);
  known[version] ??= convertTool(info, version);
  return { ...known[version] };
}

function convertTool(info: ToolInfo, version: AiSdkVersion): Fields {
  const { name, description, provider, extra = {} } = info;
  if (provider !== undefined) {
    return { type: version === "v2" ? "provider-defined" : "provider", id: provider.id, name, args: provider.args };
  }
  const { strict, inputExamples, providerOptions } = extra;
  const newer = version === "v2" ? {} : { strict, inputExamples };
  return withoutUndefined({
    type: "function",
    name,
    description: description === "" ? undefined : description,
    inputSchema: info.toJsonSchema({ target: "draft-07" }) ?? emptySchema,
    ...newer,
    providerOptions,
  });
}

const emptySchema = { type: "object", properties: {}, additionalProperties: false };
