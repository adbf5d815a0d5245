import type { AgentToolOptions, Agent as KumikoAgent } from "../../agents/agent.js";
import type { AgentContext } from "../../agents/agent-context.js";
import type { AgentOptions } from "../../agents/agent-options.js";
import { type AgentParts, agentParts, partsOf } from "../../agents/agent-parts.js";
import type { AgentResult } from "../../agents/agent-result.js";
import type { AgentStream } from "../../agents/agent-stream.js";
import type { AgentCallOptions, Prompt, ResumeTarget } from "../../agents/call-options.js";
import { type AgentOutput, createAgent } from "../../agents/create-agent.js";
import { checkOptions } from "../../check-options.js";
import type { RequestContext } from "../../components/request-context.js";
import type { Tool } from "../../components/tool.js";
import type { Answers } from "../../compose/options.js";
import { isFields, isObject } from "../../is.js";
import type { Model } from "../../models/model.js";
import type { AgenticMessage } from "../../schema/message/agentic-message.js";
import type { AnyStandardSchema, JsonSchema } from "../../schema/standard-schema.js";
import type { AnyTool } from "../../tools/define/any-tool.js";
import type { AgenticToolsNodeConfig } from "../../tools/node/config.js";
import type { AnyMastra } from "../any-mastra.js";
import { type RequestOptions, requestContextOf, signalOf } from "../call-values.js";
import { invalidMastraOption } from "../errors.js";
import { type Owner, type Registrable, register } from "../registered.js";
import { emptyMastra } from "../registry.js";
import { isCreatedMastraTool, toolParts } from "../tools/create-tool.js";
import type { Untyped } from "../untyped.js";
import { type AnyAgent, type MastraAgentStream, withOutput } from "./any-agent.js";
import type { MastraCallOptions, MastraPrompt, MastraResumeOptions } from "./call-options.js";

/** The argument of functions in the options of an agent. */
export interface MastraAgentContext extends Omit<AgentContext, "requestContext"> {
  /** The values of this request. */
  readonly requestContext: RequestContext<Record<string, Untyped>>;
  /** The older name of `requestContext`. */
  readonly runtimeContext: RequestContext<Record<string, Untyped>>;
  /** The Mastra instance that the agent is registered with. */
  readonly mastra: AnyMastra;
}

/** A value, or a function that computes it for each call. */
export type Dynamic<T> = T | ((context: MastraAgentContext) => T | Promise<T>);

/**
 * Options of {@link Agent}: those of `createAgent`, but `instructions`, `model` and `tools` can be functions of the
 * request.
 */
export interface MastraAgentOptions<Schema extends AnyStandardSchema | JsonSchema | undefined = undefined>
  extends Omit<AgentOptions<Schema>, "name" | "model" | "instructions" | "tools"> {
  /** The id for `getAgentById`. @default the name */
  readonly id?: string | undefined;
  /** The name of the agent; any string. @default the id, or "agent" */
  readonly name?: string | undefined;
  /** A model, also one of the AI SDK, or a function that chooses one. */
  readonly model: Dynamic<Model>;
  /** The instructions of the model, or a function that returns them. */
  readonly instructions?: Dynamic<string | readonly AgenticMessage[]> | undefined;
  /** A record whose keys are the tool names for the model, or an array. */
  readonly tools?: Dynamic<NonNullable<AgenticToolsNodeConfig["tools"]>> | undefined;
}

type AnyOptions = MastraAgentOptions<AnyStandardSchema | JsonSchema | undefined>;

const kind: unique symbol = Symbol.for("kumiko/mastra/agent") as never;

/**
 * An agent with the interface of Mastra, built on `kumiko/agents`. Instructions, model and tools can be functions of the
 * request.
 *
 * @example
 * import { Agent, RuntimeContext } from "kumiko/mastra";
 *
 * const agent = new Agent({
 *   name: "Support Agent",
 *   instructions: ({ runtimeContext }) => `Answer in ${runtimeContext.get("language")}.`,
 *   model,
 * });
 * const runtimeContext = new RuntimeContext<{ language: string }>([["language", "French"]]);
 * console.log((await agent.generate("Hello!", { runtimeContext })).text);
 */
