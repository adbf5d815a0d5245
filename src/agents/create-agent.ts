import { startedHere } from "../callbacks/at-call.js";
import type { Tool } from "../components/tool.js";
import type { Answers } from "../compose/options.js";
import type { AnyStandardSchema, JsonSchema, SchemaOutput } from "../schema/standard-schema.js";
import type { AnyTool } from "../tools/define/any-tool.js";
import { makeTool } from "../tools/define/create-tool.js";
import type { Agent, AgentGraph, AgentToolOptions } from "./agent.js";
import { agentGraph } from "./agent-graph.js";
import type { AgentOptions } from "./agent-options.js";
import { type AgentParts, type AnyAgentOptions, agentParts } from "./agent-parts.js";
import type { AgentResult } from "./agent-result.js";
import { AgentStream } from "./agent-stream.js";
import { agentTool } from "./agent-tool.js";
import type {
  AgentCallOptions,
  AgentFork,
  AgentForkOptions,
  AgentResumeOptions,
  Prompt,
  ResumeTarget,
} from "./call-options.js";
import { checkAgentOptions, checkReachable } from "./check-agent-options.js";
import { agentWithoutDescription, checkAgentOptionNames, invalidAgentOption, nothingToResume } from "./errors.js";
import { AgentRunCall, type RunnableAgent } from "./run-agent.js";
import { type EventReader, StreamCall } from "./stream-call.js";

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
  readonly passing: AgentGraph;
  readonly resuming: AgentGraph;
  readonly [agentParts]: AgentParts;
  #isChecked = false;

  constructor(parts: AgentParts) {
    this[agentParts] = parts;
    this.name = parts.name;
    this.description = parts.description;
    this.graph = agentGraph(parts);
    const { store, durability, history = false } = parts.options;
    this.passing = store === undefined ? this.graph : agentGraph(parts, { durability: "exit" });
    this.resuming = history === false ? this.graph : agentGraph(parts, { durability });
  }

  get parts(): AgentParts {
    return this[agentParts];
  }

  async generate(prompt: Prompt, options?: AgentCallOptions): Promise<AgentResult<Output>> {
    this.#check();
    return (await new AgentRunCall(this).generate(prompt, options)) as AgentResult<Output>;
  }

  stream(prompt: Prompt, options?: AgentCallOptions): AgentStream<Output> {
    return this.#stream((call) => call.generate(prompt, options), options);
  }

  async resume(run: ResumeTarget, answers?: Answers, options?: AgentResumeOptions): Promise<AgentResult<Output>> {
    this.#check();
    return (await new AgentRunCall(this).resume(targetOf(run), answers, options)) as AgentResult<Output>;
  }

  resumeStream(run: ResumeTarget, answers?: Answers, options?: AgentResumeOptions): AgentStream<Output> {
    return this.#stream((call) => call.resume(targetOf(run), answers, options), options);
  }

  async fork(run: ResumeTarget, options: AgentForkOptions = {}): Promise<AgentFork> {
    const { forkRun } = await import("./fork-thread.js");
    return forkRun(this, targetOf(run), options);
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
    return makeTool(agentTool(this, { ...options, id, description }) as never) as Tool & AnyTool;
  }

  #stream(
    work: (call: AgentRunCall) => Promise<AgentResult<unknown>>,
    given: AgentResumeOptions | undefined,
  ): AgentStream<Output> {
    let call: AgentRunCall | undefined;
    const { name, output, options } = this.parts;
    const start = async (reader: EventReader): Promise<AgentResult<unknown>> => {
      this.#check();
      call = new AgentRunCall(this, reader);
      return work(call);
    };
    const streamed = new StreamCall({
      name,
      async *partialOutput(events, result) {
        const { partialOutput } = await import("./partial-output.js");
        yield* partialOutput(output, { events, result, tools: () => call?.tools() ?? [] });
      },
      start: startedHere(start, options.runtime?.callbacks, options.callbacks, given?.callbacks),
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
