import {
  parseJsonEventStream,
  readUIMessageStream,
  type UIMessage,
  type UIMessageChunk,
  uiMessageChunkSchema,
} from "ai";
import { assistantMessage, createTool, functionToolCall, memoryStore } from "kumiko";
import { type AgentEvent, createAgent } from "kumiko/agents";
import { assistantGenText } from "kumiko/schema";
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

describe("the replay of a turn that has gone on after a failure", () => {
  const piece = (text: string) => assistantMessage(assistantGenText({ text, streamingMeta: { index: 0 } }));
  const look = createTool({ id: "look", description: "", inputSchema: { type: "object" }, execute: () => "42" });
  const looking = functionToolCall({ callId: "c1", name: "look", arguments: "{}" });

  async function* lost() {
    yield piece("It is boo");
    throw new Error("connect ECONNREFUSED 10.0.0.7");
  }

  it("has neither the error nor the text that was lost with it, here and elsewhere", async () => {
    const store = memoryStore();
    const model = scriptedModel([looking], lost, "It is booked.");
    const agent = createAgent({ store, tools: [look], model, retry: false });
    const log = eventLog(store);
    const failed: AgentEvent[] = [];
    try {
      for await (const event of log.record("t", agent.stream("Book", { threadId: "t" }))) failed.push(event);
    } catch {} // told by the last event
    expect(failed.at(-1)?.type).toBe("error");
    const rest = await all(log.record("t", agent.resumeStream({ threadId: "t" }, {})));
    const kept = failed.slice(
      0,
      failed.findLastIndex(({ type }) => type === "step_start"),
    );
    for (const one of [log, eventLog(store)]) {
      expect(await all(one.replay("t"))).toEqual([...kept, ...rest]);
      const message = await messageOf(await uiMessageStream(one.replay("t")));
      const texts = message?.parts.map((part) => (part.type === "text" ? part.text : part.type));
      expect(texts).toEqual(["step-start", "tool-look", "step-start", "It is booked."]);
    }
  });

  it("keeps the answer of a step whose tools have failed", async () => {
    let calls = 0;
    const fail = createTool({
      ...{ id: "look", description: "", inputSchema: { type: "object" } },
      execute: () => {
        calls += 1;
        if (calls === 1) throw new Error("The disk is full.");
        return "42";
      },
    });
    const store = memoryStore();
    const agent = createAgent({ store, tools: [fail], model: scriptedModel([looking], "42."), onToolError: "throw" });
    const log = eventLog(store);
    await all(log.record("t", agent.stream("Look", { threadId: "t" }))).catch(() => undefined);
    await all(log.record("t", agent.resumeStream({ threadId: "t" }, {})));
    const message = await messageOf(await uiMessageStream(log.replay("t")));
    const parts = message?.parts.map((part) => (part.type === "text" ? part.text : part.type));
    expect(parts?.filter((part) => part !== "step-start")).toEqual(["tool-look", "42."]);
    expect(JSON.stringify(message)).toContain('"output":"42"');
  });
});

describe("the replay of a thread whose newest turn is not recorded", () => {
  async function begun() {
    const store = memoryStore();
    let goOn = (): void => undefined;
    const answered = new Promise<void>((resolve) => {
      goOn = resolve;
    });
    async function* slow() {
      yield assistantMessage("Two");
      await answered;
    }
    const agent = createAgent({ store, model: scriptedModel("One.", slow()) });
    await all(eventLog(store).record("t", agent.stream("1", { threadId: "t" })));
    const second = agent.stream("2", { threadId: "t" });
    const reader = second[Symbol.asyncIterator]();
    await reader.next();
    return { store, second, reader, goOn };
  }

  it("waits for its recording while the turn runs, and does not show the turn before", async () => {
    const { store, second, reader, goOn } = await begun();
    const elsewhere = eventLog(store);
    expect(await elsewhere.isOpen("t")).toBe(true);
    const replayed = all(elsewhere.replay("t"));
    await new Promise((resolve) => setTimeout(resolve, 20));
    async function* rest() {
      for (let next = await reader.next(); next.done !== true; next = await reader.next()) yield next.value;
    }
    const checkpointId = "~thread/t/00000002/run";
    async function* whole() {
      yield { seq: 0, runId: "r", agentPath: ["agent"], step: 0, type: "start", threadId: "t", checkpointId } as const;
      yield* rest();
    }
    const recorded = all(eventLog(store).record("t", whole()));
    goOn();
    await recorded;
    expect((await replayed).filter(({ type }) => type === "text_delta")).toMatchObject([{ delta: "Two" }]);
    expect((await second.result).text).toBe("Two");
  });

  it("is empty once the turn has ended without one", async () => {
    const { store, second, goOn } = await begun();
    const elsewhere = eventLog(store);
    const replayed = all(elsewhere.replay("t"));
    goOn();
    await second.result;
    expect(await replayed).toEqual([]);
    expect(await elsewhere.isOpen("t")).toBe(false);
    expect(await all(elsewhere.replay("t"))).toEqual([]);
  });
});

describe("a request that is repeated", () => {
  it("is answered, and leaves the recording of what runs, or ran last", async () => {
    const store = memoryStore();
    const agent = createAgent({ store, tools: [pay], model: scriptedModel("Hello.", [call], "Paid.") });
    const log = eventLog(store);
    const ask = (requestId: string) => all(log.record("t", agent.stream(requestId, { threadId: "t", requestId })));
    await ask("Hi");
    const asked = await ask("Pay");
    for (const again of ["Hi", "Pay", "Hi"]) expect((await ask(again)).at(-1)?.type).toBe("finish");
    expect(await all(log.replay("t"))).toEqual(asked);
    expect(await all(eventLog(store).replay("t"))).toEqual(asked);
  });
});
