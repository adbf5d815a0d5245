import type { CheckpointStore } from "../../checkpoint/checkpoint-store.js";
import { waitMs } from "../../checkpoint/journal/driven.js";
import { processOwner } from "../../checkpoint/journal/process-owner.js";
import { runningClaims } from "../../checkpoint/journal/running-claims.js";
import { clockOf } from "../../components/clock.js";
import { pause } from "../../components/pause.js";
import type { Answers } from "../../compose/options.js";
import { KumikoError } from "../../errors.js";
import type { AgenticMessage } from "../../schema/message/agentic-message.js";
import type { AgentGraph } from "../agent.js";
import { type AgentParts, reachableFrom } from "../agent-parts.js";
import { noUsage, type SpentTokens } from "../agent-state.js";
import type { AgentCallOptions } from "../call-options.js";
import {
  emptyThread,
  needsStore,
  nothingOpen,
  threadBusy,
  threadOfOtherUser,
  threadWaiting,
  turnUnderWay,
  unknownMessage,
} from "../errors.js";
import type { Verdicts } from "../guards/guard.js";
import { type ReadAnswers, suspendedAnswers } from "./auto-resume.js";
import { type Beginning, beginTurn, type Refused } from "./begin-turn.js";
import { holdThread, isHeld, readHead } from "./head-row.js";
import { asItWasLeft, closedQuestions, cutOff, type LeftTurnOptions, withSavedRun } from "./left-turn.js";
import { promptDigest } from "./prompt-digest.js";
import { withPushedOf } from "./push.js";
import { freshAnswers, knownRequest, removeAfter, turnOfMessage } from "./requests.js";
import { removeIf } from "./rows.js";
import { keptOf, ThreadTurn, userOf } from "./thread-turn.js";
import {
  type AnsweringRequest,
  changeTurn,
  follows,
  ifUnchanged,
  mayRun,
  readThread,
  readTurn,
  readTurns,
  runIdOf,
  type StoredTurn,
  type TurnRecord,
  turnKey,
  turnOfRunId,
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
  | {
      readonly kind: "resumed";
      readonly checkpointId: string;
      readonly answers: Answers | undefined;
      /** To be remembered with the answers. */
      readonly request?: AnsweringRequest | undefined;
    }
  /** The request is that of a turn which has stopped already. */
  | { readonly kind: "known"; readonly record: TurnRecord }
) & {
  /** The tokens used to find out. */
  readonly spent: readonly SpentTokens[];
  /** What guards have said meanwhile of the messages that begin a turn. */
  readonly verdicts?: Verdicts;
};

/** Opens a turn of a thread. A thread has at most one open turn. */
export async function openTurn(asked: NewTurn): Promise<Opened> {
  const { parts, threadId, messages, options } = asked;
  const store = storeOf(parts);
  const spent: SpentTokens[] = [];
  const verdicts: Verdicts = new Map();
  for (let attempt = 0; ; attempt++) {
    const waitForOther = async (): Promise<void> => {
      if (options.onBusy !== "wait") throw threadBusy(threadId);
      await pause(waitMs(attempt), clockOf(parts.options), options.signal);
    };
    options.signal?.throwIfAborted();
    const { turns, strays } = await readThread(store, threadId);
    const found = turns.at(-1);
    if (turns.length === 0 && messages.length === 0) throw emptyThread(threadId);
    checkOwner(threadId, turns, options);
    if (found?.record.status === "open" && !(await isFree(store, found, options))) {
      await waitForOther();
      continue;
    }
    const last = found && (await asItWasLeft(store, found, parts.options));
    const known = options.requestId === undefined ? undefined : await knownRequest(asked, turns, last);
    if (known !== undefined && known !== "replace") return { ...known, spent };
    // it was answered from elsewhere: whoever drives it goes on
    if (last?.record.status === "open" && found?.record.status === "waiting" && options.replaces === undefined) {
      await waitForOther();
      continue;
    }
    const target = options.replaces === undefined ? undefined : turnOfMessage(turns, options.replaces);
    if (options.replaces !== undefined && target === undefined) throw unknownMessage(threadId, options.replaces);
    const replaced = known === "replace" ? last : target;
    if (replaced !== undefined) {
      const turn = await replaceTurn(asked, store, turns, replaced);
      if (turn instanceof ThreadTurn) return { kind: "new", turn, spent, verdicts };
      if (turn === "held") await waitForOther();
      continue;
    }
    if (last?.record.status === "waiting") {
      const { answers, spent: more } = await answered(asked, turns, last, verdicts);
      spent.push(...more);
      if (answers !== undefined) {
        const { requestId: id } = options;
        const request = id === undefined ? undefined : { id, prompt: await promptDigest(messages) };
        return { kind: "resumed", checkpointId: runIdOf(last.key), answers, request, spent };
      }
      if (options.onWaiting !== "close") throw threadWaiting(threadId, last.record.interrupts);
    }
    const closed = last && (await closeFormer(asked, store, last));
    // where another process was faster, there is none: look again
    if (last !== undefined && closed === undefined) continue;
    const before = closed === undefined ? [] : [...turns.slice(0, -1), closed];
    const turn = await newTurn(asked, store, before, { strays });
    if (turn instanceof ThreadTurn) return { kind: "new", turn, spent, verdicts };
    if (turn === "held") await waitForOther();
  }
}

