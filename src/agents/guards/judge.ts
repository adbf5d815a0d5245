import { causedByInterrupt } from "../../checkpoint/pause/interrupt.js";
import type { NodeContext } from "../../components/context.js";
import { endsRun, messageOf } from "../../errors.js";
import { isFields } from "../../is.js";
import type { AgenticMessage } from "../../schema/message/agentic-message.js";
import { assistantMessage } from "../../schema/message/construct-message.js";
import type { Maybe } from "../create-middleware.js";
import type { OngoingTurn } from "../turn.js";
import type { GuardOptions, GuardVerdict, Judged } from "./guard.js";
import type { GuardedPart } from "./guarded-part.js";

export const verdictId = (index: number, { name }: GuardOptions): string => `${index} ${name}`;

const defaultReply = "I cannot help with that.";

/** Asks a guard. One that fails, or answers rubbish, blocks; a stop of the run passes. */
export function ask(
  guard: GuardOptions,
  ctx: NodeContext,
  judge: () => Maybe<GuardVerdict>,
): Judged | undefined | Promise<Judged | undefined> {
  try {
    const verdict = judge();
    if (verdict === undefined) return undefined;
    if (!(verdict instanceof Promise)) return judged(guard, verdict);
    return verdict.then(
      (settled) => judged(guard, settled),
      (error) => blockedBy(guard, ctx, error),
    );
  } catch (error) {
    return blockedBy(guard, ctx, error);
  }
}

function judged(guard: GuardOptions, verdict: unknown): Judged | undefined {
  if (verdict === undefined) return undefined;
  const { reply: usual = defaultReply } = guard;
  if (isFields(verdict)) {
    const { replace, block, reply = usual } = verdict;
    if (typeof replace === "string" && block === undefined) return { replace };
    if (typeof block === "string") return { block, reply: typeof reply === "string" ? reply : usual };
  }
  return { block: "The guard returned neither nothing, { replace } nor { block }.", reply: usual };
}

function blockedBy({ reply = defaultReply }: GuardOptions, ctx: NodeContext, error: unknown): Judged {
  if (causedByInterrupt(error) || endsRun(error) || (ctx.signal.aborted && error === ctx.signal.reason)) throw error;
  return { block: messageOf(error), reply };
}

/** What a log says of a message that a guard has blocked: never why. */
export interface BlockedMark {
  readonly guard: string;
  readonly on: GuardedPart;
}

/** Notes that the turn is blocked, and returns what is answered. */
export function block(
  turn: OngoingTurn,
  mark: BlockedMark,
  { block: reason, reply }: Judged & { block: string },
): AgenticMessage {
  turn.state.blocked = { ...mark, reason };
  turn.emit({ type: "blocked", ...mark });
  return assistantMessage(reply, { responseMeta: { finishReason: "content_filter" }, extra: { blocked: mark } });
}
