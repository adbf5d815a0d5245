import {
  type CheckpointStore,
  createTool,
  type Interrupt,
  memoryStore,
  textOf,
  toolResultsOf,
  userMessage,
} from "kumiko";
import { type Agent, type AgentEvent, type AgentOptions, createAgent, threads } from "kumiko/agents";
import { sqliteStore } from "kumiko/sqlite";
import { type ScriptEntry, scriptedModel } from "kumiko/testing";
import { uiMessages } from "kumiko/ui";
import { describe, expect, it } from "vitest";
import { call, eventsOf, failureOf } from "./agents.js";

const inThread = { threadId: "t" };
const named = (requestId: string) => ({ ...inThread, requestId });
const json = (value: unknown): unknown => JSON.parse(JSON.stringify(value));
const inputSchema = { type: "object" } as const;

const stores: [string, () => CheckpointStore][] = [
  ["memory", memoryStore],
  ["SQLite", () => sqliteStore(":memory:")],
];
const ways = stores.flatMap(([name, makeStore]) =>
  (["step", "exit"] as const).flatMap((durability) =>
    [false, true].map((history) => ({
      name: `${name}, saved at each ${durability}${history ? ", with its history" : ""}`,
      options: (): Partial<AgentOptions> => ({
        store: makeStore(),
        durability,
        ...(history && { history }),
        retry: false,
      }),
    })),
  ),
);

function counted(id: string, options: object = {}) {
  const ran: unknown[] = [];
  const execute = (input: unknown): string => {
    ran.push(input);
    return `${id} ran`;
  };
  return { ran, tool: createTool({ id, description: id, inputSchema, execute, ...options }) };
}

/** What a call comes to: its text, why it stopped without one, or the code of its failure. */
async function outcome(run: () => Promise<{ text: string; finishReason: string }>): Promise<string> {
  try {
    const { text, finishReason } = await run();
    return text || finishReason;
  } catch (error) {
    return String((error as { code?: string }).code);
  }
}

/** What an event says of a call. */
function callIn(event: AgentEvent): string | undefined {
  return event.type === "tool_result" || event.type === "tool_output_delta" ? event.callId : undefined;
}

/** The calls of which something is said before they are. */
function unknownCalls(events: readonly AgentEvent[]): string[] {
  const known = new Set<string>();
  return events.flatMap((event) => {
    if (event.type === "tool_call") known.add(event.callId);
    const id = callIn(event);
    return id === undefined || known.has(id) ? [] : [id];
  });
}

const answerTo = ({ info }: Interrupt): unknown => {
  const { kind } = info as { kind: string };
  return kind === "tool_approval" ? { approved: true } : { said: kind };
};

