import type { NeedsApproval, Tool } from "../components/tool.js";
import type { CompiledGraph } from "../compose/compiled-graph.js";
import type { Answers } from "../compose/options.js";
import type { NodeShape } from "../compose/types/node-shape.js";
import type { AgenticMessage } from "../schema/message/agentic-message.js";
import type { AnyStandardSchema, JsonSchema } from "../schema/standard-schema.js";
import type { AnyTool } from "../tools/define/any-tool.js";
import type { AgentResult } from "./agent-result.js";
import type { AgentStream } from "./agent-stream.js";
import type {
  AgentCallOptions,
  AgentFork,
  AgentForkOptions,
  AgentResumeOptions,
  Prompt,
  ResumeTarget,
} from "./call-options.js";

/** How an agent is called as a tool. */
export interface AgentToolOptions {
  /** The name by which a model calls it. @default the agent's name */
  readonly id?: string | undefined;
  /** @default the agent's description */
  readonly description?: string | undefined;
  /** What it takes: a text `prompt` is the message, anything else its JSON. @default { prompt } */
  readonly inputSchema?: AnyStandardSchema | JsonSchema | undefined;
  /** What the agent knows of the conversation that it is called in. @default "none" */
  readonly history?: "none" | "parent" | undefined;
  /** Whether calls need approval before they run. @default false */
  readonly requireApproval?: NeedsApproval | undefined;
}

/** The nodes of an agent's graph. */
export interface AgentNodes {
  readonly model: NodeShape<readonly AgenticMessage[] | AgenticMessage, AgenticMessage, undefined>;
  readonly tools: NodeShape<AgenticMessage, AgenticMessage[], undefined>;
}

export type AgentGraph = CompiledGraph<readonly AgenticMessage[], AgenticMessage, AgentNodes>;

/**
 * An agent: a compiled graph of a model and its tools, and ways to call it. It holds no run: calls may overlap, and any
 * process that builds the same agent can resume.
 *
 * @example
 * const held = await agent.generate("Pay the invoice", { threadId: "u-1" });
 * if (held.finishReason === "waiting") {
 *   await agent.resume(held, { [held.interrupts[0].id]: { approved: true } });
 * }
 */
export interface Agent<out Output = string> {
  readonly name: string;
  readonly description: string | undefined;
  /** The graph, to print, nest or run as it is. */
  readonly graph: AgentGraph;
  /** Runs to the end, or to where it waits for answers. */
  generate(prompt: Prompt, options?: AgentCallOptions): Promise<AgentResult<Output>>;
  /** The same as events while they happen. Nothing runs before the first read. */
  stream(prompt: Prompt, options?: AgentCallOptions): AgentStream<Output>;
  /** Goes on with a run that waits, failed or was cut off. Answers go by the ids of interrupts. */
  resume(run: ResumeTarget, answers?: Answers, options?: AgentResumeOptions): Promise<AgentResult<Output>>;
  /** The same as events; they begin with what is new. */
  resumeStream(run: ResumeTarget, answers?: Answers, options?: AgentResumeOptions): AgentStream<Output>;
  /**
   * Copies a run as it was at a save: the newest, or with `history` any entry of `graph.history(checkpointId)`. Of a thread, the copy is
   * a thread too, with the turns before. `resume` goes on with it; the original stays as it is.
   *
   * @example
   * const agent = createAgent({ model, tools: [getWeather], store: memoryStore(), history: true });
   * const { threadId } = await agent.generate("Weather in Kyoto?", { threadId: "u-1" });
   * const copy = await agent.fork({ threadId }, { entry: "1" });
   * const other = await agent.resume(copy);
   */
  fork(run: ResumeTarget, options?: AgentForkOptions): Promise<AgentFork>;
  /**
   * A tool that runs the agent inside the call: its questions are those of the caller.
   *
   * @example
   * const researcher = createAgent({ name: "researcher", description: "Finds things out.", model });
   * const writer = createAgent({ model, tools: [researcher.asTool()] });
   */
  asTool(options?: AgentToolOptions): Tool & AnyTool;
}
