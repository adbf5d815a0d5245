import {
  type AgenticMessage,
  AgenticToolsNode,
  assistantMessage,
  createTool,
  END,
  Graph,
  resultsOf,
  START,
} from "kumiko";
import { describe, expect, it } from "vitest";
import { blocksOf, call, calls, deferred, kindsOf, rejection, settled, textsOf, tool } from "./calls.js";

const quick = tool("quick", () => "done");
const broken = tool("broken", () => Promise.reject(new Error("no")));
const stuck = () => tool("stuck", () => deferred().promise);

describe("after a failure", () => {
  it("gives the results that the error carries, also as a cause", async () => {
    const message = calls(call("quick"), call("broken"));
    const error = await rejection(new AgenticToolsNode([quick, broken]).invoke(message));
    expect(textsOf(resultsOf(error, message))[0]).toBe("done");
    expect(resultsOf(new Error("around", { cause: error }), message)).toBe(resultsOf(error, message));
  });

  it("does not mistake the results of other calls for these", async () => {
    const error = await rejection(new AgenticToolsNode([broken]).invoke(calls(call("broken"))));
    expect(kindsOf(resultsOf(error, calls(call("quick"), call("stuck"))))).toEqual(["aborted", "aborted"]);
  });
});

describe("after an abort", () => {
  it("rejects with the reason at once, and knows what every call has come to", async () => {
    const controller = new AbortController();
    const message = calls(call("quick"), call("stuck"));
    const running = rejection(new AgenticToolsNode([quick, stuck()]).invoke(message, { signal: controller.signal }));
    await settled();
    controller.abort("user left");
    const error = await running;
    expect(error).toBe("user left");
    const results = resultsOf(error, message);
    expect(textsOf(results)[0]).toBe("done");
    expect(kindsOf(results)).toEqual([undefined, "aborted"]);
    expect(textsOf(results)[1]).toContain("may have executed");
  });

  it("tells calls that ran from those that had not started", async () => {
    const controller = new AbortController();
    const message = calls(call("stuck"), call("quick"));
    const node = new AgenticToolsNode({ tools: [quick, stuck()], executeSequentially: true });
    const running = rejection(node.invoke(message, { signal: controller.signal }));
    await settled();
    controller.abort();
    const error = await running;
    expect((error as Error).name).toBe("AbortError");
    expect(kindsOf(resultsOf(error, message))).toEqual(["aborted", "not_executed"]);
  });

  it("starts no call that was waiting", async () => {
    const ran: string[] = [];
    const controller = new AbortController();
    const gate = deferred<string>();
    const node = new AgenticToolsNode({
      tools: [tool("first", () => gate.promise), tool("second", () => ran.push("second"))],
      executeSequentially: true,
    });
    const running = rejection(node.invoke(calls(call("first"), call("second")), { signal: controller.signal }));
    await settled();
    controller.abort();
    gate.resolve("late");
    await running;
    await settled();
    expect(ran).toEqual([]);
  });

  it("knows that nothing ran when the calls were still being prepared", async () => {
    const ran: string[] = [];
    const controller = new AbortController();
    const gate = deferred<string>();
    const node = new AgenticToolsNode({
      tools: [tool("a", () => ran.push("a"))],
      toolArgumentsHandler: () => gate.promise,
    });
    const message = calls(call("a"));
    const running = rejection(node.invoke(message, { signal: controller.signal }));
    await settled();
    controller.abort("stop");
    await running;
    gate.resolve("{}");
    await settled();
    expect(ran).toEqual([]);
    expect(kindsOf(resultsOf("stop", message))).toEqual(["not_executed"]);
  });

  it("keeps what was streamed so far", async () => {
    const controller = new AbortController();
    const talking = tool("talking", async function* () {
      yield "so far";
      await deferred().promise;
    });
    const message = calls(call("talking"), call("quick"));
    const stream = new AgenticToolsNode([talking, quick]).stream(message, { signal: controller.signal });
    await stream.next();
    await stream.next();
    const reading = rejection(stream.next());
    controller.abort("stop");
    expect(await reading).toBe("stop");
    const results = resultsOf("stop", message);
    expect(textsOf(results)[0]).toMatch(/^so far\nTool "talking"/);
    expect(kindsOf(results)).toEqual(["aborted", undefined]);
  });

  it("knows it also when the reader of a stream has left", async () => {
    const message = calls(call("quick"), call("stuck"));
    for await (const _ of new AgenticToolsNode([quick, stuck()]).stream(message)) break;
    expect(kindsOf(resultsOf(undefined, message))).toEqual([undefined, "aborted"]);
  });

  it("knows it when another node of the graph has failed", async () => {
    const message = calls(call("quick"), call("stuck"));
    const graph = new Graph<AgenticMessage, AgenticMessage[]>()
      .addToolsNode("tools", new AgenticToolsNode([quick, stuck()]))
      .addNode("other", async (_message: AgenticMessage): Promise<AgenticMessage[]> => {
        await settled();
        throw new Error("other broke");
      })
      .addEdge(START, "tools")
      .addEdge(START, "other")
      .addEdge("tools", END)
      .addEdge("other", END)
      .compile();
    const error = await rejection(graph.invoke(message));
    expect((error as Error).message).toContain("other broke");
    expect(kindsOf(resultsOf(error, message))).toEqual([undefined, "aborted"]);
  });

  it("marks everything as aborted for a message that it has never seen", () => {
    const results = resultsOf(new Error("gone"), calls(call("a", {}, "1"), call("b", {}, "1")));
    expect(blocksOf(results).map(({ callId, errorKind }) => [callId, errorKind])).toEqual([
      ["1", "aborted"],
      ["1_2", "aborted"],
    ]);
  });

  it("tells the tool, which may then fail as it likes", async () => {
    const controller = new AbortController();
    const signals: unknown[] = [];
    const listening = createTool({
      id: "listening",
      description: "",
      execute: (_input, { signal, abortSignal }) =>
        new Promise((_resolve, reject) => {
          signals.push(signal === abortSignal);
          signal.addEventListener("abort", () => reject(signal.reason));
        }),
    });
    const running = rejection(
      new AgenticToolsNode([listening]).invoke(calls(call("listening")), { signal: controller.signal }),
    );
    await settled();
    controller.abort("stop");
    expect(await running).toBe("stop");
    expect(signals).toEqual([true]);
  });
});

describe("before anything could run", () => {
  it("says so on every rejection", async () => {
    const message = calls(call("quick", {}, "1"));
    const options = { toolsNode: { tools: [quick, quick] } };
    const error = await rejection(new AgenticToolsNode([quick]).invoke(message, { options }));
    expect(error).toMatchObject({ code: "DUPLICATE_TOOL" });
    expect(kindsOf(resultsOf(error, message))).toEqual(["not_executed"]);
  });

  it("has no results for messages without calls", async () => {
    const message = assistantMessage("hi");
    const error = await rejection(new AgenticToolsNode([quick]).invoke(message));
    expect(resultsOf(error, message)).toEqual([]);
  });
});
