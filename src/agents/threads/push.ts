import type { CheckpointStore } from "../../checkpoint/checkpoint-store.js";
import type { AgenticMessage } from "../../schema/message/agentic-message.js";
import { asUnjudged } from "../said-before.js";
import { changeTurn, mayRun, type StoredTurn, type TurnRecord } from "./turn-row.js";

/** Says something to the turn that runs. `false` if none does, or it is about to end. */
export async function pushTo(
  store: CheckpointStore,
  turns: readonly StoredTurn[],
  messages: readonly AgenticMessage[],
): Promise<boolean> {
  const newest = turns.at(-1);
  if (newest === undefined || newest.record.status !== "open" || !(await mayRun(store, newest.record))) return false;
  const before = turns.slice(0, -1).flatMap(({ record }) => record.messages);
  let isTaken = false;
  await changeTurn(
    store,
    newest.key,
    (record) => {
      isTaken = record?.mark === newest.record.mark && record?.status === "open" && record.sealed !== true;
      return record === undefined || !isTaken ? undefined : withPushed(record, messages, before);
    },
    newest,
  );
  return isTaken;
}

/** A message that is said again, as its id tells, is there already. */
function withPushed(
  record: TurnRecord,
  messages: readonly AgenticMessage[],
  before: readonly AgenticMessage[],
): TurnRecord | undefined {
  const { pushed = [] } = record;
  const known = new Set([...before, ...record.messages, ...pushed].map(({ id }) => id));
  const fresh = messages.filter(({ id }) => id === undefined || !known.has(id));
  return fresh.length === 0 ? undefined : { ...record, pushed: [...pushed, ...fresh] };
}

/** What a turn was told and has not logged. */
export function untaken({ pushed = [], taken = 0 }: Pick<TurnRecord, "pushed" | "taken">): readonly AgenticMessage[] {
  return pushed.slice(taken);
}

/** The same as it is logged by a turn that ends before it takes them. */
export function untakenLogged(
  record: Pick<TurnRecord, "pushed" | "taken">,
  { guarded }: Pick<TurnRecord, "guarded">,
): readonly AgenticMessage[] {
  return guarded === true ? untaken(record).map(asUnjudged) : untaken(record);
}

/** The log of a turn that ends before its guards have judged all of it: they have judged the first `heard` messages. */
export function withUnjudged(
  log: readonly AgenticMessage[],
  { guarded }: Pick<TurnRecord, "guarded">,
  heard = 0,
): readonly AgenticMessage[] {
  if (guarded !== true) return log;
  return log.map((message, index) =>
    index >= heard && message.role === "user" && isSaid(message) ? asUnjudged(message) : message,
  );
}

const isSaid = ({ contentBlocks }: AgenticMessage): boolean =>
  contentBlocks.some(({ type }) => type.startsWith("user_input_"));

/** What is kept of it with a turn that may go on: as it stands in the log, where it does, for guards may have changed it. */
export function pushedAsLogged(
  { pushed = [] }: TurnRecord,
  log: readonly AgenticMessage[],
): Pick<TurnRecord, "pushed" | "taken"> {
  if (pushed.length === 0) return {};
  const logged = log.filter(isPushed);
  return { pushed: [...logged, ...pushed.slice(logged.length)], taken: logged.length };
}

/** A turn that is as it was before it went on, but for what it was told meanwhile. */
export function withPushedOf(now: TurnRecord | undefined, former: TurnRecord): TurnRecord {
  const { status, messages, notBegun } = former;
  const { pushed = [] } = now ?? {};
  const fresh = pushed.slice(former.pushed?.length ?? 0);
  if (fresh.length === 0) return former;
  if (status === "open" || status === "waiting") return { ...former, pushed };
  const logged = [...messages, ...untakenLogged({ pushed: fresh }, former)];
  // one that has not begun begins with its messages
  return { ...former, messages: logged, ...(notBegun !== true && { pushed }) };
}

/** Whether a message was said to a turn that ran. */
export function isPushed({ extra }: AgenticMessage): boolean {
  return extra?.pushed === true;
}

/** Messages as they are pushed: the log tells them from the prompt. */
export function asPushed(messages: readonly AgenticMessage[]): AgenticMessage[] {
  return messages.map((message) => ({ ...message, extra: { ...message.extra, pushed: true } }));
}
