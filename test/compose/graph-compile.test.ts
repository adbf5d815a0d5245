import { Chain, ConcatRegistry, END, Graph, Runtime, START } from "kumiko";
import { describe, expect, it } from "vitest";
import { plain, thrownBy } from "./thrown-by.js";

const same = (text: string) => text;

type Edge = readonly [from: string, to: string];

/** A graph of nodes that do nothing, with edges `[from, to]`; the compiler knows no keys. */
function wired(keys: readonly string[], edges: readonly Edge[]): Graph<string, string> {
  const graph = new Graph<string, string>();
  for (const key of keys) graph.addNode(key, same);
  for (const [from, to] of edges) graph.addEdge(plain(from), plain(to));
  return graph;
}

const compileError = (keys: readonly string[], edges: readonly Edge[], options: object = {}) =>
  thrownBy(() => wired(keys, edges).compile(options));

describe("compile() of a graph", () => {
  it("refuses one with nothing in it", () => {
    expect(thrownBy(() => new Graph<string, string>().compile()).code).toBe("EMPTY_GRAPH");
  });

  it("refuses one in which nothing leaves START", () => {
    const error = compileError(["a"], [["a", END]]);
    expect(error.code).toBe("NO_START");
    expect(error.message).toContain("start node not set");
  });

  it("refuses one in which nothing leads to END", () => {
    const error = compileError(["a"], [[START, "a"]]);
    expect(error.code).toBe("UNREACHABLE_END");
    expect(error.message).toContain("end node not set");
  });

  it("refuses one in which END is only reached from a loop that START does not reach", () => {
    const error = compileError(
      ["a", "b", "c"],
      [
        [START, "a"],
        ["b", "c"],
        ["c", "b"],
        ["c", END],
      ],
    );
    expect(error.code).toBe("UNREACHABLE_END");
    expect(error.message).toContain("there is no path from START to END");
  });

  it("names every node without an incoming edge", () => {
    const error = compileError(
      ["a", "b", "c"],
      [
        [START, "a"],
        ["a", END],
        ["b", "a"],
      ],
    );
    expect(error.code).toBe("UNFED_NODE");
    expect(error.message).toContain('"b", "c" have no incoming edge');
  });

  it("names nodes that are fed by each other only", () => {
    const error = compileError(
      ["a", "b", "c"],
      [
        [START, "a"],
        ["a", END],
        ["b", "c"],
        ["c", "b"],
      ],
    );
    expect(error.code).toBe("UNFED_NODE");
    expect(error.message).toContain('There is no path from START to "b", "c"');
  });

  it("counts the targets of branches as fed, and END as reached by one", async () => {
    const graph = wired(["a", "b"], [[START, "a"]]);
    graph.addBranch(
      plain("a"),
      plain(["b", END]),
      plain(() => END),
    );
    expect(await graph.compile().invoke("x")).toBe("x");
  });

  it("allows a node from which END cannot be reached", () => {
    const edges: Edge[] = [
      [START, "a"],
      ["a", "log"],
      ["a", END],
    ];
    expect(() => wired(["a", "log"], edges).compile()).not.toThrow();
  });

  it.each([
    [{ maxStep: 3 }, '"maxStep"'],
    [{ name: 3 }, "name must be a string"],
    [{ triggerMode: "somePredecessor" }, '"anyPredecessor" or "allPredecessor"'],
    [{ maxSteps: 0 }, "must be at least 1"],
    [{ maxSteps: 2.5 }, "must be at least 1"],
    [{ maxSteps: 5, triggerMode: "allPredecessor" }, "cannot set max run steps in dag mode"],
    [{ callbacks: {} }, "callbacks must be an array"],
    [{ callbacks: [undefined] }, "callbacks must hold handlers"],
    [{ runtime: {} }, "new Runtime"],
    ["fast", "must be an object"],
  ])("refuses the options %j", (options, words) => {
    const error = thrownBy(() =>
      wired(
        ["a"],
        [
          [START, "a"],
          ["a", END],
        ],
      ).compile(plain(options)),
    );
    expect(error.code).toBe("INVALID_OPTION");
    expect(error.message).toContain(words);
  });

  it("takes options that are undefined for absent", async () => {
    const options = { name: undefined, triggerMode: undefined, maxSteps: undefined, callbacks: undefined };
    const graph = wired([], [[START, END]]);
    expect(await graph.compile({ ...options, runtime: undefined }).invoke("x")).toBe("x");
  });
});

