import type { AgentToolOptions, Agent as KumikoAgent } from "../../agents/agent.js";
import type { AgentContext } from "../../agents/agent-context.js";
import type { AgentEvent } from "../../agents/agent-event.js";
import type { AgentOptions } from "../../agents/agent-options.js";
import { type AgentParts, agentParts, partsOf } from "../../agents/agent-parts.js";
import type { AgentResult } from "../../agents/agent-result.js";
import type { AgentStream } from "../../agents/agent-stream.js";
import { approvals, rulesIn } from "../../agents/approvals/approvals.js";
import type { AgentCallOptions, Prompt, ResumeTarget } from "../../agents/call-options.js";
import { type AgentOutput, createAgent } from "../../agents/create-agent.js";
import type { AnyMiddleware } from "../../agents/create-middleware.js";
import { checkOptions } from "../../check-options.js";
import type { CheckpointStore } from "../../checkpoint/checkpoint-store.js";
import { RequestContext } from "../../components/request-context.js";
import type { Tool, ToolContext } from "../../components/tool.js";
import type { Answers } from "../../compose/options.js";
import { isFields, isObject } from "../../is.js";
import type { Model } from "../../models/model.js";
import type { AgenticMessage } from "../../schema/message/agentic-message.js";
import type { AnyStandardSchema, JsonSchema } from "../../schema/standard-schema.js";
import { withoutUndefined } from "../../schema/without-undefined.js";
import type { AnyTool } from "../../tools/define/any-tool.js";
import type { ToolCall } from "../../tools/node/middleware.js";
import type { AnyMastra } from "../any-mastra.js";
import { type RequestOptions, requestContextOf } from "../call-values.js";
import { bothOfPair, invalidMastraOption, noNetworks } from "../errors.js";
import { type Owner, type Registrable, register } from "../registered.js";
import { emptyMastra } from "../registry.js";
import { isCreatedMastraTool, toolParts } from "../tools/create-tool.js";
import {
  type AnyAgentOptions,
  type MastraAgentContext,
  type MastraAgentOptions,
  readNames,
  safeName,
} from "./agent-options.js";
import { type MastraAgentResult, mastraResult } from "./agent-result.js";
import { MastraAgentStream } from "./agent-stream.js";
import { type AnyAgent, withOutput } from "./any-agent.js";
import type { MastraCallOptions, MastraPrompt, MastraResumeOptions, MastraRunTarget } from "./call-options.js";
import { EventTape } from "./event-tape.js";
import { type ReadCall, readCall, readResume } from "./read-options.js";
import { type Question, questionFor, SuspendedRuns } from "./suspended-runs.js";

const kind: unique symbol = Symbol.for("kumiko/mastra/agent") as never;

/** What an agent may be given as the schema of its answers. @internal */
type Schema = AnyStandardSchema | JsonSchema | undefined;
/** @internal */
type Result<S> = MastraAgentResult<AgentOutput<S>>;
/** @internal */
type Stream<S> = MastraAgentStream<AgentOutput<S>>;
type RunNames = typeof import("./run-names.js");
/** What a call changes about its agent. */
type Variant = Pick<ReadCall, "schema" | "asksAlways">;

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
export class Agent<const S extends Schema = undefined> implements Registrable, AnyAgent {
  readonly [kind] = true;
  readonly id: string;
  readonly name: string;
  readonly description: string | undefined;
  readonly #options: AnyAgentOptions;
  readonly #suspended = new SuspendedRuns();
  #owner: Owner | undefined;
  #variants = new WeakMap<object, { [always: string]: KumikoAgent<unknown> }>();
  #withOutput = new WeakMap<object, Agent<AnyStandardSchema | JsonSchema>>();
  #agent: KumikoAgent<AgentOutput<S>> | undefined;

