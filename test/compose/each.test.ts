import {
  AgenticToolsNode,
  assistantMessage,
  Chain,
  createTool,
  END,
  each,
  Graph,
  KumikoError,
  lambda,
  type NodeContext,
  START,
  textOf,
  userMessage,
} from "kumiko";
import { recordingHandler, scriptedModel } from "kumiko/testing";
import { describe, expect, it } from "vitest";
import { gate, turns } from "../run/gate.js";
import { errorOf, rejectedBy } from "../run/rejected-by.js";
import { call, calls } from "../tools/node/calls.js";
import { plain, thrownBy } from "./thrown-by.js";

const double = (n: number): number => 2 * n;
const doubleLater = async (n: number): Promise<number> => {
  for (let k = n % 3; k < 3; k++) await undefined;
  return 2 * n;
};

describe("each", () => {
  it("runs a function for each item, and keeps their order", async () => {
    const app = new Chain<number[]>().append(each(doubleLater)).compile();
    expect(await app.invoke([1, 2, 3, 4])).toEqual([2, 4, 6, 8]);
    expect(await each(double).invoke([1, 2])).toEqual([2, 4]);
  });

  it("does not call the node for an empty list", async () => {
    const called: number[] = [];
    const app = new Chain<number[]>().append(each((n: number) => called.push(n))).compile();
    expect(await app.invoke([])).toEqual([]);
    expect(await app.stream([]).concat()).toEqual([]);
    expect(called).toEqual([]);
  });

  it("takes a component, a graph, a builder, a tools node and another each", async () => {
    const model = scriptedModel(assistantMessage("a"), assistantMessage("b"));
    const answers = await each(model).invoke([[userMessage("1")], [userMessage("2")]]);
    expect(answers.map(textOf)).toEqual(["a", "b"]);
    const shout = new Graph<string, string>()
      .addNode("up", (text: string) => text.toUpperCase())
      .addEdge(START, "up")
      .addEdge("up", END);
    expect(await each(shout).invoke(["a", "b"])).toEqual(["A", "B"]);
    expect(await each(shout.compile()).invoke(["a"])).toEqual(["A"]);
    const words = new Chain<string>().append((text) => text.split(" ")).append(each(shout));
    expect(await each(words).invoke(["a b", "c"])).toEqual([["A", "B"], ["C"]]);
    expect(await each(each(double)).invoke([[1], [2, 3]])).toEqual([[2], [4, 6]]);
    const echo = createTool({ id: "echo", description: "e", execute: async (input) => JSON.stringify(input) });
    const results = await each(new AgenticToolsNode([echo])).invoke([
      calls(call("echo", {}, "1")),
      calls(call("echo", {}, "2")),
    ]);
    expect(results.map((list) => list.length)).toEqual([1, 1]);
  });

  it("joins what the node streams", async () => {
    const letters = lambda(
      {
        stream: (text: string) =>
          (async function* () {
            yield* text;
          })(),
      },
      { concat: "list" },
    );
    expect(await each(letters).invoke(["ab", "c"])).toEqual([["a", "b"], ["c"]]);
    async function* echo(text: string) {
      yield* text;
    }
    expect(await each(echo).invoke(["ab", "c"])).toEqual(["ab", "c"]);
    const app = new Chain<string[]>().append(each(echo, { concurrency: 1 })).compile();
    expect(await app.stream(["ab", "c"]).concat()).toEqual(["ab", "c"]);
  });

  it("runs no more items at a time than its concurrency, and takes them in order", async () => {
    const log: string[] = [];
    const [first, second] = [gate(), gate()];
    const run = each(
      async (n: number) => {
        log.push(`begin ${n}`);
        if (n === 0) await first.promise;
        if (n === 1) await second.promise;
        log.push(`end ${n}`);
        return n;
      },
      { concurrency: 2 },
    ).invoke([0, 1, 2, 3]);
    await turns();
    expect(log).toEqual(["begin 0", "begin 1"]);
    second.open();
    await turns();
    expect(log).toEqual(["begin 0", "begin 1", "end 1", "begin 2", "end 2", "begin 3", "end 3"]);
    first.open();
    expect(await run).toEqual([0, 1, 2, 3]);
  });

  it("gives results as they finish, unordered", async () => {
    const first = gate();
    const slow = async (n: number): Promise<number> => {
      if (n === 1) await first.promise;
      if (n === 3) first.open();
      return n;
    };
    expect(await each(slow, { ordered: false }).invoke([1, 2, 3])).toEqual([2, 3, 1]);
  });

  it("gives a context to each item, with an address of its own", async () => {
    const seen: { address: string; state: unknown; key: string }[] = [];
    const look = (_item: string, ctx: NodeContext): void => {
      seen.push({ address: ctx.address, state: ctx.state, key: ctx.taskKey });
    };
    const app = new Graph<string[], unknown>()
      .withState(() => ({ count: 1 }))
      .addNode("map", each(look))
      .addEdge(START, "map")
      .addEdge("map", END)
      .compile({ name: "app" });
    await app.invoke(["a", "b"]);
    expect(seen.map(({ address }) => address)).toEqual([
      "runnable:app;node:map;item:0",
      "runnable:app;node:map;item:1",
    ]);
    expect(seen.map(({ state }) => state)).toEqual([{ count: 1 }, { count: 1 }]);
    expect(new Set(seen.map(({ key }) => key)).size).toBe(2);
  });

  it("tells handlers of each item, inside its node", async () => {
    const recorder = recordingHandler();
    const app = new Chain<number[]>().append(each(double), { key: "map" }).compile({ name: "app" });
    await app.invoke([1, 2], { callbacks: [recorder] });
    expect(recorder.names()).toEqual([
      "onStart app",
      "onStart map",
      "onStart double",
      "onEnd double",
      "onStart double",
      "onEnd double",
      "onEnd map",
      "onEnd app",
    ]);
    const [, map, item] = recorder.events.map(({ info }) => info);
    expect(map).toMatchObject({ component: "lambda", type: "each", name: "map" });
    expect(item?.parentRunId).toBe(map?.runId);
    expect(item?.address).toBe("runnable:app;node:map;item:0");
    expect(recorder.unfinished()).toEqual([]);
  });

  it("gives the call options of its node to what it runs, and its path goes on inside", async () => {
    const seen: unknown[] = [];
    const note = (_: string, ctx: NodeContext): void => void seen.push(ctx.options);
    const inner = new Chain<string>().append(note, { key: "note" });
    const app = new Chain<string[]>()
      .append(each(note), { key: "flat", options: { a: 1 } })
      .append((list) => list.map(String))
      .append(each(inner), { key: "deep" })
      .compile();
    const ofNote = recordingHandler();
    await app.invoke(["x"], {
      nodes: plain({ flat: { options: { b: 2 } }, "deep/note": { options: { c: 3 }, callbacks: [ofNote] } }),
    });
    expect(seen).toEqual([{ a: 1, b: 2 }, { c: 3 }]);
    expect(ofNote.names()).toEqual(["onStart note", "onEnd note"]);
    const wrong = await errorOf(app.invoke(["x"], { nodes: plain({ "deep/other": {} }) }));
    expect(wrong).toMatchObject({ code: "UNKNOWN_PATH" });
  });
});

