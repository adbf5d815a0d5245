import type { NodeContext } from "../../components/context.js";
import type { AgenticMessage } from "../../schema/message/agentic-message.js";
import type { ContentBlock } from "../../schema/message/content-block.js";
import { textOf } from "../../schema/message/read-message.js";
import type { AgentRun } from "../agent-context.js";
import { ChunkEvents, tellWhole } from "../chunk-events.js";
import type { OngoingTurn } from "../turn.js";
import type { GuardOptions, Judged, Verdicts } from "./guard.js";
import { ask, block, verdictId } from "./judge.js";

/** Judges the new messages of the user in the log, each once by each guard. Resolves to what is answered if one is blocked. */
export async function judgeInput(turn: OngoingTurn, ctx: NodeContext): Promise<AgenticMessage | undefined> {
  const { state, guards } = turn;
  for (let index = 0; index < state.log.length; index++) {
    if (!isInput(state.log[index] as AgenticMessage)) continue;
    // what was pushed is taken again where the node is entered again
    const known = state.replaced?.[index];
    if (known !== undefined && textOf(state.log[index] as AgenticMessage) !== known)
      state.log = state.log.with(index, withInputText(state.log[index] as AgenticMessage, known));
    for (const guard of guards) {
      const { input, name } = guard;
      const id = verdictId(index, guard);
      if (input === undefined || state.judged?.includes(id) === true) continue;
      const message = state.log[index] as AgenticMessage;
      const verdict = await once(turn.asked.opened?.verdicts, id, () =>
        ask(guard, ctx, () => input.call(guard, message, turn.run(ctx))),
      );
      if (verdict?.block !== undefined) {
        const mark = { guard: name, on: "input" } as const;
        const answer = block(turn, mark, verdict);
        state.log = state.log.map((logged) => ({ ...logged, extra: { ...logged.extra, blocked: mark } }));
        state.log.push(answer);
        if (turn.streams) {
          turn.emit({ type: "step_start" });
          new ChunkEvents(turn).add(answer);
          tellWhole(turn, answer);
        }
        return answer;
      }
      if (verdict !== undefined) {
        state.log = state.log.with(index, withInputText(message, verdict.replace));
        state.replaced = { ...state.replaced, [index]: verdict.replace };
      }
      state.judged = [...(state.judged ?? []), id];
    }
  }
  state.heard = state.log.length;
  return undefined;
}

/**
 * Judges messages that are read before a turn begins, and returns what may be read of them; `undefined` if one is blocked, as the turn
 * that they begin will say: it gets the verdicts.
 */
export async function judgedMessages(
  guards: readonly GuardOptions[],
  messages: readonly AgenticMessage[],
  { run, verdicts }: { readonly run: AgentRun; readonly verdicts: Verdicts },
): Promise<readonly AgenticMessage[] | undefined> {
  const judged: AgenticMessage[] = [];
  for (const [index, message] of messages.entries()) {
    let last = message;
    for (const guard of isInput(message) ? guards : []) {
      const { input } = guard;
      if (input === undefined) continue;
      const judging = last;
      const id = verdictId(index, guard);
      const verdict = await once(verdicts, id, () => ask(guard, run.ctx, () => input.call(guard, judging, run)));
      verdicts.set(id, verdict);
      if (verdict?.block !== undefined) return undefined;
      if (verdict !== undefined) last = withInputText(judging, verdict.replace);
    }
    judged.push(last);
  }
  return judged;
}

/** A verdict that is known is not asked for again. */
async function once(
  known: Verdicts | undefined,
  id: string,
  judge: () => Judged | undefined | Promise<Judged | undefined>,
): Promise<Judged | undefined> {
  return known?.has(id) === true ? known.get(id) : judge();
}

/** What a user has written, and neither a result nor what the agent has said to its model. */
function isInput({ role, contentBlocks, extra }: AgenticMessage): boolean {
  return role === "user" && extra?.invalid !== true && contentBlocks.some(({ type }) => type.startsWith("user_input_"));
}

function withInputText(message: AgenticMessage, text: string): AgenticMessage {
  const first = message.contentBlocks.findIndex(({ type }) => type === "user_input_text");
  const blocks = message.contentBlocks.flatMap((given, index): ContentBlock[] => {
    if (given.type !== "user_input_text") return [given];
    return index === first ? [{ ...given, text }] : [];
  });
  if (first < 0) blocks.unshift({ type: "user_input_text", text });
  return { ...message, contentBlocks: blocks };
}
