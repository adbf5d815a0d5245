import type { CheckpointStore, StoredCheckpoint } from "../../checkpoint/checkpoint-store.js";
import { readTree } from "../../checkpoint/document/read-document.js";
import { readRow } from "../../checkpoint/journal/store-calls.js";
import { clockOf } from "../../components/clock.js";
import type { Runtime } from "../../compose/runtime.js";
import type { AgenticMessage } from "../../schema/message/agentic-message.js";
import type { FunctionToolCall } from "../../schema/message/content-block.js";
import { toolCallsOf, toolResultsOf } from "../../schema/message/read-message.js";
import { repairToolCalls } from "../../tools/node/repair-tool-calls.js";
import { resultsOf } from "../../tools/node/results-of.js";
import type { AgentState } from "../agent-state.js";
import { notExecuted } from "../own-calls.js";
import { pushedAsLogged, untakenLogged, withUnjudged } from "./push.js";
import { readSavedRun } from "./saved-run.js";
import { storedResult } from "./stored-turn.js";
import { runIdOf, type StoredTurn, type TurnRecord } from "./turn-row.js";

/** What reading the run of a turn needs. */
export interface LeftTurnOptions {
  readonly runtime?: Runtime | undefined;
  /** The states of middlewares that live as long as the thread. @default as they were before the turn */
  readonly keptOf?: ((state: AgentState, former: TurnRecord["kept"]) => Pick<TurnRecord, "kept">) | undefined;
}

/**
 * A turn whose process could not write how it ended: if its run has stopped to wait for answers, the turn waits for them. Nothing is
 * written.
 */
export async function asItWasLeft(
  store: CheckpointStore,
  turn: StoredTurn,
  { runtime }: LeftTurnOptions,
): Promise<StoredTurn> {
  if (turn.record.status === "waiting") return (await waitsNoMore(store, turn, runtime)) ? wentOn(turn) : turn;
  if (turn.record.status !== "open") return turn;
  const run = await readSavedRun(store, runIdOf(turn.key), runtime);
  if (run?.state === undefined || run.interrupts.length === 0) return turn;
  const { owner, claim, stops, ...rest } = turn.record;
  const { state, interrupts, results } = run;
  const waiting = {
    status: "waiting",
    messages: loggedIn(state, rest),
    agent: state.active,
    usage: state.usage,
  } as const;
  return { ...turn, record: { ...rest, ...pushedAsLogged(rest, waiting.messages), ...waiting, interrupts, results } };
}

/**
 * Whether a turn that says that it waits does not: its run was answered from elsewhere, or all its deadlines have passed. Whoever
 * drives it goes on.
 */
export async function waitsNoMore(
  store: CheckpointStore,
  { key, record: { status, interrupts = [] } }: StoredTurn,
  runtime?: Runtime,
): Promise<boolean> {
  if (status !== "waiting") return false;
  const now = clockOf({ runtime }).now();
  if (interrupts.length > 0 && interrupts.every(({ expiresAt = now + 1 }) => expiresAt <= now)) return true;
  const row = await readRow(store, runIdOf(key));
  // one that failed as it went on has its question still, for a resume that works
  return row !== undefined && !["waiting", "failed"].includes(statusIn(row));
}

/** One that cannot be read tells nothing. */
function statusIn(row: StoredCheckpoint): string {
  try {
    return String(readTree(row).finish().status);
  } catch {
    return "waiting";
  }
}

function wentOn({ record: { owner, claim, ...rest }, ...turn }: StoredTurn): StoredTurn {
  return { ...turn, record: { ...rest, status: "open" } };
}

/** A turn whose process is gone, for those who only look at it: with what its run has saved, as far as that can be read. */
export async function withSavedRun(
  store: CheckpointStore,
  { key, record }: StoredTurn,
  { runtime }: LeftTurnOptions = {},
): Promise<TurnRecord> {
  const { interrupts: _, results: __, ...rest } = record;
  const run = await readSavedRun(store, runIdOf(key), runtime).catch(() => undefined);
  if (run?.state === undefined) return rest;
  const { state, interrupts, results } = run;
  const { active: agent, usage, usageByModel } = state;
  return { ...rest, messages: loggedIn(state, rest), agent, usage, usageByModel, interrupts, results };
}

/** Results of calls that have finished stay; the others are not executed any more. */
export function closedQuestions({ interrupts, results = [], pushed, taken, ...rest }: TurnRecord): TurnRecord {
  const missing = (calls: readonly FunctionToolCall[]): readonly AgenticMessage[] =>
    notExecuted(calls, "the conversation went on without its result");
  const messages = completed(rest.messages, results, missing);
  return { ...rest, status: "aborted", messages: [...messages, ...untakenLogged({ pushed, taken }, rest)] };
}

/** The state of a turn whose process ended: its run may have saved more than the turn itself. */
export async function cutOff(
  store: CheckpointStore,
  { record, key }: StoredTurn,
  { runtime, keptOf = () => ({}) }: LeftTurnOptions,
): Promise<TurnRecord> {
  const { owner, claim, stops, sealed, pushed, taken, ...rest } = record;
  const { state, results = [], isOver = false } = (await readSavedRun(store, runIdOf(key), runtime)) ?? {};
  const missing = (_calls: unknown, message: AgenticMessage): readonly AgenticMessage[] =>
    resultsOf(new Error("The process that ran it has ended."), message);
  const logged = state === undefined ? rest.messages : loggedIn(state, record);
  const messages = [
    ...withUnjudged(completed(logged, results, missing), record, state?.heard),
    ...untakenLogged(pushedAsLogged(record, logged), record),
  ];
  if (state === undefined) return { ...rest, status: "failed", messages };
  return {
    ...rest,
    status: isOver ? "done" : "failed",
    messages,
    usage: state.usage,
    usageByModel: state.usageByModel,
    result: storedResult(state),
    ...(isOver && { finishReason: state.end ?? "stop" }),
    agent: state.active,
    ...keptOf(state, rest.kept),
  };
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