async function replaceTurn(
  asked: NewTurn,
  store: CheckpointStore,
  turns: readonly StoredTurn[],
  replaced: StoredTurn,
): Promise<ThreadTurn | Refused> {
  const { threadId, parts, options } = asked;
  const at = clockOf(parts.options).now();
  const hold = await holdThread(store, threadId, { at, byForce: options.takeover === true });
  if (hold === undefined) return "held";
  try {
    // nobody can begin a turn any more, but somebody may have
    const last = turns.at(-1);
    const { turns: now, strays } = await readThread(store, threadId);
    const newest = now.at(-1);
    if (newest === undefined || newest.key !== last?.key || newest.version !== last.version) return "changed";
    await removeAfter(store, turns, replaced);
    const before = turns.filter(({ key }) => key < replaced.key);
    return await newTurn(asked, store, before, { strays, replaced, hold: hold.claim });
  } finally {
    await hold.release();
  }
}

async function answered(
  asked: NewTurn,
  turns: readonly StoredTurn[],
  { record }: StoredTurn,
  verdicts: Verdicts,
): Promise<ReadAnswers> {
  const { parts, messages, threadId, options } = asked;
  if (parts.options.autoResumeSuspendedTools !== true) return { answers: undefined, spent: [] };
  const agent = reachableFrom(parts).find(({ name }) => name === record.agent) ?? parts;
  const { interrupts = [] } = record;
  const history = messagesOfTurns(turns);
  return suspendedAnswers({ root: parts, parts: agent, threadId, interrupts, messages, history, options, verdicts });
}

async function newTurn(
  { parts, threadId, messages, options }: NewTurn,
  store: CheckpointStore,
  turns: readonly StoredTurn[],
  place: Pick<Beginning, "strays" | "replaced" | "hold">,
): Promise<ThreadTurn | Refused> {
  const before = turns.at(-1);
  const last = before?.record;
  const first = turns[0]?.record ?? place.replaced?.record;
  const userId = first === undefined ? options.userId : first.userId;
  const number = (last?.number ?? 0) + 1;
  const claim = runningClaims.open();
  const record: TurnRecord = {
    version: 1,
    number,
    mark: claim,
    ...(last?.mark !== undefined && { after: last.mark }),
    ...(number === 1 && userOf({ userId })),
    status: "open",
    messages,
    agent: last?.agent || parts.name,
    usage: noUsage,
    startedAt: clockOf(parts.options).now(),
    owner: processOwner(),
    claim,
    ...(last?.kept !== undefined && { kept: last.kept }),
    ...(options.requestId !== undefined && { requestId: options.requestId }),
    ...(mayReplace(parts) && { guarded: true as const }),
    ...(options.requestId !== undefined && mayReplace(parts) && { prompt: await promptDigest(messages) }),
  };
  const byForce = options.takeover === true;
  const stored = await claimed(claim, () => beginTurn(store, threadId, record, { ...place, userId, before, byForce }));
  if (typeof stored === "string") return stored;
  return new ThreadTurn(store, parts, { threadId, userId, history: messagesOfTurns(turns), stored });
}

/** Whether a guard may make another prompt of it. */
function mayReplace({ guards }: AgentParts): boolean {
  return guards.some(({ input }) => input !== undefined);
}

