import { type AgenticMessage, AgenticToolsNode, createTool, type ToolError, type ToolOutput } from "kumiko";
import { describe, expect, it } from "vitest";
import { z } from "zod";
import { asking, blocksOf, joined, readAll, rejectionOf, textsOf, ticks } from "./asking.js";

const both = (node: AgenticToolsNode, message: AgenticMessage) =>
  [() => node.invoke(message), () => joined(node.stream(message))] as const;
const giving = (value: unknown) => createTool({ id: "give", description: "", execute: () => value });

class Point {
  readonly x: number;
  readonly y: number;
  constructor(x: number, y: number) {
    this.x = x;
    this.y = y;
  }
}
class Money {
  toJSON() {
    return "5 EUR";
  }
}
const ring: Record<string, unknown> = { name: "ring" };
ring.self = ring;
const shared = { n: 1 };

describe("a result", () => {
  it.each<[string, unknown, string, "json" | undefined]>([
    ["text", "text", "text", undefined],
    ["text that looks like JSON", "123", "123", undefined],
    ["empty text", "", "", undefined],
    ["number", 7, "7", "json"],
    ["boolean", false, "false", "json"],
    ["null", null, "null", "json"],
    ["object", { a: [1, { b: null }] }, '{"a":[1,{"b":null}]}', "json"],
    ["list", [1, "a", undefined], '[1,"a",null]', "json"],
    ["bigint", 12345678901234567890n, '"12345678901234567890"', "json"],
    ["bigint inside", { n: 5n }, '{"n":"5"}', "json"],
    ["date", new Date(0), '"1970-01-01T00:00:00.000Z"', "json"],
    ["class instance", new Point(1, 2), '{"x":1,"y":2}', "json"],
    ["toJSON", new Money(), '"5 EUR"', "json"],
    ["sharing without a cycle", [shared, shared], '[{"n":1},{"n":1}]', "json"],
    ["cycle", ring, '{"name":"ring","self":"[Circular]"}', "json"],
    ["a function, which says nothing", () => 1, "", undefined],
    ["own __proto__", JSON.parse('{"__proto__":{"a":1}}'), '{"__proto__":{"a":1}}', "json"],
  ])("that is %s reaches the model", async (_name, value, result, resultType) => {
    for (const run of both(new AgenticToolsNode([giving(value)]), asking(["give"]))) {
      const [block] = blocksOf(await run());
      expect(block?.result).toBe(result);
      expect(block?.resultType).toBe(resultType);
      expect(block?.isError).toBeUndefined();
    }
  });

  it.each<[string, unknown]>([
    [
      "map",
      new Map<unknown, unknown>([
        ["a", 1],
        [{ k: 1 }, 2n],
      ]),
    ],
    ["set", new Set([1, 2n, "x"])],
    ["typed array", new Uint8Array([1, 2, 3])],
    ["array buffer", new ArrayBuffer(4)],
    ["error", new Error("inside", { cause: new Error("deeper") })],
    ["error with a field", Object.assign(new Error("inside"), { code: "E1", n: 1n })],
    ["invalid date", new Date(Number.NaN)],
    ["NaN", { n: Number.NaN, i: Number.POSITIVE_INFINITY }],
    ["symbol", { s: Symbol("x") }],
    ["object with a function", { run: () => 1, kept: true }],
    [
      "throwing getter",
      Object.defineProperty({ ok: 1 }, "bad", {
        enumerable: true,
        get: () => {
          throw new Error("getter");
        },
      }),
    ],
    [
      "throwing toJSON",
      {
        toJSON: () => {
          throw new Error("toJSON");
        },
      },
    ],
    ["null prototype", Object.assign(Object.create(null), { a: 1 })],
    [
      "proxy that throws",
      new Proxy(
        {},
        {
          ownKeys: () => {
            throw new Error("proxy");
          },
        },
      ),
    ],
    [
      "revoked proxy",
      (() => {
        const { proxy, revoke } = Proxy.revocable({}, {});
        revoke();
        return proxy;
      })(),
    ],
    ["regexp and url", [/a/g, new URL("http://x.test/")]],
    ["promise inside", { p: Promise.resolve(1) }],
    ["boxed", [Object(1n), new String("s"), new Number(1)]],
    ["weak map", new WeakMap()],
    ["lone surrogate", { s: "\ud800" }],
    ["sparse array", Object.assign(new Array(3), { 2: 3 })],
  ])("that is %s is valid JSON, the tool has run once, and nothing fails", async (_name, value) => {
    let runs = 0;
    const tool = createTool({
      id: "give",
      description: "",
      execute: () => {
        runs += 1;
        return value;
      },
    });
    const node = new AgenticToolsNode({ tools: [tool], onToolError: "result" });
    const [invoke, stream] = both(node, asking(["give"]));
    const [block] = blocksOf(await invoke());
    if (block?.isError !== true) {
      expect(block?.resultType).toBe("json");
      expect(() => JSON.parse(block?.result ?? "")).not.toThrow();
    }
    expect(blocksOf(await stream())).toEqual([block]);
    expect(runs).toBe(2);
  });

  it("shows what is in maps, sets, bytes and errors", async () => {
    const node = new AgenticToolsNode([
      giving({
        map: new Map([["key", 1]]),
        set: new Set(["member"]),
        bytes: new Uint8Array([7, 8]),
        error: new TypeError("what happened"),
      }),
    ]);
    const [text = ""] = textsOf(await node.invoke(asking(["give"])));
    for (const part of ["key", "member", "what happened"]) expect(text).toContain(part);
    const parsed = JSON.parse(text);
    expect(parsed.bytes).not.toEqual({});
    expect(parsed.map).not.toEqual({});
    expect(parsed.set).not.toEqual({});
    expect(parsed.error).not.toEqual({});
  });

  it("that is undefined is empty text", async () => {
    for (const run of both(new AgenticToolsNode([giving(undefined)]), asking(["give"]))) {
      expect(textsOf(await run())).toEqual([""]);
    }
  });

  it("deeply nested does not break the node", async () => {
    let deep: unknown = "end";
    for (let level = 0; level < 20_000; level += 1) deep = [deep];
    const node = new AgenticToolsNode({ tools: [giving(deep)], onToolError: "result" });
    for (const run of both(node, asking(["give"]))) expect(typeof textsOf(await run())[0]).toBe("string");
  });

  it("of 5 MB passes whole", async () => {
    const big = "深".repeat(2_500_000);
    for (const run of both(new AgenticToolsNode([giving(big)]), asking(["give"], ["give"]))) {
      expect(textsOf(await run()).map((text) => text === big)).toEqual([true, true]);
    }
  });

  it("is cut at maxResultLength, and says so", async () => {
    const flow = createTool({
      id: "flow",
      description: "",
      execute: async function* () {
        for (let index = 0; index < 100; index += 1) yield "0123456789";
      },
    });
    const node = new AgenticToolsNode({
      tools: [
        giving("x".repeat(1000)),
        flow,
        createTool({ id: "short", description: "", execute: () => "y".repeat(100) }),
      ],
      maxResultLength: 100,
    });
    const message = asking(["give"], ["flow"], ["short"]);
    const [invoke, stream] = both(node, message);
    const texts = textsOf(await invoke());
    expect(texts[0]).toMatch(/^x{50,100}[^x]/);
    expect(texts[1]).toMatch(/^(0123456789){5,10}/);
    expect(texts[1]?.length).toBeLessThan(400);
    expect(texts[2]).toBe("y".repeat(100));
    expect(textsOf(await stream())).toEqual(texts);
  });

  it("does not tear a character apart at maxResultLength", async () => {
    for (const maxResultLength of [1, 2, 3, 4, 5]) {
      const node = new AgenticToolsNode({ tools: [giving("😀😀😀😀😀😀")], maxResultLength });
      for (const run of both(node, asking(["give"]))) {
        const [text = ""] = textsOf(await run());
        expect(() => encodeURIComponent(text)).not.toThrow();
      }
    }
  });

  it("is what toModelOutput makes of it: text or parts", async () => {
    const seen: unknown[] = [];
    const tool = createTool({
      id: "shot",
      description: "",
      inputSchema: z.object({ of: z.string() }),
      execute: ({ of }) => ({ bytes: of.length }),
      toModelOutput: async ({ output, input, toolCallId }) => {
        seen.push([output, input, toolCallId]);
        return [
          { type: "text", text: "A shot: " },
          { type: "image", url: "http://x.test/a.png", mimeType: "image/png" },
          { type: "text", text: "that is it" },
        ];
      },
    });
    for (const run of both(new AgenticToolsNode([tool]), asking(["shot", { of: "cat" }]))) {
      const [block] = blocksOf(await run());
      expect(block?.result).toBe("A shot: that is it");
      expect(block?.content?.map(({ type }) => type)).toEqual(["text", "image", "text"]);
    }
    expect(seen[0]).toEqual([{ bytes: 3 }, { of: "cat" }, "1"]);
  });

  it("whose toModelOutput fails is an execution error, and says so once", async () => {
    let runs = 0;
    const tool = createTool({
      id: "t",
      description: "",
      execute: () => ++runs,
      toModelOutput: () => {
        throw new Error("cannot show");
      },
    });
    const node = new AgenticToolsNode({ tools: [tool], onToolError: "result" });
    const [block] = blocksOf(await node.invoke(asking(["t"])));
    expect(block).toMatchObject({ isError: true });
    expect(block?.result).toContain("cannot show");
    expect(runs).toBe(1);
  });

  it("of parts keeps them in order, and their text is the result", async () => {
    const parts: ToolOutput = [
      { type: "text", text: "a" },
      { type: "text", text: "b" },
      { type: "file", base64Data: "aGk=", mimeType: "text/plain", name: "hi.txt" },
    ];
    const tool = { component: "tool" as const, info: giving(1).info, invoke: async () => parts };
    for (const run of both(new AgenticToolsNode([tool]), asking(["give"]))) {
      const [block] = blocksOf(await run());
      expect(block?.result).toBe("ab");
      expect(block?.content?.at(-1)).toEqual({
        type: "file",
        base64Data: "aGk=",
        mimeType: "text/plain",
        name: "hi.txt",
      });
      expect(block?.resultType).toBeUndefined();
    }
  });
});

