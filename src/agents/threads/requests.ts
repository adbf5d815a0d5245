import type { CheckpointStore } from "../../checkpoint/checkpoint-store.js";
import type { Answers } from "../../compose/options.js";
import { canonicalText } from "../../run/policies/canonical-text.js";
import { jsonCopy } from "../../schema/encode-json.js";
import type { AgenticMessage } from "../../schema/message/agentic-message.js";
import type { AgentCallOptions } from "../call-options.js";
import { otherAnswer, otherPrompt, requestOfOldTurn } from "../errors.js";
import { promptDigest } from "./prompt-digest.js";
import { isPushed } from "./push.js";
import { removed } from "./rows.js";
import { partedLog, promptIds } from "./stored-turn.js";
import { type AnsweringRequest, changeTurn, clearTurn, runIdOf, type StoredTurn, type TurnRecord } from "./turn-row.js";

interface Requested {
  readonly threadId: string;
  readonly messages: readonly AgenticMessage[];
  readonly options: AgentCallOptions;
}

type Known =
  | { readonly kind: "resumed"; readonly checkpointId: string; readonly answers: undefined }
  | { readonly kind: "known"; readonly record: TurnRecord };

/**
 * The turn that a request has begun before: its end or its questions, or that it goes on; `"replace"` if it was aborted.
 * `undefined` if the request is new. `last` is the newest turn as it was left.
 */
export async function knownRequest(
  { threadId, messages, options: { requestId = "" } }: Requested,
  turns: readonly StoredTurn[],
  last: StoredTurn | undefined,
): Promise<Known | "replace" | undefined> {
  const found = turns.find(({ record }) => record.requestId === requestId) ?? answeredBy(turns, requestId);
  if (found === undefined) return undefined;
  const answering = await checkPrompt(messages, found.record, requestId);
  const isNewest = found.key === last?.key;
  const { key, record } = isNewest && last !== undefined ? last : found;
  if (record.status === "done") return { kind: "known", record };
  if (!isNewest) throw requestOfOldTurn(threadId, record.number);
  if (record.status === "waiting") return { kind: "known", record };
  // once nothing waits for an answer any more, the same message is a prompt
  if (record.status === "aborted") return answering === undefined ? "replace" : undefined;
  return { kind: "resumed", checkpointId: runIdOf(key), answers: undefined };
}

/** Throws if a request that a turn knows came with another prompt. Returns it if it has answered a question of that turn. */
export async function checkPrompt(
  messages: readonly AgenticMessage[],
  record: TurnRecord,
  requestId: string,
): Promise<AnsweringRequest | undefined> {
  const answering = answeringRequest(record, requestId);
  const isSame =
    answering === undefined
      ? await isSamePrompt(messages, record)
      : answering.prompt === (await promptDigest(messages));
  if (!isSame) throw otherPrompt(requestId);
  return answering;
}

function answeredBy(turns: readonly StoredTurn[], requestId: string): StoredTurn | undefined {
  return turns.find(({ record }) => answeringRequest(record, requestId) !== undefined);
}

function answeringRequest({ requests = [] }: TurnRecord, requestId: string): AnsweringRequest | undefined {
  return requests.find(({ id }) => id === requestId);
}

/** The log of a turn begins with its prompt, which an answer follows. */
async function isSamePrompt(
  prompt: readonly AgenticMessage[],
  { messages, prompt: digest }: TurnRecord,
): Promise<boolean> {
  if (digest !== undefined) return digest === (await promptDigest(prompt));
  const next = messages[prompt.length];
  if (next !== undefined && next.role !== "assistant") return false;
  return prompt.every((message, index) => isEqual(message, messages[index]));
}

/** Whether two values are the same JSON, in any order of fields. */
function isEqual(one: unknown, other: unknown): boolean {
  return canonicalText(jsonCopy(one), []) === canonicalText(jsonCopy(other), []);
}

/** The turn that a message of a chat belongs to: a prompt, by its id, or the answer `turn-<number>`. */
export function turnOfMessage(turns: readonly StoredTurn[], id: string): StoredTurn | undefined {
  const seen = new Set<string>();
  return turns.find(({ record: { number, messages } }) => {
    const { prompts, answers } = partedLog(messages);
    const said = [...prompts, ...answers.filter(isPushed)];
    return promptIds(number, said, seen).includes(id) || new RegExp(`^turn-${number}(?:-\\d+)?$`).test(id);
  });
}

/**
 * Removes the turns after one, the newest first, so that what is left is always a thread; and what belongs to that turn beside its
 * row, which is written next.
 */
export async function removeAfter(
  store: CheckpointStore,
  turns: readonly StoredTurn[],
  { key: kept }: StoredTurn,
): Promise<void> {
  for (const { key } of turns.toReversed()) {
    if (key < kept) return;
    await clearTurn(store, key);
    if (key !== kept) await changeTurn(store, key, () => removed);
  }
}

interface Recorded {
  /** The answers that the turn does not have yet. */
  readonly fresh: Answers | undefined;
  /** Those that it has, by the ids of their interrupts. */
  readonly all: TurnRecord["answers"];
}

/**
 * Drops answers that a turn has already been given, as a client repeats them; throws for one that differs. An answer that was given,
 * but never reached the run, is not dropped: `isOpen` tells whether a question still waits.
 */
export function freshAnswers(
  { answers: known = {} }: TurnRecord,
  given: Answers | undefined,
  isOpen: (id: string) => boolean,
): Recorded {
  const fresh: Record<string, unknown> = {};
  const all: Record<string, unknown> = { ...known };
  for (const [id, answer] of Object.entries(given ?? {})) {
    if (!Object.hasOwn(known, id) || isOpen(id)) fresh[id] = answer;
    else if (!isEqual(known[id], answer)) throw otherAnswer(id);
    // an address may ask several times
    if (id !== "byAddress") all[id] = answer;
  }
  return { fresh: given && fresh, all: Object.keys(all).length === 0 ? undefined : all };
}
