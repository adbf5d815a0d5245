import type { CheckpointDocument } from "../checkpoint/document/document.js";
import { defaultRuntime } from "../compose/default-runtime.js";
import type { Answers, RunOptions } from "../compose/options.js";
import type { SavedRun } from "../compose/segment.js";
import { isFields } from "../is.js";
import { checkSegmentOptions, driveSegment, runOptionsIn } from "../run/saved/segment.js";
import type { Agent } from "./agent.js";
import type { AgentParts } from "./agent-parts.js";
import type { AgentResult } from "./agent-result.js";
import type { AgentState } from "./agent-state.js";
import type { AgentStream } from "./agent-stream.js";
import type { AgentCallOptions, AgentResumeOptions, Prompt, ResumeTarget } from "./call-options.js";
import { checkMaxSteps, checkModelOptions, checkUser } from "./call-settings.js";
import { invalidAgentOption, needsStore } from "./errors.js";
import { resultOf } from "./run-result.js";
import type { AgentSegmentOptions, SegmentTurn } from "./segment-options.js";
import { turnOfRunId } from "./threads/turn-row.js";
import { driveTurn, type TurnTarget } from "./threads/turn-segment.js";

/** An agent that a segment drives. */
export type SegmentedAgent = Agent<unknown> & { readonly parts: AgentParts };

/** Drives a run of an agent, or a turn of a thread, from where it stands to its next pause or end. */
export function segmentOf(
  agent: SegmentedAgent,
  target: SegmentTurn,
  options: AgentSegmentOptions = {},
): Promise<SavedRun<AgentResult<unknown>>> {
  check(agent.parts, target, options);
  const turn = turnOf(target);
  return turn === undefined ? driveRun(agent, target as string, options) : driveThread(agent, turn, options);
}

function check({ name, options: { store } }: AgentParts, target: unknown, options: AgentSegmentOptions): void {
  checkSegmentOptions(options, ["userId", "onWaiting", "modelOptions", "record"]);
  if (store === undefined) throw needsStore(`segment of agent "${name}" was called`);
  checkUser(`segment of agent "${name}"`, options);
  checkModelOptions("segment", options.modelOptions);
  checkMaxSteps(options.maxSteps);
  const { record } = options;
  if (record !== undefined && !(isFields(record) && typeof record.record === "function"))
    throw invalidAgentOption("record of segment must be a log of events: eventLog(store) of kumiko/ui.");
  const isTurn = isFields(target) && typeof target.threadId === "string" && typeof target.requestId === "string";
  if (typeof target !== "string" && !isTurn)
    throw invalidAgentOption("segment takes the id of a run, or { threadId, requestId } of a turn.");
}

function turnOf(target: SegmentTurn): TurnTarget | undefined {
  if (typeof target !== "string") return target;
  const { id, number } = turnOfRunId(target) ?? {};
  return id === undefined ? undefined : { threadId: id, number };
}

function driveThread(agent: SegmentedAgent, turn: TurnTarget, options: AgentSegmentOptions) {
  const { parts } = agent;
  const { store } = parts.options;
  if (store === undefined) throw needsStore(`segment of agent "${parts.name}" was called`);
  const { threadId } = turn;
  const call = callsOf(agent, threadId, options);
  const runner = {
    parts,
    store,
    begin: (given: AgentCallOptions) => call.begin(options.input as Prompt, given),
    resume: (answers: Answers | undefined, { onWaiting: _, ...given }: AgentCallOptions) =>
      call.resume({ threadId }, answers, given),
  };
  return driveTurn(runner, turn, options);
}

function driveRun(agent: SegmentedAgent, id: string, { record, userId, ...options }: AgentSegmentOptions) {
  const { parts } = agent;
  const { store, runtime = defaultRuntime } = parts.options;
  const { onWaiting: _, modelOptions, ...ofRun } = options;
  const own = { ...(userId !== undefined && { userId }), ...(modelOptions !== undefined && { modelOptions }) };
  const call = callsOf(agent, id, { record });
  const target = {
    name: parts.name,
    store,
    runtime,
    check: (given: RunOptions) => checkRun(agent, given),
    start: (input: unknown, given: RunOptions) => call.begin(input as Prompt, withSymbols(given, own)),
    resume: (run: string, answers: Answers | undefined, given: RunOptions) =>
      call.resume(run, answers, withSymbols(given, own)),
    output: (document: CheckpointDocument) => outputOf(parts, document) as AgentResult<unknown>,
  };
  return driveSegment<AgentResult<unknown>>(target, id, ofRun);
}

/** A spread copies how a run is saved, too. */
const withSymbols = (given: RunOptions, own: object): AgentCallOptions => ({ ...given, ...own });

function checkRun({ graph }: SegmentedAgent, options: RunOptions): void {
  const { checkOptions } = graph as { checkOptions?(options: RunOptions): void };
  checkOptions?.call(graph, runOptionsIn(options));
}

/** The calls of an agent, with their events recorded where that is wanted. */
function callsOf(agent: SegmentedAgent, id: string, { record }: Pick<AgentSegmentOptions, "record">) {
  const recorded = (stream: AgentStream<unknown>): Promise<AgentResult<unknown>> => {
    const copy = record === undefined ? stream : record.record(id, stream);
    return Promise.resolve(copy.result);
  };
  return {
    begin: (prompt: Prompt, options: AgentCallOptions) =>
      record === undefined ? agent.generate(prompt, options) : recorded(agent.stream(prompt, options)),
    resume: (target: ResumeTarget, answers: Answers | undefined, options: AgentResumeOptions) =>
      record === undefined
        ? agent.resume(target, answers, options)
        : recorded(agent.resumeStream(target, answers, options)),
  };
}

/** The result of a run that has finished, out of its last state. */
function outputOf(root: AgentParts, document: CheckpointDocument) {
  const state = document.root?.state?.value as AgentState | undefined;
  return state === undefined ? undefined : resultOf({ root, state, asked: {} }, undefined);
}
