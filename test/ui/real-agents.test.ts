import { existsSync } from "node:fs";
import { EventSchemas } from "@ag-ui/core/schemas";
import { DefaultChatTransport, readUIMessageStream, type UIMessage, type UIMessageChunk } from "ai";
import { assistantMessage, createTool, functionToolCall, memoryStore, type StreamReader } from "kumiko";
import type { AgentEvent } from "kumiko/agents";
import { scriptedModel } from "kumiko/testing";
import { agUi, eventLog, readUiRequest, sse, uiMessageStream } from "kumiko/ui";
import { describe, expect, it } from "vitest";
import { record } from "../otel/recorded.js";
import { dataOf } from "./hand-made.js";

/** What these tests use of an agent. */
interface Agent {
  stream(prompt: unknown, options?: object): StreamReader<AgentEvent> & { readonly result: Promise<{ text: string }> };
  resumeStream(run: object, answers: object, options?: object): StreamReader<AgentEvent>;
  generate(prompt: unknown, options?: object): Promise<{ text: string }>;
  asTool(options?: object): never;
}

const source = new URL("../../src/agents/create-agent.ts", import.meta.url);
const isThere = existsSync(source);
const { createAgent }: { createAgent(options: object): Agent } = isThere
  ? await import(source.href)
  : { createAgent: () => undefined };

const pay = createTool({
  id: "pay",
  description: "Pays.",
  requireApproval: true,
  inputSchema: { type: "object", properties: { euros: { type: "number" } } },
  execute: ({ euros }: { euros: number }) => ({ paid: euros }),
});
const payCall = functionToolCall({ callId: "c1", name: "pay", arguments: '{"euros":5}' });
const tokens = { promptTokens: 10, completionTokens: 5, totalTokens: 15 };
const said = (content: Parameters<typeof assistantMessage>[0]) =>
  assistantMessage(content, { responseMeta: { tokenUsage: tokens, model: "openai/gpt-5", finishReason: "stop" } });
const question: UIMessage = { id: "m1", role: "user", parts: [{ type: "text", text: "Pay it." }] };

describe.skipIf(!isThere)("an agent", () => {
  const paying = (store = memoryStore()) =>
    createAgent({ name: "payer", model: scriptedModel(said(payCall), said("Done.")), tools: [pay], store });

  it("asks a useChat client for an approval, and goes on with the answer", async () => {
    const agent = paying();
    const requests: unknown[] = [];
    const transport = new DefaultChatTransport({
      api: "http://localhost/chat",
      fetch: async (_url, init) => {
        const body: unknown = JSON.parse(String(init?.body));
        requests.push(body);
        const { threadId, prompt, answers } = readUiRequest(body);
        return uiMessageStream(
          answers === undefined ? agent.stream(prompt, { threadId }) : agent.resumeStream({ threadId }, answers),
        );
      },
    });
    const errors: unknown[] = [];
    const send = async (message?: UIMessage): Promise<UIMessage> => {
      const stream = (await transport.sendMessages({
        chatId: "chat-1",
        trigger: "submit-message",
        messageId: undefined,
        messages: message === undefined ? [question] : [question, message],
        abortSignal: undefined,
      })) as ReadableStream<UIMessageChunk>;
      const read = { stream, onError: (error: unknown) => void errors.push(error) };
      let last: UIMessage | undefined;
      for await (const state of readUIMessageStream(message === undefined ? read : { ...read, message })) last = state;
      return last as UIMessage;
    };
    const asked = await send();
    const part = asked.parts.find(({ type }) => type === "tool-pay") as { approval: { id: string } };
    expect(part).toMatchObject({ state: "approval-requested", input: { euros: 5 } });
    const answered = asked.parts.map((each) =>
      each.type === "tool-pay"
        ? { ...each, state: "approval-responded", approval: { id: part.approval.id, approved: true } }
        : each,
    );
    const done = await send({ ...asked, parts: answered as UIMessage["parts"] });
    expect(errors).toEqual([]);
    expect(done.parts.find(({ type }) => type === "tool-pay")).toMatchObject({
      state: "output-available",
      output: { paid: 5 },
    });
    expect(done.parts.at(-1)).toMatchObject({ type: "text", text: "Done.", state: "done" });
  });

  it("fits the schemas of AG-UI, with what it asks and with an agent inside", async () => {
    const inner = createAgent({ name: "helper", description: "Helps.", model: scriptedModel(said("Found.")) });
    const call = functionToolCall({ callId: "c1", name: "helper", arguments: '{"prompt":"?"}' });
    const outer = createAgent({ model: scriptedModel(said(call), said("Done.")), tools: [inner.asTool()] });
    const events = await dataOf(await agUi(outer.stream("Help"), { threadId: "t", runId: "r" }));
    for (const event of events) EventSchemas.parse(event);
    const types = events.map(({ type }) => type);
    expect(types[0]).toBe("RUN_STARTED");
    expect(types.at(-1)).toBe("RUN_FINISHED");
    expect(types).toContain("SUBAGENT_STARTED");
    expect(types).toContain("SUBAGENT_FINISHED");
    const waiting = await dataOf(await agUi(paying().stream("Pay", { threadId: "t" }), { threadId: "t", runId: "r" }));
    for (const event of waiting) EventSchemas.parse(event);
    expect(waiting.at(-1)).toMatchObject({ outcome: { type: "interrupt", interrupts: [{ reason: "tool_call" }] } });
  });

  it("is recorded, goes on when its client leaves, and is read again from where that was", async () => {
    const store = memoryStore();
    const log = eventLog(store);
    const agent = createAgent({ model: scriptedModel(said("Hello.")), store });
    const stream = log.record("u-1", agent.stream("Hi", { threadId: "u-1" }));
    const reader = (await sse(stream)).body?.getReader();
    const first = new TextDecoder().decode((await reader?.read())?.value);
    await reader?.cancel();
    expect((await stream.result).text).toBe("Hello.");
    const [, after = ""] = /^id: (.*)$/m.exec(first) ?? [];
    const rest = await dataOf(await sse(log.replay("u-1", { after })));
    expect(rest.map(({ seq }) => seq)).toEqual(rest.map((_, index) => index + 1));
    expect(rest.at(-1)).toMatchObject({ type: "finish" });
  });

  it("is a span with the sum of its tokens", async () => {
    const { handler, tree, spans } = record();
    const free = createTool({ id: "pay", description: "Pays.", execute: () => "paid" });
    const model = scriptedModel(said(payCall), said("Done."));
    await createAgent({ name: "payer", model, tools: [free] }).generate("Pay", { callbacks: [handler] });
    const [root, ...inside] = tree();
    expect(root).toMatch(/^invoke_(agent|workflow) payer$/);
    expect(inside).toEqual(["  chat ScriptedModel", "  execute_tool pay", "  chat ScriptedModel"]);
    expect(spans().at(-1)?.attributes).toMatchObject({
      "gen_ai.usage.input_tokens": 20,
      "gen_ai.usage.output_tokens": 10,
    });
  });
});
