import type { Interrupt } from "../../checkpoint/pause/interrupt.js";
import { clockOf } from "../../components/clock.js";
import type { Answers, ResumeOptions, RunOptions } from "../../compose/options.js";
import { KumikoError } from "../../errors.js";
import { CallStop } from "../../run/call-stop.js";
import { CompiledPlan } from "../../run/compiled-plan.js";
import { savedAs } from "../../run/options/checkpoint-options.js";
import type { AgenticMessage } from "../../schema/message/agentic-message.js";
import type { AgentGraph } from "../agent.js";
import type { AgentParts } from "../agent-parts.js";
import type { AgentState } from "../agent-state.js";
import type { AgentCallOptions } from "../call-options.js";
import {
  checkMaxSteps,
  checkModelOptions,
  checkUser,
  ofCall,
  ofCreateAgent,
  runNames,
  runOptionsOf,
} from "../call-settings.js";
import {
  checkAgentOptionNames,
  childOfTwo,
  type Elsewhere,
  invalidAgentOption,
  needsStore,
  noSuchRun,
  runOfOtherUser,
} from "../errors.js";
import { type Opened, openTurn, reopenTurn } from "./open-turn.js";
import { readSavedRun } from "./saved-run.js";
import type { ThreadTurn } from "./thread-turn.js";
import type { AnsweringRequest, TurnRecord } from "./turn-row.js";
import { untilStopped } from "./until-stopped.js";

/** A called agent with its graph. */
interface CalledAgent {
  readonly parts: AgentParts;
  readonly graph: AgentGraph;
}

/** A turn of a thread, and the time that is left for its run. */
export type OpenedCall = Opened & { readonly left: { readonly timeoutMs?: number } };

interface ThreadCall {
  readonly messages: readonly AgenticMessage[];
  readonly options: AgentCallOptions;
  readonly threadId: string;
  readonly reader: AbortSignal | undefined;
}

/** Opens a turn of a thread, and waits for it where it may; that ends with the call, and counts towards its time. */
export async function openThread(
  { parts, graph }: CalledAgent,
  { messages, options, threadId, reader }: ThreadCall,
): Promise<OpenedCall> {
  checkThreadOptions(parts, options);
  checkRunFirst(graph, options);
  const { runtime } = parts.options;
  const signals = [options.signal, reader].filter((signal) => signal !== undefined);
  const signal = signals.length > 1 ? AbortSignal.any(signals) : signals[0];
  const stop = new CallStop({ signal, timeoutMs: options.timeoutMs }, clockOf({ runtime }));
  try {
    const opening = openTurn({ parts, graph, threadId, messages, options: { ...options, signal: stop.signal } });
    const opened = await untilStopped(opening, [stop.signal], runtime, abandon);
    return { ...opened, left: stop.left };
  } finally {
    stop.over();
  }
}

/** A turn that was opened after its caller had left does not hold the thread. */
async function abandon(opened: Opened): Promise<void> {
  if (opened.kind === "new") await opened.turn.close("aborted", { state: undefined, messages: opened.turn.messages });
}

function checkThreadOptions({ name, options: { store } }: AgentParts, options: AgentCallOptions): void {
  if (options.parent !== undefined) throw childOfTwo("threadId");
  if (options.checkpointId !== undefined) {
    throw invalidAgentOption(
      "threadId and checkpointId exclude each other: each turn of a thread has a checkpoint of its own.",
    );
  }
  if (store === undefined) throw needsStore(`Agent "${name}" was called with a threadId`);
}

/** Checks the options of a run before its turn is written, which would stay in the thread. */
function checkRunFirst(graph: AgentGraph, options: AgentCallOptions): void {
  if (graph instanceof CompiledPlan) graph.checkOptions(runOptionsOf(options));
}

/** Opens what is resumed: a run, or the newest turn of a thread. */
export async function openRun(
  { parts, graph }: CalledAgent,
  target: string | { readonly threadId: string },
  {
    answers,
    options,
    isRead,
    request,
  }: {
    readonly answers: Answers | undefined;
    readonly options: AgentCallOptions;
    readonly isRead: boolean;
    readonly request?: AnsweringRequest | undefined;
  },
): Promise<OpenedRun> {
  checkResumeOptions(parts, options);
  const reopened = await reopenTurn({ parts, graph, target, options, answers, request });
  if (reopened === undefined) {
    const id = String(target);
    const { store, runtime } = parts.options;
    const saved =
      isRead && answers && store ? await readSavedRun(store, id, runtime).catch(() => undefined) : undefined;
    return { id, thread: undefined, answers, answered: answeredOf(saved?.interrupts, answers) };
  }
  if (reopened.kind === "known") return reopened;
  const { turn, answers: fresh } = reopened;
  return { id: turn.checkpointId, thread: turn, answers: fresh, answered: answeredOf(turn.questions, fresh) };
}

