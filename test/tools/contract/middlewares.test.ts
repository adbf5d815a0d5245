import {
  type AgenticMessage,
  AgenticToolsNode,
  createTool,
  isInterrupt,
  StreamReader,
  type ToolCallMiddleware,
  ToolError,
} from "kumiko";
import { describe, expect, it } from "vitest";
import { z } from "zod";
import { asking, blocksOf, joined, noting, readAll, rejectionOf, textsOf } from "./asking.js";

const both = (node: AgenticToolsNode, message: AgenticMessage) =>
  [() => node.invoke(message), () => joined(node.stream(message))] as const;

const add = createTool({
  id: "add",
  description: "",
  inputSchema: z.object({ a: z.number(), b: z.number().default(10) }),
  execute: ({ a, b }) => a + b,
});
const spell = createTool({
  id: "spell",
  description: "",
  inputSchema: z.object({ text: z.string() }),
  execute: async function* ({ text }) {
    yield* text;
  },
});

describe("middlewares", () => {
  it("wrap the tool's native mode, in both modes of the node; the first is outermost, callbacks are inside", async () => {
    for (const mode of ["invoke", "stream"] as const) {
      const log: string[] = [];
      const named = (name: string): ToolCallMiddleware => ({
        invokable: (next) => async (call, ctx) => {
          log.push(`${name} invokable ${call.name}`);
          const output = await next(call, ctx);
          log.push(`/${name}`);
          return output;
        },
        streamable: (next) =>
          async function* (call, ctx) {
            log.push(`${name} streamable ${call.name}`);
            yield* await next(call, ctx);
            log.push(`/${name}`);
          },
      });
      const node = new AgenticToolsNode({ tools: [add, spell], toolCallMiddlewares: [named("a"), named("b")] });
      const handler = {
        onStart: (info: { name: string; component: string }) => {
          if (info.component === "tool") log.push(`start ${info.name}`);
        },
        onEnd: (info: { name: string; component: string }) => {
          if (info.component === "tool") log.push(`end ${info.name}`);
        },
      };
      for (const message of [asking(["add", { a: 1 }]), asking(["spell", { text: "x" }])]) {
        const options = { callbacks: [handler] };
        if (mode === "invoke") await node.invoke(message, options);
        else await joined(node.stream(message, options));
      }
      expect(log).toEqual([
        "a invokable add",
        "b invokable add",
        "start add",
        "end add",
        "/b",
        "/a",
        "a streamable spell",
        "b streamable spell",
        "start spell",
        "end spell",
        "/b",
        "/a",
      ]);
    }
  });

  it("know name, arguments, callId and the validated input", async () => {
    const calls: unknown[] = [];
    const node = new AgenticToolsNode({
      tools: [add],
      toolAliases: { add: { nameAliases: ["plus"], argumentsAliases: { a: ["first"] } } },
      toolArgumentsHandler: (_name, text) => text.replace("1", "2"),
      toolCallMiddlewares: [
        {
          invokable: (next) => (call, ctx) => {
            calls.push({ ...call }, ctx.toolName, ctx.toolCallId);
            return next(call, ctx);
          },
        },
      ],
    });
    expect(textsOf(await node.invoke(asking(["plus", { first: 1 }, "c"])))).toEqual(["12"]);
    const [call, toolName, id] = calls;
    expect(call).toMatchObject({ name: "plus", callId: "c", input: { a: 2, b: 10 } });
    expect(JSON.parse((call as { arguments: string }).arguments)).toEqual({ a: 2 });
    expect([toolName, id]).toEqual(["add", "c"]);
  });

  it("that change arguments have them parsed and validated again; changed input is taken as it is", async () => {
    const changing = (change: (call: { arguments: string; input: unknown }) => object): AgenticToolsNode =>
      new AgenticToolsNode({
        tools: [add],
        toolCallMiddlewares: [{ invokable: (next) => (call, ctx) => next({ ...call, ...change(call) }, ctx) }],
      });
    const message = asking(["add", { a: 1 }]);
    expect(textsOf(await changing(() => ({ arguments: '{"a":5}' })).invoke(message))).toEqual(["15"]);
    expect(textsOf(await changing(() => ({ input: { a: "x", b: "y" } })).invoke(message))).toEqual(["xy"]);
    expect(textsOf(await changing(() => ({ input: { a: 2, b: 2 } })).invoke(message))).toEqual(["4"]);
    expect(await rejectionOf(changing(() => ({ arguments: '{"a":"x"}' })).invoke(message))).toMatchObject({
      kind: "validation",
      callId: "1",
    });
    expect(await rejectionOf(changing(() => ({ arguments: "{" })).invoke(message))).toMatchObject({ kind: "parse" });
  });

  it("that change the arguments of a stream have them parsed and validated again", async () => {
    const node = (text: string) =>
      new AgenticToolsNode({
        tools: [spell],
        toolCallMiddlewares: [{ streamable: (next) => (call, ctx) => next({ ...call, arguments: text }, ctx) }],
      });
    const message = asking(["spell", { text: "abc" }]);
    for (const run of both(node('{"text":"xy"}'), message)) expect(textsOf(await run())).toEqual(["xy"]);
    for (const run of both(node('{"text":1}'), message))
      expect(await rejectionOf(run())).toMatchObject({ kind: "validation" });
  });

  it("may answer without calling next, with a text or with parts", async () => {
    let ran = 0;
    const count = createTool({ id: "count", description: "", execute: () => `${++ran}` });
    const node = new AgenticToolsNode({
      tools: [count, spell],
      toolCallMiddlewares: [
        {
          invokable: () => async () => [{ type: "text", text: "cached" }],
          streamable: () =>
            async function* () {
              yield "from ";
              yield "cache";
            },
        },
      ],
    });
    for (const run of both(node, asking(["count"], ["spell", { text: "x" }]))) {
      expect(textsOf(await run())).toEqual(["cached", "from cache"]);
    }
    expect(ran).toBe(0);
  });

  it("may turn an error into a result, and retry", async () => {
    let tries = 0;
    const flaky = createTool({
      id: "flaky",
      description: "",
      execute: () => {
        tries += 1;
        if (tries % 3 !== 0) throw new Error("again");
        return `after ${tries}`;
      },
    });
    const retry: ToolCallMiddleware = {
      invokable: (next) => async (call, ctx) => {
        for (let attempt = 1; ; attempt += 1) {
          try {
            return await next(call, ctx);
          } catch (error) {
            if (attempt === 3) throw error;
          }
        }
      },
    };
    const ends: string[] = [];
    const callbacks = [
      { onEnd: (info: { name: string }) => void ends.push(`end ${info.name}`), onError: () => void ends.push("error") },
    ];
    const node = new AgenticToolsNode({ tools: [flaky], toolCallMiddlewares: [retry] });
    expect(textsOf(await node.invoke(asking(["flaky"]), { callbacks }))).toEqual(["after 3"]);
    expect(ends).toEqual(["error", "error", "end flaky", "end tools"].slice(0, 3).concat(ends.slice(3)));
    expect(textsOf(await joined(node.stream(asking(["flaky"]))))).toEqual(["after 6"]);
  });

  it("that throw fail their call with their own error as the cause; siblings go on", async () => {
    const mine = new Error("mine");
    const node = new AgenticToolsNode({
      tools: [add],
      toolCallMiddlewares: [
        {
          invokable: (next) => (call, ctx) => {
            if (call.callId === "1") throw mine;
            return next(call, ctx);
          },
        },
      ],
    });
    for (const run of both(node, asking(["add", { a: 1 }], ["add", { a: 2 }]))) {
      const error = await rejectionOf(run());
      expect(error).toMatchObject({ kind: "execution", callId: "1", cause: mine });
      expect(textsOf((error as ToolError).results ?? [])[1]).toBe("12");
    }
  });

  it("wrap unknown tools too, as callbacks do", async () => {
    const log: string[] = [];
    const node = new AgenticToolsNode({
      tools: [add],
      unknownToolsHandler: (name, text) => `no ${name} ${text}`,
      toolCallMiddlewares: [
        {
          invokable: (next) => async (call, ctx) => {
            log.push(`middleware ${call.name}`);
            const output = await next(call, ctx);
            return `[${String(output)}]`;
          },
        },
      ],
    });
    const callbacks = [
      {
        onStart: (info: { name: string }, value: unknown) =>
          void log.push(`start ${info.name} ${JSON.stringify(value)}`),
        onEnd: (info: { name: string }, value: unknown) => void log.push(`end ${info.name} ${JSON.stringify(value)}`),
      },
    ];
    expect(textsOf(await node.invoke(asking(["zap", "not json", "z"]), { callbacks }))).toEqual(["[no zap not json]"]);
    expect(log).toContain("middleware zap");
    expect(log).toContain('start zap {"arguments":"not json"}');
    expect(log).toContain('end zap {"result":"no zap not json"}');
    expect(textsOf(await joined(node.stream(asking(["zap", "x"]))))).toEqual(["[no zap x]"]);
  });

  it("of one kind do not touch tools of the other", async () => {
    const seen: string[] = [];
    const node = new AgenticToolsNode({
      tools: [add, spell],
      toolCallMiddlewares: [
        { invokable: (next) => (call, ctx) => noting(seen, `i ${call.name}`, next(call, ctx)) },
        { streamable: (next) => (call, ctx) => noting(seen, `s ${call.name}`, next(call, ctx)) },
        {},
      ],
    });
    const message = asking(["add", { a: 1 }], ["spell", { text: "x" }]);
    await node.invoke(message);
    expect(seen.sort()).toEqual(["i add", "s spell"]);
    await joined(node.stream(message));
    expect(seen.sort()).toEqual(["i add", "i add", "s spell", "s spell"]);
  });

  it("may give a stream as a StreamReader, a promise of one, or an async iterable", async () => {
    for (const wrap of [
      (source: AsyncIterable<unknown>) => source,
      (source: AsyncIterable<unknown>) => StreamReader.from(source),
      (source: AsyncIterable<unknown>) => Promise.resolve(source),
    ]) {
      const node = new AgenticToolsNode({
        tools: [spell],
        toolCallMiddlewares: [{ streamable: (next) => async (call, ctx) => wrap(await next(call, ctx)) as never }],
      });
      for (const run of both(node, asking(["spell", { text: "ab" }]))) expect(textsOf(await run())).toEqual(["ab"]);
    }
  });

  it("that call next twice at once run the tool twice", async () => {
    let runs = 0;
    const count = createTool({ id: "count", description: "", execute: () => `${++runs}` });
    const node = new AgenticToolsNode({
      tools: [count],
      toolCallMiddlewares: [
        { invokable: (next) => async (call, ctx) => (await Promise.all([next(call, ctx), next(call, ctx)])).join("+") },
      ],
    });
    expect(textsOf(await node.invoke(asking(["count"])))).toEqual(["1+2"]);
  });

  it("stand outside of approval: they run before the question, and see the interrupt pass", async () => {
    const log: string[] = [];
    const pay = createTool({ id: "pay", description: "", requireApproval: true, execute: () => "paid" });
    const node = new AgenticToolsNode({
      tools: [pay],
      toolCallMiddlewares: [
        {
          invokable: (next) => async (call, ctx) => {
            log.push("before");
            try {
              return await next(call, ctx);
            } catch (error) {
              log.push(isInterrupt(error) ? "interrupt" : "error");
              throw error;
            }
          },
        },
      ],
    });
    expect(isInterrupt(await rejectionOf(node.invoke(asking(["pay"]))))).toBe(true);
    expect(log).toEqual(["before", "interrupt"]);
  });

  it("that swallow an interrupt do not hide it: the run stops there all the same", async () => {
    const pay = createTool({ id: "pay", description: "", requireApproval: true, execute: () => "paid" });
    const node = new AgenticToolsNode({
      tools: [pay],
      onToolError: "result",
      toolCallMiddlewares: [
        {
          invokable: (next) => async (call, ctx) => {
            await Promise.allSettled([next(call, ctx)]);
            return "swallowed";
          },
        },
      ],
    });
    expect(isInterrupt(await rejectionOf(node.invoke(asking(["pay"]))))).toBe(true);
    expect(isInterrupt(await rejectionOf(readAll(node.stream(asking(["pay"])))))).toBe(true);
  });

  it("may give something that is no output: it is an error that says so, or is encoded, never a crash", async () => {
    for (const value of [undefined, null, 7, { a: 1 }, Symbol("x")]) {
      const node = new AgenticToolsNode({
        tools: [add],
        onToolError: "result",
        toolCallMiddlewares: [{ invokable: () => async () => value as never }],
      });
      for (const run of both(node, asking(["add", { a: 1 }]))) {
        const [block] = blocksOf(await run());
        expect(typeof block?.result).toBe("string");
      }
    }
  });
});