describe("A failing item", () => {
  const fail = (n: number): number => {
    if (n === 2) throw new Error("two");
    return n;
  };

  it.each([
    ["at once", (n: number) => fail(n)],
    ["later", async (n: number) => fail(n)],
  ])("fails the node, which names its index (%s)", async (_when, node) => {
    for (const concurrency of [undefined, 1, 2]) {
      const app = new Chain<number[]>().append(each(node, { concurrency }), { key: "map" }).compile();
      const error = await errorOf(app.invoke([1, 2, 3]));
      expect(error).toMatchObject({ code: "NODE_FAILED", nodePath: ["map"], index: 1 });
      expect(error.message).toBe('Node "map" failed at item 1: two');
      expect((error.cause as Error).message).toBe("two");
    }
  });

  it("stops the others, and no more begin", async () => {
    const begun: number[] = [];
    const reasons: unknown[] = [];
    const stopped = gate();
    const node = async (n: number, ctx: NodeContext): Promise<number> => {
      begun.push(n);
      if (n === 1) {
        await turns();
        throw new Error("one");
      }
      ctx.signal.addEventListener("abort", () => {
        reasons.push(ctx.signal.reason);
        stopped.open();
      });
      await stopped.promise;
      return n;
    };
    const error = await errorOf(each(node, { concurrency: 2 }).invoke([0, 1, 2, 3]));
    expect(error).toMatchObject({ index: 1 });
    expect(begun).toEqual([0, 1]);
    expect(reasons).toEqual([expect.objectContaining({ name: "AbortError" })]);
  });

  it("begins no item after one that throws at once", async () => {
    const begun: number[] = [];
    const node = (n: number): number => {
      begun.push(n);
      return fail(n);
    };
    await errorOf(each(node).invoke([1, 2, 3]));
    expect(begun).toEqual([1, 2]);
  });

  it("in a graph keeps the code and the path of the error", async () => {
    const inner = new Chain<number>().append(fail, { key: "check" });
    const app = new Chain<number[]>().append(each(inner), { key: "map" }).compile();
    const error = await errorOf(app.invoke([1, 2]));
    expect(error).toMatchObject({ code: "NODE_FAILED", nodePath: ["map", "check"], index: 1 });
    expect(error.message).toBe('Item 1 failed: Node "map/check" failed: two');
  });

  it("may be replaced by a value", async () => {
    const told: unknown[] = [];
    const node = each(async (n: number) => fail(n), {
      onItemError: (error, item, index) => {
        told.push([KumikoError.is(error), error.message, item, index]);
        return Promise.resolve(-item);
      },
    });
    expect(await node.invoke([1, 2, 3])).toEqual([1, -2, 3]);
    expect(await node.stream([1, 2, 3]).concat()).toEqual([1, -2, 3]);
    const message = "The graph failed at item 1: two";
    expect(told).toEqual([
      [true, message, 2, 1],
      [true, message, 2, 1],
    ]);
  });

  it("whose handler throws fails with that error, and keeps its own as the cause", async () => {
    const node = each(fail, {
      onItemError: () => {
        throw new Error("handler");
      },
    });
    const error = await errorOf(node.invoke([2]));
    expect(error.message).toContain("handler");
    expect(String((error.cause as Error).cause)).toContain("two");
  });

  it("ends as an error for handlers, and the others at the abort", async () => {
    const recorder = recordingHandler();
    const node = async (n: number, ctx: NodeContext): Promise<number> => {
      if (n === 2) throw new Error("two");
      await new Promise((resolve) => ctx.signal.addEventListener("abort", resolve));
      return n;
    };
    const app = new Chain<number[]>().append(each(node), { key: "map" }).compile({ name: "app" });
    await errorOf(app.invoke([1, 2], { callbacks: [recorder] }));
    expect(recorder.names("onError")).toEqual(["node", "node", "map", "app"]);
    expect(recorder.unfinished()).toEqual([]);
  });
});

