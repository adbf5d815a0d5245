import {
  type AgenticMessage,
  AgenticToolsNode,
  assistantMessage,
  Chain,
  createTool,
  END,
  functionToolCall,
  Graph,
  START,
  systemMessage,
  ToolError,
  userMessage,
} from "kumiko";
import { assistantGenText, concatMessageLists, reasoning } from "kumiko/schema";
import { describe, expect, it } from "vitest";
import { z } from "zod";
import { asking, blocksOf, gate, joined, readAll, rejectionOf, textsOf, ticks } from "./asking.js";

const echo = createTool({
  id: "echo",
  description: "Gives its text back.",
  inputSchema: z.object({ text: z.string() }),
  execute: ({ text }) => text,
});

const letters = createTool({
  id: "letters",
  description: "Yields the letters of a text.",
  inputSchema: z.object({ text: z.string() }),
  execute: async function* ({ text }) {
    for (const letter of text) yield letter;
  },
});

describe("one message", () => {
  it("becomes one user message per call, in call order, whichever finishes first", async () => {
    const first = gate();
    const order: string[] = [];
    const wait = createTool({
      id: "wait",
      description: "Waits for the others.",
      inputSchema: z.object({ for: z.enum(["others", "nobody"]) }),
      execute: async (input, { toolCallId }) => {
        if (input.for === "others") await first.opened;
        order.push(toolCallId);
        if (order.length === 2) first.open();
        return toolCallId;
      },
    });
    const results = await new AgenticToolsNode([wait]).invoke(
      asking(["wait", { for: "others" }, "a"], ["wait", { for: "nobody" }, "b"], ["wait", { for: "nobody" }, "c"]),
    );
    expect(order).toEqual(["b", "c", "a"]);
    expect(blocksOf(results).map(({ callId, name, result }) => [callId, name, result])).toEqual([
      ["a", "wait", "a"],
      ["b", "wait", "b"],
      ["c", "wait", "c"],
    ]);
  });

  it("may hold other blocks between the calls, which are ignored", async () => {
    const message = assistantMessage([
      reasoning({ text: "hm" }),
      functionToolCall({ callId: "1", name: "echo", arguments: '{"text":"a"}' }),
      assistantGenText({ text: "and" }),
      functionToolCall({ callId: "2", name: "echo", arguments: '{"text":"b"}' }),
    ]);
    expect(textsOf(await new AgenticToolsNode([echo]).invoke(message))).toEqual(["a", "b"]);
    const chunks = await readAll(new AgenticToolsNode([echo]).stream(message));
    for (const chunk of chunks) expect(chunk).toHaveLength(2);
  });

  it.each([
    ["a user message", userMessage("hello")],
    ["a system message", systemMessage("hello")],
    ["no call", assistantMessage("hello")],
    ["no block", assistantMessage([])],
  ])("is refused when it is or has %s, in both modes", async (_what, message) => {
    const node = new AgenticToolsNode([echo]);
    const invoked = await rejectionOf(node.invoke(message));
    const streamed = await rejectionOf(readAll(node.stream(message)));
    expect(invoked).toMatchObject({ name: "KumikoError" });
    expect(streamed).toMatchObject({ message: (invoked as Error).message });
  });

  it.each([
    [undefined],
    [null],
    [7],
    ["text"],
    [{}],
    [[]],
    [{ role: "assistant" }],
    [{ role: "assistant", contentBlocks: "x" }],
  ])("is refused with a KumikoError when it is %j", async (value) => {
    const node = new AgenticToolsNode([echo]);
    const message = value as unknown as AgenticMessage;
    expect(await rejectionOf(node.invoke(message))).toMatchObject({ name: "KumikoError" });
    expect(await rejectionOf(readAll(node.stream(message)))).toMatchObject({ name: "KumikoError" });
  });

  it("is never changed, nor are its blocks", async () => {
    const message = asking(["echo", { text: "a" }, "x"], ["echo", { text: "b" }, "x"], ["letters", { text: "c" }, ""]);
    const before = structuredClone(message);
    const freeze = (value: object): void => {
      Object.freeze(value);
      for (const inner of Object.values(value)) if (typeof inner === "object" && inner !== null) freeze(inner);
    };
    freeze(message);
    const node = new AgenticToolsNode({
      tools: [echo, letters],
      toolAliases: { echo: { argumentsAliases: { text: ["words"] } } },
      toolCallMiddlewares: [{ invokable: (next) => (call, ctx) => next({ ...call }, ctx) }],
    });
    await node.invoke(message);
    await joined(node.stream(message));
    node.normalize(message);
    expect(message).toEqual(before);
  });
});

