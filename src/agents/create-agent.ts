import { startedHere } from "../callbacks/at-call.js";
import type { NodeContext } from "../components/context.js";
import { stateKey } from "../components/state-key.js";
import type { Tool, ToolContext } from "../components/tool.js";
import { Graph } from "../compose/graph.js";
import type { Answers } from "../compose/options.js";
import { planOfAgent } from "../compose/plan/make-plan.js";
import { hasNodeDefinition, nodeDefinition } from "../compose/plan/node-definition.js";
import { END, type NestedFunction, type NodeFunction, type Plan, START } from "../compose/plan/plan.js";
import type { Runnable } from "../compose/runnable.js";
import type { SavedRun } from "../compose/segment.js";
import { isFields } from "../is.js";
import { bareRunnable } from "../run/bare-runnable.js";
import { CompiledPlan } from "../run/compiled-plan.js";
import type { AgenticMessage } from "../schema/message/agentic-message.js";
import { userMessage } from "../schema/message/construct-message.js";
import { toolCallsOf } from "../schema/message/read-message.js";
import type { AnyStandardSchema, JsonSchema, SchemaOutput } from "../schema/standard-schema.js";
import { withoutUndefined } from "../schema/without-undefined.js";
import type { AnyTool } from "../tools/define/any-tool.js";
import { makeTool } from "../tools/define/create-tool.js";
import type { Agent, AgentGraph, AgentToolOptions } from "./agent.js";
import type { AgentDescription } from "./agent-description.js";
import type { AgentOptions } from "./agent-options.js";
import { type AgentParts, type AnyAgentOptions, agentParts } from "./agent-parts.js";
import type { AgentResult } from "./agent-result.js";
import { OngoingRun, type RunnableAgent } from "./agent-run.js";
import { type AgentState, newAgentState } from "./agent-state.js";
import { AgentStream } from "./agent-stream.js";
import type {
  AgentCallOptions,
  AgentFork,
  AgentForkOptions,
  AgentResumeOptions,
  Prompt,
  ResumeTarget,
} from "./call-options.js";
import { checkAgentOptions, checkReachable } from "./check-agent-options.js";
import { describeAgent, describeModelNode } from "./describe-agent.js";
import { agentWithoutDescription, checkAgentOptionNames, invalidAgentOption, nothingToResume } from "./errors.js";
import { runModelNode } from "./model-node.js";
import type { AgentSegmentOptions, SegmentTurn } from "./segment-options.js";
import { type EventReader, StreamCall } from "./stream-call.js";
import { toolsNode } from "./tools-node.js";
import { currentTurn, OngoingTurn } from "./turn.js";

/** The output type of an agent with this output schema; text without one. */
export type AgentOutput<Schema> = Schema extends AnyStandardSchema
  ? SchemaOutput<Schema>
  : Schema extends JsonSchema
    ? unknown
    : string;

/**
 * Creates an agent: a model that calls tools until it has an answer.
 *
 * @example
 * const agent = createAgent({ model, tools: [getWeather], instructions: "Answer in one sentence." });
 * const { text } = await agent.generate("Weather in Kyoto?");
 */
export function createAgent<const Schema extends AnyStandardSchema | JsonSchema | undefined = undefined>(
  options: AgentOptions<Schema>,
): Agent<AgentOutput<Schema>> {
  return new CompiledAgent<AgentOutput<Schema>>(checkAgentOptions(options as AnyAgentOptions));
}

class CompiledAgent<Output> implements Agent<Output>, RunnableAgent {
  /** Says what it is where an agent cannot be given. */
  readonly component = "agent";
  readonly name: string;
  readonly description: string | undefined;
  readonly graph: AgentGraph;
  readonly [agentParts]: AgentParts;
  #isChecked = false;

  constructor(parts: AgentParts) {
    this[agentParts] = parts;
    this.name = parts.name;
    this.description = parts.description;
    this.graph = agentGraph(parts);
  }

