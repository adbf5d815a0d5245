import { AgenticToolsNode } from "kumiko";
import { describe, expect, it } from "vitest";
import { blocksOf, call, calls, deferred, kindsOf, settled, textsOf, tool, toolError } from "./calls.js";

/** Tools that write down when they start, and end when they are told to. */
function controlled(...names: string[]) {
  const log: string[] = [];
  const gates = new Map(names.map((name) => [name, deferred<string>()]));
  const tools = names.map((name) =>
    tool(name, () => {
      log.push(name);
      return gates.get(name)?.promise;
    }),
  );
  const end = async (name: string, text = name): Promise<void> => {
    gates.get(name)?.resolve(text);
    await settled();
  };
  const fail = async (name: string): Promise<void> => {
    gates.get(name)?.reject(new Error(`${name} broke`));
    await settled();
  };
  return { log, tools, end, fail };
}

describe("side by side", () => {
  it("starts all calls at once and keeps their order", async () => {
    const { log, tools, end } = controlled("a", "b", "c");
    const running = new AgenticToolsNode(tools).invoke(calls(call("a"), call("b"), call("c")));
    await settled();
    expect(log).toEqual(["a", "b", "c"]);
    await end("c");
    await end("a");
    await end("b");
    expect(textsOf(await running)).toEqual(["a", "b", "c"]);
  });

  it("runs no more at once than maxConcurrency says", async () => {
    const { log, tools, end } = controlled("a", "b", "c");
    const running = new AgenticToolsNode({ tools, maxConcurrency: 2 }).invoke(calls(call("a"), call("b"), call("c")));
    await settled();
    expect(log).toEqual(["a", "b"]);
    await end("b");
    expect(log).toEqual(["a", "b", "c"]);
    await end("c");
    await end("a");
    expect(textsOf(await running)).toEqual(["a", "b", "c"]);
  });

  it("awaits the siblings of a failed call, and rejects with the error of the lowest one", async () => {
    const { tools, end, fail } = controlled("a", "b", "c");
    const failing = toolError(new AgenticToolsNode(tools).invoke(calls(call("a"), call("b"), call("c"))));
    await settled();
    await fail("c");
    await fail("b");
    await end("a", "done");
    const error = await failing;
    expect(error).toMatchObject({ kind: "execution", toolName: "b", callId: "b" });
    expect(error.message).toContain('Tool "b" (call "b") failed: b broke');
    expect((error.cause as Error).message).toBe("b broke");
    expect(textsOf(error.results)[0]).toBe("done");
    expect(kindsOf(error.results)).toEqual([undefined, "execution", "execution"]);
  });

  it("runs all calls also when the first one fails at once", async () => {
    const ran: string[] = [];
    const node = new AgenticToolsNode([
      tool("a", () => {
        throw new Error("at once");
      }),
      tool("b", () => ran.push("b")),
    ]);
    const error = await toolError(node.invoke(calls(call("a"), call("b"))));
    expect(ran).toEqual(["b"]);
    expect(kindsOf(error.results)).toEqual(["execution", undefined]);
  });

  it("does not start waiting calls after a failure under maxConcurrency", async () => {
    const { log, tools, fail, end } = controlled("a", "b", "c");
    const failing = toolError(
      new AgenticToolsNode({ tools, maxConcurrency: 2 }).invoke(calls(call("a"), call("b"), call("c"))),
    );
    await settled();
    await fail("a");
    await end("b");
    expect(log).toEqual(["a", "b"]);
    expect(kindsOf((await failing).results)).toEqual(["execution", undefined, "not_executed"]);
  });

  it("runs many synchronous calls without growing the stack", async () => {
    const node = new AgenticToolsNode({ tools: [tool("a", () => "x")], executeSequentially: true });
    const message = calls(...Array.from({ length: 20_000 }, (_, index) => call("a", {}, String(index))));
    expect(await node.invoke(message)).toHaveLength(20_000);
  });
});

describe("one after the other", () => {
  it("keeps the order of the blocks, one at a time", async () => {
    const { log, tools, end } = controlled("a", "b");
    const running = new AgenticToolsNode({ tools, executeSequentially: true }).invoke(calls(call("b"), call("a")));
    await settled();
    expect(log).toEqual(["b"]);
    await end("b");
    expect(log).toEqual(["b", "a"]);
    await end("a");
    expect(textsOf(await running)).toEqual(["b", "a"]);
  });

  it("stops at the first error", async () => {
    const { log, tools, end, fail } = controlled("a", "b", "c");
    const failing = toolError(
      new AgenticToolsNode({ tools, executeSequentially: true }).invoke(calls(call("a"), call("b"), call("c"))),
    );
    await end("a");
    await fail("b");
    const error = await failing;
    expect(log).toEqual(["a", "b"]);
    expect(kindsOf(error.results)).toEqual([undefined, "execution", "not_executed"]);
    expect(textsOf(error.results)[2]).toContain('was not executed, because call "b" (tool "b") failed');
  });

  it("goes on after an error that became a result", async () => {
    const { log, tools, end, fail } = controlled("a", "b");
    const running = new AgenticToolsNode({ tools, executeSequentially: true, onToolError: "result" }).invoke(
      calls(call("a"), call("b")),
    );
    await fail("a");
    await end("b");
    expect(kindsOf(await running)).toEqual(["execution", undefined]);
    expect(log).toEqual(["a", "b"]);
  });

  it("streams one call after the other", async () => {
    const log: string[] = [];
    const pieces = (name: string) =>
      tool(name, async function* () {
        log.push(`${name} starts`);
        yield "1";
        yield "2";
        log.push(`${name} ends`);
      });
    const node = new AgenticToolsNode({ tools: [pieces("a"), pieces("b")], executeSequentially: true });
    const slots: string[] = [];
    for await (const chunk of node.stream(calls(call("a"), call("b")))) slots.push(...Object.keys(chunk));
    expect(slots).toEqual(["0", "0", "1", "1"]);
    expect(log).toEqual(["a starts", "a ends", "b starts", "b ends"]);
  });
});

