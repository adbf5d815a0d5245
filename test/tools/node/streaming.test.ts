import fc from "fast-check";
import { type AgenticMessage, AgenticToolsNode, Chain, createTool, type StreamReader } from "kumiko";
import { describe, expect, it } from "vitest";
import { z } from "zod";
import { blocksOf, call, calls, deferred, kindsOf, rejection, settled, textsOf, tool, toolError } from "./calls.js";

async function chunksOf(stream: StreamReader<AgenticMessage[]>): Promise<AgenticMessage[][]> {
  const chunks: AgenticMessage[][] = [];
  for await (const chunk of stream) chunks.push(chunk);
  return chunks;
}

/** `slot:text` of every chunk. */
async function heard(stream: StreamReader<AgenticMessage[]>): Promise<string[]> {
  return (await chunksOf(stream)).map((chunk) => `${Object.keys(chunk)[0]}:${textsOf(chunk.filter(Boolean))[0]}`);
}

const count = tool("count", async function* ({ to }) {
  for (let n = 1; n <= Number(to); n++) yield `${n} `;
});
const echo = tool("echo", ({ text }) => text);

describe("chunks", () => {
  it("are lists of the length of the calls, with one slot filled, which knows its index", async () => {
    const [chunk] = await chunksOf(
      new AgenticToolsNode([echo, count]).stream(calls(call("echo", { text: "a" }), call("count", { to: 0 }))),
    );
    expect(chunk).toHaveLength(2);
    expect(Object.keys(chunk ?? [])).toEqual(["0"]);
    expect(chunk?.[0]?.contentBlocks[0]).toEqual({
      type: "function_tool_result",
      callId: "echo",
      name: "echo",
      result: "a",
      streamingMeta: { index: 0 },
    });
  });

  it("come as the tools produce them, interleaved", async () => {
    const gates = [deferred(), deferred()];
    const gated = (id: string, first: Promise<void>) =>
      tool(id, async function* () {
        yield `${id}1`;
        await first;
        yield `${id}2`;
      });
    const node = new AgenticToolsNode([
      gated("a", gates[0]?.promise as Promise<void>),
      gated("b", gates[1]?.promise as Promise<void>),
    ]);
    const stream = node.stream(calls(call("a"), call("b")));
    const seen: string[] = [];
    const reading = (async () => {
      for await (const chunk of stream) seen.push(...textsOf(chunk.filter(Boolean)));
    })();
    await settled();
    expect(seen).toEqual(["a1", "b1"]);
    gates[1]?.resolve();
    await settled();
    expect(seen).toEqual(["a1", "b1", "b2"]);
    gates[0]?.resolve();
    await reading;
    expect(seen).toEqual(["a1", "b1", "b2", "a2"]);
  });

  it("start nothing before the first read", async () => {
    const ran: string[] = [];
    const stream = new AgenticToolsNode([tool("a", () => ran.push("a"))]).stream(calls(call("a")));
    await settled();
    expect(ran).toEqual([]);
    await stream.cancel();
    expect(ran).toEqual([]);
  });

  it("run tools that do not stream side by side at the first read", async () => {
    const ran: string[] = [];
    const slow = deferred<string>();
    const node = new AgenticToolsNode([
      tool("a", () => {
        ran.push("a");
        return slow.promise;
      }),
      tool("b", () => {
        ran.push("b");
        return "b";
      }),
    ]);
    const stream = node.stream(calls(call("a"), call("b")));
    expect(textsOf(((await stream.next()).value ?? []).filter(Boolean))).toEqual(["b"]);
    expect(ran).toEqual(["a", "b"]);
    slow.resolve("a");
    expect(textsOf(((await stream.next()).value ?? []).filter(Boolean))).toEqual(["a"]);
    expect((await stream.next()).done).toBe(true);
  });

  it("are asked for by the reader", async () => {
    let made = 0;
    const endless = tool("endless", async function* () {
      for (;;) yield String(++made);
    });
    const stream = new AgenticToolsNode([endless]).stream(calls(call("endless")));
    await stream.next();
    await settled();
    expect(made).toBeLessThanOrEqual(2);
    await stream.cancel();
  });
});

