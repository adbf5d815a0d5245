import type { NodeContext } from "../components/context.js";
import { textOf, toolResultsOf } from "../schema/message/read-message.js";
import type { EndReason } from "./agent-result.js";
import type { OngoingTurn } from "./turn.js";

/** Why the round that has ended is the last one, and what the result says then; `undefined` if the turn goes on. */
export async function endAfterRound(
  turn: OngoingTurn,
  returnDirectly: readonly string[] = [],
  ctx: NodeContext,
): Promise<{ readonly reason: EndReason; readonly text: string } | undefined> {
  const last = turn.state.steps.at(-1);
  const returned = last?.results
    .flatMap(toolResultsOf)
    .find(({ name, isError }) => isError !== true && returnDirectly.includes(name));
  if (returned !== undefined) return { reason: "returned", text: returned.result };
  const { stopWhen = [] } = turn.root.options;
  for (const stops of typeof stopWhen === "function" ? [stopWhen] : stopWhen) {
    if (await stops(turn.run(ctx))) {
      return { reason: "stop_when", text: last === undefined ? "" : textOf(last.message) };
    }
  }
  return undefined;
}
