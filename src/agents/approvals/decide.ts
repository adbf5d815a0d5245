import { causedByInterrupt } from "../../checkpoint/pause/interrupt.js";
import type { NodeContext } from "../../components/context.js";
import { endsRun } from "../../errors.js";
import type { OngoingTurn } from "../turn.js";
import { type AlwaysAllowed, approvalsName, type CallRule, isFor } from "./approvals.js";

type Input = Readonly<Record<string, unknown>>;

/** What becomes of a call. `tool`: the tool decides. */
export interface Decision {
  readonly action: "allow" | "ask" | "deny" | "tool";
  readonly reason?: string | undefined;
  /** What an answer for always is kept as; `undefined` if it cannot be. */
  readonly allowed?: string | undefined;
}

export async function decide(turn: OngoingTurn, tool: string, input: Input, ctx: NodeContext): Promise<Decision> {
  const rules = (turn.rules ?? []).filter((rule) => isFor(rule, tool));
  const run = turn.run(ctx);
  let mustAsk = false;
  const matches = async (rule: CallRule): Promise<boolean> => {
    try {
      return (await rule.when?.(input, run)) ?? true;
    } catch (error) {
      if (causedByInterrupt(error) || endsRun(error) || (ctx.signal.aborted && error === ctx.signal.reason))
        throw error;
      mustAsk = true;
      return false;
    }
  };
  for (const rule of rules) {
    if (rule.action === "deny" && (await matches(rule))) return { action: "deny", reason: rule.reason };
  }
  const allowed = nameOf(tool, rules, input);
  if (mustAsk) return { action: "ask", allowed };
  if (allowed !== undefined && isAllowed(turn, allowed)) return { action: "allow" };
  for (const { action, ...rule } of rules) {
    if (action === "deny") continue;
    const isMatch = await matches({ action, ...rule });
    if (mustAsk) return { action: "ask", allowed };
    if (isMatch) return action === "ask" ? { action, allowed } : { action };
  }
  return { action: "tool", allowed };
}

function nameOf(tool: string, rules: readonly CallRule[], input: Input): string | undefined {
  const keyed = rules.find(({ key }) => key !== undefined);
  if (keyed === undefined) return tool;
  try {
    const key: unknown = keyed.key?.(input);
    return typeof key === "string" ? `${tool}:${key}` : undefined;
  } catch {
    return undefined;
  }
}

function isAllowed({ user, state }: OngoingTurn, name: string): boolean {
  const kept = (state.middleware[approvalsName] ?? {}) as AlwaysAllowed;
  return user !== undefined && Object.hasOwn(kept, name) && kept[name] === true;
}

/** Keeps an answer for always, if there is a user to keep it for. */
export function allowAlways({ user, state }: OngoingTurn, { allowed }: Decision): void {
  if (user === undefined || allowed === undefined) return;
  state.middleware[approvalsName] = { ...(state.middleware[approvalsName] as AlwaysAllowed), [allowed]: true };
}