/** The questions that have an answer, by id or by address. */
function answeredOf(questions: readonly Interrupt[] = [], answers: Answers = {}): readonly Interrupt[] {
  const byAddress: object = answers.byAddress ?? {};
  return questions.filter(({ id, address }) => Object.hasOwn(answers, id) || Object.hasOwn(byAddress, address));
}

/** What goes on with which answers, or a turn that has ended. */
type OpenedRun =
  | {
      readonly kind?: undefined;
      readonly id: string;
      readonly thread: ThreadTurn | undefined;
      readonly answers: Answers | undefined;
      /** The questions that they answer, for those who read events. */
      readonly answered: readonly Interrupt[];
    }
  | { readonly kind: "known"; readonly record: TurnRecord };

const ofNewTurns: Elsewhere = {
  names: [...ofCall.names, ...ofCreateAgent.names],
  use: (option) => {
    if (option === "threadId" || option === "checkpointId") return `what is resumed: resume({ ${option} })`;
    return (ofCall.names.includes(option) ? ofCall : ofCreateAgent).use(option);
  },
};

const onlyOfNewRuns = ["parent", "key", "checkpointId", "forceNewRun"];

function checkResumeOptions({ name, options: { store } }: AgentParts, options: AgentCallOptions): void {
  const names = runNames.filter((one) => !onlyOfNewRuns.includes(one));
  checkAgentOptionNames(`resume of agent "${name}"`, options, [...names, "userId", "modelOptions"], ofNewTurns);
  checkUser(`resume of agent "${name}"`, options);
  checkMaxSteps(options.maxSteps);
  checkModelOptions("resume", options.modelOptions);
  if (store === undefined) throw needsStore(`Agent "${name}" was asked to resume`);
}

export interface ResumedRun {
  readonly id: string;
  readonly thread: ThreadTurn | undefined;
  readonly answers: Answers | undefined;
  /** The options of the run. */
  readonly run: RunOptions;
  readonly modifyState: ResumeOptions["modifyState"];
  /** Who resumes it, if the caller says so. */
  readonly userId: string | undefined;
  /** Gets the state that the run begins with. */
  readonly onState: (state: AgentState) => void;
}

/** Goes on with a run. One that was never saved begins again. */
export async function resumeRun(
  { parts, graph }: CalledAgent,
  { id, thread, answers, run, modifyState: given, userId, onState }: ResumedRun,
): Promise<AgenticMessage> {
  if (thread?.hasBrokenOff === true) await finishTurn(thread, parts, id);
  const modifyState: ResumeOptions["modifyState"] = (state, path) => {
    const changed = given?.(state, path);
    if (path !== "") return changed;
    const first = (changed ?? state) as AgentState;
    if (thread !== undefined) first.userId = thread.userId;
    else if (userId !== undefined && first.userId !== userId) throw runOfOtherUser(id);
    onState(first);
    return changed;
  };
  const begin = (messages: readonly AgenticMessage[]): Promise<AgenticMessage> => {
    const { modifyState: _, ...fromStart } = run;
    const options = { ...fromStart, checkpointId: id, forceNewRun: true, takeover: true };
    const of = { threadId: thread?.threadId, userId: thread?.userId };
    return graph.invoke(messages, savedAs(options, { hasReservedId: true, ...of }));
  };
  if (thread?.hasNotBegun === true) return begin(thread.messages);
  try {
    return await graph.resume(id, answers, { ...run, modifyState });
  } catch (error) {
    if (!isUnknown(error)) throw error;
    if (thread?.mayNotHaveBegun !== true) throw noSuchRun(id, error);
    // it ended before the run was saved for the first time
    return begin(thread.messages);
  }
}

/** A turn whose nodes have all ended is done, before its checkpoint goes: no node that runs now would write it. */
async function finishTurn(thread: ThreadTurn, parts: AgentParts, id: string): Promise<void> {
  const { store } = parts.options;
  const run = store && (await readSavedRun(store, id, parts.options.runtime));
  if (run?.isOver === true && run.state !== undefined) await thread.finish(run.state);
}

function isUnknown(error: unknown): boolean {
  return KumikoError.is(error) && error.code === "UNKNOWN_CHECKPOINT";
}
