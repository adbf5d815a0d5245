import {
  type AgenticMessage,
  AgenticToolsNode,
  Chain,
  createTool,
  END,
  Graph,
  isInterrupt,
  KumikoError,
  memoryStore,
  resultsOf,
  START,
  StreamReader,
  type ToolError,
  toolResultsOf,
} from "kumiko";
import { repairToolCalls } from "kumiko/components";
import { describe, expect, it } from "vitest";
import { asking, blocksOf, gate, joined, readAll, rejectionOf, textsOf, ticks } from "./asking.js";

const ok = createTool({ id: "ok", description: "", execute: () => "fine" });
const kindsOf = (messages: readonly AgenticMessage[]) =>
  blocksOf(messages).map(({ callId, isError, errorKind }) => [callId, isError ?? false, errorKind ?? ""]);
const both = (node: AgenticToolsNode, message: AgenticMessage) =>
  [() => node.invoke(message), () => joined(node.stream(message))] as const;

describe("every call has a result", () => {
  it("after an interrupt: what finished, and what was not executed", async () => {
    const pay = createTool({ id: "pay", description: "", requireApproval: true, execute: () => "paid" });
    for (const executeSequentially of [false, true]) {
      const node = new AgenticToolsNode({ tools: [ok, pay], executeSequentially });
      const message = asking(["ok"], ["pay"], ["ok"]);
      const chain = new Chain<AgenticMessage>().appendToolsNode(node).compile({ store: memoryStore() });
      for (const run of [
        ...both(node, message),
        () => chain.invoke(message, { checkpointId: `${executeSequentially}` }),
      ]) {
        const error = await rejectionOf(run());
        expect(isInterrupt(error)).toBe(true);
        expect(kindsOf(resultsOf(error, message))).toEqual([
          ["1", false, ""],
          ["2", true, "not_executed"],
          executeSequentially ? ["3", true, "not_executed"] : ["3", false, ""],
        ]);
      }
    }
  });

  it("after a failure inside a node inside a tool: those of the outer message", async () => {
    const inner = new AgenticToolsNode([
      ok,
      createTool({
        id: "deep",
        description: "",
        execute: (): string => {
          throw new Error("bottom");
        },
      }),
    ]);
    const asked = asking(["ok", {}, "1"], ["deep", {}, "2"]);
    // with another name than the inner tool, and with its very name
    for (const id of ["outer", "deep"]) {
      const outer = createTool({
        id,
        description: "",
        execute: async (_input, ctx) => textsOf(await inner.invoke(asked, { parent: ctx })).join(),
      });
      const message = asking(["ok", {}, "1"], [id, {}, "2"]);
      const error = (await rejectionOf(new AgenticToolsNode([ok, outer]).invoke(message))) as ToolError;
      expect(error).toMatchObject({ toolName: id, callId: "2", message: expect.stringMatching(/bottom$/) });
      expect(blocksOf(error.results).map(({ name }) => name)).toEqual(["ok", id]);
      expect(resultsOf(error, message)).toEqual(error.results);
    }
  });

  it("after options that the node refuses", async () => {
    const message = asking(["ok"]);
    for (const toolsNode of [{ tools: [7] }, { tolls: [] }, { toolAliases: { ok: { nameAliases: [""] } } }]) {
      const error = await rejectionOf(new AgenticToolsNode([ok]).invoke(message, { options: { toolsNode } } as never));
      expect(KumikoError.is(error)).toBe(true);
      expect(kindsOf(resultsOf(error, message))).toEqual([["1", true, "not_executed"]]);
    }
  });

  it("of two runs of one message belongs to the run that ended with that reason", async () => {
    const begun = [gate(), gate()];
    const numberOf = (ctx: { requestContext: { get(key: string): unknown } }) => Number(ctx.requestContext.get("n"));
    const never = () => new Promise<string>(() => {});
    const node = new AgenticToolsNode([
      createTool({ id: "first", description: "", execute: (_input, ctx) => (numberOf(ctx) === 0 ? "zero" : never()) }),
      createTool({
        id: "deaf",
        description: "",
        execute: (_input, ctx) => {
          begun[numberOf(ctx)]?.open();
          return never();
        },
      }),
    ]);
    const message = asking(["first"], ["deaf"]);
    const controllers = [new AbortController(), new AbortController()];
    const outcomes = controllers.map(({ signal }, n) =>
      rejectionOf(node.invoke(message, { signal, requestContext: { n } })),
    );
    await Promise.all(begun.map(({ opened }) => opened));
    await ticks(1);
    for (const controller of controllers) controller.abort();
    const [zero, one] = await Promise.all(outcomes);
    expect(kindsOf(resultsOf(zero, message))).toEqual([
      ["1", false, ""],
      ["2", true, "aborted"],
    ]);
    expect(kindsOf(resultsOf(new Error("wrapped", { cause: one }), message))).toEqual([
      ["1", true, "aborted"],
      ["2", true, "aborted"],
    ]);
  });

  it("when the error handler of a call never answers and the run is stopped", async () => {
    const fail = createTool({
      id: "fail",
      description: "",
      execute: (): string => {
        throw new Error("x");
      },
    });
    const controller = new AbortController();
    const message = asking(["ok"], ["fail"]);
    const node = new AgenticToolsNode({ tools: [ok, fail], onToolError: () => new Promise(() => {}) });
    const outcome = rejectionOf(node.invoke(message, { signal: controller.signal }));
    await ticks(1);
    controller.abort();
    expect(await outcome).toBe(controller.signal.reason);
    expect(kindsOf(resultsOf(controller.signal.reason, message)).map(([, isError]) => isError)).toEqual([false, true]);
  });

  it("when another node stops the graph before this one", async () => {
    const message = asking(["ok"], ["ok"]);
    const run = new Graph<AgenticMessage, AgenticMessage[]>()
      .addNode("first", (): AgenticMessage => {
        throw new Error("no");
      })
      .addToolsNode("tools", new AgenticToolsNode([ok]))
      .addEdge(START, "first")
      .addEdge("first", "tools")
      .addEdge("tools", END)
      .compile();
    const results = blocksOf(resultsOf(await rejectionOf(run.invoke(message)), message));
    expect(results.map(({ callId, isError }) => [callId, isError])).toEqual([
      ["1", true],
      ["2", true],
    ]);
  });
});

