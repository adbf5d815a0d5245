import {
  type AgenticMessage,
  AgenticToolsNode,
  createTool,
  findCause,
  isInterrupt,
  KumikoError,
  resultsOf,
  type Tool,
  ToolError,
} from "kumiko";
import { toolInfo } from "kumiko/components";
import { describe, expect, it } from "vitest";
import { z } from "zod";
import { asking, blocksOf, gate, joined, readAll, rejectionOf, textsOf, ticks } from "./asking.js";

class OutOfStock extends Error {}

const fail = createTool({
  id: "fail",
  description: "Fails.",
  inputSchema: z.object({ why: z.string().default("broken") }),
  execute: ({ why }): string => {
    throw new OutOfStock(why);
  },
});
const ok = createTool({ id: "ok", description: "Works.", execute: () => "fine" });
const half = createTool({
  id: "half",
  description: "Yields, then fails.",
  execute: async function* () {
    yield "one ";
    yield "two";
    throw new OutOfStock("torn");
  },
});

const both = (node: AgenticToolsNode, message: AgenticMessage) =>
  [() => node.invoke(message), () => joined(node.stream(message))] as const;
const kindsOf = (messages: readonly AgenticMessage[] | undefined) =>
  blocksOf(messages ?? []).map(({ callId, isError, errorKind }) => [callId, isError ?? false, errorKind ?? ""]);

describe("a tool that throws", () => {
  it("fails the node with a ToolError of kind execution, whose cause can be found", async () => {
    const node = new AgenticToolsNode([fail]);
    for (const run of both(node, asking(["fail", { why: "no chairs" }]))) {
      const error = await rejectionOf(run());
      expect(ToolError.is(error) && KumikoError.is(error)).toBe(true);
      expect(error).toMatchObject({ kind: "execution", toolName: "fail", callId: "1" });
      expect((error as Error).message).toMatch(/no chairs$/);
      expect(findCause(error, OutOfStock)?.message).toBe("no chairs");
    }
  });

  it("lets its siblings finish, with their signal untouched, then the lowest call's error rejects", async () => {
    const aborted: boolean[] = [];
    const slow = createTool({
      id: "slow",
      description: "",
      execute: async (_input, { signal }) => {
        await ticks(2);
        aborted.push(signal.aborted);
        return "late";
      },
    });
    const slowFail = createTool({
      id: "slow_fail",
      description: "",
      execute: async (): Promise<string> => {
        await ticks(3);
        throw new Error("slow failure");
      },
    });
    const node = new AgenticToolsNode([slow, slowFail, fail, ok]);
    for (const run of both(node, asking(["slow"], ["slow_fail"], ["fail"], ["ok"]))) {
      const error = await rejectionOf(run());
      expect(error).toMatchObject({ callId: "2", message: expect.stringMatching(/slow failure$/) });
      expect(kindsOf((error as ToolError).results)).toEqual([
        ["1", false, ""],
        ["2", true, "execution"],
        ["3", true, "execution"],
        ["4", false, ""],
      ]);
      expect(textsOf((error as ToolError).results ?? [])[0]).toBe("late");
    }
    expect(aborted).toEqual([false, false]);
  });

  it.each([["text"], [undefined], [null], [0], [{ odd: true }], [Symbol("s")], [Object.create(null)]])(
    "may throw anything (%s)",
    async (thrown) => {
      const odd = createTool({
        id: "odd",
        description: "",
        execute: (): string => {
          throw thrown;
        },
      });
      const error = await rejectionOf(new AgenticToolsNode([odd]).invoke(asking(["odd"])));
      expect(error).toMatchObject({ kind: "execution", toolName: "odd" });
      const node = new AgenticToolsNode({ tools: [odd], onToolError: "result" });
      for (const run of both(node, asking(["odd"]))) expect(kindsOf(await run())).toEqual([["1", true, "execution"]]);
    },
  );

  it("stops the following calls when they run one after the other", async () => {
    const node = new AgenticToolsNode({ tools: [ok, fail], executeSequentially: true });
    for (const run of both(node, asking(["ok"], ["fail"], ["ok"], ["fail"]))) {
      expect(kindsOf(((await rejectionOf(run())) as ToolError).results)).toEqual([
        ["1", false, ""],
        ["2", true, "execution"],
        ["3", true, "not_executed"],
        ["4", true, "not_executed"],
      ]);
    }
  });

  it("does not stop the following calls when its error becomes a result", async () => {
    const node = new AgenticToolsNode({ tools: [ok, fail], executeSequentially: true, onToolError: "result" });
    for (const run of both(node, asking(["fail"], ["ok"], ["fail"], ["ok"]))) {
      expect(kindsOf(await run())).toEqual([
        ["1", true, "execution"],
        ["2", false, ""],
        ["3", true, "execution"],
        ["4", false, ""],
      ]);
    }
  });
});