describe("onToolError", () => {
  const broken = tool("broken", () => {
    throw new RangeError("too far");
  });

  it("fails the node by default, whatever a tool throws", async () => {
    const node = new AgenticToolsNode([
      tool("text", () => Promise.reject("just text")),
      tool("nothing", () => {
        throw undefined;
      }),
    ]);
    expect((await toolError(node.invoke(calls(call("text"))))).message).toContain("just text");
    expect(await toolError(node.invoke(calls(call("nothing"))))).toMatchObject({ kind: "execution", cause: undefined });
  });

  it('tells the model with "result"', async () => {
    const node = new AgenticToolsNode({ tools: [broken, tool("fine", () => "ok")], onToolError: "result" });
    const results = await node.invoke(calls(call("broken"), call("fine"), call("nope"), call("fine", "{", "bad")));
    expect(
      blocksOf(results).map(({ result, isError, errorKind }) => [isError, errorKind, result.slice(0, 30)]),
    ).toEqual([
      [true, "execution", 'Tool "broken" (call "broken") '],
      [undefined, undefined, "ok"],
      [true, "unknown_tool", 'Tool "nope" (call "nope") not '],
      [true, "parse", 'The arguments of tool "fine" ('],
    ]);
  });

  it("asks a function, with the call and its context", async () => {
    const node = new AgenticToolsNode({
      tools: [broken],
      onToolError: async (error, { name, callId, arguments: text }, ctx) =>
        `${error.kind} ${name} ${callId} ${text} ${ctx.toolName} ${(error.cause as Error).name}`,
    });
    const [block] = blocksOf(await node.invoke(calls(call("broken", { a: 1 }, "c1"))));
    expect(block).toMatchObject({
      result: 'execution broken c1 {"a":1} broken RangeError',
      isError: true,
      errorKind: "execution",
    });
  });

  it("fails the node when that function fails", async () => {
    const node = new AgenticToolsNode({
      tools: [broken],
      onToolError: () => {
        throw new Error("no text");
      },
    });
    const error = await toolError(node.invoke(calls(call("broken"))));
    expect(error.message).toContain("onToolError failed for the error below: no text");
    expect(error.message).toContain("too far");
  });

  it("shows the model what formatError makes of an error, also in error.results", async () => {
    const formatError = ({ kind }: { kind: string }) => `sorry: ${kind}`;
    const told = new AgenticToolsNode({ tools: [broken], onToolError: "result", formatError });
    expect(textsOf(await told.invoke(calls(call("broken"))))).toEqual(["sorry: execution"]);
    const thrown = await toolError(
      new AgenticToolsNode({ tools: [broken], formatError }).invoke(calls(call("broken"))),
    );
    expect(textsOf(thrown.results)).toEqual(["sorry: execution"]);
  });

  it("falls back to the message when formatError fails", async () => {
    const formatError = () => {
      throw new Error("cannot");
    };
    const node = new AgenticToolsNode({ tools: [broken], onToolError: "result", formatError });
    expect(textsOf(await node.invoke(calls(call("broken"))))[0]).toContain("too far");
  });
});

describe("unknownToolsHandler", () => {
  it("answers in place of a tool", async () => {
    const seen: unknown[] = [];
    const node = new AgenticToolsNode({
      tools: [],
      unknownToolsHandler: async (name, args, ctx) => {
        seen.push(name, args, ctx.toolCallId, ctx.toolName);
        return `no ${name} here`;
      },
      toolArgumentsHandler: () => "changed",
    });
    const message = calls(call("nope", "not json", "c1"));
    expect(textsOf(await node.invoke(message))).toEqual(["no nope here"]);
    expect(seen).toEqual(["nope", "not json", "c1", "nope"]);
    expect(textsOf(await node.stream(message).concat())).toEqual(["no nope here"]);
  });

  it("fails its call, as an execution, when it fails", async () => {
    const node = new AgenticToolsNode({
      tools: [],
      unknownToolsHandler: () => {
        throw new Error("really not");
      },
    });
    const error = await toolError(node.invoke(calls(call("nope"))));
    expect(error).toMatchObject({ kind: "execution", toolName: "nope" });
    expect(error.message).toContain("really not");
  });
});

describe("toolArgumentsHandler", () => {
  it("gives the text that is parsed", async () => {
    const node = new AgenticToolsNode({
      tools: [tool("a", ({ n }) => n)],
      toolArgumentsHandler: async (name, args, ctx) => args.replace("}", `,"n":"${name} ${ctx.toolCallId}"}`),
    });
    expect(textsOf(await node.invoke(calls(call("a", { x: 1 }, "c1"))))).toEqual(["a c1"]);
  });

  it("fails its call, as an execution, when it fails or gives no text", async () => {
    const failing = new AgenticToolsNode({
      tools: [tool("a", () => "")],
      toolArgumentsHandler: () => {
        throw new Error("unreadable");
      },
    });
    const error = await toolError(failing.invoke(calls(call("a", { x: 1 }))));
    expect(error.kind).toBe("execution");
    expect(error.message).toContain('toolArgumentsHandler failed for its arguments {"x":1}: unreadable');
    const wrong = new AgenticToolsNode({ tools: [tool("a", () => "")], toolArgumentsHandler: (() => ({})) as never });
    expect((await toolError(wrong.invoke(calls(call("a"))))).message).toContain("must return the arguments");
  });
});
