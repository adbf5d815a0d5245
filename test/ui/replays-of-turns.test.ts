import {
  parseJsonEventStream,
  readUIMessageStream,
  type UIMessage,
  type UIMessageChunk,
  uiMessageChunkSchema,
} from "ai";
import { createTool, functionToolCall, memoryStore } from "kumiko";
import { type AgentEvent, createAgent } from "kumiko/agents";
import { scriptedModel } from "kumiko/testing";
import { type EventLog, eventLog, sse, uiMessageStream } from "kumiko/ui";
import { describe, expect, it } from "vitest";

const pay = createTool({
  id: "pay",
  description: "",
  inputSchema: { type: "object" },
  requireApproval: true,
  execute: () => "paid",
});
const call = functionToolCall({ callId: "c1", name: "pay", arguments: "{}" });

/** A turn that has waited and gone on, as its log has it here and in another process. */
async function recorded() {
  const store = memoryStore();
  const model = scriptedModel([call], "Paid.", "Bye.");
  const agent = createAgent({ store, tools: [pay], model });
  const log = eventLog(store);
  const first = log.record("t", agent.stream("Pay", { threadId: "t" }));
  const asked = await all(first);
  const [{ id } = { id: "" }] = (await first.result).interrupts;
  const second = log.record("t", agent.resumeStream({ threadId: "t" }, { [id]: { approved: true } }));
  return { store, agent, log, elsewhere: eventLog(store), asked, second };
}

async function all(stream: AsyncIterable<AgentEvent>): Promise<AgentEvent[]> {
  const events: AgentEvent[] = [];
  for await (const event of stream) events.push(event);
  return events;
}

/** The ids and events of a response with server-sent events. */
async function sent(response: Response): Promise<(readonly [string, string])[]> {
  const text = await response.text();
  return [...text.matchAll(/^id: (.*)\ndata: (.*)$/gm)].map(([, id = "", data = ""]) => [id, data]);
}

async function messageOf(response: Response): Promise<UIMessage | undefined> {
  const parsed = parseJsonEventStream({ stream: response.body as ReadableStream, schema: uiMessageChunkSchema });
  const stream = parsed.pipeThrough(
    new TransformStream({ transform: (part, to) => to.enqueue((part as { value: UIMessageChunk }).value) }),
  ) as ReadableStream<UIMessageChunk>;
  let last: UIMessage | undefined;
  for await (const state of readUIMessageStream({ stream })) last = state;
  return last;
}

describe("the replay of a turn that has gone on after an answer", () => {
  it("has the events of all its runs, here and elsewhere", async () => {
    const { log, elsewhere, asked, second } = await recorded();
    const rest = await all(second);
    for (const one of [log, elsewhere]) expect(await all(one.replay("t"))).toEqual([...asked, ...rest]);
    const message = await messageOf(await uiMessageStream(elsewhere.replay("t")));
    expect(message?.id).toBe("turn-1");
    expect(message?.parts.map(({ type }) => type)).toEqual(["step-start", "tool-pay", "step-start", "text"]);
  });

  it("has them while the second run goes on, too", async () => {
    const { log, asked, second } = await recorded();
    const live = all(second);
    const replayed = all(log.replay("t"));
    const rest = await live;
    expect(await replayed).toEqual([...asked, ...rest]);
  });

  it("goes on after any event that a client has", async () => {
    const { log, elsewhere, second } = await recorded();
    await all(second);
    const whole = await sent(await sse(log.replay("t")));
    expect(new Set(whole.map(([id]) => id)).size).toBe(whole.length);
    const rest = async (one: EventLog, id: string) => {
      const response = await sse(one.replay("t", { after: id }));
      return response.status === 204 ? [] : sent(response);
    };
    for (const [index, [id]] of whole.entries()) {
      expect(await rest(log, id)).toEqual(whole.slice(index + 1));
      expect(await rest(elsewhere, id)).toEqual(whole.slice(index + 1));
    }
    expect(await rest(elsewhere, "another:3")).toEqual(whole);
  });

  it("ends with the next turn, of which nothing else stays", async () => {
    const { store, agent, log, second } = await recorded();
    await all(second);
    const next = await all(log.record("t", agent.stream("Bye", { threadId: "t" })));
    expect(await all(eventLog(store).replay("t"))).toEqual(next);
    const rows: string[] = [];
    for await (const key of store.list("~events/")) rows.push(key);
    expect(rows).toHaveLength(2);
  });
});
