import {
  type AgenticMessage,
  createTool,
  functionToolCall,
  memoryStore,
  RunControl,
  textOf,
  userMessage,
} from "kumiko";
import { type Agent, type AgentEvent, createAgent, threads } from "kumiko/agents";
import { scriptedModel } from "kumiko/testing";
import { uiMessages } from "kumiko/ui";
import { describe, expect, it } from "vitest";

const pay = createTool({
  id: "pay",
  description: "",
  inputSchema: { type: "object" },
  requireApproval: true,
  execute: () => "paid",
});
const call = functionToolCall({ callId: "c1", name: "pay", arguments: "{}" });

function agentOf(...answers: readonly unknown[]) {
  const store = memoryStore();
  const model = scriptedModel(...(answers as never[]));
  const agent = createAgent({ store, tools: [pay], model, retry: false });
  const texts = async () => (await threads(store).messages("t")).map(textOf).filter((text) => text !== "");
  const statuses = async () => {
    const all: string[] = [];
    for await (const { number, status } of threads(store).turns("t")) all.push(`${number} ${status}`);
    return all;
  };
  return { agent, store, model, texts, statuses };
}

const asked = (text: string, id?: string): AgenticMessage => userMessage(text, { id });
const request = (requestId: string) => ({ threadId: "t", requestId });

async function eventsOf(stream: AsyncIterable<AgentEvent>): Promise<AgentEvent[]> {
  const all: AgentEvent[] = [];
  for await (const event of stream) all.push(event);
  return all;
}

const approve = (agent: Agent, interrupts: readonly { readonly id: string }[], approved = true) =>
  agent.resume({ threadId: "t" }, { [interrupts[0]?.id ?? ""]: { approved } });