  get parts(): AgentParts {
    return this[agentParts];
  }

  async generate(prompt: Prompt, options?: AgentCallOptions): Promise<AgentResult<Output>> {
    this.#check();
    return (await new OngoingRun(this).generate(prompt, options)) as AgentResult<Output>;
  }

  stream(prompt: Prompt, options?: AgentCallOptions): AgentStream<Output> {
    return this.#stream((call) => call.generate(prompt, options), options);
  }

  async resume(run: ResumeTarget, answers?: Answers, options?: AgentResumeOptions): Promise<AgentResult<Output>> {
    this.#check();
    return (await new OngoingRun(this).resume(targetOf(run), answers, options)) as AgentResult<Output>;
  }

  resumeStream(run: ResumeTarget, answers?: Answers, options?: AgentResumeOptions): AgentStream<Output> {
    return this.#stream((call) => call.resume(targetOf(run), answers, options), options);
  }

  async fork(run: ResumeTarget, options: AgentForkOptions = {}): Promise<AgentFork> {
    const { forkRun } = await import("./threads/fork.js");
    return forkRun(this, targetOf(run), options);
  }

  async segment(target: SegmentTurn, options?: AgentSegmentOptions): Promise<SavedRun<AgentResult<Output>>> {
    const { segmentOf } = await import("./segment-call.js");
    return (await segmentOf(this, target, options)) as SavedRun<AgentResult<Output>>;
  }

  asTool(options: AgentToolOptions = {}): Tool & AnyTool {
    checkAgentOptionNames(`asTool of agent "${this.name}"`, options, [
      "id",
      "description",
      "inputSchema",
      "history",
      "requireApproval",
    ]);
    if (options.history !== undefined && options.history !== "none" && options.history !== "parent") {
      throw invalidAgentOption('history of asTool must be "none" or "parent".');
    }
    const { id = this.name, description = this.description } = options;
    if (description === undefined || description === "") throw agentWithoutDescription(this.name);
    const given = agentTool(this, { ...options, id, description });
    return makeTool(given as never, undefined, undefined, true) as Tool & AnyTool;
  }

  describe(): AgentDescription {
    return describeAgent(this.parts);
  }

  #stream(
    work: (call: OngoingRun) => Promise<AgentResult<unknown>>,
    given: AgentResumeOptions | undefined,
  ): AgentStream<Output> {
    let call: OngoingRun | undefined;
    const { name, output, options } = this.parts;
    const start = async (reader: EventReader): Promise<AgentResult<unknown>> => {
      this.#check();
      call = new OngoingRun(this, reader);
      return work(call);
    };
    const streamed = new StreamCall({
      name,
      async *partialOutput(events, result) {
        const { partialOutput } = await import("./partial-output.js");
        yield* partialOutput(output, { events, result, tools: () => call?.tools() ?? [] });
      },
      wasAborted: () => call?.wasAborted === true,
      start: startedHere(start, [options.runtime?.callbacks, options.callbacks, given?.callbacks].flat()),
    });
    return new AgentStream<Output>(streamed, () => call?.messages() ?? []);
  }

  /** Agents that are handed over to may be made after this one: they are looked at when it is first called. */
  #check(): void {
    if (this.#isChecked) return;
    checkReachable(this.parts);
    this.#isChecked = true;
  }
}

function targetOf(run: ResumeTarget): string | { readonly threadId: string } {
  if (typeof run === "string") return run;
  const { checkpointId, threadId } = run ?? {};
  if (checkpointId !== undefined) return checkpointId;
  if (threadId !== undefined) return { threadId };
  throw nothingToResume();
}

