import { EventSchemas } from "@ag-ui/core/schemas";
import {
  AbstractChat,
  type ChatInit,
  DefaultChatTransport,
  parseJsonEventStream,
  readUIMessageStream,
  type UIMessage,
  type UIMessageChunk,
  uiMessageChunkSchema,
} from "ai";
import { createTool, functionToolCall, memoryStore } from "kumiko";
import { createAgent } from "kumiko/agents";
import { scriptedModel } from "kumiko/testing";
import { agUi, readAgUiRequest, readUiRequest, uiMessageStream } from "kumiko/ui";
import { describe, expect, it } from "vitest";
import { z } from "zod";
import { dataOf } from "./hand-made.js";

const calls = (callId: string, name: string) => [
  functionToolCall({ callId, name, arguments: name === "pay" ? "{}" : '{"prompt":"?"}' }),
];

/** A tool asks in an agent that is a tool of an agent that is a tool. */
function asking() {
  const pay = createTool({
    ...{ id: "pay", description: "Pays.", inputSchema: z.object({}), requireApproval: true },
    execute: () => "paid",
  });
  const clerk = createAgent({
    ...{ name: "clerk", description: "Pays.", tools: [pay] },
    model: scriptedModel(calls("k3;%", "pay"), "Paid."),
  });
  const office = createAgent({
    ...{ name: "office", description: "Has a clerk.", tools: [clerk.asTool()] },
    model: scriptedModel(calls("k2", "clerk"), "Settled."),
  });
  const model = scriptedModel(calls("k1", "office"), "Done.");
  return createAgent({ name: "boss", model, tools: [office.asTool()], store: memoryStore() });
}

async function shown(response: Response, message?: UIMessage): Promise<UIMessage> {
  const parts = parseJsonEventStream({ stream: response.body as ReadableStream, schema: uiMessageChunkSchema });
  const stream = parts.pipeThrough(
    new TransformStream({
      transform: (part, controller) => controller.enqueue((part as { value: UIMessageChunk }).value),
    }),
  ) as ReadableStream<UIMessageChunk>;
  let last: UIMessage | undefined;
  for await (const state of readUIMessageStream(message === undefined ? { stream } : { stream, message })) last = state;
  return last as UIMessage;
}

const toolParts = ({ parts }: UIMessage) =>
  parts.flatMap((part) => ("toolCallId" in part ? [[part.type, part.toolCallId, part.state]] : []));

describe("an approval two agents deep", () => {
  it("is asked at the part of its call, and answered there", async () => {
    const agent = asking();
    const asked = await shown(await uiMessageStream(agent.stream("Pay", { threadId: "t" })));
    expect(toolParts(asked)).toEqual([
      ["tool-office", "k1", "input-available"],
      ["tool-clerk", "k1/k2", "input-available"],
      ["tool-pay", "k2/k3;%", "approval-requested"],
    ]);
    const parts = asked.parts.map((part) =>
      "approval" in part
        ? { ...part, state: "approval-responded", approval: { ...part.approval, approved: true } }
        : part,
    );
    const message = { ...asked, parts } as UIMessage;
    const { threadId, answers = {} } = readUiRequest({ id: "t", messages: [message] });
    const done = await shown(await uiMessageStream(agent.resumeStream({ threadId }, answers)), message);
    expect(toolParts(done)).toEqual([
      ["tool-office", "k1", "output-available"],
      ["tool-clerk", "k1/k2", "output-available"],
      ["tool-pay", "k2/k3;%", "output-available"],
    ]);
  });

  it("names its call and its subagent in AG-UI, and each subagent the call it is inside of", async () => {
    const agent = asking();
    const ids = { threadId: "t", runId: "r" };
    const events = await dataOf(await agUi(agent.stream("Pay", { threadId: "t" }), ids));
    for (const event of events) EventSchemas.parse(event);
    const [office, clerk] = events.filter(({ type }) => type === "SUBAGENT_STARTED");
    expect([office?.parentToolCallId, clerk?.parentToolCallId]).toEqual(["k1", "k1/k2"]);
    expect(clerk?.parentSubagentRunId).toBe(office?.subagentRunId);
    const { interrupts } = (events.at(-1) as { outcome: { interrupts: { id: string }[] } }).outcome;
    expect(interrupts).toMatchObject([{ toolCallId: "k2/k3;%", subagentRunId: clerk?.subagentRunId }]);
    const resume = interrupts.map(({ id }) => ({
      ...{ interruptId: id, status: "resolved", payload: { approved: true } },
    }));
    const { answers = {} } = readAgUiRequest({ ...ids, messages: [], tools: [], context: [], resume });
    const rest = await dataOf(await agUi(agent.resumeStream({ threadId: "t" }, answers), ids));
    for (const event of rest) EventSchemas.parse(event);
    expect(rest.filter(({ type }) => type === "TOOL_CALL_RESULT").map(({ toolCallId }) => toolCallId)).toEqual([
      ...["k2/k3;%", "k1/k2", "k1"],
    ]);
  });
});

class ChatMessages {
  status = "ready" as const;
  error = undefined;
  messages: UIMessage[] = [];
  snapshot = structuredClone;

  pushMessage(message: UIMessage): void {
    this.messages = [...this.messages, message];
  }

  popMessage(): void {
    this.messages = this.messages.slice(0, -1);
  }

  replaceMessage(index: number, message: UIMessage): void {
    this.messages = this.messages.with(index, structuredClone(message));
  }
}

/** The chat behind `useChat`, without React. */
class Chat extends AbstractChat<UIMessage> {
  constructor(init: ChatInit<UIMessage>) {
    super({ ...init, state: new ChatMessages() });
  }
}

describe("useChat, with the condition of the guide", () => {
  it("sends the answer to an approval two agents deep, once", async () => {
    const agent = asking();
    const requests: unknown[] = [];
    let answered: () => void = () => undefined;
    const done = new Promise<void>((resolve) => {
      answered = resolve;
    });
    const chat = new Chat({
      id: "u-1",
      transport: new DefaultChatTransport({
        api: "http://localhost/chat",
        fetch: async (_url, init) => {
          const { threadId, prompt, answers } = readUiRequest(JSON.parse(String(init?.body)));
          requests.push(answers ?? prompt);
          return uiMessageStream(
            answers === undefined ? agent.stream(prompt, { threadId }) : agent.resumeStream({ threadId }, answers),
          );
        },
      }),
      sendAutomaticallyWhen: ({ messages }) => {
        const states = messages.at(-1)?.parts.map((part) => ("state" in part ? part.state : undefined)) ?? [];
        return states.includes("approval-responded") && !states.includes("approval-requested");
      },
      onFinish: () => requests.length > 1 && answered(),
    });
    await chat.sendMessage({ text: "Pay" });
    const asked = chat.messages.at(-1)?.parts.find((part) => "approval" in part && part.state === "approval-requested");
    if (asked === undefined || !("approval" in asked)) throw new Error("Nothing was asked.");
    const id = asked.approval?.id ?? "";
    await chat.addToolApprovalResponse({ id, approved: true });
    await done;
    // what would send it again, decides as soon as the answer has ended
    await new Promise((resolve) => setTimeout(resolve));
    expect(requests).toHaveLength(2);
    expect(requests[1]).toEqual({ [id]: { approved: true } });
    expect(toolParts(chat.messages.at(-1) as UIMessage).map(([, , state]) => state)).toEqual([
      "output-available",
      "output-available",
      "output-available",
    ]);
  });
});