describe("what a tool yields", () => {
  const yielding = (chunks: readonly unknown[], last?: unknown, more: object = {}) =>
    createTool({
      id: "give",
      description: "",
      execute: async function* () {
        yield* chunks;
        return last;
      },
      ...more,
    });

  it.each<[string, readonly unknown[], unknown, string]>([
    ["texts join", ["a", "b", "c"], undefined, "abc"],
    ["a return value counts when nothing was yielded", [], "returned", "returned"],
    ["a returned object counts when nothing was yielded", [], { a: 1 }, '{"a":1}'],
    ["a return value does not count otherwise", ["a"], "returned", "a"],
    ["nothing at all is empty text", [], undefined, ""],
    ["empty texts", ["", ""], "returned", ""],
    ["one object", [{ a: 1 }], undefined, '{"a":1}'],
    ["numbers take the last", [1, 2, 3], undefined, "3"],
    ["booleans take the last", [true, false], undefined, "false"],
  ])("%s", async (_name, chunks, last, result) => {
    for (const run of both(new AgenticToolsNode([yielding(chunks, last)]), asking(["give"]))) {
      expect(textsOf(await run())).toEqual([result]);
    }
  });

  it("objects join as the tool declares", async () => {
    const objects = [{ a: 1 }, { a: 2, b: 3 }];
    const cases: [object, string][] = [
      [{ concat: "list" }, '[{"a":1},{"a":2,"b":3}]'],
      [{ concat: "last" }, '{"a":2,"b":3}'],
      [{ concat: (chunks: readonly unknown[]) => chunks.length }, "2"],
    ];
    for (const [more, result] of cases) {
      for (const run of both(new AgenticToolsNode([yielding(objects, undefined, more)]), asking(["give"]))) {
        expect(textsOf(await run())).toEqual([result]);
      }
    }
  });

  it("several objects without a declaration are an error that names the tool", async () => {
    const node = new AgenticToolsNode({ tools: [yielding([{ a: 1 }, { a: 2 }])], onToolError: "result" });
    for (const run of both(node, asking(["give"]))) {
      const [block] = blocksOf(await run());
      expect(block).toMatchObject({ isError: true, errorKind: "execution" });
      expect(block?.result).toContain("give");
    }
  });

  it("what is not text is one chunk at the end; nothing is one empty chunk", async () => {
    const node = new AgenticToolsNode([yielding([{ a: 1 }, { a: 2 }], undefined, { concat: "list" })]);
    expect((await readAll(node.stream(asking(["give"])))).map((chunk) => textsOf(chunk))).toEqual([
      ['[{"a":1},{"a":2}]'],
    ]);
    const nothing = new AgenticToolsNode([yielding([])]);
    expect((await readAll(nothing.stream(asking(["give"])))).map((chunk) => textsOf(chunk))).toEqual([[""]]);
  });

  it("has streamingMeta in chunks and none after they are joined, also of a lone chunk", async () => {
    const node = new AgenticToolsNode([yielding(["only"])]);
    const chunks = await readAll(node.stream(asking(["give"], ["give"])));
    const second = chunks.find((chunk) => chunk[1] !== undefined)?.[1]?.contentBlocks[0];
    expect(second?.streamingMeta).toEqual({ index: 1 });
    expect((await joined(node.stream(asking(["give"])))).flatMap(({ contentBlocks }) => contentBlocks)).toEqual([
      { type: "function_tool_result", callId: "1", name: "give", result: "only" },
    ]);
  });

  it("progress goes to handlers, never to the model", async () => {
    const tool = createTool({
      id: "work",
      description: "",
      execute: async (_input, ctx) => {
        ctx.progress({ done: 1 });
        await ticks(1);
        ctx.progress("half");
        return "result";
      },
    });
    for (const mode of ["invoke", "stream"] as const) {
      const events: unknown[] = [];
      const options = { callbacks: [{ onEvent: (info: object, value: unknown) => void events.push([info, value]) }] };
      const node = new AgenticToolsNode([tool]);
      const message = asking(["work", {}, "w"]);
      const results =
        mode === "invoke" ? await node.invoke(message, options) : await joined(node.stream(message, options));
      expect(textsOf(results)).toEqual(["result"]);
      expect(events).toMatchObject([
        [{ name: "work", toolCallId: "w" }, { kind: "progress" }],
        [{ name: "work", toolCallId: "w" }, { kind: "progress" }],
      ]);
      expect(JSON.stringify(events)).toContain('"done":1');
    }
  });

  it("from an invokable tool that returns an iterable streams as well, and joins", async () => {
    const tool = createTool({
      id: "lines",
      description: "",
      execute: () =>
        (async function* () {
          yield "a";
          yield "b";
        })(),
    });
    const node = new AgenticToolsNode([tool]);
    expect(textsOf(await node.invoke(asking(["lines"])))).toEqual(["ab"]);
    expect(textsOf(await joined(node.stream(asking(["lines"]))))).toEqual(["ab"]);
  });
});

