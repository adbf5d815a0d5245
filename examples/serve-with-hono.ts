// An agent behind Hono, for useChat of the AI SDK. The client uses the AI SDK's own transport and reader: it asks,
// approves, and continues.
// expect: asked: pay {"euros":5}
// expect: approved: {"paid":5}
// expect: It is paid.
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { getRequestListener } from "@hono/node-server";
import { DefaultChatTransport, isToolUIPart, readUIMessageStream, type UIMessage } from "ai";
import { Hono } from "hono";
import { createTool, functionToolCall, KumikoError, memoryStore } from "kumiko";
import { createAgent } from "kumiko/agents";
import { scriptedModel } from "kumiko/testing";
import { readUiRequest, uiMessageStream } from "kumiko/ui";
import { z } from "zod";

const pay = createTool({
  id: "pay",
  description: "Pays an amount.",
  requireApproval: true,
  inputSchema: z.object({ euros: z.number() }),
  execute: ({ euros }) => ({ paid: euros }),
});
const call = functionToolCall({ callId: "c1", name: "pay", arguments: '{"euros":5}' });
const agent = createAgent({ model: scriptedModel([call], "It is paid."), tools: [pay], store: memoryStore() });

// --- the whole server ----------------------------------------------------------------------------------------------------

const app = new Hono();
app.post("/chat", async (context) => {
  const { prompt, answers, ...turn } = readUiRequest(await context.req.json());
  return uiMessageStream(answers ? agent.resumeStream(turn, answers) : agent.stream(prompt, turn));
});
app.onError((error, context) => {
  const isBad = KumikoError.is(error) && error.code === "INVALID_REQUEST";
  return context.text(isBad ? error.message : "Something failed.", isBad ? 400 : 500);
});

const server = createServer(getRequestListener(app.fetch));
await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));

// --- a client: what useChat does in a browser ------------------------------------------------------------------------------

const api = `http://127.0.0.1:${(server.address() as AddressInfo).port}/chat`;
const transport = new DefaultChatTransport({ api });
const question: UIMessage = { id: "1", role: "user", parts: [{ type: "text", text: "Pay it." }] };

async function send(message?: UIMessage): Promise<UIMessage> {
  const messages = message === undefined ? [question] : [question, message];
  const stream = await transport.sendMessages({
    chatId: "chat-1",
    trigger: "submit-message",
    messageId: undefined,
    messages,
    abortSignal: undefined,
  });
  let last: UIMessage | undefined;
  for await (const state of readUIMessageStream(message === undefined ? { stream } : { stream, message })) last = state;
  if (last === undefined) throw new Error("There was no answer.");
  return last;
}

const asked = await send();
const parts = asked.parts.map((part) => {
  if (!isToolUIPart(part) || part.state !== "approval-requested") return part;
  console.log(`asked: ${part.type.replace("tool-", "")} ${JSON.stringify(part.input)}`);
  return { ...part, state: "approval-responded", approval: { ...part.approval, approved: true } };
});
const done = await send({ ...asked, parts: parts as UIMessage["parts"] });
for (const part of done.parts) {
  if (isToolUIPart(part)) console.log(`approved: ${JSON.stringify(part.output)}`);
  if (part.type === "text") console.log(part.text);
}
server.close();
