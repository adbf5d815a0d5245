import { END, Graph, passthrough, type Runnable, START, StreamReader } from "kumiko";
import { describe, expect, it } from "vitest";
import { plain } from "../compose/thrown-by.js";
import { gate } from "./gate.js";
import { errorOf } from "./rejected-by.js";

const triggerModes = ["anyPredecessor", "allPredecessor"] as const;

/** Two nodes side by side, and what comes of them. */
const pair = (a: unknown, b: unknown, triggerMode: (typeof triggerModes)[number] = "anyPredecessor", options = {}) =>
  new Graph<string, unknown>()
    .addNode("a", a as () => unknown)
    .addNode("b", b as () => unknown)
    .addNode("join", passthrough<unknown>(), options)
    .addEdge(START, "a")
    .addEdge(START, "b")
    .addEdge("a", "join")
    .addEdge("b", "join")
    .addEdge("join", END)
    .compile({ triggerMode });

const chunks = (...values: readonly unknown[]) =>
  async function* () {
    yield* values;
  };

const both = (run: (mode: "invoke" | "stream") => Promise<unknown>) => Promise.all([run("invoke"), run("stream")]);

describe.each(triggerModes)("What meets in one node of an %s graph", (triggerMode) => {
  const run = (graph: Runnable<string, unknown>) => (mode: "invoke" | "stream") =>
    mode === "invoke" ? graph.invoke("") : graph.stream("").concat();

  it("is joined key by key, if it is records", async () => {
    const graph = pair(
      () => ({ a: 1, more: [1] }),
      async () => ({ b: 2 }),
      triggerMode,
    );
    expect(await both(run(graph))).toEqual(Array(2).fill({ a: 1, more: [1], b: 2 }));
  });

  it("stands in order of declaration, whatever finishes first", async () => {
    for (const mode of ["invoke", "stream"] as const) {
      const first = gate<object>();
      const result = run(
        pair(
          () => first.promise,
          () => ({ b: 2 }),
          triggerMode,
        ),
      )(mode);
      first.open({ a: 1 });
      expect(JSON.stringify(await result)).toBe('{"a":1,"b":2}');
    }
  });

  it("must not have a key twice", async () => {
    const graph = pair(
      () => ({ key: 1 }),
      () => ({ key: 2 }),
      triggerMode,
    );
    for (const result of [graph.invoke(""), graph.stream("").concat()]) {
      const error = await errorOf(result);
      expect(error.code).toBe("CANNOT_MERGE");
      expect(error.nodePath).toEqual(["join"]);
      expect(error.message).toContain('duplicated key "key", from "a" and from "b"');
    }
  });

  it.each([
    ["texts", "a", "b"],
    ["a record and a text", { a: 1 }, "b"],
    ["lists", [1], [2]],
    ["a record and nothing", { a: 1 }, undefined],
    ["a record and an instance with methods", { a: 1 }, new Map()],
  ])("must be records: not %s", async (_what, a, b) => {
    const graph = pair(
      () => a,
      () => b,
      triggerMode,
    );
    for (const result of [graph.invoke(""), graph.stream("").concat()]) {
      expect((await errorOf(result)).code).toBe("CANNOT_MERGE");
    }
  });

  it("may be instances of a class without methods", async () => {
    class Point {
      x = 1;
    }
    const graph = pair(
      () => new Point(),
      () => ({ y: 2 }),
      triggerMode,
    );
    expect(await both(run(graph))).toEqual(Array(2).fill({ x: 1, y: 2 }));
  });

  it("goes to merge, if the node has one: all values, and whose they are, in order of declaration", async () => {
    const seen: unknown[] = [];
    const merge = (values: unknown[], sources: readonly string[]) => {
      seen.push([...values], [...sources]);
      return values.join(" ");
    };
    const graph = pair(
      async () => "from a",
      () => "from b",
      triggerMode,
      { merge },
    );
    expect(await both(run(graph))).toEqual(["from a from b", "from a from b"]);
    expect(seen).toEqual(
      Array(2)
        .fill([
          ["from a", "from b"],
          ["a", "b"],
        ])
        .flat(),
    );
  });

  it("goes to merge whole, also when it is streamed", async () => {
    const merge = (values: string[]) => values.join("+");
    const graph = pair(chunks("a", "b"), chunks("c", "d"), triggerMode, { merge });
    expect(await both(run(graph))).toEqual(["ab+cd", "ab+cd"]);
  });

  it("may be merged with a promise", async () => {
    const merge = async (values: string[]) => values.join("+");
    const graph = pair(
      () => "a",
      () => "b",
      triggerMode,
      { merge },
    );
    expect(await both(run(graph))).toEqual(["a+b", "a+b"]);
  });

  it.each([
    [
      "throws",
      () => {
        throw new Error("no way");
      },
    ],
    ["rejects", () => Promise.reject(new Error("no way"))],
  ])("fails in the place of the node when merge %s", async (_how, merge) => {
    const graph = pair(
      () => "a",
      () => "b",
      triggerMode,
      { merge },
    );
    for (const result of [graph.invoke(""), graph.stream("").concat()]) {
      expect(await errorOf(result)).toMatchObject({
        code: "NODE_FAILED",
        nodePath: ["join"],
        cause: { message: "no way" },
      });
    }
  });

  it("does not go to merge when there is only one", async () => {
    const graph = new Graph<string, unknown>()
      .addNode("a", () => "only a")
      .addNode("join", passthrough<unknown>(), { merge: plain(() => "merged") })
      .addEdge(START, "a")
      .addEdge("a", "join")
      .addEdge("join", END)
      .compile({ triggerMode });
    expect(await both(run(graph))).toEqual(["only a", "only a"]);
  });

  it("may meet at END", async () => {
    const graph = new Graph<string, { a: string; b: string }>()
      .addNode("a", (text: string) => `${text}a`, { outputKey: "a" })
      .addNode("b", (text: string) => `${text}b`, { outputKey: "b" })
      .addEdge(START, "a")
      .addEdge(START, "b")
      .addEdge("a", END)
      .addEdge("b", END)
      .compile({ triggerMode });
    const joined = { a: "-a", b: "-b" };
    expect([await graph.invoke("-"), await graph.stream("-").concat()]).toEqual([joined, joined]);
  });
});