describe("onToolError", () => {
  it('"result" tells the model of every kind of error, and lets the other calls run', async () => {
    const node = new AgenticToolsNode({
      onToolError: "result",
      tools: [
        ok,
        fail,
        createTool({ id: "typed", description: "", inputSchema: z.object({ n: z.number() }), execute: ({ n }) => n }),
        createTool({ id: "deaf", description: "", timeoutMs: 5, execute: () => new Promise<string>(() => {}) }),
        createTool({
          id: "liar",
          description: "",
          outputSchema: z.object({ n: z.number() }),
          execute: () => ({ n: "x" }) as never,
        }),
      ],
    });
    const message = asking(["ok"], ["fail"], ["typed", { n: "x" }], ["typed", "{"], ["nope"], ["deaf"], ["liar"]);
    const expected = ["", "execution", "validation", "parse", "unknown_tool", "timeout", "output_validation"];
    for (const run of both(node, message)) expect(kindsOf(await run()).map(([, , kind]) => kind)).toEqual(expected);
  });

  it("as a function makes the result, and knows error, call and context", async () => {
    const seen: unknown[] = [];
    const node = new AgenticToolsNode({
      tools: [fail, ok],
      onToolError: async (error, call, ctx) => {
        seen.push([error.kind, call.name, call.callId, call.arguments, ctx.toolCallId]);
        return `sorry: ${call.callId}`;
      },
    });
    for (const run of both(node, asking(["fail", '{"why":"x"}', "c"], ["ok"], ["nope", "zzz", "d"]))) {
      expect(textsOf(await run())).toEqual(["sorry: c", "fine", "sorry: d"]);
    }
    expect(seen).toHaveLength(4);
    expect(seen).toContainEqual(["execution", "fail", "c", '{"why":"x"}', "c"]);
    expect(seen).toContainEqual(["unknown_tool", "nope", "d", "zzz", "d"]);
  });

  it("as a function that throws fails the call, and no result is lost", async () => {
    const node = new AgenticToolsNode({
      tools: [fail, ok],
      onToolError: () => {
        throw new OutOfStock("handler");
      },
    });
    for (const run of both(node, asking(["ok"], ["fail"]))) {
      const error = await rejectionOf(run());
      expect(findCause(error, OutOfStock)?.message).toBeDefined();
      expect(kindsOf((error as ToolError).results)).toEqual([
        ["1", false, ""],
        ["2", true, "execution"],
      ]);
    }
  });

  it("shows the model formatError's words, and handlers the full error", async () => {
    const errors: unknown[] = [];
    const node = new AgenticToolsNode({
      tools: [fail],
      onToolError: "result",
      formatError: (error) => `<${error.kind}>`,
    });
    for (const options of [
      {},
      { callbacks: [{ onError: (_info: unknown, error: unknown) => void errors.push(error) }] },
    ]) {
      expect(textsOf(await node.invoke(asking(["fail"], ["nope"]), options))).toEqual([
        "<execution>",
        "<unknown_tool>",
      ]);
    }
    expect(errors).toHaveLength(2);
    expect(errors.every((error) => ToolError.is(error) && error.message.length > 20)).toBe(true);
  });

  it("survives a formatError that throws: the call still has its result", async () => {
    const node = new AgenticToolsNode({
      tools: [fail, ok],
      onToolError: "result",
      formatError: () => {
        throw new Error("cannot format");
      },
    });
    for (const run of both(node, asking(["fail"], ["ok"]))) {
      const outcome = await run().catch((error: unknown) => (error as ToolError).results);
      expect(kindsOf(outcome)).toEqual([
        ["1", true, "execution"],
        ["2", false, ""],
      ]);
    }
  });
});

