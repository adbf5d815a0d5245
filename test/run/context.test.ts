import { Chain, contextKey, END, Graph, type NodeContext, RequestContext, START, stateKey } from "kumiko";
import { recordingHandler } from "kumiko/testing";
import { describe, expect, it } from "vitest";

/** Runs a function with the context of a node, and gives what it gives. */
const inNode = <T>(use: (ctx: NodeContext) => T, options: object = {}): Promise<T> =>
  new Chain<string>()
    .append(async (_text, ctx) => ({ result: await use(ctx) }), { key: "node" })
    .compile({ name: "app" })
    .invoke("", options)
    .then(({ result }) => result as T);

describe("The context of a node", () => {
  it("says where the node is", async () => {
    expect(await inNode((ctx) => ctx.address)).toBe("runnable:app;node:node");
    expect(await inNode(({ runInfo }) => runInfo)).toMatchObject({
      name: "node",
      component: "lambda",
      type: "",
      address: "runnable:app;node:node",
      runId: expect.any(String),
      parentRunId: expect.any(String),
    });
  });

  it("has one record for the run of the node, which handlers see too", async () => {
    const recorder = recordingHandler();
    const ids = await inNode((ctx) => [ctx.runInfo.runId, ctx.runInfo.runId, ctx.with({}).runInfo.runId], {
      callbacks: [recorder],
    });
    expect(new Set(ids).size).toBe(1);
    expect(recorder.events[1]?.info.runId).toBe(ids[0]);
  });

  it("may be taken apart", async () => {
    const key = stateKey("own", () => ({ used: false }));
    const events: unknown[] = [];
    const graph = new Graph<string, unknown>()
      .withState(key)
      .addNode(
        "node",
        async (_: string, { signal, requestContext, state, address, runInfo, options, progress, processState }) => {
          progress("here");
          await processState(key, (own) => {
            own.used = true;
          });
          return [signal.aborted, requestContext.get("user"), state.used, address, runInfo.name, options];
        },
      )
      .addEdge(START, "node")
      .addEdge("node", END)
      .compile();
    const callbacks = [{ onEvent: (_info: unknown, event: unknown) => void events.push(event) }];
    expect(await graph.invoke("", { callbacks, requestContext: { user: "u-1" } })).toEqual([
      false,
      "u-1",
      true,
      "runnable:;node:node",
      "node",
      {},
    ]);
    expect(events).toEqual([{ kind: "progress", event: "here" }]);
  });

  it("may report progress when nobody watches", async () => {
    expect(await inNode(({ progress }) => progress("unheard"))).toBeUndefined();
  });

  it("can be copied with some fields replaced", async () => {
    const { signal } = new AbortController();
    const seen = await inNode((ctx) => {
      const copy = ctx.with({ signal, more: 1 });
      return [copy.signal === signal, Reflect.get(copy, "more"), copy.address === ctx.address, ctx.signal === signal];
    });
    expect(seen).toEqual([true, 1, true, false]);
  });

  it("can be copied in a node with retries, and the copy again", async () => {
    const { signal } = new AbortController();
    const events: unknown[] = [];
    const graph = new Graph<string, unknown>()
      .addNode(
        "node",
        (_: string, ctx) => {
          const copy = ctx.with({ signal, more: 1 }).with({ more: 2 });
          copy.progress("here");
          return [Reflect.get(copy, "more"), copy.signal === signal, copy.attempt, copy.taskKey === ctx.taskKey];
        },
        { retry: { attempts: 2 } },
      )
      .addEdge(START, "node")
      .addEdge("node", END)
      .compile({ callbacks: [{ onEvent: (_info, event) => void events.push(event) }] });
    expect(await graph.invoke("")).toEqual([2, true, 1, true]);
    expect(events).toEqual([{ kind: "progress", event: "here" }]);
  });

  it("can no longer ask through a copy when its node has returned", async () => {
    let copy: NodeContext | undefined;
    await inNode((ctx) => {
      copy = ctx.with({ more: 1 });
    });
    await expect(copy?.ask("late", "?")).rejects.toMatchObject({ code: "ASKED_TOO_LATE" });
  });

  it("is another one in each run of the node", async () => {
    const seen = new Set<string>();
    const graph = new Graph<number, number>()
      .addNode("count", (count: number, ctx) => {
        seen.add(ctx.runInfo.runId);
        return count + 1;
      })
      .addEdge(START, "count")
      .addBranch("count", ["count", END], (count) => (count < 3 ? "count" : END))
      .compile();
    await graph.invoke(0);
    expect(seen.size).toBe(3);
  });
});

describe("The request context of a run", () => {
  const user = contextKey<string>("user");

  it("is the very object that was given", async () => {
    const requestContext = new RequestContext<{ user: string }>([["user", "u-1"]]);
    expect(await inNode((ctx) => ctx.requestContext === requestContext, { requestContext })).toBe(true);
  });

  it("is made of a record", async () => {
    expect(await inNode((ctx) => ctx.requestContext.get(user), { requestContext: { user: "u-1" } })).toBe("u-1");
  });

  it("is empty when there was none", async () => {
    expect(await inNode((ctx) => [...ctx.requestContext])).toEqual([]);
  });

  it.each([
    ["a class", new RequestContext([["user", "u-1"]])],
    ["a record", { user: "u-1" }],
    ["nothing", undefined],
  ])("is one for all nodes, nested ones and child runs (%s)", async (_what, requestContext) => {
    const seen = new Set<unknown>();
    const see = (text: string, ctx: NodeContext) => {
      seen.add(ctx.requestContext);
      return text;
    };
    const child = new Chain<string>().append(see).compile();
    const chain = new Chain<string>()
      .append(see)
      .append(new Chain<string>().append(see))
      .append((text, ctx) => child.invoke(text, { parent: ctx }))
      .compile();
    await chain.invoke("", { requestContext });
    expect(seen.size).toBe(1);
  });

  it("can be another one for a child run, which leaves that of its parent alone", async () => {
    const child = new Chain<string>().append((_text, ctx) => ctx.requestContext.get(user)).compile();
    const seen = await inNode(
      async (ctx) => [
        await child.invoke("", { parent: ctx, requestContext: { user: "child" } }),
        await child.invoke("", { parent: ctx.with({ requestContext: new RequestContext({ user: "copy" }) }) }),
        ctx.requestContext.get(user),
      ],
      { requestContext: { user: "parent" } },
    );
    expect(seen).toEqual(["child", "copy", "parent"]);
  });
});
