import { Chain, END, Graph, lambda, type NodeContext, Runtime, START, type StateKey, stateKey } from "kumiko";
import { manualClock } from "kumiko/testing";
import { describe, expect, it } from "vitest";
import { gate, turns } from "./gate.js";
import { errorOf } from "./rejected-by.js";

interface Counter {
  count: number;
}
const counter = () => stateKey("counter", (): Counter => ({ count: 0 }));
const adding =
  (more: number) =>
  (state: Counter): number => {
    state.count += more;
    return state.count;
  };

/** A graph of one node around a function that uses the context. */
const around = (key: StateKey<Counter>, use: (ctx: NodeContext<Counter>) => unknown) =>
  new Graph<string, unknown>()
    .withState(key)
    .addNode("use", (_: string, ctx) => use(ctx))
    .addEdge(START, "use")
    .addEdge("use", END)
    .compile();

describe("The state of a graph", () => {
  it("is made once for each run", async () => {
    let made = 0;
    const graph = new Chain<string>()
      .withState(() => ({ made: ++made, seen: [] as string[] }))
      .append((text, ctx) => ctx.state.seen.push(text))
      .append((_count, ctx) => ctx.state)
      .compile();
    expect(await graph.invoke("a")).toEqual({ made: 1, seen: ["a"] });
    expect(await graph.invoke("b")).toEqual({ made: 2, seen: ["b"] });
    expect(await graph.stream("c").concat()).toEqual({ made: 3, seen: ["c"] });
  });

  it("is not there without withState", async () => {
    const graph = new Chain<string>().append((_text, ctx) => ctx.state === undefined).compile();
    expect(await graph.invoke("")).toBe(true);
  });

  it("is that of the own graph, also for a nested one without a state", async () => {
    const inner = new Chain<string>().append((_text, ctx) => String(ctx.state));
    const graph = new Chain<string>()
      .withState(() => ({}))
      .append(inner)
      .compile();
    expect(await graph.invoke("")).toBe("undefined");
  });

  it("is there when the graph starts, so a failing factory fails the run before any handler", async () => {
    const heard: unknown[] = [];
    const graph = new Chain<string>()
      .withState(() => {
        throw new Error("no memory");
      })
      .append((text) => text)
      .compile();
    const callbacks = [{ onStart: (...args: unknown[]) => heard.push(args) }];
    for (const run of [graph.invoke("", { callbacks }), graph.stream("", { callbacks }).concat()]) {
      const error = await errorOf(run);
      expect(error).toMatchObject({ code: "NODE_FAILED", cause: { message: "no memory" } });
      expect(error.message).toBe("The state of the graph could not be made: no memory");
    }
    expect(heard).toEqual([]);
  });

  it("of a nested graph that cannot be made fails its node", async () => {
    const inner = new Chain<string>()
      .withState(() => {
        throw new Error("no memory");
      })
      .append((text) => text);
    const graph = new Chain<string>().append(inner, { key: "inner" }).compile();
    expect(await errorOf(graph.invoke(""))).toMatchObject({ nodePath: ["inner"], cause: { message: "no memory" } });
  });
});