describe("a request that is sent twice", () => {
  it("begins one turn, and gets an equal result", async () => {
    const { agent, model, statuses } = agentOf("Hello.");
    const first = await agent.generate("Hi", request("r1"));
    const again = await agent.generate("Hi", request("r1"));
    expect(JSON.parse(JSON.stringify(again))).toEqual(JSON.parse(JSON.stringify(first)));
    expect(again.output).toBe(first.output);
    expect(model.calls).toHaveLength(1);
    expect(await statuses()).toEqual(["1 done"]);
  });

  it("gets the events of the turn as a stream, whose result is the same", async () => {
    const { agent } = agentOf([call], "Paid.");
    const first = await agent.generate("Pay", request("r1"));
    const done = await approve(agent, first.interrupts);
    const stream = agent.stream("Pay", request("r1"));
    const events = await eventsOf(stream);
    expect(events.map(({ type }) => type)).toEqual([
      ...[
        "start",
        "step_start",
        "tool_call_start",
        "tool_call_delta",
        "tool_call",
        "message",
        "tool_result",
        "step_finish",
      ],
      ...["step_start", "text_delta", "message", "step_finish", "finish"],
    ]);
    expect(events.map(({ seq }) => seq)).toEqual(events.map((_, index) => index));
    const result = await stream.result;
    expect(JSON.parse(JSON.stringify(result))).toEqual(
      JSON.parse(JSON.stringify({ ...done, checkpointId: undefined })),
    );
  });

  it("gets the questions of a turn that waits", async () => {
    const { agent } = agentOf([call], "Paid.");
    const first = await agent.generate("Pay", request("r1"));
    const again = await agent.generate("Pay", request("r1"));
    expect(again.interrupts).toEqual(first.interrupts);
    expect(again.checkpointId).toBe(first.checkpointId);
    const events = await eventsOf(agent.stream("Pay", request("r1")));
    expect(events.slice(-2)).toMatchObject([{ type: "interrupt" }, { type: "finish", finishReason: "waiting" }]);
    expect((await approve(agent, again.interrupts)).text).toBe("Paid.");
  });

  it("goes on with a turn that has failed, where it was", async () => {
    const { agent, model, statuses } = agentOf([call], new Error("down"), "Paid.");
    const { interrupts } = await agent.generate("Pay", request("r1"));
    await expect(approve(agent, interrupts)).rejects.toMatchObject({ code: "NODE_FAILED" });
    expect((await agent.generate("Pay", request("r1"))).text).toBe("Paid.");
    expect(model.calls).toHaveLength(3);
    expect(await statuses()).toEqual(["1 done"]);
  });

  it("replaces a turn that was aborted", async () => {
    const controller = new AbortController();
    const { agent, statuses, texts } = agentOf(() => {
      controller.abort(new Error("left"));
      return new Promise(() => undefined);
    }, "Hello.");
    await expect(agent.generate("Hi", { ...request("r1"), signal: controller.signal })).rejects.toThrow("left");
    expect(await statuses()).toEqual(["1 aborted"]);
    expect((await agent.generate("Hi", request("r1"))).text).toBe("Hello.");
    expect(await statuses()).toEqual(["1 done"]);
    expect(await texts()).toEqual(["Hi", "Hello."]);
  });

  it("goes on with a turn that was asked to stop before a node had run", async () => {
    const control = new RunControl();
    control.interrupt();
    const { agent, statuses, texts } = agentOf("Hello.");
    const stopped = agent.generate("Hi", { ...request("r1"), control });
    await expect(stopped).rejects.toMatchObject({ code: "INTERRUPTED" });
    expect(await statuses()).toEqual(["1 cut_off"]);
    expect((await agent.generate("Hi", request("r1"))).text).toBe("Hello.");
    expect(await statuses()).toEqual(["1 done"]);
    expect(await texts()).toEqual(["Hi", "Hello."]);
  });

  it("is busy while its turn runs, or waits for it", async () => {
    let go = (): void => undefined;
    const gate = new Promise<string>((resolve) => {
      go = () => resolve("Hello.");
    });
    const { agent, model } = agentOf(() => gate);
    const first = agent.generate("Hi", request("r1"));
    while (model.calls.length === 0) await new Promise((resolve) => setImmediate(resolve));
    await expect(agent.generate("Hi", request("r1"))).rejects.toMatchObject({ code: "THREAD_BUSY" });
    const second = agent.generate("Hi", { ...request("r1"), onBusy: "wait" });
    go();
    expect((await second).text).toBe((await first).text);
    expect(model.calls).toHaveLength(1);
  });

  it("is refused with another prompt, and where the conversation has gone on since it failed", async () => {
    const { agent } = agentOf(new Error("down"), "Two.");
    await expect(agent.generate("One", request("r1"))).rejects.toMatchObject({ code: "NODE_FAILED" });
    await expect(agent.generate("Other", request("r1"))).rejects.toMatchObject({ code: "INVALID_OPTION" });
    await agent.generate("Two", request("r2"));
    await expect(agent.generate("One", request("r1"))).rejects.toMatchObject({ code: "UNKNOWN_CHECKPOINT" });
  });

  it("is refused with a part of its prompt, and with more than it", async () => {
    const { agent, model } = agentOf("Done.", new Error("down"));
    const prompts = ["One", "Two", "Three"].map((text) => userMessage(text));
    const [one, two] = prompts;
    await agent.generate([one, two] as AgenticMessage[], request("r1"));
    await expect(agent.generate([one, two] as AgenticMessage[], request("r2"))).rejects.toThrow("down");
    for (const requestId of ["r1", "r2"]) {
      for (const prompt of [[one], [two], prompts] as AgenticMessage[][]) {
        await expect(agent.generate(prompt, request(requestId))).rejects.toMatchObject({ code: "INVALID_OPTION" });
      }
    }
    expect((await agent.generate([one, two] as AgenticMessage[], request("r1"))).text).toBe("Done.");
    expect(model.calls).toHaveLength(2);
  });

  it("is a new one in a copy of the thread", async () => {
    const { agent, store, model } = agentOf("One.", "Two.");
    await agent.generate("Hi", request("r1"));
    const copy = await threads(store).fork("t");
    await agent.generate("Hi", { threadId: copy, requestId: "r1" });
    expect(model.calls).toHaveLength(2);
  });
});

