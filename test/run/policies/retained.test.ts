import { type AgenticMessage, AgenticToolsNode, Chain, createTool, Graph, memoryStore, type RunOptions } from "kumiko";
import { describe, expect, it } from "vitest";
import { call, calls, textsOf } from "../../tools/node/calls.js";
import { turns } from "./policy-app.js";

const ways: readonly [string, RunOptions][] = [
  ["plain", {}],
  ["saved", { checkpointId: "id" }],
];
const retry = { delayMs: 0 } as const;

describe.each(ways)("a further attempt in a run that is %s", (_way, options) => {
  it.each(["invoke", "stream"] as const)("of a graph repeats only what failed inside (%s)", async (mode) => {
    const ran: string[] = [];
    let failures = 0;
    const inner = new Graph<string, { a: string; b: string }>()
      .withState(() => ({ seen: 0 }))
      .addNode("before", (text: string, ctx) => {
        ran.push("before");
        ctx.state.seen++;
        return text;
      })
      .addNode("a", (text: string) => (ran.push("a") > 0 ? text : ""), { outputKey: "a" })
      .addNode(
        "b",
        async (text: string, ctx) => {
          await turns(1);
          ran.push("b");
          if (++failures < 3) throw new Error("not yet");
          return `${text}${ctx.state.seen}`;
        },
        { outputKey: "b" },
      )
      .addNode("join", (value: { a: string; b: string }) => value)
      .addEdge("start", "before")
      .addEdge("before", "a")
      .addEdge("before", "b")
      .addEdge("a", "join")
      .addEdge("b", "join")
      .addEdge("join", "end");
    const app = new Graph<string, { a: string; b: string }>()
      .addNode("inner", inner, { retry })
      .addEdge("start", "inner")
      .addEdge("inner", "end")
      .compile({ store: memoryStore() });
    const result = mode === "invoke" ? await app.invoke("x", options) : await app.stream("x", options).concat();
    expect(result).toEqual({ a: "x", b: "x1" });
    expect(ran).toEqual(["before", "a", "b", "b", "b"]);
  });

  it("of a tools node repeats only the calls that failed", async () => {
    const ran: string[] = [];
    let failures = 0;
    const tool = (name: string, execute: () => Promise<string>) =>
      createTool({
        id: name,
        description: name,
        execute: () => {
          ran.push(name);
          return execute();
        },
      });
    const node = new AgenticToolsNode({
      tools: [
        tool("good", async () => "good"),
        tool("bad", async () => {
          await turns(1);
          if (++failures < 3) throw new Error("not yet");
          return "bad";
        }),
      ],
      onToolError: "throw",
    });
    const app = new Chain<AgenticMessage>()
      .append(node, { retry: { ...retry, buffer: true } })
      .append(textsOf)
      .compile({ store: memoryStore() });
    expect(await app.invoke(calls(call("good"), call("bad")), options)).toEqual(["good", "bad"]);
    expect(ran).toEqual(["good", "bad", "bad", "bad"]);
  });

  it("of a function runs its child runs anew", async () => {
    let count = 0;
    const child = new Graph<string, string>()
      .addNode("leaf", (text: string) => `${text}${++count}`)
      .addEdge("start", "leaf")
      .addEdge("leaf", "end")
      .compile({ name: "child" });
    const app = new Graph<string, string>()
      .addNode(
        "parent",
        async (text: string, ctx) => {
          const made = await child.invoke(text, { parent: ctx });
          if (made === "x1") throw new Error("not good enough");
          return made;
        },
        { retry },
      )
      .addEdge("start", "parent")
      .addEdge("parent", "end")
      .compile({ store: memoryStore() });
    expect(await app.invoke("x", options)).toBe("x2");
  });
});

it("an answer that was given stays over attempts", async () => {
  let failures = 0;
  let asked = 0;
  const app = new Graph<string, string>()
    .addNode(
      "work",
      async (_text: string, ctx) => {
        asked++;
        const name = await ctx.ask<string>("name", "who?");
        if (++failures < 3) throw new Error("not yet");
        return `${name} ${ctx.attempt}`;
      },
      { retry },
    )
    .addEdge("start", "work")
    .addEdge("work", "end")
    .compile({ store: memoryStore() });
  const stopped = await app.invoke("x", { checkpointId: "id" }).catch((error) => error);
  expect(await app.resume("id", { [stopped.interrupts[0].id]: "Ada" })).toBe("Ada 3");
  expect(asked).toBe(4);
});