describe.each(ways)("in $name", ({ options }) => {
  async function turnsOf(store: CheckpointStore | undefined): Promise<string[]> {
    const all: string[] = [];
    if (store !== undefined) {
      for await (const { number, status } of threads(store).turns("t")) all.push(`${number} ${status}`);
    }
    return all;
  }

  it("a turn with all kinds of questions is answered one by one, each as often as one likes", async () => {
    const own = options();
    const [pay, innerPay, free] = [
      counted("pay", { requireApproval: true }),
      counted("pay", { requireApproval: true }),
      counted("free"),
    ];
    const ask = createTool({
      id: "ask",
      description: "ask",
      inputSchema,
      suspendSchema: inputSchema,
      resumeSchema: inputSchema,
      execute: (_input, ctx) => (ctx.resumeData === undefined ? ctx.suspend({}) : JSON.stringify(ctx.resumeData)),
    });
    const client = createTool({ id: "client", description: "client", inputSchema });
    const inner = createAgent({
      name: "inner",
      description: "inner",
      model: scriptedModel([call("inner-1", "pay")], "Inner."),
      tools: [innerPay.tool],
    });
    const calls = ["ask", "client", "free", "pay"].map((name) => call(name, name));
    const model = scriptedModel([...calls, call("inner", "inner", { prompt: "Go" })], "End.");
    // each call is one of another process
    const agent = () =>
      createAgent({ ...own, model, tools: [ask, client, free.tool, pay.tool, inner.asTool()] }) as Agent;
    const first = agent().stream("Go", named("r"));
    expect(unknownCalls(await eventsOf(first))).toEqual([]);
    let open: readonly Interrupt[] = (await first.result).interrupts;
    expect(open).toHaveLength(4);
    while (open.length > 0) {
      const [question] = open as [Interrupt];
      const answers = { [question.id]: answerTo(question) };
      const stream = agent().resumeStream(inThread, answers);
      const events = await eventsOf(stream);
      expect(unknownCalls(events)).toEqual([]);
      expect(events.map(({ seq }) => seq)).toEqual(events.map((_event, index) => index));
      open = (await stream.result).interrupts;
      expect((await agent().resume(inThread, answers)).interrupts).toEqual(open);
      const others = agent().resume(inThread, { [question.id]: { approved: false, other: true } });
      expect((await failureOf(others)).code).toBe("ALREADY_ANSWERED");
      expect((await agent().generate("Go", named("r"))).interrupts).toEqual(open);
    }
    expect([pay.ran, innerPay.ran, free.ran, model.calls].map(({ length }) => length)).toEqual([1, 1, 1, 2]);
    const results = model.calls[1]?.messages.flatMap(toolResultsOf).map(({ callId }) => callId);
    expect(results).toEqual(["ask", "client", "free", "pay", "inner"]);
    const replay = agent().stream("Go", named("r"));
    expect(unknownCalls(await eventsOf(replay))).toEqual([]);
    expect(await replay.text).toBe("End.");
    const shown = (await uiMessages(threads(own.store as CheckpointStore), "t")).at(-1)?.parts ?? [];
    const states = shown.flatMap((part) => ("toolCallId" in part && "state" in part ? String(part.state) : []));
    expect(states).toEqual(Array(5).fill("output-available"));
  });

  it("equal requests at once are one turn, and replacements at once leave one", async () => {
    const own = options();
    const model = scriptedModel(...Array<ScriptEntry>(12).fill("Done."));
    const agent = createAgent({ ...own, model });
    const waits = { ...inThread, onBusy: "wait" } as const;
    const all = (run: (index: number) => Promise<unknown>) => Promise.all([0, 1, 2, 3].map(run));
    await all(() => agent.generate("Hi", { ...waits, requestId: "r" }));
    expect(model.calls).toHaveLength(1);
    await all((index) => agent.generate("Hi", { ...waits, requestId: `r${index}` }));
    await all(() => agent.generate("Edited", { ...waits, replaces: "turn-3" }));
    expect(await turnsOf(own.store)).toEqual(["1 done", "2 done", "3 done"]);
  });

  it("a request tells its end, however it has ended", async () => {
    const output = { type: "object", properties: { a: { type: "number" } }, required: ["a"] } as const;
    const calling = [call("1", "free")];
    const cases: [object, ScriptEntry[]][] = [
      [{ returnDirectly: ["free"] }, [calling]],
      [{ maxSteps: 1 }, [calling, "At the end."]],
      [{ maxSteps: 1, onMaxSteps: "stop" }, [calling]],
      [{ stopWhen: () => true }, [calling]],
      [{ output }, [calling, [call("2", "final_answer", { a: "no" })], [call("3", "final_answer", { a: 1 })]]],
      [{ handoffs: [createAgent({ name: "other", description: "other", model: scriptedModel("Other.") })] }, []],
      [{}, [""]],
      [{}, [[call("1", "unknown")], "None."]],
    ];
    for (const [more, script] of cases) {
      const model = scriptedModel(...(script.length > 0 ? script : [[call("1", "transfer_to_other")] as ScriptEntry]));
      const agent = createAgent({ ...options(), model, tools: [counted("free").tool], ...more } as AgentOptions);
      const first = await agent.generate("Hi", named("r"));
      const again = await agent.generate("Hi", named("r"));
      const streamed = await agent.stream("Hi", named("r")).result;
      const plain = (result: object) => json({ ...result, output: undefined });
      expect(plain(again)).toEqual(plain(first));
      expect(plain(streamed)).toEqual(plain(first));
      expect(model.calls.length).toBe(script.length || 1);
    }
  });

  it("a turn is replaced by the id of its prompt or its answer, whatever it has come to", async () => {
    const own = options();
    const pay = counted("pay", { requireApproval: true });
    const script: ScriptEntry[] = ["1.", "2.", "3.", "2b.", [call("p", "pay")], "2c.", new Error("down"), "1b."];
    const model = scriptedModel(...script);
    const agent = createAgent({ ...own, model, tools: [pay.tool] });
    const say = (text: string, replaces?: string, id?: string) =>
      outcome(() => agent.generate(userMessage(text, { id }), { ...inThread, replaces }));
    const texts = async (): Promise<string[]> =>
      (await threads(own.store as CheckpointStore).messages("t")).map(textOf);
    for (const [text, id] of [["A", "a"], ["B", "b"], ["C"]] as const) await say(text, undefined, id);
    expect(await say("X", "nothing")).toBe("UNKNOWN_MESSAGE");
    expect(await say("B2", "b")).toBe("2b.");
    expect(await texts()).toEqual(["A", "1.", "B2", "2b."]);
    expect(model.calls.at(-1)?.messages.map(textOf)).toEqual(["A", "1.", "B2"]);
    expect(await say("B3", "turn-2")).toBe("waiting");
    expect(await say("B4", "turn-2-prompt")).toBe("2c.");
    expect(await texts()).toEqual(["A", "1.", "B4", "2c."]);
    expect(await say("A2", "turn-1")).toBe("NODE_FAILED");
    expect(await say("A3", "turn-1")).toBe("1b.");
    expect(await texts()).toEqual(["A3", "1b."]);
    expect(pay.ran).toEqual([]);
    const shown = await uiMessages(threads(own.store as CheckpointStore), "t");
    expect(shown.map(({ id }) => id)).toEqual(["turn-1-prompt", "turn-1"]);
  });

  it("a request that waits is closed by another one, and then cannot go on", async () => {
    const own = options();
    const [pay, free] = [counted("pay", { requireApproval: true }), counted("free")];
    const model = scriptedModel([call("p", "pay"), call("f", "free")], "Next.");
    const agent = createAgent({ ...own, model, tools: [pay.tool, free.tool] });
    const generate = (text: string, more: object) => outcome(() => agent.generate(text, more));
    expect(await generate("Pay", named("r1"))).toBe("waiting");
    expect(await generate("Pay", { ...named("r1"), onWaiting: "close" })).toBe("waiting");
    expect(await generate("Next", named("r2"))).toBe("THREAD_WAITING");
    expect(await generate("Next", { ...named("r2"), onWaiting: "close" })).toBe("Next.");
    expect(await generate("Pay", named("r1"))).toBe("UNKNOWN_CHECKPOINT");
    expect(free.ran).toHaveLength(1);
    expect(model.calls[1]?.messages.flatMap(toolResultsOf).map(({ result }) => result)).toContain("free ran");
  });
});