describe("toolArgumentsHandler", () => {
  it("sees the raw text with the canonical name, after aliases, and may mend what is no JSON", async () => {
    const seen: string[] = [];
    const node = new AgenticToolsNode({
      tools: [add],
      toolAliases: { add: { nameAliases: ["plus"], argumentsAliases: { a: ["x"] } } },
      toolArgumentsHandler: async (name, text, ctx) => {
        seen.push(`${name} ${text} ${ctx.toolCallId}`);
        return text.startsWith("a=") ? `{"a":${text.slice(2)}}` : text;
      },
    });
    const message = asking(["plus", "a=4", "i"], ["add", '{"a": 1,  "b": 2}', "j"], ["plus", '{"x":7}', "k"]);
    for (const run of both(node, message)) expect(textsOf(await run())).toEqual(["14", "3", "17"]);
    expect(seen.slice(0, 3)).toEqual(["add a=4 i", 'add {"a": 1,  "b": 2} j', 'add {"a":7} k']);
  });

  it("may not give something that is no text: an execution error", async () => {
    for (const value of [undefined, null, { a: 1 }, 7]) {
      const node = new AgenticToolsNode({ tools: [add], toolArgumentsHandler: () => value as never });
      expect(await rejectionOf(node.invoke(asking(["add", { a: 1 }])))).toBeInstanceOf(ToolError);
    }
  });
});