describe("processState", () => {
  it("gives what its function gives", async () => {
    const key = counter();
    const graph = around(key, (ctx) => ctx.processState(key, adding(1)));
    expect(await graph.invoke("")).toBe(1);
  });

  it("finds the nearest state that was made with the key", async () => {
    const [near, far] = [counter(), counter()];
    const seen: unknown[] = [];
    const inner = new Chain<string>().withState(near).append(async (_text, ctx) => {
      await ctx.processState(near, adding(1));
      await ctx.processState(far, adding(10));
      await ctx.processState(near, (state) => void seen.push({ ...state }));
      return "";
    });
    const graph = new Chain<string>()
      .withState(far)
      .append(inner)
      .append((_text, ctx) => seen.push({ ...ctx.state }))
      .compile();
    await graph.invoke("");
    expect(seen).toEqual([{ count: 1 }, { count: 10 }]);
  });

  it("finds the inner one of two states that were made with the same key", async () => {
    const key = counter();
    const inner = new Chain<string>().withState(key).append((_text, ctx) => ctx.processState(key, adding(1)));
    const graph = new Chain<string>()
      .withState(key)
      .append(inner)
      .append((count, ctx) => [count, ctx.state.count])
      .compile();
    expect(await graph.invoke("")).toEqual([1, 0]);
  });

  it("reaches out of a graph that a function runs as its child", async () => {
    const key = counter();
    const inner = new Chain<string>().append((_text, ctx) => ctx.processState(key, adding(1))).compile();
    const graph = around(key, async (ctx) => [
      await inner.invoke("", { parent: ctx }),
      await inner.stream("", { parent: ctx }).concat(),
      ctx.state.count,
    ]);
    expect(await graph.invoke("")).toEqual([1, 2, 2]);
  });

  it("does not reach out of a graph that a function runs as a root", async () => {
    const key = counter();
    const inner = new Chain<string>().append((_text, ctx) => ctx.processState(key, (state) => state.count)).compile();
    const error = await errorOf(around(key, () => inner.invoke("")).invoke(""));
    expect(error.code).toBe("STATE_NOT_FOUND");
  });

  it("says which states there are when it finds none", async () => {
    const graph = around(counter(), (ctx) =>
      ctx.processState(
        stateKey("chat", () => ({})),
        () => 1,
      ),
    );
    const error = await errorOf(graph.invoke(""));
    expect(error).toMatchObject({ code: "STATE_NOT_FOUND", nodePath: ["use"] });
    expect(error.message).toContain("made withState(chat)");
    expect(error.message).toContain('States in reach: "counter"');
  });

  it("rejects with what its function throws, and is free again", async () => {
    const key = counter();
    const graph = around(key, async (ctx) => {
      const failed = await ctx
        .processState(key, () => {
          throw new Error("no");
        })
        .catch((error: Error) => error.message);
      const rejected = await ctx
        .processState(key, async () => {
          throw new Error("never");
        })
        .catch((error: Error) => error.message);
      return [failed, rejected, await ctx.processState(key, (state) => state.count)];
    });
    expect(await graph.invoke("")).toEqual(["no", "never", 0]);
  });
});