/** Writes a turn with a claim, which is given up if the turn could not be written. */
async function claimed<Written extends StoredTurn | string | undefined>(
  claim: string,
  write: () => Promise<Written>,
): Promise<Written> {
  let stored: Written | undefined;
  try {
    stored = await write();
    return stored;
  } finally {
    if (typeof stored !== "object") runningClaims.close(claim);
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
    readonly request?: AnsweringRequest | undefined;
  },
): Promise<Reopened | undefined> {
  const { parts, target, options, answers, request } = asked;
  const named = typeof target === "string" ? turnOfRunId(target) : { id: target.threadId, number: undefined };
  if (named === undefined) return undefined;
  const store = storeOf(parts);
  const turns = await readTurns(store, named.id);
  const found = turns.at(-1);
  if (found === undefined || (named.number !== undefined && found.record.number !== named.number))
    throw nothingOpen(named.id);
  checkOwner(named.id, turns, options);
  // with no answers, or those that the turn has had, a client asks for what it may have missed
  if (found.record.status === "done" && typeof target !== "string" && answers !== undefined) {
    const { fresh = {} } = freshAnswers(found.record, answers, () => false);
    if (Object.keys(fresh).length === 0 && found.record.result !== undefined)
      return { kind: "known", record: found.record };
  }
  if (found.record.status === "done") throw nothingOpen(named.id);
  if (found.record.status === "open" && !(await isFree(store, found, options))) throw turnUnderWay(named.id);
  const { record, key, version } = await asItWasLeft(store, found, parts.options);
  const isRepeated = Object.keys(answers ?? {}).some((id) => Object.hasOwn(record.answers ?? {}, id));
  // a turn that was cut off still has the questions that it went on from, and lacks what it has logged since
  const isCutOff = record.status === "open";
  const isUnsure = isCutOff || (isRepeated && record.status !== "waiting");
  const left = isUnsure ? await withSavedRun(store, found, parts.options) : record;
  const { interrupts: waits } = left;
  const { fresh, all } = freshAnswers(record, answers, (id) => waits?.some((open) => open.id === id) === true);
  const claim = runningClaims.open();
  const { notBegun, stops, sealed, ...rest } = record;
  const { messages, results } = isCutOff ? left : record;
  const now = {
    messages,
    results,
    status: "open",
    owner: processOwner(),
    claim,
    ...(all && { answers: all }),
    ...(request && { requests: [...(record.requests ?? []), request] }),
  } as const;
  const open: TurnRecord = { ...rest, ...now };
  const stored = await claimed(claim, async () => {
    const written = ifUnchanged(record, () => open);
    const turn = await changeTurn(store, key, written, { record, version });
    if (turn === undefined) return undefined;
    const giveBack = () =>
      changeTurn(store, key, (now, isMine) => (isMine ? withPushedOf(now, found.record) : undefined), {
        ...turn,
        claim,
      });
    try {
      if (await isAlone(store, named.id, { turn, options })) return turn;
    } catch (error) {
      await giveBack().catch(() => undefined);
      throw error;
    }
    await giveBack();
    return undefined;
  });
  if (stored === undefined) throw turnUnderWay(named.id);
  const history = messagesOfTurns(turns.slice(0, -1));
  const { userId } = turns[0]?.record ?? record;
  const turn = new ThreadTurn(store, parts, { threadId: named.id, userId, history, stored, former: record });
  return { kind: "reopened", turn, answers: fresh };
}

/** Whether nobody has begun a later turn, or changes the thread as a whole. */
async function isAlone(
  store: CheckpointStore,
  id: string,
  { turn: { record }, options }: { readonly turn: StoredTurn; readonly options: AgentCallOptions },
): Promise<boolean> {
  const [next, head] = await Promise.all([readTurn(store, turnKey(id, record.number + 1)), readHead(store, id)]);
  if (next !== undefined && follows(next.record, record)) return false;
  return options.takeover === true || !(await isHeld(store, head.row));
}

/** A thread does not exist for another user than its own. */
function checkOwner(id: string, [first]: readonly StoredTurn[], { userId }: AgentCallOptions): void {
  if (first !== undefined && userId !== undefined && first.record.userId !== userId) throw threadOfOtherUser(id);
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
 * A turn that is over has no open calls, and no checkpoint where no history is kept. `undefined` if another process has written to it
 * first.
 */
async function closeFormer(
  { parts, graph, options }: Asked,
  store: CheckpointStore,
  turn: StoredTurn,
): Promise<StoredTurn | undefined> {
  const { record, key, version } = turn;
  const runId = runIdOf(key);
  const isKept = (parts.options.history ?? false) !== false;
  if (record.status !== "open" && record.status !== "waiting") {
    if (!isKept) await removeRun(graph, store, runId, options);
    return turn;
  }
  const run = isKept ? undefined : await store.get(runId);
  const closed = record.status === "waiting" ? closedQuestions(record) : await cutOff(store, turn, leftBy(parts));
  const written = ifUnchanged(record, () => closed);
  const stored = await changeTurn(store, key, written, { record, version });
  if (stored !== undefined && run) await removeIf(store, runId, run.version);
  return stored;
}

function leftBy(parts: AgentParts): LeftTurnOptions {
  return { runtime: parts.options.runtime, keptOf: (state, former) => keptOf(parts, state, { former }) };
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
    else if (code !== "CHECKPOINT_IN_USE" && code !== "CHECKPOINT_CONFLICT") throw error;
  }
}

export function messagesOfTurns(turns: readonly StoredTurn[]): AgenticMessage[] {
  return turns.flatMap(({ record }) => record.messages);
}