describe("a run that a tool stops", () => {
  it.each(["at once", "later"])("rejects with the reason, and starts nothing more (%s)", async (when) => {
    for (const executeSequentially of [false, true]) {
      for (const mode of ["invoke", "stream"]) {
        const controller = new AbortController();
        const { signal } = controller;
        const stop = () => {
          controller.abort();
          return "stopped it";
        };
        const stops = createTool({
          id: "stops",
          description: "",
          execute: when === "at once" ? stop : async () => stop(),
        });
        const ran: string[] = [];
        const next = createTool({ id: "next", description: "", execute: () => `${ran.push("next")}` });
        const node = new AgenticToolsNode({ tools: [ok, stops, next], executeSequentially });
        const message = asking(["ok"], ["stops"], ["next"]);
        const run = mode === "invoke" ? node.invoke(message, { signal }) : readAll(node.stream(message, { signal }));
        const reason = await rejectionOf(run);
        await ticks(1);
        expect(reason).toBe(signal.reason);
        expect(ran).toEqual([]);
        const kinds = kindsOf(resultsOf(reason, message));
        expect([kinds[0], kinds[2]]).toEqual([
          ["1", false, ""],
          ["3", true, "not_executed"],
        ]);
      }
    }
  });

  it.each([false, true])(
    "does so also when it was the last call, and when it was the handler of the arguments",
    async (streams) => {
      for (const where of ["tool", "handler"]) {
        const controller = new AbortController();
        let ran = 0;
        const tool = createTool({
          id: "t",
          description: "",
          execute: () => {
            ran += 1;
            if (where === "tool") controller.abort();
            return "done";
          },
        });
        const node = new AgenticToolsNode({
          tools: [tool],
          toolArgumentsHandler: (_name, text) => {
            if (where === "handler") controller.abort();
            return text;
          },
        });
        const message = asking(["t"]);
        const { signal } = controller;
        const run = streams ? readAll(node.stream(message, { signal })) : node.invoke(message, { signal });
        expect(await rejectionOf(run)).toBe(signal.reason);
        expect(ran).toBe(where === "tool" ? 1 : 0);
        const [kind] = kindsOf(resultsOf(controller.signal.reason, message));
        expect(kind?.[2]).toBe(where === "tool" ? "" : "not_executed");
      }
    },
  );
});