describe("Only one at a time uses a state", () => {
  const slowly = async (state: Counter): Promise<number> => {
    const { count } = state;
    await turns();
    state.count = count + 1;
    return state.count;
  };

  it("among nodes that run side by side", async () => {
    const key = counter();
    const graph = new Graph<string, unknown>()
      .withState(key)
      .addNode("a", (_: string, ctx) => ctx.processState(key, slowly), { outputKey: "a" })
      .addNode("b", (_: string, ctx) => ctx.processState(key, slowly), { outputKey: "b" })
      .addNode("c", (_: string, ctx) => ctx.processState(key, slowly), { outputKey: "c" })
      .addEdge(START, "a")
      .addEdge(START, "b")
      .addEdge(START, "c")
      .addEdge("a", END)
      .addEdge("b", END)
      .addEdge("c", END);
    for (const triggerMode of ["anyPredecessor", "allPredecessor"] as const) {
      expect(await graph.compile({ triggerMode }).invoke("")).toEqual({ a: 1, b: 2, c: 3 });
    }
  });

  it("within one node, which must await each use before the next", async () => {
    const key = counter();
    const graph = around(key, async (ctx) => {
      const counts: number[] = [];
      for (let n = 0; n < 3; n++) counts.push(await ctx.processState(key, slowly));
      return counts;
    });
    expect(await graph.invoke("")).toEqual([1, 2, 3]);
    const atOnce = around(key, (ctx) => Promise.all([1, 2].map(() => ctx.processState(key, slowly))));
    expect((await errorOf(atOnce.invoke(""))).code).toBe("STATE_LOCKED");
  });

  it("handlers included", async () => {
    const key = counter();
    const before = (text: string, state: Counter) => slowly(state).then((count) => `${text}${count}`);
    const graph = new Graph<string, unknown>()
      .withState(key)
      .addNode("a", (text: string) => text, { outputKey: "a", before })
      .addNode("b", (text: string) => text, { outputKey: "b", before })
      .addNode("c", (_: string, ctx) => ctx.processState(key, slowly), { outputKey: "c" })
      .addEdge(START, "a")
      .addEdge(START, "b")
      .addEdge(START, "c")
      .addEdge("a", END)
      .addEdge("b", END)
      .addEdge("c", END)
      .compile();
    expect(await graph.invoke("x")).toEqual({ a: "x1", b: "x2", c: 3 });
    expect(await graph.stream("x").concat()).toMatchObject({ c: expect.any(Number) });
  });

  it("from outside and from inside of a nested graph", async () => {
    const key = counter();
    const inner = new Chain<string>().append((_text, ctx) => ctx.processState(key, slowly));
    const graph = new Graph<string, unknown>()
      .withState(key)
      .addNode("outside", (_: string, ctx) => ctx.processState(key, slowly), { outputKey: "outside" })
      .addNode("inside", inner, { outputKey: "inside" })
      .addEdge(START, "outside")
      .addEdge(START, "inside")
      .addEdge("outside", END)
      .addEdge("inside", END)
      .compile();
    expect(await graph.invoke("")).toEqual({ outside: 1, inside: 2 });
  });

  it("in the order of the calls", async () => {
    const key = counter();
    const order: string[] = [];
    const use = (name: string) => (_: string, ctx: NodeContext) =>
      ctx.processState(key, async () => {
        await turns();
        order.push(name);
      });
    const chain = new Chain<string>()
      .withState(key)
      .appendParallel({ first: use("first"), second: use("second"), third: use("third") })
      .compile();
    await chain.invoke("");
    expect(order).toEqual(["first", "second", "third"]);
  });

  it("but other states are free meanwhile", async () => {
    const [near, far] = [counter(), counter()];
    const inner = new Chain<string>()
      .withState(near)
      .append((_text, ctx) => ctx.processState(near, () => ctx.processState(far, adding(1))));
    const graph = new Chain<string>().withState(far).append(inner).compile();
    expect(await graph.invoke("")).toBe(1);
  });

  it("and other runs have states of their own", async () => {
    const key = counter();
    const first = gate();
    const graph = around(key, (ctx) => ctx.processState(key, () => first.promise));
    const held = graph.invoke("");
    const free = around(key, (ctx) => ctx.processState(key, (state) => state.count));
    expect(await free.invoke("")).toBe(0);
    first.open();
    await held;
  });
});