describe("a message that is replaced", () => {
  const talk = async (agent: Agent) => {
    for (const name of ["one", "two", "three"]) await agent.generate(asked(name, name), { threadId: "t" });
  };

  it.each(["one", "turn-1"])("takes its turn and the later ones with it: %s", async (id) => {
    const { agent, store, model, texts, statuses } = agentOf("1.", "2.", "3.", "New.");
    await talk(agent);
    const { text } = await agent.generate(asked("uno", "uno"), { threadId: "t", replaces: id });
    expect(text).toBe("New.");
    expect(await texts()).toEqual(["uno", "New."]);
    expect(await statuses()).toEqual(["1 done"]);
    expect(model.calls.at(-1)?.messages.map(textOf)).toEqual(["uno"]);
    expect((await uiMessages(threads(store), "t")).map((message) => message.id)).toEqual(["uno", "turn-1"]);
  });

  it("may be the prompt of a turn that waits, and leaves the turns before it", async () => {
    const { agent, texts, statuses } = agentOf("1.", [call], "Fine.");
    await agent.generate(asked("one", "one"), { threadId: "t" });
    await agent.generate(asked("Pay", "two"), { threadId: "t" });
    await agent.generate(asked("Do not pay", "two"), { threadId: "t", replaces: "two" });
    expect(await texts()).toEqual(["one", "1.", "Do not pay", "Fine."]);
    expect(await statuses()).toEqual(["1 done", "2 done"]);
  });

  it("is refused if no message has the id, and nothing is lost", async () => {
    const { agent, statuses } = agentOf("1.", "2.", "3.");
    await talk(agent);
    await expect(agent.generate("x", { threadId: "t", replaces: "four" })).rejects.toMatchObject({
      code: "UNKNOWN_MESSAGE",
    });
    expect(await statuses()).toEqual(["1 done", "2 done", "3 done"]);
  });
});

describe("answers that are repeated", () => {
  const calls = ["c1", "c2"].map((callId) => functionToolCall({ callId, name: "pay", arguments: "{}" }));

  it("are dropped where the turn has them, and others are refused", async () => {
    const { agent } = agentOf(calls, "Paid.");
    const { interrupts } = await agent.generate("Pay", { threadId: "t" });
    const [one, two] = interrupts.map(({ id }) => id);
    const half = await agent.resume({ threadId: "t" }, { [one ?? ""]: { approved: true } });
    expect(half.interrupts.map(({ id }) => id)).toEqual([two]);
    await expect(agent.resume({ threadId: "t" }, { [one ?? ""]: { approved: false } })).rejects.toMatchObject({
      code: "ALREADY_ANSWERED",
    });
    const answers = { [one ?? ""]: { approved: true }, [two ?? ""]: { approved: true } };
    expect((await agent.resume({ threadId: "t" }, answers)).text).toBe("Paid.");
  });

  it("tell the result of a turn that is done, if it has had them", async () => {
    const { agent, model } = agentOf([call], "Paid.");
    const { interrupts } = await agent.generate("Pay", { threadId: "t" });
    const done = await approve(agent, interrupts);
    expect((await approve(agent, interrupts)).text).toBe(done.text);
    await expect(approve(agent, interrupts, false)).rejects.toMatchObject({ code: "ALREADY_ANSWERED" });
    await expect(agent.resume({ threadId: "t" }, { other: 1 })).rejects.toMatchObject({ code: "UNKNOWN_CHECKPOINT" });
    expect(model.calls).toHaveLength(2);
  });

  it("may be none: a turn that is done tells its result, and one that waits its questions", async () => {
    const { agent } = agentOf([call], "Paid.");
    const { interrupts } = await agent.generate("Pay", { threadId: "t" });
    expect((await agent.resume({ threadId: "t" }, {})).interrupts).toEqual(interrupts);
    const done = await approve(agent, interrupts);
    expect((await agent.resume({ threadId: "t" }, {})).text).toBe(done.text);
    await expect(agent.resume({ threadId: "t" })).rejects.toMatchObject({ code: "UNKNOWN_CHECKPOINT" });
  });
});

it.each([
  [{ requestId: "r" }, "requestId is for a turn of a thread"],
  [{ replaces: "r" }, "replaces is for a turn of a thread"],
  [{ threadId: "t", requestId: "r", replaces: "r" }, "exclude each other"],
  [{ threadId: "t", requestId: "" }, "requestId must be a string"],
  [{ threadId: "t", replaces: "x".repeat(257) }, "replaces must be a string"],
  [{ threadId: "t", requestId: 7 }, "requestId must be a string"],
])("refuses %j", async (options, problem) => {
  await expect(agentOf("x").agent.generate("Hi", options as never)).rejects.toMatchObject({
    code: "INVALID_OPTION",
    message: expect.stringContaining(problem),
  });
});