export class Agent<const Schema extends AnyStandardSchema | JsonSchema | undefined = undefined>
  implements Registrable, AnyAgent
{
  readonly [kind] = true;
  readonly id: string;
  readonly name: string;
  readonly description: string | undefined;
  readonly #options: AnyOptions;
  #owner: Owner | undefined;
  #withOutput = new WeakMap<object, Agent<AnyStandardSchema | JsonSchema>>();
  #agent: KumikoAgent<AgentOutput<Schema>>;

  constructor(options: MastraAgentOptions<Schema>) {
    const { id, name } = readNames(options);
    this.id = id;
    this.name = name;
    this.#options = options as AnyOptions;
    this.description = options.description;
    this.#agent = this.#createAgent();
  }

  /** Runs until the agent finishes or waits for answers. */
  async generate(prompt: MastraPrompt, options: MastraCallOptions = {}): Promise<AgentResult<AgentOutput<Schema>>> {
    return this.#agent.generate(agentPromptOf(prompt), this.#callOf("generate", options));
  }

  /** Like `generate`, but returns a stream of events. */
  async stream(prompt: MastraPrompt, options: MastraCallOptions = {}): Promise<MastraAgentStream<AgentOutput<Schema>>> {
    return withMastraNames(this.#agent.stream(agentPromptOf(prompt), this.#callOf("stream", options)));
  }

  /** Resumes a run that waits for answers, failed or was cut off. */
  async resume(
    run: ResumeTarget,
    answers?: Answers,
    options: MastraResumeOptions = {},
  ): Promise<AgentResult<AgentOutput<Schema>>> {
    return this.#agent.resume(run, answers, this.#callOf("resume", options));
  }

  /** Like `resume`, but returns a stream of events. */
  async resumeStream(
    run: ResumeTarget,
    answers?: Answers,
    options: MastraResumeOptions = {},
  ): Promise<MastraAgentStream<AgentOutput<Schema>>> {
    return withMastraNames(this.#agent.resumeStream(run, answers, this.#callOf("resumeStream", options)));
  }

  /** Returns a tool that runs the agent. */
  asTool(options?: AgentToolOptions): Tool & AnyTool {
    return this.#agent.asTool(options);
  }

  /** The compiled graph of the agent, to print or to nest. */
  get graph(): KumikoAgent["graph"] {
    return this.#agent.graph;
  }

  get [agentParts](): AgentParts | undefined {
    return partsOf(this.#agent);
  }

  [register](owner: Owner): void {
    this.#owner = owner;
    this.#withOutput = new WeakMap();
    this.#agent = this.#createAgent();
  }

  /** For steps of workflows, which may want an object of an agent that answers with text. */
  [withOutput](schema: AnyStandardSchema | JsonSchema): AnyAgent {
    let agent = this.#withOutput.get(schema);
    if (agent === undefined) {
      agent = new Agent({ ...this.#options, output: schema });
      if (this.#owner !== undefined) agent[register](this.#owner);
      this.#withOutput.set(schema, agent);
    }
    return agent;
  }

  #createAgent(): KumikoAgent<AgentOutput<Schema>> {
    const { id, name, model, instructions, tools, store, ...others } = this.#options;
    const options: Record<string, unknown> = {
      ...others,
      name: safeName(this.name),
      model: this.#perCall(model, (given) => given),
      instructions: this.#perCall(instructions, (given) => given),
      tools: this.#perCall(tools, (given) => this.#bindTools(given)),
      store: store ?? this.#ownerOf().storage,
    };
    const given = Object.entries(options).filter(([, value]) => value !== undefined);
    return createAgent(Object.fromEntries(given) as never as AgentOptions<Schema>) as KumikoAgent<AgentOutput<Schema>>;
  }

  #ownerOf(): Owner {
    this.#owner ??= emptyMastra();
    return this.#owner;
  }

  /** Makes a function of the options take a Mastra context; passes other values through `use`. */
  #perCall(given: unknown, use: (value: unknown) => unknown): unknown {
    if (typeof given !== "function" || "languageModel" in given) return use(given);
    return async (context: AgentContext) => use(await given(this.#contextOf(context)));
  }

  #contextOf(context: AgentContext): MastraAgentContext {
    const { agent, requestContext, threadId, messages, signal } = context;
    const mastra = this.#ownerOf().mastra as AnyMastra;
    return { agent, threadId, messages, signal, requestContext, runtimeContext: requestContext, mastra } as never;
  }

  /** Gives tools access to the Mastra instance that this agent is registered with. */
  #bindTools(tools: unknown): unknown {
    if (!isObject(tools)) return tools;
    const mastra = (): AnyMastra => this.#ownerOf().mastra as AnyMastra;
    const bind = (tool: unknown): unknown => (isCreatedMastraTool(tool) ? tool[toolParts].bind(mastra) : tool);
    if (Array.isArray(tools)) return tools.map(bind);
    return Object.fromEntries(Object.entries(tools).map(([name, tool]) => [name, bind(tool)]));
  }

  #callOf(method: string, options: MastraCallOptions): AgentCallOptions {
    const where = `${method} of agent "${this.name}"`;
    if (!isObject(options)) throw invalidMastraOption(`The options of ${where} must be an object.`);
    const { requestContext, runtimeContext, abortSignal, signal, ...others } = options;
    const values: RequestOptions = enumerableOnly({ requestContext, runtimeContext }, options);
    const given = { ...others, requestContext: requestContextOf(where, values), signal: signalOf(where, options) };
    return Object.fromEntries(Object.entries(given).filter(([, value]) => value !== undefined)) as AgentCallOptions;
  }
}

/** Keeps only enumerable options: an alias that is not enumerable does not count as given twice. */
function enumerableOnly(values: RequestOptions, options: object): RequestOptions {
  const given = Object.keys(options);
  return Object.fromEntries(Object.entries(values).filter(([name]) => given.includes(name)));
}

export function isMastraAgent(value: unknown): value is AnyAgent {
  return isObject(value) && kind in value;
}

function readNames(options: AnyOptions | MastraAgentOptions<never>): { readonly id: string; readonly name: string } {
  checkOptions("new Agent", options, optionNames);
  const { id, name } = options;
  for (const [option, value] of Object.entries({ id, name })) {
    if (value === undefined || (typeof value === "string" && value.trim() !== "")) continue;
    throw invalidMastraOption(`${option} of new Agent must be a non-empty string (got ${String(value)}).`);
  }
  return { id: id ?? name ?? "agent", name: name ?? id ?? "agent" };
}

const optionNames = [
  ...["id", "name", "description", "model", "instructions", "tools", "output", "outputMode", "outputRepairs"],
  ...["maxSteps", "onMaxSteps", "stopWhen", "returnDirectly", "middleware", "handoffs", "retry", "fallbacks"],
  ...["modelTimeoutMs", "modelIdleTimeoutMs", "onToolError", "requireApproval", "toolsNode"],
  ...["autoResumeSuspendedTools", "modelOptions", "store", "durability", "callbacks", "runtime"],
];

/** Names in `kumiko/agents` allow fewer characters, because they become parts of tool optionNames. */
function safeName(name: string): string {
  const safe = name.replace(/[^\w-]+/g, "_").slice(0, 64);
  return /[A-Za-z0-9]/.test(safe) ? safe : "agent";
}

function withMastraNames<Output>(stream: AgentStream<Output>): MastraAgentStream<Output> {
  return Object.defineProperty(stream, "fullStream", { get: () => stream }) as MastraAgentStream<Output>;
}

/** Converts a prompt: strings in arrays become user messages, and text parts become one string. */
function agentPromptOf(prompt: MastraPrompt): Prompt {
  if (Array.isArray(prompt)) return prompt.map(messageOf) as Prompt;
  return messageOf(prompt, true) as Prompt;
}

function messageOf(given: unknown, isWhole: unknown = false): unknown {
  if (typeof given === "string") return isWhole === true ? given : { role: "user", content: given };
  if (!isFields(given) || !Array.isArray(given.content)) return given;
  const texts = given.content.map((part: unknown) => (isFields(part) && part.type === "text" ? part.text : undefined));
  return texts.every((text) => typeof text === "string") ? { ...given, content: texts.join("") } : given;
}
