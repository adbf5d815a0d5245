import { AgenticToolsNode, createTool, StreamReader, type ToolCallMiddleware } from "kumiko";
import { describe, expect, it } from "vitest";
import { z } from "zod";
import { blocksOf, call, calls, textsOf, tool, toolError } from "./calls.js";

const shout = tool("shout", ({ text }) => String(text).toUpperCase());
const count = tool("count", async function* () {
  yield "1";
  yield "2";
});

/** Writes down when it is passed, on the way in and out. */
function logging(name: string, log: string[]): ToolCallMiddleware {
  return {
    invokable: (next) => async (call, ctx) => {
      log.push(`${name}>`);
      const output = await next(call, ctx);
      log.push(`<${name}`);
      return output;
    },
    streamable: (next) => (call, ctx) => {
      log.push(`${name}>>`);
      return next(call, ctx);
    },
  };
}

describe("order", () => {
  it("has the first middleware outermost, and callbacks inside all of them", async () => {
    const log: string[] = [];
    const node = new AgenticToolsNode({
      tools: [tool("a", () => log.push("tool"))],
      toolCallMiddlewares: [logging("A", log), logging("B", log)],
    });
    const onlyTools = (text: string) => (info: { component: string }) => {
      if (info.component === "tool") log.push(text);
    };
    await node.invoke(calls(call("a")), { callbacks: [{ onStart: onlyTools("start"), onEnd: onlyTools("end") }] });
    expect(log).toEqual(["A>", "B>", "start", "tool", "end", "<B", "<A"]);
  });

  it("wraps a tool in its own way of running, whatever the node's mode", async () => {
    const log: string[] = [];
    const node = new AgenticToolsNode({ tools: [shout, count], toolCallMiddlewares: [logging("A", log)] });
    await node.stream(calls(call("shout"))).concat();
    expect(log.splice(0)).toEqual(["A>", "<A"]);
    expect(textsOf(await node.invoke(calls(call("count"))))).toEqual(["12"]);
    expect(log).toEqual(["A>>"]);
  });

  it("is made once per tool, and called for every call", async () => {
    let made = 0;
    let called = 0;
    const node = new AgenticToolsNode({
      tools: [shout, count],
      toolCallMiddlewares: [
        {
          invokable: (next) => {
            made++;
            return (call, ctx) => {
              called++;
              return next(call, ctx);
            };
          },
        },
      ],
    });
    await node.invoke(calls(call("shout", {}, "1"), call("shout", {}, "2")));
    await node.invoke(calls(call("shout", {}, "1")));
    expect([made, called]).toEqual([1, 3]);
  });
});

describe("the call", () => {
  it("has name, arguments, id and parsed input", async () => {
    const seen: unknown[] = [];
    const node = new AgenticToolsNode({
      tools: [
        createTool({
          id: "a",
          description: "",
          inputSchema: z.object({ n: z.number().default(3) }),
          execute: ({ n }) => n,
        }),
      ],
      toolAliases: { a: { nameAliases: ["alias"] } },
      toolCallMiddlewares: [
        {
          invokable: (next) => (call, ctx) => {
            seen.push({ ...call }, ctx.toolCallId, ctx.toolName);
            return next(call, ctx);
          },
        },
      ],
    });
    await node.invoke(calls(call("alias", "{}", "c1")));
    expect(seen).toEqual([{ name: "alias", arguments: "{}", callId: "c1", input: { n: 3 } }, "c1", "a"]);
  });

  const doubling = createTool({
    id: "double",
    description: "",
    inputSchema: z.object({ n: z.number() }),
    execute: ({ n }, ctx) => `${n * 2} from ${ctx.rawArguments}`,
  });
  const changing = (change: object) =>
    new AgenticToolsNode({
      tools: [doubling],
      toolCallMiddlewares: [{ invokable: (next) => (call, ctx) => next({ ...call, ...change }, ctx) }],
    });

  it("may get other arguments, which are parsed and validated again", async () => {
    expect(textsOf(await changing({ arguments: '{"n":5}' }).invoke(calls(call("double", { n: 1 }))))).toEqual([
      '10 from {"n":5}',
    ]);
    expect(await toolError(changing({ arguments: '{"n":"x"}' }).invoke(calls(call("double", { n: 1 }))))).toMatchObject(
      {
        kind: "validation",
        toolName: "double",
      },
    );
    expect((await toolError(changing({ arguments: "{" }).invoke(calls(call("double", { n: 1 }))))).kind).toBe("parse");
  });

  it("may get another input, which is taken as it is", async () => {
    expect(textsOf(await changing({ input: { n: "3" } }).invoke(calls(call("double", { n: 1 }))))).toEqual([
      '6 from {"n":1}',
    ]);
  });

  it("of a streaming tool may be changed as well", async () => {
    const words = createTool({
      id: "words",
      description: "",
      inputSchema: z.object({ text: z.string() }),
      execute: async function* ({ text }) {
        yield* text.split(" ");
      },
    });
    const node = new AgenticToolsNode({
      tools: [words],
      toolCallMiddlewares: [
        { streamable: (next) => (call, ctx) => next({ ...call, arguments: '{"text":"x y"}' }, ctx) },
      ],
    });
    expect(textsOf(await node.invoke(calls(call("words", { text: "a" }))))).toEqual(["xy"]);
  });
});

