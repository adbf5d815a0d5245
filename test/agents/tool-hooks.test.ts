import { assistantMessage, createTool, functionToolCall, memoryStore, textOf } from "kumiko";
import { createAgent, createMiddleware } from "kumiko/agents";
import { scriptedModel } from "kumiko/testing";
import { describe, expect, it } from "vitest";
import { z } from "zod";
import { eventsOf } from "./agents.js";

function listening(options: { readonly requireApproval?: boolean } = {}) {
  const log: unknown[] = [];
  const tool = createTool({
    ...{ id: "look", description: "Looks.", inputSchema: z.object({ city: z.string() }), ...options },
    onInputStart: ({ toolCallId, messages, abortSignal }) =>
      void log.push(["start", toolCallId, messages.map(textOf), abortSignal.aborted]),
    onInputDelta: ({ toolCallId, inputTextDelta }) => void log.push(["delta", toolCallId, inputTextDelta]),
    onInputAvailable: ({ input }) => void log.push(["input", input]),
    execute: ({ city }) => city,
  });
  return { tool, log };
}

const piece = (text: string, index = 0) =>
  assistantMessage(functionToolCall({ callId: `c${index}`, name: "look", arguments: text, streamingMeta: { index } }));

async function* inPieces(index = 0) {
  yield piece('{"city":', index);
  yield piece('"Kyoto"}', index);
}

const told = (id: string) => [
  ["start", id, ["Where?"], false],
  ["delta", id, '{"city":'],
  ["delta", id, '"Kyoto"}'],
];

describe("the input hooks of an agent's tools", () => {
  it("hear how a call streams in, before it runs", async () => {
    const { tool, log } = listening();
    const agent = createAgent({ model: scriptedModel(inPieces(), "Kyoto."), tools: [tool] });
    await eventsOf(agent.stream("Where?"));
    expect(log).toEqual([...told("c0"), ["input", { city: "Kyoto" }]]);
  });

  it("are not called where nobody reads a stream", async () => {
    const { tool, log } = listening();
    const agent = createAgent({ model: scriptedModel(inPieces(), "Kyoto."), tools: [tool] });
    await agent.generate("Where?");
    expect(log).toEqual([["input", { city: "Kyoto" }]]);
  });

  it("hear an answer again that begins again, and none twice after a resume", async () => {
    const { tool, log } = listening({ requireApproval: true });
    const broken = async function* () {
      yield piece('{"ci', 3);
      throw Object.assign(new Error("cut"), { isRetryable: true });
    };
    const agent = createAgent({
      model: scriptedModel(broken(), inPieces(), "Kyoto."),
      retry: { attempts: 2, delayMs: 0 },
      tools: [tool],
      store: memoryStore(),
    });
    const stream = agent.stream("Where?");
    await eventsOf(stream);
    const held = await stream.result;
    const heard = [["start", "c3", ["Where?"], false], ["delta", "c3", '{"ci'], ...told("c0")];
    expect(log).toEqual([...heard, ["input", { city: "Kyoto" }]]);
    await eventsOf(agent.resumeStream(held, { [held.interrupts[0]?.id ?? ""]: { approved: true } }));
    expect(log.filter((entry) => !JSON.stringify(entry).startsWith('["input"'))).toEqual(heard);
  });

  it("hear what a middleware makes of the answer", async () => {
    const { tool, log } = listening();
    const other = createMiddleware({
      name: "other",
      wrapModelCall: (request, next) => (request.messages.length > 1 ? next() : inPieces(7)),
    });
    const agent = createAgent({ model: scriptedModel("Kyoto."), tools: [tool], middleware: [other] });
    await eventsOf(agent.stream("Where?"));
    expect(log).toEqual([...told("c7"), ["input", { city: "Kyoto" }]]);
  });
});