describe("Misuse of each", () => {
  it.each([
    [{ concurrency: 0 }, "concurrency"],
    [{ concurrency: 1.5 }, "concurrency"],
    [{ onItemError: "ignore" }, "onItemError"],
    [{ ordered: 1 }, "ordered"],
    [{ limit: 2 }, "limit"],
    [[], "object"],
    [null, "object"],
  ])("%j is refused at once", (options, name) => {
    const error = thrownBy(() => each(double, plain(options)));
    expect(error).toMatchObject({ code: "INVALID_OPTION" });
    expect(error.message).toContain(name);
  });

  it("what is no node is refused at once, what is no list when it comes", async () => {
    expect(thrownBy(() => each(plain(5)))).toMatchObject({ code: "INVALID_NODE" });
    const app = new Chain<number[]>().append(each(double), { key: "map" }).compile();
    for (const run of [() => app.invoke(plain("ab")), () => app.stream(plain("ab")).concat()]) {
      const error = await errorOf(run());
      expect(error).toMatchObject({ code: "TYPE_MISMATCH", nodePath: ["map"] });
    }
  });

  it("the signal of the caller stops it at once", async () => {
    const stop = new AbortController();
    const run = each(() => new Promise<void>(() => {})).invoke([1, 2], { signal: stop.signal });
    const reason = new Error("enough");
    stop.abort(reason);
    expect(await rejectedBy(run)).toBe(reason);
  });
});
