import type { NodeContext } from "../components/context.js";
import type { ToolContext, ToolOutput } from "../components/tool.js";
import type { Runnable } from "../compose/runnable.js";
import { bareRunnable } from "../run/bare-runnable.js";
import { Context } from "../run/context.js";
import type { AgenticMessage } from "../schema/message/agentic-message.js";
import type { FunctionToolCall } from "../schema/message/content-block.js";
import { hasToolCalls, toolCallsOf, toolResultsOf } from "../schema/message/read-message.js";
import type { StreamReader } from "../schema/stream/reader.js";
import { type BatchFollower, CallBatch, toolsNodeOptionsOf } from "../tools/node/call-batch.js";
import type { ToolsNodeOptions } from "../tools/node/options.js";
import { resultsOf } from "../tools/node/results-of.js";
import { startTool } from "../tools/node/run-tool.js";
import type { ToolRun } from "../tools/node/tool-run.js";
import { type AgentParts, mayAddTools } from "./agent-parts.js";
import { type AgentState, enterNode, leaveNode } from "./agent-state.js";
import { describeToolsNode } from "./describe-agent.js";
import { asksApproval } from "./model-answer.js";
import { endStep } from "./model-node.js";
import { checkToolsAreThere, reopenedToolbox } from "./open-tools.js";
import { openUser } from "./open-user.js";
import { answerApprovals, type OwnCalls, ownCallsOf } from "./own-calls.js";
import { readyAgent } from "./ready-agent.js";
import { stepAgain } from "./step-request.js";
import type { Toolbox } from "./toolbox.js";
import { isSavedRun, type OngoingTurn, type OpenRound, type ReadyAgent, turnOf } from "./turn.js";

/** The node `tools`: runs the calls of an answer, with the tools of the agent that gave it. */
export function toolsNode(root: AgentParts): Runnable<AgenticMessage, AgenticMessage[]> {
  return bareRunnable<AgenticMessage, AgenticMessage[]>({
    component: "tools_node",
    type: "",
    body: { kind: "modes", invoke: (message: AgenticMessage, ctx: NodeContext) => runRound(root, message, ctx) },
    describe: () => describeToolsNode(root),
  });
}

async function runRound(root: AgentParts, given: AgenticMessage, ctx: NodeContext): Promise<AgenticMessage[]> {
  const turn = turnOf(root, ctx as NodeContext<AgentState>);
  const { state } = turn;
  enterNode(state);
  if (turn.waitsForUser) await openUser(turn, ctx);
  // the answer in the log is the one that is sent again, so its calls are the ones that count
  const message = state.steps.at(-1)?.message ?? given;
  const toolbox = turn.toolbox ?? (await toolboxAgain(turn, message, ctx));
  const own = hasOwnCalls(turn, toolbox) ? ownCallsOf(turn, message, toolbox) : undefined;
  const round: Round = { message, rest: own?.rest ?? message, own };
  const open: OpenRound = {
    done: undefined,
    results: (error) => open.done ?? resultsIn(round, [...resultsOf(error, round.rest)]),
    finished: (error) => (open.done ?? resultsOf(error, round.rest)).filter(hasRun),
  };
  turn.round = open;
  if (isRestored(ctx)) checkToolsAreThere(turn, round.rest, toolbox, ctx);
  const running = runCalls(turn, round, toolbox, ctx);
  const results = running instanceof Promise ? await running : running;
  open.done = results;
  const approvals = asksApproval(message) ? await answerApprovals(turn, message, ctx) : [];
  const step = state.steps.at(-1);
  if (step !== undefined) step.results = results;
  if (approvals.length > 0) open.done = [...results, ...approvals];
  state.log.push(...open.done);
  state.phase = "round";
  const ending = endStep(turn, ctx);
  if (ending !== undefined) await ending;
  // only now: a hook may ask, and then all of this begins again
  state.complaints = {};
  if (state.denied !== undefined) state.denied = undefined;
  state.openTools = [];
  own?.handOver(results);
  leaveNode(state, isSavedRun(ctx));
  turn.round = undefined;
  return results;
}

/** The step that the calls belong to was taken in another process. */
async function toolboxAgain(turn: OngoingTurn, message: AgenticMessage, ctx: NodeContext): Promise<Toolbox> {
  const ready = await readyAgent(turn, ctx);
  return reopenedToolbox(turn, message, await toolboxWith(turn, ready, ctx));
}

/** The tools of the agent; where one of the open calls is missing, those that `beforeStep` hooks gave the step. */
async function toolboxWith(turn: OngoingTurn, ready: ReadyAgent, ctx: NodeContext): Promise<Toolbox> {
  const { toolbox, parts } = ready;
  const isMissing = (name: string): boolean => toolbox.table.entries.get(name) === undefined;
  if (!turn.state.openTools.some(isMissing) || !mayAddTools(parts)) return toolbox;
  const again = await stepAgain(turn, ready, ctx);
  return again.offered ?? again.toolbox;
}

