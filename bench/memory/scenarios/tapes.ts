import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { type AgenticMessage, assistantMessage, Chain, userMessage } from "kumiko";
import { cassette } from "kumiko/evals";
import type { Scenarios } from "./scenario.js";

/** Answers that come from a tape. */
export const tapeScenarios: Scenarios = {
  "turn of a talk, from a tape": { times: 60_000, prepare: replayedTalk },
};

const turns = 50;

/** Replays a talk turn by turn, and again from its beginning. */
function replayedTalk() {
  const folder = mkdtempSync(join(tmpdir(), "memory-tape-"));
  process.once("exit", () => rmSync(folder, { recursive: true, force: true }));
  const model = { component: "model" as const, type: "bench", generate: async () => assistantMessage("Yes.") };
  const appOver = (mode: "auto" | "replay") =>
    new Chain<readonly AgenticMessage[]>().appendModel(cassette(folder, { mode }).model(model)).compile();
  const recorded = talk(appOver("auto"));
  const app = appOver("replay");
  let messages: AgenticMessage[] = [];
  return async () => {
    await recorded;
    if (messages.length >= 2 * turns) messages = [];
    messages.push(userMessage(`Question ${messages.length}?`));
    messages.push(await app.invoke(messages));
  };
}

async function talk(app: { invoke(messages: readonly AgenticMessage[]): Promise<AgenticMessage> }): Promise<void> {
  const messages: AgenticMessage[] = [];
  while (messages.length < 2 * turns) {
    messages.push(userMessage(`Question ${messages.length}?`));
    messages.push(await app.invoke(messages));
  }
}