describe("what comes out", () => {
  it("may be replaced, and is then no JSON of the tool any more", async () => {
    const data = tool("data", () => ({ a: 1 }));
    const same: ToolCallMiddleware = { invokable: (next) => (call, ctx) => next(call, ctx) };
    const other: ToolCallMiddleware = {
      invokable: (next) => async (call, ctx) => `[${String(await next(call, ctx))}]`,
    };
    const kept = await new AgenticToolsNode({ tools: [data], toolCallMiddlewares: [same] }).invoke(calls(call("data")));
    expect(blocksOf(kept)[0]).toMatchObject({ result: '{"a":1}', resultType: "json" });
    const changed = await new AgenticToolsNode({ tools: [data], toolCallMiddlewares: [other] }).invoke(
      calls(call("data")),
    );
    expect(blocksOf(changed)[0]).toEqual({
      type: "function_tool_result",
      callId: "data",
      name: "data",
      result: '[{"a":1}]',
    });
  });

  it("may come without the tool", async () => {
    const ran: string[] = [];
    const node = new AgenticToolsNode({
      tools: [tool("a", () => ran.push("a"))],
      toolCallMiddlewares: [{ invokable: () => () => "cached" }],
    });
    expect(textsOf(await node.invoke(calls(call("a"))))).toEqual(["cached"]);
    expect(ran).toEqual([]);
  });

  it("may be made of an error", async () => {
    const node = new AgenticToolsNode({
      tools: [
        tool("a", () => {
          throw new Error("broken");
        }),
      ],
      toolCallMiddlewares: [
        { invokable: (next) => (call, ctx) => next(call, ctx).catch((error: Error) => `caught: ${error.message}`) },
      ],
    });
    expect(textsOf(await node.invoke(calls(call("a"))))).toEqual(["caught: broken"]);
  });

  it("may come from a second try", async () => {
    let tries = 0;
    const node = new AgenticToolsNode({
      tools: [
        tool("flaky", () => {
          if (++tries < 3) throw new Error("not yet");
          return "at last";
        }),
      ],
      toolCallMiddlewares: [
        {
          invokable: (next) => async (call, ctx) => {
            for (;;) {
              try {
                return await next(call, ctx);
              } catch {}
            }
          },
        },
      ],
    });
    const runs: string[] = [];
    const results = await node.invoke(calls(call("flaky")), {
      callbacks: [
        { onError: (info) => runs.push(`error ${info.name}`), onEnd: (info) => runs.push(`end ${info.name}`) },
      ],
    });
    expect(textsOf(results)).toEqual(["at last"]);
    expect(runs.filter((run) => run.endsWith("flaky"))).toEqual(["error flaky", "error flaky", "end flaky"]);
  });

  it("of a streaming tool may be mapped, awaited or generated", async () => {
    const shapes: ToolCallMiddleware[] = [
      { streamable: (next) => (call, ctx) => next(call, ctx).map((piece) => `<${piece}>`) },
      { streamable: (next) => async (call, ctx) => (await next(call, ctx)).map((piece) => `<${piece}>`) },
      {
        streamable: (next) =>
          async function* (call, ctx) {
            for await (const piece of next(call, ctx)) yield `<${piece}>`;
          },
      },
    ];
    for (const shape of shapes) {
      const node = new AgenticToolsNode({ tools: [count], toolCallMiddlewares: [shape] });
      expect(textsOf(await node.stream(calls(call("count"))).concat())).toEqual(["<1><2>"]);
      expect(textsOf(await node.invoke(calls(call("count"))))).toEqual(["<1><2>"]);
    }
    const all = new AgenticToolsNode({ tools: [count], toolCallMiddlewares: shapes });
    expect(textsOf(await all.invoke(calls(call("count"))))).toEqual(["<<<1>>><<<2>>>"]);
  });

  it("is a stream for tools that gave one back without being a generator function", async () => {
    const seen: unknown[] = [];
    const node = new AgenticToolsNode({
      tools: [tool("a", () => StreamReader.from(["x", "y"]))],
      toolCallMiddlewares: [
        {
          invokable: (next) => async (call, ctx) => {
            const output: unknown = await next(call, ctx);
            seen.push(output instanceof StreamReader);
            return output as string;
          },
        },
      ],
    });
    const chunks: string[] = [];
    for await (const chunk of node.stream(calls(call("a")))) chunks.push(...textsOf(chunk));
    expect(chunks).toEqual(["x", "y"]);
    expect(textsOf(await node.invoke(calls(call("a"))))).toEqual(["xy"]);
    expect(seen).toEqual([true, true]);
  });
});