describe("a graph in which every node waits for all before it", () => {
  const dag = { triggerMode: "allPredecessor" } as const;

  it("refuses loops, and lists the keys of each", () => {
    const error = compileError(
      ["a", "b", "c", "d", "e"],
      [
        [START, "a"],
        ["a", "b"],
        ["b", "c"],
        ["c", "a"],
        ["c", "d"],
        ["d", "d"],
        ["d", "e"],
        ["e", END],
      ],
      dag,
    );
    expect(error.code).toBe("CYCLE");
    expect(error.message).toContain("DAG is invalid, has loop: [a → b → c → a] [d → d].");
  });

  it("finds loops that close over a branch", () => {
    const graph = wired(["a", "b"], [[START, "a"]]);
    graph
      .addBranch(
        plain("a"),
        plain(["b", END]),
        plain(() => END),
      )
      .addEdge(plain("b"), plain("a"));
    expect(thrownBy(() => graph.compile(dag)).message).toContain("[a → b → a]");
    expect(() => graph.compile()).not.toThrow();
  });

  const joined = (): Graph<unknown, unknown> => {
    const graph = new Graph<unknown, unknown>();
    graph.addNode("a", same, { outputKey: "x" }).addNode("b", same, { outputKey: "x" });
    return graph;
  };

  it("refuses two nodes that bring one field to a third", () => {
    const graph = joined();
    graph.addNode("join", (value: unknown) => value);
    for (const [from, to] of [
      [START, "a"],
      ["a", "join"],
      [START, "b"],
      ["b", "join"],
      ["join", END],
    ] as const) {
      graph.addEdge(plain(from), plain(to));
    }
    const error = thrownBy(() => graph.compile(dag));
    expect(error.code).toBe("CANNOT_MERGE");
    expect(error.message).toContain('"a" and "b" both have the outputKey "x" and lead to "join"');
    expect(error.nodePath).toEqual(["join"]);
    expect(() => graph.compile()).not.toThrow();
  });

  it("lets them when the third merges by itself", () => {
    const graph = joined();
    graph.addNode("join", (value: unknown) => value, { merge: (values) => values[0] });
    for (const key of ["a", "b"]) graph.addEdge(START, plain(key)).addEdge(plain(key), plain("join"));
    graph.addEdge(plain("join"), END);
    expect(() => graph.compile(dag)).not.toThrow();
  });

  it("lets them when a branch chooses one of them", async () => {
    const graph = joined();
    graph.addBranch(
      plain(START),
      plain(["a", "b"]),
      plain(() => "b"),
    );
    graph.addEdge(plain("a"), END).addEdge(plain("b"), END);
    expect(await graph.compile(dag).invoke("v")).toEqual({ x: "v" });
  });
});

describe("a compiled graph", () => {
  const line = () =>
    wired(
      ["a"],
      [
        [START, "a"],
        ["a", END],
      ],
    );

  it("does not change when its builder goes on, which can be compiled again", async () => {
    const graph = line();
    const before = graph.compile();
    graph.addNode("shout", (text: string) => text.toUpperCase()).addEdge("shout", END);
    graph.addBranch(
      plain("a"),
      plain(["shout"]),
      plain(() => "shout"),
    );
    expect(await before.invoke("x")).toBe("x");
    expect(before.graphInfo().nodes).toHaveLength(1);
    expect(graph.compile().graphInfo().nodes).toHaveLength(2);
  });

  it("is independent of another one of the same builder", async () => {
    const graph = line();
    const [first, second] = [graph.compile({ name: "first" }), graph.compile({ name: "second" })];
    expect(first.graphInfo().name).toBe("first");
    expect(second.graphInfo().name).toBe("second");
    expect(await Promise.all([first.invoke("1"), second.invoke("2")])).toEqual(["1", "2"]);
  });

  it("does not change when its compile options or the options of a node do", async () => {
    const settings = { outputKey: "before" };
    const seen: string[] = [];
    const callbacks = [{ onStart: () => void seen.push("first") }];
    const graph = new Graph<string, unknown>().addNode("a", same, settings as { outputKey: string });
    graph.addEdge(START, plain("a")).addEdge(plain("a"), plain(END));
    const compiled = (graph as unknown as Graph<string, unknown>).compile({ callbacks });
    settings.outputKey = "after";
    callbacks.push({ onStart: () => void seen.push("second") });
    expect(await compiled.invoke("x")).toEqual({ before: "x" });
    expect(new Set(seen)).toEqual(new Set(["first"]));
  });
});