interface Round {
  readonly message: AgenticMessage;
  /** The message with the calls that tools run for. */
  readonly rest: AgenticMessage;
  readonly own: OwnCalls | undefined;
}

/** Whether the agent answers to some calls itself. */
function hasOwnCalls({ state }: OngoingTurn, { transfers }: Toolbox): boolean {
  if (transfers.size > 0) return true;
  for (const _ in state.complaints) return true;
  return state.denied !== undefined;
}

/** A tool that waits for an answer may be gone when that comes. */
function isRestored(ctx: NodeContext): ctx is Context {
  return ctx instanceof Context && ctx.openedInvocation?.isRestored === true;
}

/** Whether a result is that of a call, and does not say that there is none. */
function hasRun(message: AgenticMessage): boolean {
  return toolResultsOf(message).every(({ errorKind }) => errorKind !== "not_executed");
}

function resultsIn({ own }: Round, results: AgenticMessage[]): AgenticMessage[] {
  return own === undefined ? results : own.merge(results);
}

function runCalls(
  turn: OngoingTurn,
  round: Round,
  toolbox: Toolbox,
  ctx: NodeContext,
): AgenticMessage[] | Promise<AgenticMessage[]> {
  const { message, rest, own } = round;
  const told = turn.streams ? new ToldCalls(turn, turn.toolbox === undefined ? message : undefined) : undefined;
  if (told !== undefined) own?.tell((callId) => told.introduce(callId));
  if (!hasToolCalls(rest)) return resultsIn(round, []);
  turn.watch?.tools.set(ctx.address, turn);
  const options = toolOptions(turn, toolbox, ctx);
  const batch = new CallBatch(toolbox.kit, rest, ctx as Context, options, callingAgent(turn));
  const results = (told === undefined ? batch : batch.follow(told)).run();
  if (own === undefined) return results;
  return results instanceof Promise ? results.then((all) => own.merge(all)) : own.merge(results);
}

/** Tools get the conversation. Where only some are offered, the others are unknown. */
function toolOptions(turn: OngoingTurn, { kit, table, tools }: Toolbox, ctx: NodeContext): ToolsNodeOptions {
  turn.toolsOptions ??= toolsNodeOptionsOf((ctx.options ?? {}) as ToolsNodeOptions);
  const { messages } = turn;
  return table === kit.table ? { messages, ...turn.toolsOptions } : { messages, tools, ...turn.toolsOptions };
}

/** Tools are told which agent calls. */
function callingAgent({ asked: { threadId }, state }: OngoingTurn): NonNullable<ToolContext["agent"]> {
  const { active: name, userId } = state;
  return { name, ...(threadId !== undefined && { threadId }), ...(userId !== undefined && { userId }) };
}

/** Follows the calls of one message for an agent that streams: emits pieces of results, and results as they arrive. */
class ToldCalls implements BatchFollower {
  readonly #turn: OngoingTurn;
  /** The calls that were made before the run was resumed: whoever reads from here on has not heard of them. */
  readonly #earlier: Map<string, FunctionToolCall>;

  constructor(turn: OngoingTurn, earlier: AgenticMessage | undefined) {
    this.#turn = turn;
    this.#earlier = new Map(earlier === undefined ? [] : toolCallsOf(earlier).map((call) => [call.callId, call]));
  }

  /** Tells of a call before anything else is told about it. */
  introduce(callId: string): void {
    const call = this.#earlier.get(callId);
    if (call === undefined) return;
    this.#earlier.delete(callId);
    this.#turn.emit({ type: "tool_call", callId, name: call.name, arguments: call.arguments });
  }

  start(run: ToolRun): void {
    this.introduce(run.callId);
    startTool(run, true, (started, reader) => this.#read(started, reader));
  }

  onSettled(run: ToolRun): void {
    run.close();
    if (run.isPending) return;
    this.introduce(run.callId);
    this.#turn.emit({ type: "tool_result", callId: run.callId, name: run.name, message: run.message() });
  }

  async #read(run: ToolRun, reader: StreamReader<ToolOutput>): Promise<void> {
    try {
      for await (const piece of reader) {
        if (run.phase !== "running") return;
        run.take(piece);
        const wait = this.#turn.emit({ type: "tool_output_delta", callId: run.callId, delta: piece });
        if (wait !== undefined) await wait;
      }
      run.succeed();
    } catch (thrown) {
      run.fail(thrown);
    }
  }
}
