import type { Context } from "../run/context.js";
import type { AgenticMessage } from "../schema/message/agentic-message.js";
import { toolCallsOf } from "../schema/message/read-message.js";
import { toolGone } from "./errors.js";
import { narrowToolbox, type Toolbox } from "./toolbox.js";
import type { OngoingTurn } from "./turn.js";

/** Throws if a tool is gone that waited for the answer which has come. */
export function checkToolsAreThere(turn: OngoingTurn, message: AgenticMessage, { table }: Toolbox, ctx: Context): void {
  for (const [index, { name }] of toolCallsOf(message).entries()) {
    if (!turn.state.openTools.includes(name) || table.entries.get(name) !== undefined) continue;
    const asked = ctx.openedInvocation?.findCall(index)?.invocation;
    // its result is there, or its question stays open
    if (asked?.isBlocked !== false) continue;
    reopenCalls(ctx, message);
    throw toolGone(name, table.names);
  }
}

/** Reopens the answers to the calls of a round that does not run. */
function reopenCalls({ openedInvocation }: Context, message: AgenticMessage): void {
  for (const index of toolCallsOf(message).keys()) openedInvocation?.findCall(index)?.invocation?.reopenFresh();
}

/** The tools of a round that began in another process: what its step did not offer is unknown here, too. */
export function reopenedToolbox({ state }: OngoingTurn, message: AgenticMessage, toolbox: Toolbox): Toolbox {
  const { entries } = toolbox.table;
  const isHidden = ({ name }: { readonly name: string }): boolean =>
    entries.has(name) && !state.openTools.includes(name);
  if (!toolCallsOf(message).some(isHidden)) return toolbox;
  const offered = new Set(state.openTools.map((name) => entries.get(name)?.name ?? name));
  return narrowToolbox(toolbox, (name) => offered.has(name));
}