describe("Using a state inside of its own use", () => {
  const key = counter();
  const nested: Record<string, (ctx: NodeContext<Counter>) => Promise<unknown>> = {
    "at once": (ctx) => ctx.processState(key, () => ctx.processState(key, () => 1)),
    "after an await": (ctx) =>
      ctx.processState(key, async () => {
        await turns();
        return ctx.processState(key, () => 1);
      }),
    "in a function that is called there": (ctx) => {
      const helper = async (): Promise<number> => {
        await turns();
        return await ctx.processState(key, () => 1);
      };
      return ctx.processState(key, async () => {
        await turns();
        return (await helper()) + 1;
      });
    },
    "in one of several at a time": (ctx) =>
      ctx.processState(key, async () => {
        await turns();
        return await Promise.all([turns(), ctx.processState(key, () => 1)]);
      }),
    "through a child run": (ctx) =>
      ctx.processState(key, async () => {
        const inner = lambda({ invoke: async (_: number, inside) => inside.processState(key, () => 1) });
        return await inner.invoke(1, { parent: ctx });
      }),
  };

  it.each(Object.entries(nested))("is an error, and not a deadlock: %s", async (_how, use) => {
    const error = await errorOf(around(key, use).invoke(""));
    expect(error.code).toBe("STATE_LOCKED");
    expect(error.message).toContain('processState("counter") was called inside the use of that same state');
    expect(error.nodePath[0]).toBe("use");
  });

  it.each([["before"], ["after"]])("is an error in a %s handler too", async (option) => {
    for (const wait of [async () => undefined, turns]) {
      const graph = new Graph<string, string>()
        .withState(key)
        .addNode("use", (text: string) => text, {
          [option]: async (text: string, _state: Counter, ctx: NodeContext) => {
            await wait();
            await ctx.processState(key, () => 1);
            return text;
          },
        })
        .addEdge(START, "use")
        .addEdge("use", END)
        .compile();
      expect((await errorOf(graph.invoke(""))).code).toBe("STATE_LOCKED");
      expect((await errorOf(graph.stream("").concat())).code).toBe("STATE_LOCKED");
    }
  });

  it("is the same for a call beside it: the first one has to be awaited", async () => {
    const graph = around(key, async (ctx) => {
      const held = gate();
      const first = ctx.processState(key, async () => {
        await held.promise;
        return "first";
      });
      await turns();
      const second = ctx.processState(key, () => "second").catch((error: unknown) => error);
      const refused = await second;
      held.open();
      return [await first, refused];
    });
    expect(await graph.invoke("")).toEqual(["first", expect.objectContaining({ code: "STATE_LOCKED" })]);
  });

  it("leaves the state free for later", async () => {
    const graph = around(key, async (ctx) => {
      await ctx.processState(key, () => ctx.processState(key, () => 1)).catch(() => undefined);
      return ctx.processState(key, (state) => state.count);
    });
    expect(await graph.invoke("")).toBe(0);
  });
});

describe("A state whose holder is aborted and ignores its signal", () => {
  it("goes to those who wait for it", async () => {
    const key = counter();
    const clock = manualClock();
    const app = new Graph<string, unknown>()
      .withState(key)
      .addNode("deaf", (_: string, ctx) => ctx.processState(key, () => new Promise<string>(() => undefined)), {
        timeoutMs: 100,
        fallback: () => "timed out",
        outputKey: "deaf",
      })
      .addNode("waits", (_: string, ctx) => ctx.processState(key, adding(1)), { outputKey: "waits" })
      .addNode("waits too", (_: string, ctx) => ctx.processState(key, adding(1)), { outputKey: "waits too" })
      .addEdge(START, "deaf")
      .addEdge(START, "waits")
      .addEdge(START, "waits too")
      .addEdge("deaf", END)
      .addEdge("waits", END)
      .addEdge("waits too", END)
      .compile({ runtime: new Runtime({ clock }) });
    const result = app.invoke("a");
    while (clock.nextTimer === undefined) await turns();
    await turns();
    clock.advance(100);
    expect(await result).toEqual({ deaf: "timed out", waits: 1, "waits too": 2 });
  });

  it("goes to the next attempt of the same node", async () => {
    const key = counter();
    const clock = manualClock();
    let attempts = 0;
    const app = new Graph<string, unknown>()
      .withState(key)
      .addNode(
        "node",
        (_: string, ctx) =>
          ctx.processState(key, (state) =>
            ++attempts === 1 ? new Promise<number>(() => undefined) : adding(1)(state),
          ),
        { timeoutMs: 100, retry: { attempts: 2, delayMs: 0 } },
      )
      .addEdge(START, "node")
      .addEdge("node", END)
      .compile({ runtime: new Runtime({ clock }) });
    const result = app.invoke("a");
    while (clock.nextTimer === undefined) await turns();
    await turns();
    clock.advance(100);
    expect(await result).toBe(1);
  });
});
