import {
  AgenticToolsNode,
  asTool,
  Chain,
  createTool,
  lambda,
  RequestContext,
  StreamReader,
  type ToolContext,
  toolResultsOf,
} from "kumiko";
import { toolInfo } from "kumiko/components";
import { describe, expect, it } from "vitest";
import { z } from "zod";
import { call, message, parametersOf, rejection, resultOf, thrown } from "./caller.js";

const city = z.object({ city: z.string() });

const mastraMark = Symbol.for("mastra.core.tool.Tool");

/** An instance of a marked class, as Mastra's `createTool` gives one. */
class MastraShaped {
  readonly [mastraMark] = true;
  readonly id: string;
  readonly description = "Mastra's.";
  readonly inputSchema = city;
  readonly #secret = "private";
  seen: Record<string, unknown> = {};

  constructor(id = "mastra_tool") {
    this.id = id;
  }

  async execute(input: { city: string }, context: Record<string, unknown>): Promise<unknown> {
    this.seen = context;
    return { secret: this.#secret, city: input.city };
  }
}

describe("plain tools", () => {
  it("an object { description, inputSchema, execute } under a key is a tool", async () => {
    const node = new AgenticToolsNode({
      tools: {
        add: {
          description: "Adds.",
          inputSchema: z.object({ a: z.number(), b: z.number() }),
          execute: ({ a, b }: { a: number; b: number }) => a + b,
        },
      },
    });
    expect(node.infos).toMatchObject([{ name: "add", description: "Adds." }]);
    expect((await resultOf(node, "add", { a: 1, b: 2 })).result).toBe("3");
  });

  it("an object with a name is a tool of a list", async () => {
    const node = new AgenticToolsNode([{ name: "now", execute: () => "12:00" }]);
    expect((await resultOf(node, "now")).result).toBe("12:00");
  });

  it("only execute, under a key", async () => {
    const node = new AgenticToolsNode({ tools: { now: { execute: () => "12:00" } } });
    expect((await resultOf(node, "now")).result).toBe("12:00");
  });

  it("with a name, the second argument is the context that createTool documents", async () => {
    let seen: Partial<ToolContext> = {};
    const node = new AgenticToolsNode([
      {
        name: "spy",
        execute: (_input: unknown, ctx: ToolContext) => {
          seen = {
            signal: ctx.signal,
            toolCallId: ctx.toolCallId,
            toolName: ctx.toolName,
            requestContext: ctx.requestContext,
          };
          return ctx.requestContext.get("user");
        },
      },
    ]);
    expect((await resultOf(node, "spy", {}, { requestContext: { user: "u" } })).result).toBe("u");
    expect(seen).toMatchObject({ toolCallId: "call-1", toolName: "spy" });
    expect(seen.signal).toBeInstanceOf(AbortSignal);
    expect(seen.requestContext).toBeInstanceOf(RequestContext);
  });

  it("a generator with a name streams its chunks", async () => {
    const node = new AgenticToolsNode([
      {
        name: "tail",
        async *execute() {
          yield "a";
          yield "b";
        },
      },
    ]);
    const chunks: string[] = [];
    for await (const [slot] of node.stream(message(call("tail"))))
      if (slot) chunks.push(...toolResultsOf(slot).map(({ result }) => result));
    expect(chunks).toEqual(["a", "b"]);
  });

  it("values that are no tools are refused by place", () => {
    for (const [bad, where] of [
      [[undefined], "0"],
      [["text"], "0"],
      [[{}], "0"],
      [[{ name: "x" }], "0"],
      [[createTool({ id: "ok", description: "d", execute: () => "" }), 7], "1"],
      [{ odd: null }, "odd"],
      [{ odd: () => "a bare function has no schema" }, "odd"],
    ] as const)
      expect(String(thrown(() => new AgenticToolsNode({ tools: bad as never })))).toContain(where);
  });

  it("an empty name and a duplicate name are errors of construction", () => {
    expect(String(thrown(() => new AgenticToolsNode([{ name: "", execute: () => "" }])))).toMatch(/name/);
    expect(
      String(
        thrown(
          () =>
            new AgenticToolsNode([
              { name: "same", execute: () => 1 },
              { name: "same", execute: () => 2 },
            ]),
        ),
      ),
    ).toContain("same");
  });

  it("requireApproval and needsApproval are synonyms", async () => {
    for (const approval of [
      { requireApproval: true },
      { needsApproval: true },
      { requireApproval: () => true },
      { needsApproval: async () => true },
    ]) {
      const node = new AgenticToolsNode([{ name: "t", execute: () => "ran", ...approval }]);
      expect(await rejection(node.invoke(message(call("t"))))).toMatchObject({
        interrupts: [{ info: { kind: "tool_approval" } }],
      });
    }
    const free = new AgenticToolsNode([{ name: "t", execute: () => "ran", needsApproval: () => false }]);
    expect((await resultOf(free, "t")).result).toBe("ran");
  });
});

describe("tools shaped like Mastra's", () => {
  it("execute(input, context) of an instance with private fields runs", async () => {
    const tool = new MastraShaped();
    const node = new AgenticToolsNode([tool]);
    const { result } = await resultOf(node, "mastra_tool", { city: "x" }, { requestContext: { user: "u-1" } });
    expect(result).toBe('{"secret":"private","city":"x"}');
    const { abortSignal, requestContext } = tool.seen as { abortSignal: unknown; requestContext: Map<string, unknown> };
    expect(abortSignal).toBeInstanceOf(AbortSignal);
    expect(requestContext.get("user")).toBe("u-1");
  });

  it("what it gets is a plain object of own enumerable properties", async () => {
    const tool = new MastraShaped();
    await resultOf(new AgenticToolsNode([tool]), "mastra_tool", { city: "x" });
    expect(Object.getPrototypeOf(tool.seen)).toBe(Object.prototype);
    expect(Object.keys(tool.seen)).toEqual(expect.arrayContaining(["requestContext", "abortSignal", "writer"]));
  });

  it("its writer's values are progress that the model never sees", async () => {
    const writes = {
      [mastraMark]: true,
      id: "writes",
      description: "d",
      execute: async (_input: unknown, context: { writer: { write: (value: unknown) => Promise<void> } }) => {
        await context.writer.write({ step: 1 });
        return "done";
      },
    };
    const node = new AgenticToolsNode([writes]);
    const events: unknown[] = [];
    const { result } = await resultOf(
      node,
      "writes",
      {},
      {
        callbacks: [{ onEvent: (_info, event) => void events.push(event) }],
      },
    );
    expect(result).toBe("done");
    expect(JSON.stringify(events)).toContain('"step":1');
  });

  it("a validation error that it returns is an error of kind validation, not a result", async () => {
    const tool = {
      [mastraMark]: true,
      id: "checks_itself",
      description: "d",
      inputSchema: city,
      execute: async () => ({
        error: true,
        message: "Tool input validation failed",
        validationErrors: { city: ["bad"] },
      }),
    };
    const node = new AgenticToolsNode({ tools: [tool], onToolError: "result" });
    const result = await resultOf(node, "checks_itself", { city: "x" });
    expect(result).toMatchObject({ isError: true, errorKind: "validation" });
    expect(result.result).toContain("input validation failed");
  });

  it("an object with an id takes a requestContextSchema like createTool", async () => {
    const tool = {
      id: "mine",
      description: "d",
      requestContextSchema: z.object({ user: z.string() }),
      execute: async () => "ran",
    };
    const node = new AgenticToolsNode([tool]);
    expect((await resultOf(node, "mine", {}, { requestContext: { user: "u" } })).result).toBe("ran");
    expect(await resultOf(node, "mine", {}, { requestContext: {} })).toMatchObject({ errorKind: "validation" });
  });

  it("requireApproval asks before the tool runs", async () => {
    const tool = { id: "pay", description: "d", requireApproval: true, execute: async () => "paid" };
    expect(await rejection(new AgenticToolsNode([tool]).invoke(message(call("pay"))))).toMatchObject({
      interrupts: [{ info: { kind: "tool_approval", toolName: "pay" } }],
    });
  });
});

describe("tools shaped like Eino's", () => {
  const info = toolInfo({ name: "eino", description: "d", parameters: { city: { type: "string", required: true } } });

  it("invokableRun gets the text of the arguments and the context", async () => {
    const node = new AgenticToolsNode([{ info, invokableRun: (args, ctx) => `${args} ${ctx.toolCallId}` }]);
    expect(parametersOf(node, "eino")).toMatchObject({ properties: { city: { type: "string" } }, required: ["city"] });
    expect((await resultOf(node, "eino", '{"city": "x"}')).result).toBe('{"city": "x"} call-1');
  });

  it("streamableRun alone serves invoke and stream", async () => {
    const node = new AgenticToolsNode([{ info, streamableRun: () => StreamReader.from(["a", "b"]) }]);
    expect((await resultOf(node, "eino", {})).result).toBe("ab");
    const chunks: string[] = [];
    for await (const [slot] of node.stream(message(call("eino"))))
      if (slot) chunks.push(...toolResultsOf(slot).map(({ result }) => result));
    expect(chunks).toEqual(["a", "b"]);
  });

  it("info may be a function; one that throws is an error of construction that says where", () => {
    expect(new AgenticToolsNode([{ info: () => info, invokableRun: () => "" }]).infos).toMatchObject([
      { name: "eino" },
    ]);
    const failing = {
      info: (): never => {
        throw new Error("no info today");
      },
      invokableRun: () => "",
    };
    const text = String(thrown(() => new AgenticToolsNode([{ info, invokableRun: () => "" }, failing])));
    expect(text).toContain("no info today");
    expect(text).toContain("1");
  });

  it("one without either function is refused", () => {
    expect(String(thrown(() => new AgenticToolsNode([{ info } as never])))).toMatch(/eino|0/);
  });

  it("methods of a class keep their this", async () => {
    class Tool {
      readonly #greeting = "hello";
      info() {
        return { name: "greet", desc: this.#greeting };
      }
      invokableRun(): string {
        return this.#greeting;
      }
    }
    const node = new AgenticToolsNode([new Tool()]);
    expect(node.infos).toMatchObject([{ name: "greet", description: "hello" }]);
    expect((await resultOf(node, "greet")).result).toBe("hello");
  });

  it("a name in a record wins over the name in its info", async () => {
    const node = new AgenticToolsNode({ tools: { renamed: { info, invokableRun: () => "ran" } } });
    expect(node.infos.map(({ name }) => name)).toEqual(["renamed"]);
    expect((await resultOf(node, "renamed")).result).toBe("ran");
  });
});

describe("runnables as tools", () => {
  const shout = new Chain<{ text: string }>().append(({ text }) => text.toUpperCase()).compile({ name: "shout" });

  it("asTool runs, is validated, and is a child of the call", async () => {
    const tool = asTool(shout, { id: "shout", description: "Shouts.", inputSchema: z.object({ text: z.string() }) });
    const node = new AgenticToolsNode({ tools: [tool], onToolError: "result" });
    expect((await resultOf(node, "shout", { text: "深圳 a" })).result).toBe("深圳 A");
    expect(await resultOf(node, "shout", { text: 1 })).toMatchObject({ errorKind: "validation" });
  });

  it("a runnable of lambdas streams what it streams", async () => {
    const words = lambda({
      async *stream({ text }: { text: string }) {
        for (const word of text.split(" ")) yield word;
      },
    });
    const tool = asTool(words, { id: "words", description: "d", inputSchema: z.object({ text: z.string() }) });
    expect((await resultOf(new AgenticToolsNode([tool]), "words", { text: "a b" })).result).toBe("ab");
  });
});

describe("odd objects", () => {
  it("frozen tools of every format, in two nodes at once", async () => {
    const tools = Object.freeze({
      plain: Object.freeze({ execute: () => "plain" }),
      tan: Object.freeze({ __toolSide: "server" as const, name: "tan", description: "d", execute: () => "tan" }),
      own: createTool({ id: "own", description: "d", execute: () => "own" }),
      eino: Object.freeze({ info: { name: "eino" }, invokableRun: () => "eino" }),
      mastra: Object.freeze(new MastraFrozen()),
    });
    const nodes = [new AgenticToolsNode({ tools }), new AgenticToolsNode({ tools })];
    for (const node of nodes)
      for (const name of Object.keys(tools)) expect((await resultOf(node, name)).result).toBe(name);
  });

  it("the same object under two keys is two tools", async () => {
    const tool = { execute: (_input: unknown) => "ran" };
    const node = new AgenticToolsNode({ tools: { one: tool, two: tool } });
    expect(node.infos.map(({ name }) => name)).toEqual(["one", "two"]);
    expect((await resultOf(node, "two")).result).toBe("ran");
  });

  it("accessors and proxies are read like fields", async () => {
    const withGetters = {
      get description() {
        return "From a getter.";
      },
      get inputSchema() {
        return city;
      },
      get execute() {
        return ({ city }: { city: string }) => city;
      },
    };
    const proxied = new Proxy(
      { description: "Proxied.", inputSchema: city, execute: ({ city }: { city: string }) => city },
      {},
    );
    const node = new AgenticToolsNode({ tools: { withGetters, proxied } });
    expect(node.infos.map(({ description }) => description)).toEqual(["From a getter.", "Proxied."]);
    expect((await resultOf(node, "withGetters", { city: "a" })).result).toBe("a");
    expect((await resultOf(node, "proxied", { city: "b" })).result).toBe("b");
  });

  it("methods inherited from a class keep their this and their private fields", async () => {
    class Base {
      readonly #count = { value: 0 };
      readonly description = "Counts.";
      readonly inputSchema = z.object({});
      execute(): number {
        this.#count.value += 1;
        return this.#count.value;
      }
    }
    class Derived extends Base {}
    const node = new AgenticToolsNode({ tools: { counter: new Derived() } });
    expect((await resultOf(node, "counter")).result).toBe("1");
    expect((await resultOf(node, "counter")).result).toBe("2");
  });

  it("hostile names: constructor, toString, hasOwnProperty are ordinary names", async () => {
    const names = ["constructor", "toString", "hasOwnProperty", "valueOf"];
    const node = new AgenticToolsNode(names.map((name) => ({ name, execute: () => `ran ${name}` })));
    for (const name of names) expect((await resultOf(node, name)).result).toBe(`ran ${name}`);
    const empty = new AgenticToolsNode({ tools: [{ name: "a", execute: () => "" }], onToolError: "result" });
    for (const name of [...names, "__proto__"])
      expect(await resultOf(empty, name)).toMatchObject({ errorKind: "unknown_tool" });
  });

  it("names of other packages are made fit for a model, and both resolve", async () => {
    const node = new AgenticToolsNode({ tools: { "files.read/all äß": { execute: () => "ran" } } });
    const [info] = node.infos;
    expect(info?.name).toMatch(/^[A-Za-z0-9_-]{1,64}$/);
    expect((await resultOf(node, info?.name ?? "")).result).toBe("ran");
    expect((await resultOf(node, "files.read/all äß")).result).toBe("ran");
  });

  it("results of every kind become something a model can read", async () => {
    const cycle: Record<string, unknown> = { a: 1 };
    cycle.self = cycle;
    class Point {
      x = 1;
    }
    const values: Record<string, [unknown, string | RegExp]> = {
      bigint: [2n ** 64n, /18446744073709551616/],
      date: [new Date(0), /1970-01-01T00:00:00.000Z/],
      map: [new Map([["a", 1]]), /a.*1/],
      set: [new Set([1, 2]), /1,2/],
      bytes: [new Uint8Array([1, 2]), /./],
      error: [new Error("inner"), /inner/],
      cycle: [cycle, /Circular/],
      undefined: [undefined, ""],
      null: [null, "null"],
      instance: [new Point(), '{"x":1}'],
      nan: [Number.NaN, /./],
      zero: [0, "0"],
      false: [false, "false"],
      list: [[], "[]"],
      proto: [JSON.parse('{"__proto__":{"a":1}}'), '{"__proto__":{"a":1}}'],
      invalidDate: [new Date(Number.NaN), /./],
    };
    const tools = Object.fromEntries(Object.entries(values).map(([name, [value]]) => [name, { execute: () => value }]));
    const node = new AgenticToolsNode({ tools });
    for (const [name, [, expected]] of Object.entries(values)) {
      const { result } = await resultOf(node, name);
      if (typeof expected === "string") expect(result).toBe(expected);
      else expect(result).toMatch(expected);
    }
  });

  it("an object whose getters throw is an error of the call, after which others run", async () => {
    const hostile = {
      get value(): never {
        throw new Error("getter");
      },
    };
    const node = new AgenticToolsNode({
      tools: { hostile: { execute: () => hostile }, fine: { execute: () => "fine" } },
      onToolError: "result",
    });
    const results = (await node.invoke(message(call("hostile", {}, "1"), call("fine", {}, "2")))).flatMap(
      toolResultsOf,
    );
    expect(results).toHaveLength(2);
    expect(results[1]?.result).toBe("fine");
  });

  it("thrown values of every kind are errors of the call", async () => {
    for (const value of ["text", 7, null, undefined, { message: "shaped" }, Symbol("s"), Object.create(null)]) {
      const node = new AgenticToolsNode({
        tools: {
          t: {
            execute: () => {
              throw value;
            },
          },
        },
        onToolError: "result",
      });
      expect(await resultOf(node, "t")).toMatchObject({ isError: true, errorKind: "execution" });
    }
  });
});

class MastraFrozen {
  readonly id = "mastra";
  readonly description = "d";
  execute(): string {
    return "mastra";
  }
}