describe("what a tool yields", () => {
  const node = new AgenticToolsNode([
    tool("nothing", async function* () {}),
    tool("returned", async function* () {
      yield* [];
      return { late: true };
    }),
    tool("both", async function* () {
      yield "yielded";
      return "ignored";
    }),
    tool("number", async function* () {
      yield 1;
      yield 2;
    }),
    tool("objects", async function* () {
      yield { a: 1 };
      yield { a: 2 };
    }),
    createTool({
      id: "listed",
      description: "",
      concat: "list",
      execute: async function* () {
        yield { a: 1 };
        yield { a: 2 };
      },
    }),
    createTool({
      id: "last",
      description: "",
      concat: "last",
      execute: async function* () {
        yield "draft";
        yield "final";
      },
    }),
    createTool({
      id: "summed",
      description: "",
      concat: (chunks: number[]) => ({ sum: chunks.reduce((sum, n) => sum + n, 0) }),
      execute: async function* () {
        yield 1;
        yield 2;
      },
    }),
    createTool({
      id: "mixed",
      description: "",
      concat: "text",
      execute: async function* () {
        yield "n = ";
        yield 5;
      },
    }),
    tool("parts", async function* () {
      yield [{ type: "text", text: "one " }];
      yield [
        { type: "text", text: "two" },
        { type: "image", url: "https://example.com/i.png" },
      ];
    }),
    tool(
      "web",
      () =>
        new ReadableStream({
          start(controller) {
            controller.enqueue("x");
            controller.enqueue("y");
            controller.close();
          },
        }),
    ),
    tool("synchronous", function* () {
      yield "s";
      yield "t";
    }),
  ]);
  const both = async (name: string) => {
    const message = calls(call(name));
    const whole = await node.invoke(message);
    const stream = node.stream(message);
    const [live, gathered] = stream.copy(2);
    const chunks = await heard(live as StreamReader<AgenticMessage[]>);
    expect(await gathered?.concat()).toEqual(whole);
    return { chunks, block: blocksOf(whole)[0] };
  };

  it.each([
    ["nothing", ["0:"], { result: "" }],
    ["returned", ['0:{"late":true}'], { result: '{"late":true}', resultType: "json" }],
    ["both", ["0:yielded"], { result: "yielded" }],
    ["number", ["0:2"], { result: "2", resultType: "json" }],
    ["listed", ['0:[{"a":1},{"a":2}]'], { result: '[{"a":1},{"a":2}]', resultType: "json" }],
    ["last", ["0:final"], { result: "final" }],
    ["summed", ['0:{"sum":3}'], { result: '{"sum":3}', resultType: "json" }],
    ["mixed", ["0:n = ", "0:5"], { result: "n = 5" }],
    ["web", ["0:x", "0:y"], { result: "xy" }],
    ["synchronous", ["0:s", "0:t"], { result: "st" }],
  ])("%s", async (name, chunks, block) => {
    const got = await both(name);
    expect(got.chunks).toEqual(chunks);
    expect(got.block).toEqual({ type: "function_tool_result", callId: name, name, ...block });
  });

  it("joins neighbouring texts of parts", async () => {
    const { chunks, block } = await both("parts");
    expect(chunks).toEqual(["0:one ", "0:two"]);
    expect(block?.content).toEqual([
      { type: "text", text: "one two" },
      { type: "image", url: "https://example.com/i.png" },
    ]);
    expect(block?.result).toBe("one two");
  });

  it("cannot be several objects without a rule: the error names the tool", async () => {
    const error = await toolError(node.invoke(calls(call("objects"))));
    expect(error.cause).toMatchObject({ code: "CANNOT_CONCAT" });
    expect(error.message).toContain('tool "objects"');
  });
});