/** The graph of an agent: the model, its tools, and the way back. */
function agentGraph(parts: AgentParts): AgentGraph {
  const { name, options } = parts;
  const { store, durability = "step", history = false, callbacks = [], runtime } = options;
  const graph = new Graph<readonly AgenticMessage[], AgenticMessage>()
    .withState(stateKey<AgentState>("agent", () => newAgentState(name)))
    .addNode("model", modelNode(parts))
    .addNode("tools", toolsNode(parts))
    .addEdge(START, "model")
    .addBranch("model", ["tools", "model", END], (_answer, ctx) => nextNode(ctx as NodeContext<AgentState>))
    .addEdge("tools", "model")
    .compile({ name, maxSteps: Number.MAX_SAFE_INTEGER, store, durability, history, callbacks, runtime });
  return asAgent(graph, parts);
}

/** The same graph; observers see its runs as those of an agent. */
function asAgent(graph: AgentGraph, parts: AgentParts): AgentGraph {
  const { name, description } = parts;
  const body = hasNodeDefinition(graph) ? graph[nodeDefinition].body : undefined;
  if (body?.kind !== "graph") return graph;
  const meta: Plan["meta"] = (turn) => {
    const threadId = turn instanceof OngoingTurn ? turn.asked.threadId : undefined;
    return withoutUndefined({ name, description, threadId });
  };
  return new CompiledPlan(planOfAgent(body.plan, { meta, streamed: (run) => streamedAgent(parts, run) }));
}

/** The function of an agent that is a node of a streamed graph. */
function streamedAgent(parts: AgentParts, run: NestedFunction): NodeFunction {
  return async (input: unknown, ctx: never) => {
    const { LiveAnswer } = await import("./live-answer.js");
    const live = new LiveAnswer();
    const value = new OngoingTurn(parts, { live });
    return live.open(Promise.resolve(run(input, ctx, { key: currentTurn, value })));
  };
}

/** It calls models, and takes their options. */
function modelNode(parts: AgentParts): Runnable<readonly AgenticMessage[] | AgenticMessage, AgenticMessage> {
  const call = (input: unknown, ctx: NodeContext<AgentState>) => runModelNode(parts, input, ctx);
  return bareRunnable({
    component: "lambda",
    type: "",
    takes: "model",
    body: { kind: "function", call },
    describe: () => describeModelNode(parts),
  });
}

/** Where an answer leads: what it means was decided when it was accepted. */
function nextNode({ state }: NodeContext<AgentState>): "tools" | "model" | typeof END {
  if (state.phase === "tools") return "tools";
  return state.phase === "end" ? END : "model";
}

const promptSchema = {
  type: "object",
  properties: { prompt: { type: "string", description: "What the agent is asked, with all that it needs to know." } },
  required: ["prompt"],
  additionalProperties: false,
} as const;

/** The options of a tool that runs an agent inside the call. */
function agentTool(
  agent: RunnableAgent,
  {
    id,
    description,
    inputSchema = promptSchema,
    history = "none",
    requireApproval,
  }: AgentToolOptions & { readonly id: string; readonly description: string },
) {
  return {
    id,
    description,
    inputSchema,
    ...(requireApproval !== undefined && { requireApproval }),
    execute: async (input: unknown, ctx: ToolContext): Promise<unknown> => {
      const question = userMessage(questionOf(input));
      const prompt = history === "parent" ? [...conversationOf(ctx), question] : [question];
      const result = await new OngoingRun(agent).forCall(ctx.toolCallId).generate(prompt, { parent: ctx });
      return agent.parts.output === undefined ? result.text : result.output;
    },
  };
}

function questionOf(input: unknown): string {
  return isFields(input) && Object.keys(input).length === 1 && typeof input.prompt === "string"
    ? input.prompt
    : JSON.stringify(input);
}

/** The conversation before the call, without the message that contains it. */
function conversationOf({ messages }: ToolContext): readonly AgenticMessage[] {
  const last = messages.at(-1);
  const isOpen = last?.role === "assistant" && toolCallsOf(last).length > 0;
  return (isOpen ? messages.slice(0, -1) : messages).filter(({ role }) => role !== "system");
}
