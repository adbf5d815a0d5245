import type { CheckpointStore } from "../../checkpoint/checkpoint-store.js";
import { isConflict } from "../../checkpoint/errors.js";
import { processOwner } from "../../checkpoint/journal/process-owner.js";
import { runningClaims } from "../../checkpoint/journal/running-claims.js";
import { clockOf } from "../../components/clock.js";
import { pause } from "../../components/pause.js";
import type { Answers } from "../../compose/options.js";
import type { Runtime } from "../../compose/runtime.js";
import { KumikoError } from "../../errors.js";
import type { AgenticMessage } from "../../schema/message/agentic-message.js";
import type { FunctionToolCall } from "../../schema/message/content-block.js";
import { toolCallsOf, toolResultsOf } from "../../schema/message/read-message.js";
import { repairToolCalls } from "../../tools/node/repair-tool-calls.js";
import { resultsOf } from "../../tools/node/results-of.js";
import type { AgentGraph } from "../agent.js";
import { type AgentParts, reachableFrom } from "../agent-parts.js";
import { type AgentState, noUsage, type SpentTokens } from "../agent-state.js";
import type { AgentCallOptions } from "../call-options.js";
import {
  emptyThread,
  needsStore,
  nothingOpen,
  threadBusy,
  threadWaiting,
  turnUnderWay,
  unknownMessage,
} from "../errors.js";
import { notExecuted } from "../own-calls.js";
import { type ReadAnswers, suspendedAnswers } from "./auto-resume.js";
import { freshAnswers, knownRequest, removeAfter, turnOfMessage } from "./requests.js";
import { readSavedRun } from "./saved-run.js";
import { storedResult } from "./stored-turn.js";
import { keptOf, ThreadTurn } from "./thread-turn.js";
import {
  mayRun,
  readTurns,
  runIdOf,
  type StoredTurn,
  type TurnRecord,
  turnKey,
  turnOfRunId,
  writeTurn,
} from "./turn-row.js";

interface Asked {
  readonly parts: AgentParts;
  readonly graph: AgentGraph;
  readonly options: AgentCallOptions;
}

interface NewTurn extends Asked {
  readonly threadId: string;
  readonly messages: readonly AgenticMessage[];
}

/** A new turn, or one that goes on with what the message answers. */
export type Opened = (
  | { readonly kind: "new"; readonly turn: ThreadTurn }
  | { readonly kind: "resumed"; readonly checkpointId: string; readonly answers: Answers | undefined }
  /** The request is that of a turn which has stopped already. */
  | { readonly kind: "known"; readonly record: TurnRecord }
) & {
  /** The tokens used to find out. */
  readonly spent: readonly SpentTokens[];
};

/** Opens a turn of a thread. A thread has at most one open turn. */
export async function openTurn(asked: NewTurn): Promise<Opened> {
  const { parts, threadId, messages, options } = asked;
  const store = storeOf(parts);
  const spent: SpentTokens[] = [];
  for (let attempt = 1; ; attempt++) {
    options.signal?.throwIfAborted();
    const turns = await readTurns(store, threadId);
    const found = turns.at(-1);
    if (turns.length === 0 && messages.length === 0) throw emptyThread(threadId);
    if (found?.record.status === "open" && !(await isFree(store, found, options))) {
      if (options.onBusy !== "wait") throw threadBusy(threadId);
      await waitForTurn(attempt, options.signal, parts.options.runtime);
      continue;
    }
    const last = found && (await asItWasLeft(store, parts, found));
    const known = options.requestId === undefined ? undefined : knownRequest(asked, turns, last);
    if (known !== undefined && known !== "replace") return { ...known, spent };
    const target = options.replaces === undefined ? undefined : turnOfMessage(turns, options.replaces);
    if (options.replaces !== undefined && target === undefined) throw unknownMessage(threadId, options.replaces);
    const replaced = known === "replace" ? last : target;
    if (replaced !== undefined) {
      try {
        return { kind: "new", turn: await replaceTurn(asked, store, turns, replaced), spent };
      } catch (error) {
        if (!isConflict(error)) throw error;
        continue;
      }
    }
    if (last?.record.status === "waiting") {
      const { answers, spent: more } = await answered(asked, turns, last);
      spent.push(...more);
      if (answers !== undefined) return { kind: "resumed", checkpointId: runIdOf(last.key), answers, spent };
      if (options.onWaiting !== "close") throw threadWaiting(threadId, last.record.interrupts);
    }
    try {
      const closed = last === undefined ? [] : [await closeFormer(asked, store, last)];
      return { kind: "new", turn: await newTurn(asked, store, [...turns.slice(0, -1), ...closed]), spent };
    } catch (error) {
      // another process was faster: look again
      if (!isConflict(error)) throw error;
    }
  }
}

async function replaceTurn(
  asked: NewTurn,
  store: CheckpointStore,
  turns: readonly StoredTurn[],
  replaced: StoredTurn,
): Promise<ThreadTurn> {
  await removeAfter(store, turns, replaced);
  const before = turns.filter(({ key }) => key < replaced.key);
  return newTurn(asked, store, before, replaced);
}