describe("an error in mid-stream", () => {
  const breaking = tool("breaking", async function* () {
    yield "so far";
    throw new Error("no more");
  });
  const slow = tool("slow", async function* () {
    for (const piece of ["1", "2", "3"]) {
      await settled();
      yield piece;
    }
  });

  it("lets the siblings finish and then rejects the read, with all results", async () => {
    const stream = new AgenticToolsNode([breaking, slow]).stream(calls(call("breaking"), call("slow")));
    const seen: string[] = [];
    const error = await toolError(
      (async () => {
        for await (const chunk of stream) seen.push(...textsOf(chunk.filter(Boolean)));
      })(),
    );
    expect(seen).toEqual(["so far", "1", "2", "3"]);
    expect(error).toMatchObject({ kind: "execution", toolName: "breaking" });
    expect(textsOf(error.results)).toEqual([
      expect.stringMatching(/^so far\nTool "breaking" .* failed: no more$/),
      "123",
    ]);
    expect(kindsOf(error.results)).toEqual(["execution", undefined]);
  });

  it("follows the partial text when it becomes a result, in both modes", async () => {
    const node = new AgenticToolsNode({ tools: [breaking], onToolError: "result" });
    const message = calls(call("breaking"));
    const whole = await node.invoke(message);
    expect(textsOf(whole)[0]).toMatch(/^so far\nTool "breaking"/);
    expect(kindsOf(whole)).toEqual(["execution"]);
    expect(await node.stream(message).concat()).toEqual(whole);
    expect(await heard(node.stream(message))).toEqual(["0:so far", expect.stringMatching(/^0:\nTool "breaking"/)]);
  });

  it("stops sequential calls, also in a stream", async () => {
    const node = new AgenticToolsNode({ tools: [breaking, slow], executeSequentially: true });
    const error = await toolError(chunksOf(node.stream(calls(call("breaking"), call("slow")))));
    expect(kindsOf(error.results)).toEqual(["execution", "not_executed"]);
  });

  it("rejects before the first chunk when a call is wrong", async () => {
    const stream = new AgenticToolsNode([breaking]).stream(calls(call("breaking"), call("nope")));
    expect(await toolError(stream.next())).toMatchObject({ kind: "unknown_tool" });
    expect((await stream.next()).done).toBe(true);
  });
});

describe("leaving early", () => {
  it("stops the tools", async () => {
    const log: string[] = [];
    const endless = tool("endless", async function* () {
      try {
        for (;;) {
          await undefined;
          yield "x";
        }
      } finally {
        log.push("closed");
      }
    });
    const node = new AgenticToolsNode([endless]);
    for await (const _ of node.stream(calls(call("endless")))) break;
    await settled();
    expect(log).toEqual(["closed"]);
  });

  it("tells tools that listen to their signal", async () => {
    const listening = createTool({
      id: "listening",
      description: "",
      execute: async (_input, { signal }) => {
        await new Promise((resolve) => signal.addEventListener("abort", resolve));
        reasons.push(signal.reason);
      },
    });
    const reasons: unknown[] = [];
    const reading = new AgenticToolsNode([listening, count]).stream(calls(call("listening"), call("count", { to: 9 })));
    await reading.next();
    await reading.cancel("seen enough");
    await settled();
    expect(reasons).toEqual(["seen enough"]);
  });
});

describe("in a chain", () => {
  it("passes chunks on as they come", async () => {
    const chain = new Chain<AgenticMessage>().appendToolsNode(new AgenticToolsNode([count])).compile();
    expect(await heard(chain.stream(calls(call("count", { to: 3 }))))).toEqual(["0:1 ", "0:2 ", "0:3 "]);
  });

  it("rejects with the signal's reason when it is aborted in mid-stream", async () => {
    const gate = deferred();
    const stuck = tool("stuck", async function* () {
      yield "first";
      await gate.promise;
    });
    const chain = new Chain<AgenticMessage>().appendToolsNode(new AgenticToolsNode([stuck])).compile();
    const controller = new AbortController();
    const stream = chain.stream(calls(call("stuck")), { signal: controller.signal });
    await stream.next();
    const reading = rejection(stream.next());
    controller.abort("enough");
    expect(await reading).toBe("enough");
  });
});

describe("concatenation", () => {
  const piece = fc.oneof(fc.string(), fc.constant(""), fc.constant("😀"));
  const plan = fc.record({
    streams: fc.boolean(),
    pieces: fc.array(piece, { maxLength: 5 }),
    fails: fc.boolean(),
  });

  it("of the stream equals the result of invoke, whatever the tools do", async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.array(plan, { minLength: 1, maxLength: 4 }),
        fc.record({
          maxResultLength: fc.option(fc.integer({ min: 1, max: 40 }), { nil: undefined }),
          executeSequentially: fc.boolean(),
        }),
        async (plans, options) => {
          const tools = plans.map(({ streams, pieces, fails }, index) =>
            createTool({
              id: `t${index}`,
              description: "",
              inputSchema: z.object({}),
              execute: streams
                ? async function* () {
                    yield* pieces;
                    if (fails) throw new Error("broken");
                  }
                : async () => {
                    if (fails) throw new Error("broken");
                    return index % 2 === 0 ? pieces.join("") : pieces;
                  },
            }),
          );
          const node = new AgenticToolsNode({ tools, onToolError: "result", ...options });
          const message = calls(...tools.map(({ id }) => call(id)));
          expect(await node.stream(message).concat()).toEqual(await node.invoke(message));
        },
      ),
      { numRuns: 60 },
    );
  });
});
