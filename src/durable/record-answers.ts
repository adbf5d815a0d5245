import { alreadyAnswered, answerMismatch, checkpointInUse, unknownInterrupt } from "../checkpoint/checkpoint-errors.js";
import type { CheckpointDocument } from "../checkpoint/document/document.js";
import type { JsonRecord } from "../checkpoint/document/json-parts.js";
import type { Slot } from "../checkpoint/document/snapshot.js";
import { answerMark } from "../checkpoint/pause/answer-mark.js";
import { addOpen, check, entriesOf, find, type Open } from "../checkpoint/pause/answers.js";
import { isSameAnswer } from "../checkpoint/pause/same-answer.js";
import type { ValueCodec } from "../checkpoint/values/value-codec.js";
import { clientFailureIn } from "../components/client-failure.js";
import type { SchemaValidator } from "../schema/schema-validator.js";
import type { ChangedHead } from "./change-run.js";
import type { StoredRun } from "./read-run.js";

export interface Recording {
  readonly id: string;
  readonly answers: unknown;
  /** Whether the run goes on although other questions are open. */
  readonly goesOn: boolean;
  readonly codec: ValueCodec;
  readonly validator: SchemaValidator | undefined;
  readonly now: number;
}

/** The head of a run with these answers; `undefined` if it has them already. Throws unless all of them fit. */
export async function withAnswers(stored: StoredRun, recording: Recording): Promise<ChangedHead | undefined> {
  const { id, answers, goesOn, codec, validator, now } = recording;
  const { document } = stored;
  const { status, root } = document;
  const open: Open[] = [];
  if (root !== undefined) addOpen(root, open, now);
  const given = entriesOf(answers, open);
  if (status === "running") throw checkpointInUse(id, document.owner);
  const known = asJson(stored.tree.finish().answers);
  const added: JsonRecord = {};
  const chosen = new Set<Open>();
  for (const { name, data, byAddress } of given) {
    const questionId = byAddress ? answeredAt(name, open, document) : name;
    const question = open.find((one) => one.id === questionId);
    const former = questionId === undefined ? undefined : formerAnswer(document, questionId, question);
    if (questionId !== undefined && former !== undefined) {
      if (isRepeated(former, data, { codec, json: known[questionId] })) continue;
      throw alreadyAnswered(questionId);
    }
    if (isUsed(document, name, { data, codec })) continue;
    if (status !== "waiting" && !document.answered.includes(name)) throw unknownInterrupt(name, []);
    const found = find(name, byAddress, stillOpen(open, document), document);
    if (chosen.has(found)) throw answerMismatch(found.address, ["two answers are given for it"]);
    chosen.add(found);
    const { schema, address, info, isStop } = found;
    if (schema !== undefined && clientFailureIn(info, data) === undefined)
      await check(schema, address, data, validator);
    // it releases a stop: any other answer is the new state of the graph
    const value = isStop && data === null ? undefined : data;
    added[found.id] = slotOf(value, codec);
  }
  if (status !== "waiting" || (chosen.size === 0 && !goesOn)) return undefined;
  const left = stillOpen(open, document).filter((one) => one.waits && !chosen.has(one));
  const recorded = { ...known, ...added };
  if (left.length === 0 || goesOn) return { status: "ready", since: now, answers: recorded };
  return { status, due: firstDeadline(left), answers: recorded };
}

/** Without what has a recorded answer, or got none before its deadline. */
function stillOpen(open: readonly Open[], { answers = {} }: CheckpointDocument): readonly Open[] {
  return open.filter(({ id, waits, isLate }) => !Object.hasOwn(answers, id) && !(waits && isLate));
}

/** The only question at an address, if it has a recorded answer. */
function answeredAt(address: string, open: readonly Open[], document: CheckpointDocument): string | undefined {
  const [only, ...others] = open.filter((one) => one.address === address);
  return only !== undefined && others.length === 0 && Object.hasOwn(document.answers ?? {}, only.id)
    ? only.id
    : undefined;
}

/** Whether the run has gone on with this very answer. */
function isUsed(
  { answered }: CheckpointDocument,
  id: string,
  { data, codec }: { readonly data: unknown; readonly codec: ValueCodec },
): boolean {
  return answered.includes(id) && answered.includes(answerMark(id, codec.encode(data ?? null, "the answer")));
}

/** The answer that a question has got before: it is recorded, or the run has used it. */
function formerAnswer({ answers = {} }: CheckpointDocument, id: string, question: Open | undefined): Slot | undefined {
  if (Object.hasOwn(answers, id)) return answers[id];
  const { given } = question ?? {};
  return given === undefined || given.isLate === true ? undefined : { value: given.data };
}

/** Instances of classes are the same when they are saved alike. */
function isRepeated(
  { value }: Slot,
  data: unknown,
  { codec, json }: { readonly codec: ValueCodec; readonly json: unknown },
): boolean {
  if ((value ?? null) === null && (data ?? null) === null) return true;
  return isSameAnswer(value, data) || (json !== undefined && isSameAnswer(json, slotOf(data, codec)));
}

function slotOf(value: unknown, codec: ValueCodec): unknown {
  return JSON.parse(`[${codec.encode(value, "the answer")}]`);
}

function firstDeadline(left: readonly Open[]): number | undefined {
  const times = left.map(({ expiresAt }) => expiresAt).filter((time) => time !== undefined);
  return times.length === 0 ? undefined : Math.min(...times);
}

const asJson = (json: unknown): JsonRecord => (typeof json === "object" && json !== null ? { ...json } : {});