describe("output validation", () => {
  const wrong = (more: object) =>
    createTool({
      id: "pay",
      description: "",
      outputSchema: z.object({ paid: z.number() }),
      execute: () => ({ paid: "12 €" }) as never,
      ...more,
    });

  it("never throws the real result away", async () => {
    for (const run of both(new AgenticToolsNode({ tools: [wrong({})], onToolError: "result" }), asking(["pay"]))) {
      const [block] = blocksOf(await run());
      expect(block).toMatchObject({
        isError: true,
        errorKind: "output_validation",
        extra: { output: { paid: "12 €" } },
      });
      expect(block?.result).toContain("12 €");
      expect(block?.result).toMatch(/ran|executed/);
    }
    const error = await rejectionOf(new AgenticToolsNode([wrong({})]).invoke(asking(["pay"])));
    expect(blocksOf((error as ToolError).results ?? [])[0]).toMatchObject({ extra: { output: { paid: "12 €" } } });
  });

  it.each(["warn", "off"] as const)("with %s passes the value on", async (outputValidation) => {
    for (const node of [
      new AgenticToolsNode({ tools: [wrong({ outputValidation })] }),
      new AgenticToolsNode({ tools: [wrong({})], outputValidation }),
      new AgenticToolsNode({ tools: [wrong({ outputValidation })], outputValidation: "error" }),
    ]) {
      const warnings: unknown[] = [];
      const options = { callbacks: [{ onEvent: (_info: unknown, value: unknown) => void warnings.push(value) }] };
      expect(textsOf(await node.invoke(asking(["pay"]), options))).toEqual(['{"paid":"12 €"}']);
      expect(textsOf(await joined(node.stream(asking(["pay"]), options)))).toEqual(['{"paid":"12 €"}']);
      expect(warnings).toHaveLength(outputValidation === "warn" ? 2 : 0);
    }
  });

  it("of a plain JSON Schema happens only when asked for", async () => {
    const plain = (more: object) =>
      createTool({
        id: "pay",
        description: "",
        outputSchema: { type: "object", properties: { n: { type: "number" } }, required: ["n"] },
        execute: () => ({ n: "x" }),
        ...more,
      });
    expect(textsOf(await new AgenticToolsNode([plain({})]).invoke(asking(["pay"])))).toEqual(['{"n":"x"}']);
    for (const node of [
      new AgenticToolsNode({ tools: [plain({})], outputValidation: "error" }),
      new AgenticToolsNode([plain({ outputValidation: "error" })]),
    ]) {
      expect(await rejectionOf(node.invoke(asking(["pay"])))).toMatchObject({ kind: "output_validation" });
    }
  });

  it("checks the joined output of a streaming tool", async () => {
    const tool = createTool({
      id: "t",
      description: "",
      outputSchema: z.string().max(2),
      execute: async function* () {
        yield "a";
        yield "b";
        yield "c";
      },
    });
    const node = new AgenticToolsNode({ tools: [tool], onToolError: "result" });
    const [invoke, stream] = both(node, asking(["t"]));
    const results = blocksOf(await invoke());
    expect(results[0]).toMatchObject({ isError: true, errorKind: "output_validation", extra: { output: "abc" } });
    expect(blocksOf(await stream())).toEqual(results);
  });
});