describe("an error", () => {
  it("of arguments quotes tool, path and value, bounded", async () => {
    const deep = createTool({
      id: "deep",
      description: "",
      inputSchema: z.object({ a: z.object({ list: z.array(z.object({ n: z.number() })) }) }),
      execute: () => "",
    });
    const error = await rejectionOf(
      new AgenticToolsNode([deep]).invoke(asking(["deep", { a: { list: [{ n: 1 }, { n: "y".repeat(5000) }] } }])),
    );
    const { message } = error as Error;
    expect(message).toContain('"deep"');
    expect(message).toContain("a.list[1].n");
    expect(message).toContain("yyy");
    expect(message.length).toBeLessThan(2500);
  });

  it("of text that is no JSON says where, and quotes at most 800 characters of it", async () => {
    const error = await rejectionOf(new AgenticToolsNode([ok]).invoke(asking(["ok", `{"a": ${"z".repeat(100_000)}`])));
    expect(error).toMatchObject({ kind: "parse" });
    const { message } = error as Error;
    expect(message).toMatch(/position 6|line 1|column 7/);
    expect(message).toContain("zzz");
    expect(message.length).toBeLessThan(1400);
  });

  it("of many wrong fields stays readable", async () => {
    const many = createTool({
      id: "many",
      description: "",
      inputSchema: z.object({ list: z.array(z.number()) }),
      execute: () => "",
    });
    const error = await rejectionOf(
      new AgenticToolsNode([many]).invoke(asking(["many", { list: Array.from({ length: 5000 }, () => "no") }])),
    );
    expect((error as Error).message.length).toBeLessThan(10_000);
  });

  it("in mid-stream keeps the partial text: result is the text, a line break, the error", async () => {
    const node = new AgenticToolsNode({
      tools: [half],
      onToolError: "result",
      formatError: (error) => `E:${error.kind}`,
    });
    for (const run of both(node, asking(["half"]))) {
      expect(blocksOf(await run())).toEqual([
        {
          type: "function_tool_result",
          callId: "1",
          name: "half",
          result: "one two\nE:execution",
          isError: true,
          errorKind: "execution",
        },
      ]);
    }
  });

  it("before any chunk is the error alone", async () => {
    const early = createTool({
      id: "early",
      description: "",
      execute: async function* (): AsyncGenerator<string> {
        yield* [];
        throw new Error("early");
      },
    });
    const node = new AgenticToolsNode({ tools: [early], onToolError: "result", formatError: () => "E" });
    for (const run of both(node, asking(["early"]))) expect(textsOf(await run())).toEqual(["E"]);
  });

  it("in mid-stream with throw: siblings' chunks are delivered until they settle, then the read rejects", async () => {
    const late = createTool({
      id: "late",
      description: "",
      execute: async function* () {
        await ticks(3);
        yield "a";
        await ticks(1);
        yield "b";
      },
    });
    const chunks: string[] = [];
    let error: unknown;
    try {
      for await (const chunk of new AgenticToolsNode([half, late]).stream(asking(["half"], ["late"]))) {
        chunks.push(...textsOf(chunk.filter((slot) => slot !== undefined)));
      }
    } catch (thrown) {
      error = thrown;
    }
    expect(chunks).toEqual(["one ", "two", "a", "b"]);
    expect(error).toMatchObject({ kind: "execution", callId: "1" });
    const results = blocksOf((error as ToolError).results ?? []);
    expect(results[1]).toMatchObject({ result: "ab" });
    expect(results[0]?.result).toMatch(/^one two\n.*torn/s);
  });

  it("keeps every call's result through resultsOf, wrapped in a graph or not", async () => {
    const node = new AgenticToolsNode([ok, fail]);
    const message = asking(["ok"], ["fail"]);
    const error = await rejectionOf(node.invoke(message));
    expect(resultsOf(error, message)).toEqual((error as ToolError).results);
    expect(kindsOf(resultsOf(new Error("wrapped", { cause: error }), message))).toEqual([
      ["1", false, ""],
      ["2", true, "execution"],
    ]);
  });

  it("that has nothing to do with the node gives a complete list all the same", () => {
    const message = asking(["ok"], ["fail"]);
    for (const stranger of [new Error("x"), undefined, null, "text", 7]) {
      const list = resultsOf(stranger, message) ?? [];
      expect(list).toHaveLength(2);
      expect(blocksOf(list).every(({ isError }) => isError === true)).toBe(true);
    }
  });
});