describe("a stream", () => {
  it("is sparse lists of the length of the calls, one slot filled in each", async () => {
    const node = new AgenticToolsNode([echo, letters]);
    const message = asking(["letters", { text: "abc" }], ["echo", { text: "x" }], ["letters", { text: "de" }]);
    const chunks = await readAll(node.stream(message));
    expect(chunks).toHaveLength(6);
    for (const chunk of chunks) {
      expect(chunk).toHaveLength(3);
      expect(chunk.filter((slot) => slot !== undefined)).toHaveLength(1);
    }
    expect(concatMessageLists(chunks)).toEqual(await node.invoke(message));
  });

  it("interleaves tools as they produce", async () => {
    const a = gate();
    const b = gate();
    const first = createTool({
      id: "first",
      description: "",
      execute: async function* () {
        yield "1";
        await b.opened;
        yield "3";
      },
    });
    const second = createTool({
      id: "second",
      description: "",
      execute: async function* () {
        await a.opened;
        yield "2";
        b.open();
      },
    });
    const seen: string[] = [];
    for await (const chunk of new AgenticToolsNode([first, second]).stream(asking(["first"], ["second"]))) {
      const [index, message] = [...chunk.entries()].find(([, slot]) => slot !== undefined) ?? [];
      if (message) seen.push(`${index}:${blocksOf([message])[0]?.result}`);
      a.open();
    }
    expect(seen).toEqual(["0:1", "1:2", "0:3"]);
  });

  it("runs nothing before it is read", async () => {
    let runs = 0;
    const count = createTool({ id: "count", description: "", execute: () => `${++runs}` });
    const stream = new AgenticToolsNode([count]).stream(asking(["count"]));
    await ticks(2);
    expect(runs).toBe(0);
    await stream.cancel();
    await ticks(2);
    expect(runs).toBe(0);
  });

  it("that is left early stops the tools, with an AbortError", async () => {
    const reasons: unknown[] = [];
    let closed = false;
    const endless = createTool({
      id: "endless",
      description: "",
      execute: async function* (_input, { signal }) {
        signal.addEventListener("abort", () => reasons.push(signal.reason));
        try {
          for (;;) yield "x";
        } finally {
          closed = true;
        }
      },
    });
    for await (const _ of new AgenticToolsNode([endless]).stream(asking(["endless"]))) break;
    await ticks();
    expect(closed).toBe(true);
    expect(reasons).toMatchObject([{ name: "AbortError" }]);
  });

  it("that is cancelled with a reason gives it to the signal of its tools, alone and in a graph", async () => {
    for (const isAlone of [true, false]) {
      const reasons: unknown[] = [];
      const endless = createTool({
        id: "endless",
        description: "",
        execute: async function* (_input, { signal }) {
          signal.addEventListener("abort", () => reasons.push(signal.reason));
          for (;;) {
            yield "x";
            await ticks(1);
          }
        },
      });
      const node = new AgenticToolsNode([endless]);
      const run = isAlone ? node : new Chain<AgenticMessage>().appendToolsNode(node).compile();
      const stream = run.stream(asking(["endless"]));
      await stream[Symbol.asyncIterator]().next();
      const reason = new Error("enough");
      await stream.cancel(reason);
      await ticks(1);
      expect(reasons).toEqual([reason]);
    }
  });

  it("waits for its reader: a tool does not run far ahead", async () => {
    let made = 0;
    const endless = createTool({
      id: "endless",
      description: "",
      execute: async function* () {
        for (;;) {
          made += 1;
          yield "x";
        }
      },
    });
    const stream = new AgenticToolsNode([endless]).stream(asking(["endless"]));
    const iterator = stream[Symbol.asyncIterator]();
    await iterator.next();
    await iterator.next();
    await ticks(5);
    expect(made).toBeLessThan(40);
    await stream.cancel();
  });
});

