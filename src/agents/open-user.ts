import type { NodeContext } from "../components/context.js";
import type { OngoingTurn } from "./turn.js";

/** Reads what middlewares keep for the user, before the first node of a turn in this process does anything. */
export async function openUser(turn: OngoingTurn, ctx: NodeContext): Promise<void> {
  const { openUserState } = await import("./user-state.js");
  turn.user = await openUserState(turn, ctx);
  turn.waitsForUser = false;
}
