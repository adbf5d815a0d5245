import { threads } from "../../agents/threads/threads.js";
import type { TurnList, TurnView } from "../api.js";
import { type Redact, wireView } from "../wire-value.js";
import type { ReadRun } from "./stored-runs.js";

/** How many turns are shown at once. */
const most = 50;
/** How much of a message is shown. */
const longest = 65_536;

/** The turns of the thread of a run, the oldest first: the last ones, or those before a turn. */
export async function turnViews(
  { store, row: { threadId } }: Pick<ReadRun, "store" | "row">,
  before: number,
  redact: Redact | undefined,
): Promise<TurnList> {
  if (threadId === undefined) return { turns: [], more: false };
  const found: TurnView[] = [];
  for await (const { number, status, startedAt, messages } of threads(store).turns(threadId)) {
    if (number >= before) break;
    const show = (message: unknown) => wireView(message, { redact, path: ["messages"], limit: longest }).value;
    const answered = messages.findIndex(({ role }) => role !== "user");
    const end = answered < 0 ? messages.length : answered;
    const [prompt, rest] = [messages.slice(0, end).map(show), messages.slice(end).map(show)];
    found.push({ turn: number, status, at: startedAt.getTime(), prompt, messages: rest });
    if (found.length > most + 1) found.shift();
  }
  return { turns: found.slice(-most), more: found.length > most };
}