describe("ids of a request that are none", () => {
  it("are refused, and begin nothing", async () => {
    const store = memoryStore();
    const model = scriptedModel("Done.");
    const agent = createAgent({ store, model });
    const wrong: unknown[] = ["", 1, null, {}, [], true, "a".repeat(257), "ä".repeat(60), "\ud800"];
    for (const id of wrong) {
      for (const option of ["requestId", "replaces", "userId"]) {
        const given = { ...inThread, [option]: id };
        for (const run of [
          () => agent.generate("Hi", given as never),
          () => agent.stream("Hi", given as never).result,
          () => agent.resume(inThread, {}, { [option]: id } as never),
        ]) {
          expect((await failureOf(run())).code, `${option}: ${String(id)}`).toBe("INVALID_OPTION");
        }
      }
    }
    for (const given of [{ requestId: "r" }, { replaces: "r" }, { ...inThread, requestId: "r", replaces: "r" }]) {
      expect((await failureOf(agent.generate("Hi", given))).code).toBe("INVALID_OPTION");
    }
    for (const given of [{ requestId: "r" }, { replaces: "r" }]) {
      expect((await failureOf(agent.resume(inThread, {}, given as never))).code).toBe("INVALID_OPTION");
    }
    expect(model.calls).toEqual([]);
    const longest = {
      threadId: "t".repeat(256),
      requestId: "r".repeat(256),
      userId: "u".repeat(256),
      replaces: undefined,
    };
    expect((await agent.generate("Hi", longest)).text).toBe("Done.");
  });
});