describe("unknownToolsHandler", () => {
  it("gets name, text and context; the argument handler and aliases do not run", async () => {
    const seen: unknown[] = [];
    const node = new AgenticToolsNode({
      tools: [add],
      toolArgumentsHandler: (_name, text) => noting(seen, "handled", text),
      unknownToolsHandler: async (name, text, ctx) => {
        seen.push([name, text, ctx.toolCallId, ctx.toolName]);
        return "unknown, sorry";
      },
    });
    const [block] = blocksOf(await node.invoke(asking(["zap", "{bad", "u"])));
    expect(block).toEqual({ type: "function_tool_result", callId: "u", name: "zap", result: "unknown, sorry" });
    expect(seen).toEqual([["zap", "{bad", "u", "zap"]]);
  });

  it("runs with the other tools, not before they are checked", async () => {
    const seen: unknown[] = [];
    const node = new AgenticToolsNode({ tools: [add], unknownToolsHandler: (name) => noting(seen, name, "x") });
    expect(await rejectionOf(node.invoke(asking(["zap"], ["add", "{"])))).toMatchObject({ kind: "parse", callId: "2" });
    expect(seen).toEqual([]);
  });

  it.each(["constructor", "__proto__", "toString", "hasOwnProperty", ""])(
    "is asked for %j, which is no tool",
    async (name) => {
      const node = new AgenticToolsNode({ tools: { add }, unknownToolsHandler: (given) => `no "${given}"` });
      expect(textsOf(await node.invoke(asking([name])))).toEqual([`no "${name}"`]);
      expect(await rejectionOf(new AgenticToolsNode([add]).invoke(asking([name])))).toMatchObject({
        kind: "unknown_tool",
      });
    },
  );

  it("may be absent: the error names the tool and the tools there are", async () => {
    const error = await rejectionOf(new AgenticToolsNode([add, spell]).invoke(asking(["ad"])));
    expect((error as Error).message).toContain('"ad"');
    expect((error as Error).message).toContain("spell");
  });
});