describe("time-outs", () => {
  const deaf = createTool({ id: "deaf", description: "", execute: () => new Promise<string>(() => {}) });

  it("fire though the tool is deaf, and abort its signal; the tool's own limit comes first", async () => {
    const reasons: unknown[] = [];
    const hears = createTool({
      id: "hears",
      description: "",
      timeoutMs: 5,
      execute: (_input, { signal }) =>
        new Promise<string>(() => signal.addEventListener("abort", () => reasons.push((signal.reason as Error).name))),
    });
    const node = new AgenticToolsNode({ tools: [hears], timeoutMs: 60_000 });
    for (const run of both(node, asking(["hears"])))
      expect(await rejectionOf(run())).toMatchObject({ kind: "timeout" });
    expect(reasons).toEqual(["TimeoutError", "TimeoutError"]);
  });

  it("of the node count for each call, not for all of them", async () => {
    const nap = createTool({
      id: "nap",
      description: "",
      execute: () => new Promise<string>((resolve) => setTimeout(() => resolve("ok"), 15)),
    });
    const node = new AgenticToolsNode({ tools: [nap], timeoutMs: 500, executeSequentially: true });
    expect(textsOf(await node.invoke(asking(["nap"], ["nap"])))).toEqual(["ok", "ok"]);
  });

  it("of a generator are total, not idle, and keep what it gave", async () => {
    const drip = createTool({
      id: "drip",
      description: "",
      timeoutMs: 30,
      execute: async function* () {
        yield "first";
        for (;;) {
          await new Promise((resolve) => setTimeout(resolve, 5));
          yield ".";
        }
      },
    });
    const node = new AgenticToolsNode({ tools: [drip], onToolError: "result", formatError: (error) => error.kind });
    for (const run of both(node, asking(["drip"]))) {
      const [block] = blocksOf(await run());
      expect(block?.result).toMatch(/^first\.*\ntimeout$/);
      expect(block).toMatchObject({ isError: true, errorKind: "timeout" });
    }
  });

  it("do not wait for a generator that never yields, nor for its finally", async () => {
    const stuck = createTool({
      id: "stuck",
      description: "",
      timeoutMs: 5,
      execute: async function* () {
        try {
          yield await new Promise<string>(() => {});
        } finally {
          await new Promise(() => {});
        }
      },
    });
    for (const run of both(new AgenticToolsNode([stuck]), asking(["stuck"]))) {
      expect(await rejectionOf(run())).toMatchObject({ kind: "timeout" });
    }
  });

  it("do not touch siblings", async () => {
    const node = new AgenticToolsNode({ tools: [deaf, ok], timeoutMs: 5, onToolError: "result" });
    for (const run of both(node, asking(["deaf"], ["ok"]))) {
      expect(kindsOf(await run())).toEqual([
        ["1", true, "timeout"],
        ["2", false, ""],
      ]);
    }
  });

  it("stand outside the middlewares, which may take too long as well", async () => {
    const node = new AgenticToolsNode({
      tools: [ok],
      timeoutMs: 5,
      toolCallMiddlewares: [{ invokable: () => () => new Promise(() => {}) }],
    });
    expect(await rejectionOf(node.invoke(asking(["ok"])))).toMatchObject({ kind: "timeout", callId: "1" });
  });

  it("a late result is a late_result event, and no second result", async () => {
    const door = gate();
    const late = createTool({
      id: "late",
      description: "",
      timeoutMs: 5,
      execute: async () => {
        await door.opened;
        return "too late";
      },
    });
    const events: unknown[] = [];
    const node = new AgenticToolsNode({ tools: [late], onToolError: "result" });
    const results = await node.invoke(asking(["late"]), {
      callbacks: [{ onEvent: (info, value) => void events.push([info.name, info.toolCallId, value]) }],
    });
    expect(kindsOf(results)).toEqual([["1", true, "timeout"]]);
    const copy = structuredClone(results);
    door.open();
    await ticks();
    expect(results).toEqual(copy);
    expect(events).toMatchObject([["late", "1", { kind: "late_result" }]]);
  });
});