describe("calls", () => {
  it("start side by side by default, 1000 of them", async () => {
    let running = 0;
    let most = 0;
    const all = gate();
    const meet = createTool({
      id: "meet",
      description: "",
      inputSchema: z.object({ n: z.number() }),
      execute: async ({ n }) => {
        running += 1;
        most = Math.max(most, running);
        if (running === 1000) all.open();
        await all.opened;
        return n;
      },
    });
    const calls = Array.from({ length: 1000 }, (_, n) => ["meet", { n }] as const);
    const results = await new AgenticToolsNode([meet]).invoke(asking(...calls));
    expect(most).toBe(1000);
    expect(textsOf(results)).toEqual(calls.map((_, n) => `${n}`));
  });

  it("run at most maxConcurrency at a time, in both modes, and all of them", async () => {
    let running = 0;
    let most = 0;
    const started: number[] = [];
    const work = createTool({
      id: "work",
      description: "",
      inputSchema: z.object({ n: z.number() }),
      execute: async ({ n }) => {
        running += 1;
        started.push(n);
        most = Math.max(most, running);
        await ticks(1);
        running -= 1;
        return n;
      },
    });
    const message = asking(...Array.from({ length: 10 }, (_, n) => ["work", { n }] as const));
    const node = new AgenticToolsNode({ tools: [work], maxConcurrency: 3 });
    expect(textsOf(await node.invoke(message))).toEqual(["0", "1", "2", "3", "4", "5", "6", "7", "8", "9"]);
    expect(textsOf(await joined(node.stream(message)))).toEqual(["0", "1", "2", "3", "4", "5", "6", "7", "8", "9"]);
    expect(most).toBe(3);
    expect(started.slice(0, 10)).toEqual([0, 1, 2, 3, 4, 5, 6, 7, 8, 9]);
  });

  it.each(["invoke", "stream"] as const)(
    "run in block order, one at a time, with executeSequentially (%s)",
    async (mode) => {
      const log: string[] = [];
      const step = createTool({
        id: "step",
        description: "",
        execute: async (_input, { toolCallId }) => {
          log.push(`start ${toolCallId}`);
          await ticks(1);
          log.push(`end ${toolCallId}`);
          return toolCallId;
        },
      });
      const flow = createTool({
        id: "flow",
        description: "",
        execute: async function* (_input, { toolCallId }) {
          log.push(`start ${toolCallId}`);
          yield "a";
          await ticks(1);
          yield "b";
          log.push(`end ${toolCallId}`);
        },
      });
      const node = new AgenticToolsNode({ tools: [step, flow], executeSequentially: true });
      const message = asking(["step"], ["flow"], ["step"]);
      const results = mode === "invoke" ? await node.invoke(message) : await joined(node.stream(message));
      expect(log).toEqual(["start 1", "end 1", "start 2", "end 2", "start 3", "end 3"]);
      expect(textsOf(results)).toEqual(["1", "ab", "3"]);
    },
  );

  it("may call the same node again from inside a tool", async () => {
    const node: AgenticToolsNode = new AgenticToolsNode([
      createTool({
        id: "down",
        description: "",
        inputSchema: z.object({ n: z.number() }),
        execute: async ({ n }, ctx): Promise<string> => {
          if (n === 0) return "0";
          const [inner = ""] = textsOf(await node.invoke(asking(["down", { n: n - 1 }]), { parent: ctx }));
          return `${n}${inner}`;
        },
      }),
    ]);
    expect(textsOf(await node.invoke(asking(["down", { n: 5 }])))).toEqual(["543210"]);
  });

  it("of two nodes may share a tool, at the same time", async () => {
    const a = new AgenticToolsNode({ tools: { one: echo } });
    const b = new AgenticToolsNode({ tools: { two: echo }, executeSequentially: true });
    const [fromA, fromB] = await Promise.all([
      a.invoke(asking(["one", { text: "a" }])),
      b.invoke(asking(["two", { text: "b" }])),
    ]);
    expect([...textsOf(fromA), ...textsOf(fromB)]).toEqual(["a", "b"]);
    expect(await rejectionOf(a.invoke(asking(["two", { text: "x" }])))).toMatchObject({ kind: "unknown_tool" });
  });
});