  constructor(options: MastraAgentOptions<S>) {
    const { id, name } = readNames(options);
    this.id = id;
    this.name = name;
    this.#options = options as AnyAgentOptions;
    this.description = options.description;
    // names of models are looked up in the models of the Mastra that the agent is registered with
    if (!this.#hasNames()) this.#agent = this.#createAgent() as KumikoAgent<AgentOutput<S>>;
  }

  /** Runs until the agent finishes or waits for answers. */
  async generate<const C extends MastraCallOptions>(
    prompt: MastraPrompt,
    options: C = {} as C,
  ): Promise<Result<SchemaOf<C, S>>> {
    const call = readCall(this.#where("generate"), options);
    if (call.hooks.isUsed) return (await this.#start(prompt, call)).getFullOutput() as Promise<never>;
    const run = this.#runOptions(call);
    const agent = this.#variant(call);
    try {
      return (await this.#ended(await agent.generate(agentPromptOf(prompt), run), call, call.runId)) as never;
    } finally {
      await this.#describeThread(call);
    }
  }

  /** Like `generate`, but returns the run while it is in progress: its chunks, its text, and promises of the rest. */
  async stream<const C extends MastraCallOptions>(
    prompt: MastraPrompt,
    options: C = {} as C,
  ): Promise<Stream<SchemaOf<C, S>>> {
    return (await this.#start(prompt, readCall(this.#where("stream"), options))) as never;
  }

  /** Resumes a run that waits for answers, failed or was cut off. */
  async resume(run: ResumeTarget, answers?: Answers, options: MastraResumeOptions = {}): Promise<Result<S>> {
    const { target, call, runId } = await this.#resumed(run, readResume(this.#where("resume"), options));
    if (call.hooks.isUsed) return (await this.#resume(target, answers, { call, runId })).getFullOutput() as never;
    const result = await this.#variant(call).resume(target, answers, call.options);
    return (await this.#ended(result, call, runId)) as never;
  }

  /**
   * Like `resume`, but returns the run while it is in progress. Also takes the data of a suspended tool first, and `{ runId }` second, as
   * Mastra does.
   */
  async resumeStream(run: ResumeTarget, answers?: Answers, options?: MastraResumeOptions): Promise<Stream<S>>;
  async resumeStream(resumeData: unknown, options: MastraRunTarget & MastraResumeOptions): Promise<Stream<S>>;
  async resumeStream(first: unknown, second?: unknown, options?: MastraResumeOptions): Promise<Stream<S>> {
    if (options === undefined && isFields(second) && typeof second.runId === "string")
      return this.#answer("resumeStream", second as never, "any", first) as never;
    const call = readResume(this.#where("resumeStream"), options ?? {});
    const resumed = await this.#resumed(first as ResumeTarget, call);
    return this.#resume(resumed.target, second as Answers | undefined, resumed) as never;
  }

  /** Resumes a suspended tool with its data, and runs until the agent finishes or waits again. */
  async resumeGenerate(resumeData: unknown, options: MastraRunTarget & MastraResumeOptions): Promise<Result<S>> {
    return (await this.#answer("resumeGenerate", options, "any", resumeData)).getFullOutput() as never;
  }

  /** Approves a tool call of a suspended run, and continues. */
  async approveToolCall(options: MastraRunTarget & MastraResumeOptions): Promise<Stream<S>> {
    return this.#answer("approveToolCall", options, "approval", { approved: true }) as never;
  }

  /** Declines a tool call of a suspended run, and continues: the model reads that. */
  async declineToolCall(
    options: MastraRunTarget & MastraResumeOptions & { readonly reason?: string | undefined },
  ): Promise<Stream<S>> {
    const { reason, ...others } = options;
    const answer = withoutUndefined({ approved: false, reason });
    return this.#answer("declineToolCall", others, "approval", answer) as never;
  }

  /** The instructions, as a request with these values gets them. */
  async getInstructions(options: RequestOptions = {}): Promise<string | readonly AgenticMessage[]> {
    const { instructions = "" } = this.#options;
    return this.#resolve("getInstructions", instructions, options);
  }

  /** The model, as a request with these values gets it. */
  async getModel(options: RequestOptions = {}): Promise<Model> {
    return this.#resolve("getModel", this.#options.model, options);
  }

  /** The tools by their names, as a request with these values gets them. */
  async listTools(options: RequestOptions = {}): Promise<Readonly<Record<string, AnyTool>>> {
    const tools = await this.#resolve("listTools", this.#options.tools ?? {}, options);
    if (!Array.isArray(tools)) return { ...(tools as Readonly<Record<string, AnyTool>>) };
    return Object.fromEntries(tools.map((tool: AnyTool) => [nameOf(tool), tool]));
  }

  /** The older name of `listTools`. */
  getTools(options: RequestOptions = {}): Promise<Readonly<Record<string, AnyTool>>> {
    return this.listTools(options);
  }

  /** The description; empty without one. */
  getDescription(): string {
    return this.description ?? "";
  }

  /** Not supported: throws an error that says what to use. */
  network(): never {
    throw noNetworks(this.name);
  }

  /** Returns a tool that runs the agent. */
  asTool(options?: AgentToolOptions): Tool & AnyTool {
    return this.#plain.asTool(options);
  }

  /** The compiled graph of the agent, to print or to nest. */
  get graph(): KumikoAgent["graph"] {
    return this.#plain.graph;
  }

  get [agentParts](): AgentParts | undefined {
    return partsOf(this.#plain);
  }

  [register](owner: Owner): void {
    this.#owner = owner;
    this.#withOutput = new WeakMap();
    this.#variants = new WeakMap();
    this.#agent = this.#createAgent() as KumikoAgent<AgentOutput<S>>;
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

  async #start(prompt: MastraPrompt, call: ReadCall): Promise<MastraAgentStream<unknown>> {
    const stream = this.#variant(call).stream(agentPromptOf(prompt), this.#runOptions(call));
    return this.#begun(stream, call, call.runId);
  }

  #resume(
    target: ResumeTarget,
    answers: Answers | undefined,
    { call, runId }: { readonly call: ReadCall; readonly runId: string | undefined },
  ): Promise<MastraAgentStream<unknown>> {
    return this.#begun(this.#variant(call).resumeStream(target, answers, call.options), call, runId);
  }

  /** Answers one question of a suspended run. */
  async #answer(
    method: string,
    given: MastraRunTarget & MastraResumeOptions,
    question: Question,
    answer: unknown,
  ): Promise<MastraAgentStream<unknown>> {
    const where = this.#where(method);
    const { runId, toolCallId, ...options } = given ?? {};
    if (typeof runId !== "string" || runId === "")
      throw invalidMastraOption(`${where} needs the runId of a suspended run (got ${String(runId)}).`);
    const { target, call } = await this.#resumed(runId, readResume(where, options));
    const known = this.#suspended.get(runId)?.interrupts;
    const interrupts = known ?? (await this.#variant(call).resume(target, undefined, call.options)).interrupts;
    const { id } = questionFor({ agent: this.name, runId, toolCallId }, interrupts, question);
    return this.#resume(target, { [id]: answer }, { call, runId });
  }

  /** The run that is meant, with what its first call has changed about the agent. */
  async #resumed(run: ResumeTarget, call: ReadCall) {
    const { runId = undefined } = (isFields(run) ? run : { runId: run }) as { readonly runId?: string };
    const known = runId === undefined ? undefined : this.#suspended.get(runId);
    const schema = call.schema ?? known?.schema;
    const asksAlways = call.asksAlways || known?.asksAlways === true;
    const target = typeof run === "string" ? (known?.checkpointId ?? (await this.#savedIdOf(run))) : run;
    const isNamed = typeof run === "string" && target !== run;
    return { target, runId, call: { ...call, schema, asksAlways, isNamed } };
  }

  /** The run, once it has begun. Rejects if it does not begin: with a wrong option, or while its thread is busy. */
  async #begun(
    stream: AgentStream<unknown>,
    call: ReadCall,
    known: string | undefined,
  ): Promise<MastraAgentStream<unknown>> {
    const tape = new EventTape(stream);
    const first = await tape.at(0);
    if (first === undefined || first.type === "error") {
      await tape.at(1);
      throw tape.failure?.error;
    }
    await this.#describeThread(call);
    const runId = known ?? runIdIn(first);
    return new MastraAgentStream({
      ...{ runId, agentId: this.id, stream, tape, hooks: call.hooks, output: this.#outputOf(call) },
      log: (message, error) => this.#ownerOf().logger.error(`${message} (agent "${this.name}").`, error),
      ended: async (result) => void (await this.#ended(result, call, runId)),
    });
  }

  /** The result for the caller. A run that waits is remembered, so that its id is enough to go on with it. */
  async #ended(
    result: AgentResult<unknown>,
    call: ReadCall,
    known: string | undefined,
  ): Promise<MastraAgentResult<unknown>> {
    const { checkpointId, interrupts } = result;
    const runId = known ?? checkpointId ?? crypto.randomUUID();
    this.#suspended.delete(runId);
    const { schema, asksAlways, isNamed } = call;
    if (interrupts.length > 0 && checkpointId !== undefined) {
      this.#suspended.add(runId, { checkpointId, interrupts, schema, asksAlways });
      if (checkpointId !== runId) await this.#named((names, store) => names.nameRun(store, runId, checkpointId), runId);
    } else if (isNamed === true) await this.#named((names, store) => names.forgetRun(store, runId), runId);
    return mastraResult(result, { runId, hasOutput: this.#outputOf(call) !== undefined });
  }

  /** Where a run is saved that another process may have stopped in. */
  async #savedIdOf(runId: string): Promise<string> {
    return (await import("./run-names.js")).savedIdOf(this.#storeOf(), runId);
  }

  /** The result of the run does not depend on its name in the store. */
  async #named(change: (names: RunNames, store: CheckpointStore) => Promise<void>, runId: string): Promise<void> {
    try {
      await change(await import("./run-names.js"), this.#storeOf());
    } catch (error) {
      const what = `The runId "${runId}" of agent "${this.name}" could not be written to the storage`;
      this.#ownerOf().logger.error(`${what}. Other processes find the run by checkpointId of its result.`, error);
    }
  }

  /** A run with an id of its own is saved under it; a turn of a thread has its place in the thread. */
  #runOptions({ options, runId }: ReadCall): AgentCallOptions {
    if (runId === undefined || options.threadId !== undefined || options.parent !== undefined) return options;
    if (options.checkpointId !== undefined) throw bothOfPair(this.#where("generate"), "runId", "checkpointId");
    return { ...options, checkpointId: runId, forceNewRun: true };
  }

  async #describeThread({ metadata, options }: ReadCall): Promise<void> {
    const { threadId } = options;
    if (metadata === undefined || threadId === undefined) return;
    const { threads } = await import("../../agents/threads/threads.js");
    const all = threads(this.#storeOf(), "userId" in options ? { userId: options.userId as string } : {});
    const known = await all.info(threadId);
    if (known === undefined) return; // the turn did not begin
    const isNew = Object.entries(metadata).some(([name, value]) => known.metadata[name] !== value);
    if (isNew) await all.update(threadId, { metadata: { ...known.metadata, ...metadata } });
  }

  #outputOf({ schema }: Variant): Schema {
    return schema ?? this.#options.output;
  }

  get #plain(): KumikoAgent<AgentOutput<S>> {
    this.#agent ??= this.#createAgent() as KumikoAgent<AgentOutput<S>>;
    return this.#agent;
  }

  /** The agent, with what a call changes about it. */
  #variant({ schema, asksAlways }: Variant): KumikoAgent<unknown> {
    if (schema === undefined && !asksAlways) return this.#plain;
    const key = schema ?? this.#options;
    const made = this.#variants.get(key) ?? {};
    this.#variants.set(key, made);
    const name = String(asksAlways);
    made[name] ??= this.#createAgent({
      ...(schema && { output: schema }),
      ...(asksAlways && { middleware: askingAlways(this.#options.middleware) }),
    });
    return made[name];
  }

  #createAgent(changes: Partial<AnyAgentOptions> = {}): KumikoAgent<unknown> {
    const { id, name, model, instructions, tools, maxRetries, ...others } = { ...this.#options, ...changes };
    const { toolCallMiddlewares = [] } = others.toolsNode ?? {};
    const options: Record<string, unknown> = {
      ...others,
      name: safeName(this.name),
      model: this.#perCall(model, (given) => given),
      instructions: this.#perCall(instructions, (given) => given),
      tools: this.#perCall(tools, (given) => this.#bindTools(given)),
      toolsNode: { ...others.toolsNode, toolCallMiddlewares: [this.#withMastra(), ...toolCallMiddlewares] },
      store: this.#storeOf(),
      runtime: others.runtime ?? this.#ownerOf().runtime,
      ...(maxRetries !== undefined && { retry: maxRetries === 0 ? false : { attempts: maxRetries + 1 } }),
    };
    return createAgent(withoutUndefined(options) as never as AgentOptions<Schema>) as KumikoAgent<unknown>;
  }

  /** Whether the options name models. */
  #hasNames(): boolean {
    const { model, fallbacks } = this.#options;
    return typeof model === "string" || (Array.isArray(fallbacks) && fallbacks.some((one) => typeof one === "string"));
  }

  #storeOf(): CheckpointStore {
    return this.#options.store ?? this.#ownerOf().storage;
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

  /** A value of the options, outside of a run. */
  async #resolve<T>(method: string, given: unknown, options: RequestOptions): Promise<T> {
    checkOptions(this.#where(method), options, ["requestContext", "runtimeContext"]);
    if (typeof given !== "function" || "languageModel" in given) return given as T;
    const requestContext = requestContextOf(this.#where(method), options) ?? new RequestContext();
    const { signal } = new AbortController();
    return given(this.#contextOf({ agent: safeName(this.name), requestContext, messages: [], signal }));
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

  /** Tools that were made elsewhere find the Mastra instance in their context, such as the query tools of `kumiko/rag`. */
  #withMastra() {
    const contextOf = (ctx: ToolContext) => ctx.with({ mastra: this.#ownerOf().mastra }) as ToolContext;
    type Next<T> = (call: ToolCall, ctx: ToolContext) => T;
    const wrap =
      <T>(next: Next<T>): Next<T> =>
      (call, ctx) =>
        next(call, contextOf(ctx));
    return { invokable: wrap, streamable: wrap };
  }

  #where(method: string): string {
    return `${method} of agent "${this.name}"`;
  }
}

/** The schema of the answers to a call. @internal */
type SchemaOf<Call, S> = Call extends { readonly structuredOutput: { readonly schema: infer Given } } ? Given : S;

export function isMastraAgent(value: unknown): value is AnyAgent {
  return isObject(value) && kind in value;
}

function runIdIn(event: AgentEvent): string {
  return event.type === "start" && event.checkpointId !== undefined ? event.checkpointId : event.runId;
}

/** Middlewares with which every call asks, after what their own rules deny. */
function askingAlways(middleware: readonly AnyMiddleware[] = []): AnyMiddleware[] {
  const rules = rulesIn(middleware) ?? [];
  const asking = approvals({ rules: [{ tool: "*", action: "ask" }, ...rules] });
  const others = middleware.filter(({ name }) => name !== asking.name);
  return [...others, asking];
}

function nameOf(tool: AnyTool): string {
  const { info, name, id } = tool as { info?: { name?: unknown }; name?: unknown; id?: unknown };
  return String(info?.name ?? name ?? id ?? "");
}

/** Converts a prompt: strings in arrays become user messages, and text parts become one string. */
export function agentPromptOf(prompt: MastraPrompt): Prompt {
  if (Array.isArray(prompt)) return prompt.map(messageOf) as Prompt;
  return messageOf(prompt, true) as Prompt;
}

function messageOf(given: unknown, isWhole: unknown = false): unknown {
  if (typeof given === "string") return isWhole === true ? given : { role: "user", content: given };
  if (!isFields(given) || !Array.isArray(given.content)) return given;
  const texts = given.content.map((part: unknown) => (isFields(part) && part.type === "text" ? part.text : undefined));
  return texts.every((text) => typeof text === "string") ? { ...given, content: texts.join("") } : given;
}