describe("failures", () => {
  it("of a tool are seen as the tool threw them, also in mid-stream", async () => {
    class Limited extends Error {}
    const seen: unknown[] = [];
    const node = new AgenticToolsNode({
      tools: [
        tool("a", () => Promise.reject(new Limited("wait"))),
        tool("b", async function* () {
          yield "x";
          throw new Limited("wait");
        }),
      ],
      onToolError: "result",
      toolCallMiddlewares: [
        {
          invokable: (next) => async (call, ctx) => {
            try {
              return await next(call, ctx);
            } catch (error) {
              seen.push(error instanceof Limited);
              throw error;
            }
          },
          streamable: (next) =>
            async function* (call, ctx) {
              try {
                yield* next(call, ctx);
              } catch (error) {
                seen.push(error instanceof Limited);
                throw error;
              }
            },
        },
      ],
    });
    const message = calls(call("a"), call("b"));
    expect(textsOf(await node.invoke(message))).toMatchObject([
      expect.stringMatching(/^Tool "a" .* failed: wait$/),
      expect.stringMatching(/^x\nTool "b" .* failed: wait$/),
    ]);
    await node.invoke(message, { callbacks: [{ onError: () => undefined }] });
    expect(seen).toEqual([true, true, true, true]);
  });

  it("of a middleware fail its call", async () => {
    const node = new AgenticToolsNode({
      tools: [shout, count],
      toolCallMiddlewares: [
        {
          invokable: () => () => {
            throw new Error("refused");
          },
          streamable: () => () => {
            throw new Error("refused too");
          },
        },
      ],
    });
    expect(await toolError(node.invoke(calls(call("shout"))))).toMatchObject({ kind: "execution", toolName: "shout" });
    expect((await toolError(node.invoke(calls(call("count"))))).message).toContain("refused too");
  });

  it("say what to do when the context was not passed on", async () => {
    const node = new AgenticToolsNode({
      tools: [shout],
      toolCallMiddlewares: [{ invokable: (next) => (call) => next(call, undefined as never) }],
    });
    expect((await toolError(node.invoke(calls(call("shout"))))).message).toContain("next(call, ctx)");
  });

  it("do not come from a context that was copied with other fields", async () => {
    const node = new AgenticToolsNode({
      tools: [createTool({ id: "who", description: "", execute: (_input, ctx) => Reflect.get(ctx, "user") })],
      toolCallMiddlewares: [{ invokable: (next) => (call, ctx) => next(call, ctx.with({ user: "ada" }) as never) }],
    });
    expect(textsOf(await node.invoke(calls(call("who"))))).toEqual(["ada"]);
  });
});

it("goes around the handler of unknown tools", async () => {
  const log: string[] = [];
  const node = new AgenticToolsNode({
    tools: [],
    unknownToolsHandler: (name) => `no ${name}`,
    toolCallMiddlewares: [logging("A", log)],
  });
  expect(textsOf(await node.invoke(calls(call("nope"))))).toEqual(["no nope"]);
  expect(log).toEqual(["A>", "<A"]);
});
