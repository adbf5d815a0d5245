import { type AgenticMessage, createTool, hasToolCalls, runnable, textOf, toolCallsOf, userMessage } from "kumiko";
import { createAgent } from "kumiko/agents";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { adapted, answerOf, type Case, folder, question, streamed, withoutRandomIds } from "../models/replay/cases.js";
import { ReplayServer } from "../models/replay/replay-server.js";
import { canBeSent, eventsOf } from "./agents.js";

const server = new ReplayServer();
let url = "";

beforeAll(async () => {
  url = await server.start();
});
afterAll(() => server.stop());

/** What the model says of a recording; `undefined` when its package cannot read it. */
function answerTo({ provider, recording }: Case): Promise<AgenticMessage | undefined> {
  server.answer(answerOf(recording));
  return runnable(adapted(provider, url))
    .stream(question)
    .concat()
    .catch(() => undefined);
}

/** A tool for every call: with whatever arguments, it says that it ran. */
const toolsFor = (answer: AgenticMessage) =>
  [...new Set(toolCallsOf(answer).map(({ name }) => name))].map((id) =>
    createTool({ id, description: "Does it.", execute: () => "done" }),
  );

describe.skipIf(folder === undefined)("an agent on a real provider (skipped where there is no shared/fixtures)", () => {
  describe.each(streamed)("$title", (one) => {
    it("logs the answer as the model gives it, and a log that the provider takes", async () => {
      const answer = await answerTo(one);
      if (answer === undefined) return;
      const { provider, recording } = one;
      const agent = createAgent({
        model: provider.model(url),
        tools: toolsFor(answer),
        maxSteps: 1,
        onMaxSteps: "stop",
        retry: false,
      });
      const stream = agent.stream(question);
      const events = await eventsOf(stream);
      const result = await stream.result;
      const [step] = result.steps;
      const same = (message: unknown) => withoutRandomIds(message, recording);
      expect(same(step?.message)).toEqual(same(answer));
      expect(events.flatMap((event) => (event.type === "text_delta" ? [event.delta] : [])).join("")).toBe(
        textOf(answer),
      );
      expect(events.filter(({ type }) => type === "tool_call")).toHaveLength(toolCallsOf(answer).length);
      expect(step?.results).toHaveLength(toolCallsOf(answer).length);
      expect(canBeSent(result.messages)).toBe(true);
      if (answer.responseMeta?.tokenUsage !== undefined) expect(result.usage).toEqual(answer.responseMeta.tokenUsage);
    });
  });

  const byProvider = new Map<string, Case[]>();
  for (const one of streamed) byProvider.set(one.provider.name, [...(byProvider.get(one.provider.name) ?? []), one]);

  it.each([...byProvider])("calls tools and answers, over HTTP: %s", async (_name, cases) => {
    let calling: [Case, AgenticMessage] | undefined;
    let talking: [Case, AgenticMessage] | undefined;
    for (const one of cases) {
      const answer = await answerTo(one);
      if (answer === undefined) continue;
      if (hasToolCalls(answer)) calling ??= [one, answer];
      else if (textOf(answer) !== "" && answer.responseMeta?.finishReason === "stop") talking ??= [one, answer];
    }
    if (calling === undefined || talking === undefined) return;
    const before = server.requests.length;
    server.answer(answerOf(calling[0].recording), answerOf(talking[0].recording));
    const agent = createAgent({ model: talking[0].provider.model(url), tools: toolsFor(calling[1]), retry: false });
    const result = await agent.stream([userMessage("What do you say?")]).result;
    expect(result.text).toBe(textOf(talking[1]));
    expect(result.steps).toHaveLength(2);
    const [, second] = server.requests.slice(before);
    expect(JSON.stringify(second?.body)).toContain("done");
  });
});