async function answered(asked: NewTurn, turns: readonly StoredTurn[], { record }: StoredTurn): Promise<ReadAnswers> {
  const { parts, messages, threadId, options } = asked;
  if (parts.options.autoResumeSuspendedTools !== true) return { answers: undefined, spent: [] };
  const agent = reachableFrom(parts).find(({ name }) => name === record.agent) ?? parts;
  const { interrupts = [] } = record;
  return suspendedAnswers({ parts: agent, threadId, interrupts, messages, history: messagesOfTurns(turns), options });
}

/** `replaced`: the turn that it is written over. */
async function newTurn(
  { parts, threadId, messages, options }: NewTurn,
  store: CheckpointStore,
  turns: readonly StoredTurn[],
  replaced?: StoredTurn,
): Promise<ThreadTurn> {
  const last = turns.at(-1)?.record;
  const number = replaced?.record.number ?? (last?.number ?? 0) + 1;
  const claim = runningClaims.open();
  const record: TurnRecord = {
    version: 1,
    number,
    status: "open",
    messages,
    agent: last?.agent || parts.name,
    usage: noUsage,
    startedAt: clockOf({ runtime: parts.options.runtime }).now(),
    owner: processOwner(),
    claim,
    ...(last?.kept !== undefined && { kept: last.kept }),
    ...(options.requestId !== undefined && { requestId: options.requestId }),
  };
  try {
    const stored = await writeTurn(store, turnKey(threadId, number), record, replaced?.version);
    return new ThreadTurn(store, parts, { threadId, history: messagesOfTurns(turns), stored });
  } catch (error) {
    runningClaims.close(claim);
    throw error;
  }
}

/** A turn that goes on, with the answers that it does not have yet; or one that has ended. */
export type Reopened =
  | { readonly kind: "reopened"; readonly turn: ThreadTurn; readonly answers: Answers | undefined }
  | { readonly kind: "known"; readonly record: TurnRecord };

/** Goes on with a turn of a thread; `undefined` for a checkpoint that belongs to none. */
export async function reopenTurn(
  asked: Asked & {
    readonly target: string | { readonly threadId: string };
    readonly answers: Answers | undefined;
  },
): Promise<Reopened | undefined> {
  const { parts, target, options, answers } = asked;
  const named = typeof target === "string" ? turnOfRunId(target) : { id: target.threadId, number: undefined };
  if (named === undefined) return undefined;
  const store = storeOf(parts);
  const turns = await readTurns(store, named.id);
  const found = turns.at(-1);
  if (found === undefined || (named.number !== undefined && found.record.number !== named.number))
    throw nothingOpen(named.id);
  // with no answers, or those that the turn has had, a client asks for what it may have missed
  if (found.record.status === "done" && typeof target !== "string" && answers !== undefined) {
    const { fresh = {} } = freshAnswers(found.record, answers, () => false);
    if (Object.keys(fresh).length === 0 && found.record.result !== undefined)
      return { kind: "known", record: found.record };
  }
  if (found.record.status === "done") throw nothingOpen(named.id);
  if (found.record.status === "open" && !(await isFree(store, found, options))) throw turnUnderWay(named.id);
  const { record, key, version } = await asItWasLeft(store, parts, found);
  const isRepeated = Object.keys(answers ?? {}).some((id) => Object.hasOwn(record.answers ?? {}, id));
  const waits = record.interrupts ?? (isRepeated ? (await readSavedRun(store, parts, runIdOf(key)))?.interrupts : []);
  const { fresh, all } = freshAnswers(record, answers, (id) => waits?.some((open) => open.id === id) === true);
  const claim = runningClaims.open();
  try {
    const { notBegun, ...rest } = record;
    const open: TurnRecord = { ...rest, status: "open", owner: processOwner(), claim, ...(all && { answers: all }) };
    const stored = await writeTurn(store, key, open, version);
    const history = messagesOfTurns(turns.slice(0, -1));
    const turn = new ThreadTurn(store, parts, { threadId: named.id, history, stored, former: record });
    return { kind: "reopened", turn, answers: fresh };
  } catch (error) {
    runningClaims.close(claim);
    throw isConflict(error) ? turnUnderWay(named.id) : error;
  }
}

function storeOf({ name, options: { store } }: AgentParts): CheckpointStore {
  if (store === undefined) throw needsStore(`Agent "${name}" was called with a threadId`);
  return store;
}

/** Whether an open turn is no longer being run. */
async function isFree(store: CheckpointStore, { record }: StoredTurn, options: AgentCallOptions): Promise<boolean> {
  return options.takeover === true || !(await mayRun(store, record));
}

/**
 * A turn whose process could not write how it ended: if its run has stopped to wait for answers, the turn waits for them. Nothing is
 * written.
 */