describe("all calls are looked at before any runs", () => {
  const ran: string[] = [];
  const effect = createTool({
    id: "effect",
    description: "",
    inputSchema: z.object({ n: z.number() }),
    execute: ({ n }) => {
      ran.push(`${n}`);
      return "done";
    },
  });

  it.each([
    ["unknown_tool", ["missing", {}]],
    ["parse", ["effect", "{"]],
    ["validation", ["effect", { n: "x" }]],
    ["validation", ["effect", "[1]"]],
    ["validation", ["effect", '"text"']],
    ["validation", ["effect", "null"]],
    ["validation", ["effect", ""]],
  ] as const)("so that a bad call (%s) stops all, in every mode", async (kind, bad) => {
    for (const executeSequentially of [false, true]) {
      const node = new AgenticToolsNode({ tools: [effect], executeSequentially });
      const message = asking(["effect", { n: 1 }], bad, ["effect", { n: 2 }]);
      for (const error of [await rejectionOf(node.invoke(message)), await rejectionOf(readAll(node.stream(message)))]) {
        expect(ToolError.is(error)).toBe(true);
        expect(error).toMatchObject({ kind, callId: "2" });
        const results = blocksOf((error as ToolError).results ?? []);
        expect(results.map(({ callId, isError, errorKind }) => [callId, isError, errorKind])).toEqual([
          ["1", true, "not_executed"],
          ["2", true, kind],
          ["3", true, "not_executed"],
        ]);
      }
    }
    expect(ran).toEqual([]);
  });

  it("and reports the lowest bad call", async () => {
    const message = asking(["effect", { n: 1 }], ["effect", { n: "x" }], ["missing"]);
    expect(await rejectionOf(new AgenticToolsNode([effect]).invoke(message))).toMatchObject({
      callId: "2",
      kind: "validation",
    });
    expect(ran).toEqual([]);
  });
});

describe("in a chain and a graph", () => {
  it("it is a step, under both names, in all four modes", async () => {
    const node = new AgenticToolsNode([echo, letters]);
    const message = asking(["echo", { text: "a" }], ["letters", { text: "bc" }]);
    const alone = await node.invoke(message);
    const chains = [
      new Chain<AgenticMessage>().appendToolsNode(node).compile(),
      new Chain<AgenticMessage>().appendAgenticToolsNode(node).compile(),
      new Graph<AgenticMessage, AgenticMessage[]>()
        .addToolsNode("t", node)
        .addEdge(START, "t")
        .addEdge("t", END)
        .compile(),
      new Graph<AgenticMessage, AgenticMessage[]>()
        .addAgenticToolsNode("t", node)
        .addEdge(START, "t")
        .addEdge("t", END)
        .compile(),
      new Graph<AgenticMessage, AgenticMessage[]>().addNode("t", node).addEdge(START, "t").addEdge("t", END).compile(),
    ];
    async function* source() {
      yield message;
    }
    for (const run of [node, ...chains]) {
      expect(await run.invoke(message)).toEqual(alone);
      expect(await joined(run.stream(message))).toEqual(alone);
      expect(await run.collect(source())).toEqual(alone);
      expect(await joined(run.transform(source()))).toEqual(alone);
    }
  });

  it("names the node where it fails, and keeps the error's own code and results", async () => {
    const node = new AgenticToolsNode([echo]);
    const run = new Graph<AgenticMessage, AgenticMessage[]>()
      .addToolsNode("tools", node)
      .addEdge(START, "tools")
      .addEdge("tools", END)
      .compile();
    const error = await rejectionOf(run.invoke(asking(["echo", { text: 1 }])));
    expect(error).toMatchObject({ kind: "validation", toolName: "echo", nodePath: ["tools"] });
    expect(blocksOf((error as ToolError).results ?? [])).toHaveLength(1);
  });
});