describe("aborts", () => {
  const started = () => {
    const door = gate();
    const deaf = createTool({
      id: "deaf",
      description: "",
      execute: () => {
        door.open();
        return new Promise<string>(() => {});
      },
    });
    return { door, deaf };
  };

  it.each(["invoke", "stream"] as const)(
    "while tools run reject at once with the signal's own reason (%s)",
    async (mode) => {
      const { door, deaf } = started();
      const controller = new AbortController();
      const node = new AgenticToolsNode([ok, deaf, fail]);
      const message = asking(["ok"], ["deaf"], ["fail"]);
      const options = { signal: controller.signal };
      const run = mode === "invoke" ? node.invoke(message, options) : joined(node.stream(message, options));
      const outcome = rejectionOf(run);
      await door.opened;
      await ticks(1);
      const reason = new OutOfStock("user left");
      controller.abort(reason);
      expect(await outcome).toBe(reason);
      expect(kindsOf(resultsOf(reason, message))).toEqual([
        ["1", false, ""],
        ["2", true, "aborted"],
        ["3", true, "execution"],
      ]);
      expect(textsOf(resultsOf(reason, message) ?? [])[1]).toMatch(/may have/);
    },
  );

  it.each(["invoke", "stream"] as const)(
    "in the middle of a sequence leave the rest not executed (%s)",
    async (mode) => {
      const { door, deaf } = started();
      const controller = new AbortController();
      const node = new AgenticToolsNode({ tools: [ok, deaf], executeSequentially: true });
      const message = asking(["ok"], ["deaf"], ["ok"]);
      const options = { signal: controller.signal };
      const outcome = rejectionOf(
        mode === "invoke" ? node.invoke(message, options) : joined(node.stream(message, options)),
      );
      await door.opened;
      controller.abort();
      const reason = await outcome;
      expect(reason).toMatchObject({ name: "AbortError" });
      expect(kindsOf(resultsOf(reason, message))).toEqual([
        ["1", false, ""],
        ["2", true, "aborted"],
        ["3", true, "not_executed"],
      ]);
    },
  );

  it("before the run reject with the reason; nothing runs, no handler hears of it, and every call has a result", async () => {
    let ran = 0;
    const heard: string[] = [];
    const count = createTool({ id: "count", description: "", execute: () => `${++ran}` });
    const node = new AgenticToolsNode([count]);
    const message = asking(["count"], ["count"]);
    const reason = new Error("never mind");
    const options = {
      signal: AbortSignal.abort(reason),
      callbacks: [{ onStart: () => void heard.push("start"), onError: () => void heard.push("error") }],
    };
    for (const run of [() => node.invoke(message, options), () => joined(node.stream(message, options))]) {
      expect(await rejectionOf(run())).toBe(reason);
    }
    expect([ran, heard]).toEqual([0, []]);
    expect(blocksOf(resultsOf(reason, message)).map(({ callId, isError }) => [callId, isError])).toEqual([
      ["1", true],
      ["2", true],
    ]);
  });

  it("beat onToolError: a tool that throws the reason itself does not become a result of a living node", async () => {
    const controller = new AbortController();
    const obedient = createTool({
      id: "obedient",
      description: "",
      execute: (_input, { abortSignal }) =>
        new Promise<string>((_resolve, reject) => {
          abortSignal.addEventListener("abort", () => reject(abortSignal.reason));
          queueMicrotask(() => controller.abort());
        }),
    });
    const node = new AgenticToolsNode({ tools: [obedient], onToolError: "result" });
    expect(await rejectionOf(node.invoke(asking(["obedient"]), { signal: controller.signal }))).toMatchObject({
      name: "AbortError",
    });
  });

  it("with a primitive reason keep the results all the same", async () => {
    const { door, deaf } = started();
    const controller = new AbortController();
    const message = asking(["ok"], ["deaf"]);
    const outcome = rejectionOf(new AgenticToolsNode([ok, deaf]).invoke(message, { signal: controller.signal }));
    await door.opened;
    await ticks(1);
    controller.abort("stop");
    const reason = await outcome;
    expect(reason).toBe("stop");
    const list = resultsOf(reason, message) ?? [];
    expect(list).toHaveLength(2);
    expect(blocksOf(list)[1]).toMatchObject({ isError: true });
  });

  it("after a tool finished but before its sibling did keep what was done, also when the same reason stops two nodes", async () => {
    const controller = new AbortController();
    const one = started();
    const two = started();
    const first = asking(["ok", {}, "a"], ["deaf", {}, "b"]);
    const second = asking(["deaf", {}, "c"], ["ok", {}, "d"]);
    const outcomes = [
      rejectionOf(new AgenticToolsNode([ok, one.deaf]).invoke(first, { signal: controller.signal })),
      rejectionOf(new AgenticToolsNode([ok, two.deaf]).invoke(second, { signal: controller.signal })),
    ];
    await Promise.all([one.door.opened, two.door.opened]);
    await ticks(1);
    controller.abort();
    const [reason] = await Promise.all(outcomes);
    expect(kindsOf(resultsOf(reason, first))).toEqual([
      ["a", false, ""],
      ["b", true, "aborted"],
    ]);
    expect(kindsOf(resultsOf(reason, second))).toEqual([
      ["c", true, "aborted"],
      ["d", false, ""],
    ]);
  });

  it("by the run's timeoutMs reject with its TimeoutError", async () => {
    const { deaf } = started();
    const message = asking(["deaf"]);
    const error = await rejectionOf(new AgenticToolsNode([deaf]).invoke(message, { timeoutMs: 10 }));
    expect(error).toMatchObject({ name: "TimeoutError" });
    expect(ToolError.is(error)).toBe(false);
    expect(kindsOf(resultsOf(error, message))).toEqual([["1", true, "aborted"]]);
  });

  it("during preparation run nothing", async () => {
    const controller = new AbortController();
    let ran = 0;
    const node = new AgenticToolsNode({
      tools: [createTool({ id: "t", description: "", execute: () => `${++ran}` })],
      toolArgumentsHandler: async (_name, text) => {
        controller.abort();
        await ticks(1);
        return text;
      },
    });
    const message = asking(["t"]);
    const reason = await rejectionOf(node.invoke(message, { signal: controller.signal }));
    await ticks(2);
    expect(reason).toMatchObject({ name: "AbortError" });
    expect(ran).toBe(0);
    expect(kindsOf(resultsOf(reason, message))).toEqual([["1", true, "not_executed"]]);
  });

  it("leave no unhandled rejection when tools fail after them", async () => {
    const unhandled: unknown[] = [];
    const listen = (error: unknown) => void unhandled.push(error);
    process.on("unhandledRejection", listen);
    const controller = new AbortController();
    const door = gate();
    const failsLate = createTool({
      id: "fails_late",
      description: "",
      execute: async (): Promise<string> => {
        await door.opened;
        throw new Error("late");
      },
    });
    const outcome = rejectionOf(
      new AgenticToolsNode([failsLate]).invoke(asking(["fails_late"], ["fails_late"]), { signal: controller.signal }),
    );
    await ticks(1);
    controller.abort();
    await outcome;
    door.open();
    await ticks(5);
    process.off("unhandledRejection", listen);
    expect(unhandled).toEqual([]);
  });
});