describe("a graph inside a graph", () => {
  const inner = () => new Graph<string, string>().addNode("in", (text: string) => `${text}!`).addEdge(START, "in");
  const complete = () => inner().addEdge("in", END);

  it("is compiled with its parent, and later changes of it do not matter", async () => {
    const nested = complete();
    const graph = new Graph<string, string>().addNode("nested", nested).addEdge(START, "nested").addEdge("nested", END);
    const compiled = graph.compile();
    nested.addNode("late", same).addBranch("in", ["late"], () => "late");
    expect(await compiled.invoke("x")).toBe("x!");
    expect(compiled.graphInfo().nodes[0]?.graph?.nodes.map(({ key }) => key)).toEqual(["in"]);
  });

  it("can still change between being added and the parent's compile()", async () => {
    const nested = inner();
    const graph = new Graph<string, string>();
    graph.addNode("nested", plain(nested));
    graph.addEdge(START, plain("nested"));
    graph.addEdge(plain("nested"), END);
    nested.addEdge("in", END);
    expect(await graph.compile().invoke("x")).toBe("x!");
  });

  it("reports its own mistakes with the way to it", () => {
    const middle = new Graph<string, string>().addNode("inner", plain(inner()));
    middle.addEdge(START, plain("inner")).addEdge(plain("inner"), plain(END));
    const outer = new Chain<string>().append(plain(middle), { key: "middle" });
    const error = thrownBy(() => outer.compile());
    expect(error.code).toBe("UNREACHABLE_END");
    expect(error.nodePath).toEqual(["middle", "inner"]);
    expect(error.message).toContain('Inside node "middle": Inside node "inner": end node not set');
  });

  it("cannot be itself", () => {
    const graph = new Graph<string, string>();
    graph.addNode("self", plain(graph)).addEdge(START, plain("self"));
    graph.addEdge(plain("self"), END);
    const error = thrownBy(() => graph.compile());
    expect(error.code).toBe("INVALID_NODE");
    expect(error.message).toContain("contains itself");
    expect(() => graph.compile()).toThrow("contains itself");
  });

  it("takes no call options", () => {
    const graph = new Graph<string, string>()
      .addNode("nested", complete(), plain({ options: {} }))
      .addEdge(START, "nested")
      .addEdge("nested", END);
    expect(thrownBy(() => graph.compile()).message).toContain("Set them on the nodes inside it");
  });

  it("works with the runtime of its parent unless it has its own", async () => {
    class Total {
      readonly sum: number;
      constructor(sum: number) {
        this.sum = sum;
      }
      get double() {
        return this.sum * 2;
      }
    }
    const concat = new ConcatRegistry().add(
      Total,
      (totals) => new Total(totals.reduce((sum, one) => sum + one.sum, 0)),
    );
    const counted = new Chain<number>()
      .append(async function* (count) {
        for (let value = 1; value <= count; value++) yield new Total(value);
      })
      .append(({ sum }) => sum);
    const outer = new Chain<number>().append(counted);
    expect(await outer.compile({ runtime: new Runtime({ concat }) }).invoke(3)).toBe(6);
    await expect(outer.compile().invoke(3)).rejects.toMatchObject({ code: "CANNOT_CONCAT" });
  });
});