describe("time limits", () => {
  it("of a call begin with it, also when the call before it has blocked the thread", async () => {
    const block = createTool({
      id: "block",
      description: "",
      execute: () => {
        const until = performance.now() + 25;
        while (performance.now() < until);
        return "blocked";
      },
    });
    const short = createTool({
      id: "short",
      description: "",
      execute: () => new Promise<string>((resolve) => setTimeout(() => resolve("short"), 2)),
    });
    for (const executeSequentially of [false, true]) {
      const node = new AgenticToolsNode({ tools: [block, short], timeoutMs: 20, executeSequentially });
      for (const run of both(node, asking(["block"], ["short"]))) {
        expect(textsOf(await run())).toEqual(["blocked", "short"]);
      }
    }
  });
});

describe("what a tool gives back", () => {
  it("may be any stream, and lists and sets are none", async () => {
    async function* letters() {
      yield "a";
      yield "b";
    }
    const tools = {
      readable: createTool({
        id: "a",
        description: "",
        execute: () => StreamReader.from(letters()).toReadableStream(),
      }),
      promised: createTool({ id: "b", description: "", execute: async () => letters() }),
      iterable: createTool({
        id: "c",
        description: "",
        execute: () => ({ [Symbol.asyncIterator]: () => letters() }),
      }),
      list: createTool({ id: "d", description: "", execute: () => ["a", "b"] }),
      set: createTool({ id: "e", description: "", execute: () => new Set(["a", "b"]) }),
    };
    const node = new AgenticToolsNode({ tools });
    const message = asking(...Object.keys(tools).map((name) => [name] as const));
    for (const run of both(node, message)) {
      expect(textsOf(await run())).toEqual(["ab", "ab", "ab", '["a","b"]', '["a","b"]']);
    }
  });

  it("is bounded by maxResultLength also when it is an error, whose first 800 characters stay", async () => {
    const fail = createTool({
      id: "fail",
      description: "",
      execute: (): string => {
        throw new Error(`the reason ${"x".repeat(100_000)}`);
      },
    });
    for (const maxResultLength of [10, 2_000]) {
      const node = new AgenticToolsNode({ tools: [fail], onToolError: "result", maxResultLength });
      for (const run of both(node, asking(["fail"]))) {
        const [text = ""] = textsOf(await run());
        expect(text).toContain("the reason");
        expect(text.length).toBeLessThanOrEqual(Math.max(800, maxResultLength));
      }
    }
  });
});

describe("a message that no tools node takes", () => {
  it("has results all the same, and can be mended: neither helper fails where an error is handled", async () => {
    const message = {
      role: "assistant",
      contentBlocks: [
        { type: "function_tool_call", callId: "a", name: "ok", arguments: { city: "Kyoto" } },
        { type: "function_tool_call", callId: "a", name: "ok", arguments: "{}" },
      ],
    } as unknown as AgenticMessage;
    const error = await rejectionOf(new AgenticToolsNode([ok]).invoke(message));
    expect(error).toMatchObject({ code: "INVALID_MESSAGE" });
    const results = resultsOf(error, message);
    expect(kindsOf(results)).toEqual([
      ["a", true, "not_executed"],
      ["a_2", true, "not_executed"],
    ]);
    expect(repairToolCalls([message]).flatMap(toolResultsOf)).toHaveLength(2);
  });
});