describe("a handler before the tool", () => {
  it("that fails is an execution error of its call, and no tool runs", async () => {
    let ran = 0;
    const count = createTool({ id: "count", description: "", execute: () => `${++ran}` });
    const node = new AgenticToolsNode({
      tools: [count],
      toolArgumentsHandler: (_name, text, ctx) => {
        if (ctx.toolCallId === "2") throw new OutOfStock("handler");
        return text;
      },
      unknownToolsHandler: () => {
        throw new OutOfStock("unknown");
      },
    });
    for (const run of both(node, asking(["count"], ["count"]))) {
      const error = await rejectionOf(run());
      expect(error).toMatchObject({ kind: "execution", callId: "2" });
      expect(findCause(error, OutOfStock)?.message).toBe("handler");
    }
    for (const run of both(node, asking(["nope"]))) {
      expect(await rejectionOf(run())).toMatchObject({ kind: "execution", callId: "1", toolName: "nope" });
    }
    expect(ran).toBe(0);
  });
});

describe("a tool that is not made by createTool", () => {
  const bare = (run: Partial<Tool>): Tool => ({
    component: "tool",
    info: toolInfo({ name: "bare", description: "" }),
    ...run,
  });

  it("may throw before it returns a promise, in invoke and in stream", async () => {
    const throws = () => {
      throw new Error("sync");
    };
    for (const tool of [bare({ invoke: throws }), bare({ stream: throws })]) {
      const node = new AgenticToolsNode([tool]);
      for (const run of both(node, asking(["bare"]))) {
        const error = await rejectionOf(run());
        expect(error).toMatchObject({ kind: "execution", toolName: "bare" });
        expect(isInterrupt(error)).toBe(false);
      }
    }
  });

  it("gets the text of the arguments, and serves both modes with either half", async () => {
    const invokes = bare({ invoke: async (text) => `<${text}>` });
    const streams = bare({
      stream: async function* (text) {
        yield "<";
        yield text;
        yield ">";
      },
    });
    for (const tool of [invokes, streams]) {
      for (const run of both(new AgenticToolsNode([tool]), asking(["bare", '{"a":1}']))) {
        expect(textsOf(await run())).toEqual(['<{"a":1}>']);
      }
    }
  });

  it("with both halves uses invoke for invoke and stream for stream", async () => {
    const tool = bare({
      invoke: async () => "invoked",
      stream: async function* () {
        yield "streamed";
      },
    });
    const node = new AgenticToolsNode([tool]);
    expect(textsOf(await node.invoke(asking(["bare"])))).toEqual(["invoked"]);
    expect(textsOf(await joined(node.stream(asking(["bare"]))))).toEqual(["streamed"]);
    expect(await readAll(node.stream(asking(["bare"])))).toHaveLength(1);
  });
});