describe("aliases", () => {
  it("rename calls, while the result keeps the name as called", async () => {
    const node = new AgenticToolsNode({ tools: [add], toolAliases: { add: { nameAliases: ["plus", "add"] } } });
    const message = asking(["plus", { a: 1 }], ["add", { a: 2 }]);
    expect(blocksOf(await node.invoke(message)).map(({ name, result }) => [name, result])).toEqual([
      ["plus", "11"],
      ["add", "12"],
    ]);
  });

  it.each([
    ["both given", '{"a":1,"x":2}', { a: 1, x: 2 }],
    ["the alias", '{"x":2}', { a: 2 }],
    ["unknown keys", '{"x":2,"zz":[1]}', { a: 2, zz: [1] }],
    ["nested keys", '{"a":{"x":1}}', { a: { x: 1 } }],
  ])("of arguments touch the top level only (%s)", async (_what, text, expected) => {
    const raw = createTool({ id: "raw", description: "", execute: (input) => JSON.stringify(input) });
    const node = new AgenticToolsNode({ tools: [raw], toolAliases: { raw: { argumentsAliases: { a: ["x"] } } } });
    expect(JSON.parse(textsOf(await node.invoke(asking(["raw", text])))[0] ?? "")).toEqual(expected);
  });

  it("leave the text alone when nothing was renamed", async () => {
    const raw = createTool({ id: "raw", description: "", rawArguments: true, execute: (text) => `${text}` });
    const node = new AgenticToolsNode({ tools: [raw], toolAliases: { raw: { argumentsAliases: { a: ["x"] } } } });
    const text = '{ "a" : 1.0,\n "n": 12345678901234567890 }';
    expect(textsOf(await node.invoke(asking(["raw", text])))).toEqual([text]);
  });

  it("keep integers beyond 2^53 when they rename", async () => {
    const raw = createTool({ id: "raw", description: "", rawArguments: true, execute: (text) => `${text}` });
    const node = new AgenticToolsNode({ tools: [raw], toolAliases: { raw: { argumentsAliases: { a: ["x"] } } } });
    const [text = ""] = textsOf(await node.invoke(asking(["raw", '{"x":12345678901234567890}'])));
    expect(text).toContain("12345678901234567890");
    expect(text).toContain('"a"');
  });

  it("may be __proto__ or constructor without harm", async () => {
    const raw = createTool({ id: "raw", description: "", rawArguments: true, execute: (text) => `${text}` });
    const node = new AgenticToolsNode({
      tools: [raw],
      toolAliases: { raw: { nameAliases: ["constructor"], argumentsAliases: { a: ["constructor"] } } },
    });
    expect(textsOf(await node.invoke(asking(["constructor", '{"constructor":1}'])))).toEqual(['{"a":1}']);
    expect(textsOf(await node.invoke(asking(["raw", '{"__proto__":1}'])))).toEqual(['{"__proto__":1}']);
  });
});
