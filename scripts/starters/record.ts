/*
 * Writes the tapes of the starters anew, with answers that stand here: `npx tsx scripts/starters/record.ts`. To be run after a
 * change of their instructions or tools.
 */
import { readdirSync, rmSync } from "node:fs";
import { join } from "node:path";
import { type AgenticMessage, type AgenticModel, assistantMessage, functionToolCall } from "kumiko";
import { cassette } from "kumiko/evals";
import { resolvedModel } from "../../src/models/to-model.js";

const root = join(import.meta.dirname, "../../examples/starters");
const usage = (promptTokens: number, completionTokens: number) => ({
  responseMeta: { tokenUsage: { promptTokens, completionTokens, totalTokens: promptTokens + completionTokens } },
});

/** A tape that is recorded, of a model that has the name of the one that the starters use. */
async function recorder(starter: string, answers: readonly AgenticMessage[]): Promise<AgenticModel> {
  const { model } = await import(`../../examples/starters/${starter}/agent.js`);
  const folder = join(root, starter, "tape");
  rmSync(folder, { recursive: true, force: true });
  const left = [...answers];
  return cassette(folder, { mode: "record" }).model({
    component: "model",
    type: resolvedModel(model, "the starter").type,
    generate: async () => left.shift() ?? assistantMessage("There is no more answer."),
  });
}

const { weatherAgent, knownQuestions: weather } = await import("../../examples/starters/agent/agent.js");
const call = functionToolCall({ callId: "call_1", name: "get_weather", arguments: '{"city":"Kyoto"}' });
const forecast = [
  assistantMessage([call], usage(63, 16)),
  assistantMessage("It is 21 °C in Kyoto, and the sky is clear.", usage(97, 15)),
];
const clerk = weatherAgent(await recorder("agent", forecast));
for (const question of weather) await clerk.generate(question);

const { teaShop, knownQuestions: teas } = await import("../../examples/starters/chat/agent.js");
const advice = [
  assistantMessage(
    "We have two: sencha, which is fresh and grassy, and gyokuro, which is sweet and deep.",
    usage(48, 25),
  ),
  assistantMessage(
    "Gyokuro is the milder one if you brew it with water of 60 °C, as little of it turns bitter.",
    usage(91, 26),
  ),
];
const shop = teaShop(await recorder("chat", advice));
for (const question of teas) await shop.generate(question, { threadId: "recorded" });

// a project has few files, and none needs the list of the tools to replay
for (const starter of ["agent", "chat"]) {
  for (const name of readdirSync(join(root, starter, "tape"))) {
    if (name.startsWith("tools-")) rmSync(join(root, starter, "tape", name));
  }
}
