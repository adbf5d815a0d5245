import { randomId } from "../../callbacks/random-id.js";
import { checkOptions } from "../../check-options.js";
import type { CheckpointStore } from "../../checkpoint/checkpoint-store.js";
import { KumikoError } from "../../errors.js";
import { savedAs } from "../../run/options/checkpoint-options.js";
import type { AgenticMessage } from "../../schema/message/agentic-message.js";
import type { AgentGraph } from "../agent.js";
import type { AgentParts } from "../agent-parts.js";
import { noUsage } from "../agent-state.js";
import type { AgentFork, AgentForkOptions } from "../call-options.js";
import { encodedId } from "../call-settings.js";
import { invalidAgentOption, needsStore, noSuchRun, noSuchTurn, threadExists, turnNotOver } from "../errors.js";
import { announce, settleByTurns } from "./head-row.js";
import { userOf } from "./thread-turn.js";
import {
  changeTurn,
  ifUnchanged,
  readTurns,
  runIdOf,
  type StoredTurn,
  type TurnRecord,
  turnKey,
  turnKeys,
  turnOfRunId,
} from "./turn-row.js";

/** How a thread is copied. */
export interface ThreadForkOptions {
  /** The last turn of the copy. @default the newest that is over */
  readonly turn?: number | undefined;
  /** The id of the copy; no thread may have it. @default a new one */
  readonly to?: string | undefined;
}

/** Copies the turns of a thread that are over, up to one of them. */
export async function forkThread(
  store: CheckpointStore,
  id: string,
  turns: readonly StoredTurn[],
  options: ThreadForkOptions,
): Promise<string> {
  checkOptions("fork of threads", options, ["turn", "to"]);
  const { turn, to = copyIdOf(id) } = options;
  const last = turn === undefined ? turns.findLast(isOver) : turns.find(({ record }) => record.number === turn);
  if (last === undefined) throw noSuchTurn(id, turn ?? 1);
  if (!isOver(last)) throw turnNotOver(id, last.record.number);
  if ((await turnKeys(store, to)).length > 0) throw threadExists(to);
  await copyTurns(store, turns.slice(0, turns.indexOf(last) + 1), to);
  await settleByTurns(store, to, { at: Date.now() });
  return to;
}

/** Copies a run of an agent, or a turn of a thread, as it was at a save. */
export async function forkRun(
  { parts: { name, options: settings }, graph }: { readonly parts: AgentParts; readonly graph: AgentGraph },
  target: string | { readonly threadId: string },
  options: AgentForkOptions,
): Promise<AgentFork> {
  const { store } = settings;
  if (store === undefined) throw needsStore(`Agent "${name}" was asked to fork a run`);
  checkOptions(`fork of agent "${name}"`, options, ["turn", "entry", "to", "editState", "outputs"]);
  if (typeof target !== "string") return forkTurn(store, graph, target.threadId, options);
  const { id, number } = turnOfRunId(target) ?? {};
  if (id !== undefined) return forkTurn(store, graph, id, { ...options, turn: number });
  if (options.turn !== undefined)
    throw invalidAgentOption("turn of fork is for a thread: fork({ threadId }, { turn }).");
  try {
    return { checkpointId: await graph.fork(target, options) };
  } catch (error) {
    throw forkFailed(target, error);
  }
}

/** Copies a thread up to a save of one of its turns, which is open then: it can be resumed. */
async function forkTurn(
  store: CheckpointStore,
  graph: AgentGraph,
  id: string,
  { turn, to = copyIdOf(id), ...options }: AgentForkOptions,
): Promise<AgentFork> {
  const turns = await readTurns(store, id);
  const forked = turn === undefined ? turns.at(-1) : turns.find(({ record }) => record.number === turn);
  if (forked === undefined) throw noSuchTurn(id, turn ?? 1);
  const before = turns.slice(0, turns.indexOf(forked));
  const { record } = forked;
  const runId = runIdOf(forked.key);
  if ((await turnKeys(store, to)).length > 0) throw threadExists(to);
  const { input } = await graph.stateAt(runId, options.entry).catch((error: unknown) => {
    throw forkFailed(runId, error);
  });
  const key = turnKey(to, record.number);
  const checkpointId = runIdOf(key);
  const former = before.at(-1)?.record;
  const copy: TurnRecord = {
    version: 1,
    number: record.number,
    mark: randomId(),
    ...(former?.mark !== undefined && { after: former.mark }),
    status: "open",
    messages: (input as readonly AgenticMessage[] | undefined) ?? promptOf(record.messages),
    agent: former?.agent || record.agent,
    usage: noUsage,
    startedAt: record.startedAt,
    ...(former?.kept !== undefined && { kept: former.kept }),
  };
  // the record comes last: until then the copy is not there
  const { userId } = turns[0]?.record ?? record;
  await graph.fork(runId, savedAs({ ...options, to: checkpointId }, { hasReservedId: true, threadId: to, userId }));
  const isFirst = before.length === 0;
  if (isFirst) await announceCopy(store, to, forked);
  await copyTurns(store, before, to);
  await writeCopy(store, key, isFirst ? { ...copy, ...userOf(record) } : copy);
  await settleByTurns(store, to, { at: Date.now() });
  return { checkpointId, threadId: to };
}

function isOver({ record: { status } }: StoredTurn): boolean {
  return status !== "open" && status !== "waiting";
}

async function copyTurns(store: CheckpointStore, turns: readonly StoredTurn[], to: string): Promise<void> {
  const [first] = turns;
  if (first !== undefined) await announceCopy(store, to, first);
  for (const { record } of turns) {
    // a request names a turn of the original
    const { requestId, requests, ...copy } = record;
    await writeCopy(store, turnKey(to, record.number), copy);
  }
}

/** A copy belongs to the user of the original. */
async function announceCopy(store: CheckpointStore, id: string, { record: { userId } }: StoredTurn): Promise<void> {
  await announce(store, { id, userId, at: Date.now() });
}

async function writeCopy(store: CheckpointStore, key: string, copy: TurnRecord): Promise<void> {
  const stored = await changeTurn(
    store,
    key,
    ifUnchanged(undefined, () => copy),
    {},
  );
  if (stored === undefined) throw threadExists(turnOfRunId(runIdOf(key))?.id ?? key);
}

/** The messages before the first answer. */
function promptOf(messages: readonly AgenticMessage[]): readonly AgenticMessage[] {
  const end = messages.findIndex(({ role }) => role === "assistant");
  return end === -1 ? messages : messages.slice(0, end);
}

/** A new id, which shows what it is a copy of as long as that fits. */
function copyIdOf(id: string): string {
  const mark = randomId().slice(0, 12);
  const copy = `${id}-${mark}`;
  return encodedId(copy) === undefined ? `fork-${mark}` : copy;
}

/** The error of the agent's graph about a run that cannot be copied, in the words of agents. */
function forkFailed(id: string, error: unknown): unknown {
  if (!KumikoError.is(error)) return error;
  switch (error.code) {
    case "UNKNOWN_CHECKPOINT":
      return noSuchRun(id, error);
    case "NO_HISTORY":
      return new KumikoError(
        error.code,
        `The run "${id}" was saved without a history, so only its last save can be copied. Begin with createAgent({ history: true }).`,
        { cause: error },
      );
    case "UNKNOWN_ENTRY":
      return new KumikoError(
        error.code,
        `The run "${id}" has no such entry: it was pruned, or never existed. agent.graph.history("${id}") lists the entries.`,
        { cause: error },
      );
    default:
      return error;
  }
}
