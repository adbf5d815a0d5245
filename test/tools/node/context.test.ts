import {
  type AgenticMessage,
  AgenticToolsNode,
  contextKey,
  createTool,
  END,
  Graph,
  RequestContext,
  START,
  stateKey,
  type ToolContext,
} from "kumiko";
import { describe, expect, it } from "vitest";
import { call, calls, rejection, textsOf } from "./calls.js";

function using(execute: (ctx: ToolContext<object>) => unknown) {
  return createTool({ id: "use", description: "", execute: (_input, ctx) => execute(ctx) });
}

describe("ctx of a tool", () => {
  it("knows the call, the tool and where it runs", async () => {
    const node = new AgenticToolsNode({
      tools: [
        using(({ toolCallId, toolName, address, runInfo }) => ({ toolCallId, toolName, address, run: runInfo.name })),
      ],
      toolAliases: { use: { nameAliases: ["apply"] } },
    });
    const graph = new Graph<AgenticMessage, AgenticMessage[]>()
      .addToolsNode("tools", node)
      .addEdge(START, "tools")
      .addEdge("tools", END)
      .compile({ name: "app" });
    const [text] = textsOf(await graph.invoke(calls(call("apply", {}, "c1"))));
    expect(JSON.parse(text ?? "")).toEqual({
      toolCallId: "c1",
      toolName: "use",
      address: "runnable:app;node:tools;tool:apply:c1",
      run: "apply",
    });
  });

  it("may be taken apart", async () => {
    const seen: unknown[] = [];
    const taking = using(({ signal, progress, processState, requestContext, messages, state }) => {
      progress("x");
      seen.push(
        signal instanceof AbortSignal,
        typeof processState,
        requestContext instanceof RequestContext,
        messages.length,
        state,
      );
      return "";
    });
    await new AgenticToolsNode([taking]).invoke(calls(call("use")));
    expect(seen).toEqual([true, "function", true, 1, undefined]);
  });

  it("says in logs which call it belongs to", async () => {
    const node = new AgenticToolsNode([using((ctx) => JSON.stringify(ctx))]);
    const [text] = textsOf(await node.invoke(calls(call("use", {}, "c1"))));
    expect(JSON.parse(text ?? "")).toMatchObject({ toolName: "use", toolCallId: "c1" });
  });

  it("has the values of the request", async () => {
    const user = contextKey<string>("user");
    const requestContext = new RequestContext().set(user, "ada");
    const node = new AgenticToolsNode([using((ctx) => ctx.requestContext.get(user))]);
    expect(textsOf(await node.invoke(calls(call("use")), { requestContext }))).toEqual(["ada"]);
    expect(textsOf(await node.invoke(calls(call("use")), { requestContext: { user: "bob" } }))).toEqual(["bob"]);
  });

  it("reaches the state of the graph around it", async () => {
    const counter = stateKey("counter", () => ({ calls: 0 }));
    const counting = using((ctx) =>
      ctx.processState(counter, async (state) => {
        const before = state.calls;
        await undefined;
        state.calls = before + 1;
        return state.calls;
      }),
    );
    const graph = new Graph<AgenticMessage, AgenticMessage[]>()
      .withState(counter)
      .addToolsNode("tools", new AgenticToolsNode([counting]))
      .addEdge(START, "tools")
      .addEdge("tools", END)
      .compile();
    expect(textsOf(await graph.invoke(calls(call("use", {}, "1"), call("use", {}, "2"))))).toEqual(["1", "2"]);
  });

  it("lets each child run have its own key", async () => {
    const inner = new Graph<string, string>()
      .addNode("echo", async (text: string) => text)
      .addEdge(START, "echo")
      .addEdge("echo", END)
      .compile({ name: "inner" });
    const twice = using(async (parent) => {
      const both = await Promise.all([
        inner.invoke("a", { parent, key: "1" }),
        inner.invoke("b", { parent, key: "2" }),
      ]);
      return both.join("");
    });
    const same = using((parent) => Promise.all([inner.invoke("a", { parent }), inner.invoke("b", { parent })]));
    expect(textsOf(await new AgenticToolsNode([twice]).invoke(calls(call("use"))))).toEqual(["ab"]);
    expect(await rejection(new AgenticToolsNode([same]).invoke(calls(call("use"))))).toMatchObject({
      kind: "execution",
      cause: { code: "DUPLICATE_CHILD" },
    });
  });

  it("stops the runs inside a call that has run out of time", async () => {
    const reasons: unknown[] = [];
    const inner = new Graph<string, string>()
      .addNode("wait", (_text: string, { signal }) => {
        return new Promise<string>((_resolve, reject) => {
          signal.addEventListener("abort", () => {
            reasons.push((signal.reason as Error).name);
            reject(signal.reason);
          });
        });
      })
      .addEdge(START, "wait")
      .addEdge("wait", END)
      .compile();
    const node = new AgenticToolsNode({ tools: [using((parent) => inner.invoke("", { parent }))], timeoutMs: 5 });
    expect(await rejection(node.invoke(calls(call("use"))))).toMatchObject({ kind: "timeout" });
    expect(reasons).toEqual(["TimeoutError"]);
  });
});