describe("Streams that meet", () => {
  it("flow on chunk by chunk, as they come", async () => {
    const second = gate();
    const graph = pair(chunks({ a: "1" }, { a: "2" }), async function* () {
      await second.promise;
      yield { b: "3" };
    });
    const stream = graph.stream("");
    expect([(await stream.next()).value, (await stream.next()).value]).toEqual([{ a: "1" }, { a: "2" }]);
    second.open();
    expect((await stream.next()).value).toEqual({ b: "3" });
  });

  it("are joined source by source, each as its node declares", async () => {
    const graph = new Graph<string, unknown>()
      .addNode("list", chunks({ n: 1 }, { n: 2 }), { outputKey: "list", concat: "list" })
      .addNode("last", chunks({ n: 1 }, { n: 2 }), { outputKey: "last", concat: "last" })
      .addNode("own", chunks({ sum: 1 }, { sum: 2 }), {
        concat: (parts: { sum: number }[]) => ({ sum: parts.reduce((sum, part) => sum + part.sum, 0) }),
      })
      .addEdge(START, "list")
      .addEdge(START, "last")
      .addEdge(START, "own")
      .addEdge("list", END)
      .addEdge("last", END)
      .addEdge("own", END)
      .compile();
    const joined = { list: [{ n: 1 }, { n: 2 }], last: { n: 2 }, sum: 3 };
    expect(await graph.stream("").concat()).toEqual(joined);
    expect(await graph.invoke("")).toEqual(joined);
  });

  it("fail at the chunk that shows a key of another source, and not before", async () => {
    const graph = pair(chunks({ a: "1" }, { b: "2" }, { a: "3" }), chunks({ b: "4" }));
    const seen: unknown[] = [];
    const reading = (async () => {
      for await (const chunk of graph.stream("")) seen.push(chunk);
    })();
    expect((await errorOf(reading)).code).toBe("CANNOT_MERGE");
    expect(seen.length).toBeGreaterThan(0);
  });

  it("lack the value of a source that gives no chunk, as in a run on values", async () => {
    const graph = pair(chunks({ a: "1" }), chunks());
    expect((await errorOf(graph.invoke(""))).code).toBe("EMPTY_STREAM");
    const error = await errorOf(graph.stream("").concat());
    expect(error.code).toBe("EMPTY_STREAM");
    expect(error.message).toContain('node "b"');
  });

  it("may have chunks without a key", async () => {
    expect(
      await pair(chunks({}, { a: "1" }), chunks({}))
        .stream("")
        .concat(),
    ).toEqual({ a: "1" });
  });

  it("stop all sources when one fails", async () => {
    let closed = false;
    const graph = pair(
      async function* () {
        try {
          for (;;) yield { a: "1" };
        } finally {
          closed = true;
        }
      },
      async function* () {
        yield { b: "1" };
        throw new Error("broken");
      },
    );
    expect(await errorOf(graph.stream("").concat())).toMatchObject({ nodePath: ["b"], cause: { message: "broken" } });
    await Promise.resolve();
    expect(closed).toBe(true);
  });
});

describe("What goes to several nodes", () => {
  it("is one and the same value for all", async () => {
    const given = { list: [1] };
    const seen: unknown[] = [];
    const see = (value: unknown) => {
      seen.push(value);
      return {};
    };
    const graph = new Graph<object, unknown>()
      .addNode("a", see)
      .addNode("b", see)
      .addEdge(START, "a")
      .addEdge(START, "b")
      .addEdge("a", END)
      .addEdge("b", END)
      .compile();
    await graph.invoke(given);
    await graph.stream(given).concat();
    expect(seen).toHaveLength(4);
    for (const value of seen) expect(value).toBe(given);
  });

  it("is a stream of its own for each", async () => {
    const graph = new Graph<string, unknown>()
      .addNode("letters", async function* (text: string) {
        yield* text;
      })
      .addNode("quick", (text: string) => text, { outputKey: "quick" })
      .addNode("slow", async (text: string) => text, { outputKey: "slow" })
      .addEdge(START, "letters")
      .addEdge("letters", "quick")
      .addEdge("letters", "slow")
      .addEdge("quick", END)
      .addEdge("slow", END)
      .compile();
    expect(await graph.transform(StreamReader.from(["a", "bc"])).concat()).toEqual({ quick: "abc", slow: "abc" });
  });
});
