import type { ApprovalRule, Tool } from "../components/tool.js";
import type { CompiledGraph } from "../compose/compiled-graph.js";
import type { Answers } from "../compose/options.js";
import type { SavedRun } from "../compose/segment.js";
import type { NodeShape } from "../compose/types/node-shape.js";
import type { AgenticMessage } from "../schema/message/agentic-message.js";
import type { AnyStandardSchema, JsonSchema } from "../schema/standard-schema.js";
import type { AnyTool } from "../tools/define/any-tool.js";
import type { AgentDescription } from "./agent-description.js";
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
import type { AgentSegmentOptions, SegmentTurn } from "./segment-options.js";

/** Options of `agent.asTool`. */
export interface AgentToolOptions {
  /** The name that a model uses to call it. @default the agent's name */
  readonly id?: string | undefined;
  /** What the tool does, for the model that may call it. @default the agent's description */
  readonly description?: string | undefined;
  /** The arguments: a string `prompt` is the message, anything else is passed as JSON. @default { prompt } */
  readonly inputSchema?: AnyStandardSchema | JsonSchema | undefined;
  /** The part of the calling conversation that the agent sees. @default "none" */
  readonly history?: "none" | "parent" | undefined;
  /** Whether calls need approval before they run. @default false */
  readonly requireApproval?: ApprovalRule | undefined;
}

/** The nodes of an agent's graph. */
export interface AgentNodes {
  /** The node that asks the model. */
  readonly model: NodeShape<readonly AgenticMessage[] | AgenticMessage, AgenticMessage, undefined>;
  /** The node that runs the tool calls. */
  readonly tools: NodeShape<AgenticMessage, AgenticMessage[], undefined>;
}

/** The graph of an agent: from a conversation to the last message. */
export type AgentGraph = CompiledGraph<readonly AgenticMessage[], AgenticMessage, AgentNodes>;

/**
 * An agent: a compiled graph of a model and its tools, with methods to call it. It holds no state of runs: calls can
 * overlap, and any process that builds the same agent can resume.
 *
 * @example
 * const held = await agent.generate("Pay the invoice", { threadId: "u-1" });
 * if (held.finishReason === "waiting") {
 *   await agent.resume(held, { [held.interrupts[0].id]: { approved: true } });
 * }
 */
export interface Agent<out Output = string> {
  /** The name of the agent: of its graph, in events and in handoffs. */
  readonly name: string;
  /** What the agent does, as other agents read it. */
  readonly description: string | undefined;
  /** The graph, which you can draw, nest or run directly. */
  readonly graph: AgentGraph;
  /**
   * Runs until the end, or until the run waits for answers (`finishReason: "waiting"`). Rejects before anything runs with
   * `THREAD_BUSY` or `THREAD_WAITING`, or with `NO_STORE` if tools may ask and nothing keeps the run. `messagesOf(error)`
   * returns what was logged before a failure.
   */
  generate(prompt: Prompt, options?: AgentCallOptions): Promise<AgentResult<Output>>;
  /** Like `generate`, but returns the events as they happen. Nothing runs before the first read. */
  stream(prompt: Prompt, options?: AgentCallOptions): AgentStream<Output>;
  /**
   * Resumes a run that waits, failed or was interrupted. Answers are keyed by the ids of interrupts; those that are left out
   * stay open. Rejects with `UNKNOWN_CHECKPOINT` if there is nothing to resume, and with `ANSWER_MISMATCH` if an answer does
   * not fit; then nothing has run.
   */
  resume(run: ResumeTarget, answers?: Answers, options?: AgentResumeOptions): Promise<AgentResult<Output>>;
  /** Like `resume`, but returns the new events. */
  resumeStream(run: ResumeTarget, answers?: Answers, options?: AgentResumeOptions): AgentStream<Output>;
  /**
   * Copies a run as it was at a save: the newest one, or with `history` any entry of `graph.history(checkpointId)`. For a
   * thread, the copy is a thread too, with the previous turns. `resume` continues the copy; the original stays unchanged.
   *
   * @example
   * const agent = createAgent({ model, tools: [getWeather], store: memoryStore(), history: true });
   * const { threadId } = await agent.generate("Weather in Kyoto?", { threadId: "u-1" });
   * const copy = await agent.fork({ threadId }, { entry: "1" });
   * const other = await agent.resume(copy);
   */
  fork(run: ResumeTarget, options?: AgentForkOptions): Promise<AgentFork>;
  /**
   * Drives a run, or the turn of a thread that a request has named, from where it stands to its next pause or end, and resolves to its
   * state: for callers that may come twice, at once, from any process. Needs a store.
   *
   * @example
   * const agent = createAgent({ name: "clerk", model, store: memoryStore() });
   * const run = await agent.segment({ threadId: "u-1", requestId: "m-1" }, { input: "Pay the invoice" });
   * if (run.status === "finished") console.log(run.output.text);
   */
  segment(target: SegmentTurn, options?: AgentSegmentOptions): Promise<SavedRun<AgentResult<Output>>>;
  /**
   * Returns a tool that runs the agent inside the call: its questions are reported by the calling run, and its failure is the
   * error of the call. Throws if neither the agent nor the options describe it.
   *
   * @example
   * const researcher = createAgent({ name: "researcher", description: "Finds things out.", model });
   * const writer = createAgent({ model, tools: [researcher.asTool()] });
   */
  asTool(options?: AgentToolOptions): Tool & AnyTool;
  /** Returns what the agent is made of as plain data. What a function supplies is `"dynamic"`, and is not called. */
  describe(): AgentDescription;
}