describe("a request whose prompt is read as an answer", () => {
  function setting() {
    const store = memoryStore();
    const pick = createTool({
      id: "pick",
      description: "Picks a seat.",
      inputSchema,
      suspendSchema: { type: "object" },
      resumeSchema: { type: "object", properties: { seat: { type: "string" } }, required: ["seat"] },
      execute: (_input, { suspend, resumeData }) =>
        resumeData === undefined ? suspend({ free: ["1A"] }) : JSON.stringify(resumeData),
    });
    const agentOf = (...script: ScriptEntry[]) => {
      const model = scriptedModel(...script);
      const agent = createAgent({ model, tools: [pick], store, autoResumeSuspendedTools: true, retry: false });
      return { agent, model };
    };
    return { store, agentOf };
  }

  it("begins no turn when it is sent again, whatever became of the turn", async () => {
    const { store, agentOf } = setting();
    await agentOf([call("1", "pick")]).agent.generate("Book", named("r1"));
    const reading = agentOf('{"question_1":{"seat":"1A"}}', "Booked.");
    const first = await reading.agent.generate("1A, please", named("r2"));
    expect(first.text).toBe("Booked.");
    // no model is asked again
    const again = agentOf();
    expect((await again.agent.generate("1A, please", named("r2"))).text).toBe("Booked.");
    expect(await again.agent.stream("1A, please", named("r2")).text).toBe("Booked.");
    expect((await failureOf(again.agent.generate("2B, please", named("r2")))).code).toBe("INVALID_OPTION");
    expect((await again.agent.generate("Book", named("r1"))).text).toBe("Booked.");
    expect(await threads(store).info("t")).toMatchObject({ turns: 1 });
    const copy = await threads(store).fork("t");
    expect((await agentOf("New.").agent.generate("1A, please", { threadId: copy, requestId: "r2" })).text).toBe("New.");
  });

  it("goes on with a turn that failed after it, and is a prompt once that was aborted", async () => {
    const { store, agentOf } = setting();
    await agentOf([call("1", "pick")]).agent.generate("Book", named("r1"));
    const failing = agentOf('{"question_1":{"seat":"1A"}}', new Error("broken"));
    await failureOf(failing.agent.generate("1A, please", named("r2")));
    const going = agentOf("Booked.");
    expect((await going.agent.generate("1A, please", named("r2"))).text).toBe("Booked.");
    expect(going.model.calls).toHaveLength(1);
    await agentOf([call("2", "pick")]).agent.generate("Another", named("r3"));
    const stopping = new AbortController();
    const aborted = agentOf('{"question_1":{"seat":"2B"}}', () => {
      stopping.abort();
      return new Error("gone");
    });
    await failureOf(aborted.agent.generate("2B", { ...named("r4"), signal: stopping.signal }));
    expect((await agentOf("What about 2B?").agent.generate("2B", named("r4"))).text).toBe("What about 2B?");
    expect(await threads(store).info("t")).toMatchObject({ turns: 3 });
  });
});
