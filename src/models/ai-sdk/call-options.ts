import type { ModelOptions, ToolChoice } from "../../components/model.js";
import type { Fields } from "../../is.js";
import type { AgenticMessage } from "../../schema/message/agentic-message.js";
import type { ToolInfo } from "../../schema/tool-info.js";
import { withoutUndefined } from "../../schema/without-undefined.js";
import { promptOf } from "./prompt.js";
import type { AiSdkModel, AiSdkVersion } from "./provider-model.js";

export interface Call {
  readonly messages: readonly AgenticMessage[];
  readonly options: ModelOptions;
  /** Whose signal stops the call: creating a signal is expensive, and a provider may not ask for it. */
  readonly stop: { readonly signal: AbortSignal };
}

/** A call in the words of a provider package. */
export function callOptionsOf({ messages, options, stop }: Call, model: AiSdkModel): Fields {
  const { specificationVersion: version, provider } = model;
  const { tools, choice } = chosenTools(options);
  const call = new Stoppable(stop);
  call.prompt = promptOf(messages, { provider, version });
  for (const [name, ours] of sameOptions) if (options[ours] !== undefined) call[name] = options[ours];
  const { responseFormat, reasoningEffort } = options;
  if (options.stop !== undefined) call.stopSequences = [...options.stop];
  if (responseFormat !== undefined) call.responseFormat = withoutUndefined({ ...responseFormat });
  if (reasoningEffort !== undefined && version === "v4") call.reasoning = reasoningEffort;
  if (tools.length === 0) return call;
  call.tools = tools.map((tool) => toolOf(tool, version));
  if (choice !== undefined) call.toolChoice = choice;
  return call;
}

/** A call whose signal is made when it is read. (With a closure for that, calls that are over would outlive young collections.) */
class Stoppable {
  readonly #stop: Call["stop"];
  [option: string]: unknown;

  constructor(stop: Call["stop"]) {
    this.#stop = stop;
    Object.defineProperty(this, "abortSignal", Stoppable.abortSignal);
  }

  static readonly abortSignal: PropertyDescriptor = {
    enumerable: true,
    get(this: Stoppable) {
      return this.#stop.signal;
    },
  };
}

/** What is passed on as it is, under their name and ours. */
const sameOptions: readonly (readonly [string, keyof ModelOptions])[] = [
  ["maxOutputTokens", "maxTokens"],
  ["temperature", "temperature"],
  ["topP", "topP"],
  ["topK", "topK"],
  ["seed", "seed"],
  ["presencePenalty", "presencePenalty"],
  ["frequencyPenalty", "frequencyPenalty"],
  ["headers", "headers"],
  ["providerOptions", "providerOptions"],
];

/** What the options of a call ask for that this model cannot do: a text for each. */
export function unsupportedOptions({ model, reasoningEffort }: ModelOptions, target: AiSdkModel): string[] {
  const found: string[] = [];
  if (model !== undefined && model !== target.modelId) {
    found.push(
      `options.model "${model}" is ignored: this model is ${target.modelId}. Use another model object instead.`,
    );
  }
  if (reasoningEffort !== undefined && target.specificationVersion !== "v4") {
    found.push(
      `options.reasoningEffort is ignored: a model of spec ${target.specificationVersion} takes it in providerOptions, under the name of its provider.`,
    );
  }
  return found;
}

/** Several named tools are those that are offered; one of them must be called. */
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

function toolOf(info: ToolInfo, version: AiSdkVersion): Fields {
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