async function asItWasLeft(store: CheckpointStore, parts: AgentParts, turn: StoredTurn): Promise<StoredTurn> {
  if (turn.record.status !== "open") return turn;
  const run = await readSavedRun(store, parts, runIdOf(turn.key));
  if (run?.state === undefined || run.interrupts.length === 0) return turn;
  const { owner, claim, ...rest } = turn.record;
  const { state, interrupts, results } = run;
  const waiting = {
    status: "waiting",
    messages: loggedIn(state, rest),
    agent: state.active,
    usage: state.usage,
  } as const;
  return { ...turn, record: { ...rest, ...waiting, interrupts, results } };
}

/** A turn that is over has no open calls, and no checkpoint where no history is kept. */
async function closeFormer(
  { parts, graph, options }: Asked,
  store: CheckpointStore,
  turn: StoredTurn,
): Promise<StoredTurn> {
  const { record, key, version } = turn;
  const runId = runIdOf(key);
  const isKept = (parts.options.history ?? false) !== false;
  if (record.status !== "open" && record.status !== "waiting") {
    if (!isKept) await removeRun(graph, store, runId, options);
    return turn;
  }
  const closed = record.status === "waiting" ? closedQuestions(record) : await cutOff(store, parts, turn);
  const stored = await writeTurn(store, key, closed, version);
  if (!isKept) await store.delete(runId);
  return stored;
}

/** Results of calls that have finished stay; the others are not executed any more. */
function closedQuestions({ interrupts, results = [], ...rest }: TurnRecord): TurnRecord {
  const missing = (calls: readonly FunctionToolCall[]): readonly AgenticMessage[] =>
    notExecuted(calls, "the conversation went on without its result");
  return { ...rest, status: "aborted", messages: completed(rest.messages, results, missing) };
}

/** The state of a turn whose process ended: its run may have saved more than the turn itself. */
async function cutOff(store: CheckpointStore, parts: AgentParts, { record, key }: StoredTurn): Promise<TurnRecord> {
  const { owner, claim, ...rest } = record;
  const { state, results = [], isOver = false } = (await readSavedRun(store, parts, runIdOf(key))) ?? {};
  const missing = (_calls: unknown, message: AgenticMessage): readonly AgenticMessage[] =>
    resultsOf(new Error("The process that ran it has ended."), message);
  if (state === undefined) return { ...rest, status: "failed", messages: completed(rest.messages, results, missing) };
  return {
    ...rest,
    status: isOver ? "done" : "failed",
    messages: completed(loggedIn(state, record), results, missing),
    usage: state.usage,
    usageByModel: state.usageByModel,
    result: storedResult(state),
    ...(isOver && { finishReason: state.end ?? "stop" }),
    agent: state.active,
    ...keptOf(parts, state, rest.kept),
  };
}

/** Removes the run of a turn that is over, if its process died before it did. One that still runs is about to remove it. */
async function removeRun(
  graph: AgentGraph,
  store: CheckpointStore,
  runId: string,
  { takeover }: AgentCallOptions,
): Promise<void> {
  try {
    await graph.forget(runId, takeover === undefined ? {} : { takeover });
  } catch (error) {
    const code = KumikoError.is(error) ? error.code : undefined;
    if (code === "CHECKPOINT_UNREADABLE") await store.delete(runId);
    else if (code !== "CHECKPOINT_IN_USE") throw error;
  }
}

/** A run that was saved before its first step has logged nothing yet, not even the prompt. */
function loggedIn({ log, entry }: AgentState, { messages }: Pick<TurnRecord, "messages">): readonly AgenticMessage[] {
  if (log.length === 0) return messages;
  return entry === undefined ? log : log.slice(0, entry.log);
}

type MissingResults = (calls: readonly FunctionToolCall[], message: AgenticMessage) => readonly AgenticMessage[];

/** A log in which every call has a result: that of the last round's calls which is known, or what `missing` returns for each. */
function completed(
  log: readonly AgenticMessage[],
  known: readonly AgenticMessage[],
  missing: MissingResults,
): readonly AgenticMessage[] {
  const last = log.at(-1);
  const calls = last?.role === "assistant" ? toolCallsOf(last) : [];
  if (last === undefined || calls.length === 0) return repairToolCalls(log);
  const others = missing(calls, last);
  const resultOf = (callId: string): AgenticMessage | undefined =>
    known.find((message) => toolResultsOf(message).some((result) => result.callId === callId));
  return [...log, ...others.map((other, index) => resultOf(calls[index]?.callId ?? "") ?? other)];
}

export function messagesOfTurns(turns: readonly StoredTurn[]): AgenticMessage[] {
  return turns.flatMap(({ record }) => record.messages);
}

const first = 20;
const longest = 1_000;

/** Waits before a thread is looked at again: longer each time, at most a second. Rejects when the call is stopped. */
function waitForTurn(attempt: number, signal: AbortSignal | undefined, runtime: Runtime | undefined): Promise<void> {
  return pause(Math.min(longest, first * 2 ** (attempt - 1)), clockOf({ runtime }), signal);
}
