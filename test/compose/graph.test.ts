import { Chain, END, Graph, START, stateKey } from "kumiko";
import { describe, expect, it } from "vitest";
import { plain, thrownBy } from "./thrown-by.js";

const same = (text: string) => text;
const graph = () => new Graph<string, string>();
const oneNode = () => graph().addNode("a", same);
const line = () => oneNode().addEdge(START, "a").addEdge("a", END);

describe("building a graph", () => {
  it("gives back the same object from every fluent method, and no method is `then`", () => {
    const first = new Graph<string, string>();
    const second = first
      .withState(() => ({}))
      .addNode("a", same)
      .addNodes({ b: same })
      .addEdge(START, "a")
      .addBranch("a", ["b", END], () => END)
      .addStreamBranch("b", [END], () => END);
    expect(second).toBe(first);
    expect("then" in second).toBe(false);
  });

  it("runs what was built in statements that drop the return value", async () => {
    const built = new Graph<string, string>();
    built.addNode("a", same);
    built.addEdge(START, plain("a"));
    built.addEdge(plain("a"), END);
    expect(await built.compile().invoke("x")).toBe("x");
  });

  it("lets START lead to END directly", async () => {
    expect(await graph().addEdge(START, END).compile().invoke("x")).toBe("x");
  });

  it("takes `constructor` and `toString` for ordinary keys", async () => {
    const odd = graph()
      .addNode("constructor", (text: string) => `${text}!`)
      .addNode("toString", (text: string) => `${text}?`)
      .addEdge(START, "constructor")
      .addEdge("constructor", "toString")
      .addEdge("toString", END);
    expect(await odd.compile().invoke("x")).toBe("x!?");
  });
});

describe("a node that cannot be added", () => {
  it.each([
    ["start", "RESERVED_KEY", "is reserved"],
    ["end", "RESERVED_KEY", "is reserved"],
    ["", "INVALID_KEY", "must not be empty"],
    ["a/b", "INVALID_KEY", "a slash separates the keys of a path"],
    ["__proto__", "INVALID_KEY", "meaning of its own"],
    ["k".repeat(257), "INVALID_KEY", "at most 256"],
    [7, "INVALID_KEY", "a key must be a string"],
  ])("is refused at once when its key is %j", (key, code, words) => {
    const error = thrownBy(() => graph().addNode(plain(key), same));
    expect(error.code).toBe(code);
    expect(error.message).toContain(words);
  });

  it("is refused when the key is taken, and names it", () => {
    const error = thrownBy(() => oneNode().addNode(plain("a"), same));
    expect(error.code).toBe("DUPLICATE_NODE");
    expect(error.message).toContain('"a" is already present');
  });

  it("takes a key of 256 characters", () => {
    expect(() => graph().addNode("k".repeat(256), same)).not.toThrow();
  });

  it.each([
    [undefined, "is undefined"],
    [null, "is the value null"],
    ["text", "is the value text"],
    [["list"], "is a list"],
    [{}, "is an object of another kind"],
    [Promise.resolve(same), "await it before"],
    [class Node {}, "is a class"],
    [{ component: "tool", info: {} }, "new AgenticToolsNode"],
    [{ component: "oracle" }, '"oracle"'],
    [{ component: "model" }, "without the method generate"],
    [{ component: "retriever" }, "without the method retrieve"],
  ])("is refused when it is %j", (node, words) => {
    const error = thrownBy(() => graph().addNode("a", plain(node)));
    expect(error.code).toBe("INVALID_NODE");
    expect(error.message).toContain('Node "a"');
    expect(error.message).toContain(words);
    expect(error.nodePath).toEqual(["a"]);
  });

  it.each([
    [{ inputkey: "q" }, '"inputkey"'],
    [{ name: 5 }, "name must be a string"],
    [{ options: "hot" }, "options must be an object"],
    [{ merge: "last" }, "merge must be a function"],
    [{ concat: "sum" }, "concat must be one of"],
    ["fast", "must be an object"],
    [[], "must be an object"],
  ])("is refused when its options are %j", (options, words) => {
    const error = thrownBy(() => graph().addNode("a", same, plain(options)));
    expect(error.code).toBe("INVALID_OPTION");
    expect(error.message).toContain('node "a"');
    expect(error.message).toContain(words);
  });

  it.each(["inputKey", "outputKey"])("is refused when its %s is empty, no text or __proto__", (option) => {
    for (const key of ["", 3, "__proto__"]) {
      const error = thrownBy(() => graph().addNode("a", same, plain({ [option]: key })));
      expect(error.code).toBe("INVALID_KEY");
      expect(error.message).toContain(`${option} of node "a"`);
    }
  });

  it("leaves nothing behind when it is refused", () => {
    const built = graph();
    expect(() => built.addNode("a", plain(5))).toThrow();
    expect(() => built.addNode("a", same)).not.toThrow();
  });
});

describe("state", () => {
  it.each(["before", "after", "streamBefore", "streamAfter"])("is needed for %s", (option) => {
    const error = thrownBy(() => graph().addNode("a", same, plain({ [option]: same })));
    expect(error.code).toBe("STATE_REQUIRED");
    expect(error.message).toContain("needs state but graph state is not enabled");
    expect(error.message).toContain(option);
  });

  it("is given before the first node, and once", () => {
    const started = new Graph<string, string>();
    started.addNode("a", same);
    const late = thrownBy(() => started.withState(() => ({})));
    expect(late.message).toContain('"a" was already added');
    const twice = thrownBy(() =>
      graph()
        .withState(() => ({}))
        .withState(() => ({})),
    );
    expect(twice.message).toContain("already called");
  });

  it("is a function or a state key", () => {
    expect(thrownBy(() => graph().withState(plain({}))).code).toBe("INVALID_OPTION");
    expect(() => graph().withState(stateKey("chat", () => ({})))).not.toThrow();
  });

  it("is seen by handlers and nodes of one run, fresh in each", async () => {
    const counting = new Graph<number, number>()
      .withState(() => ({ seen: [] as number[] }))
      .addNode("add", (value: number, ctx) => value + ctx.state.seen.length, {
        before: (value, state) => {
          state.seen.push(value);
          return value * 10;
        },
        after: (value, state) => value + state.seen.length * 1000,
      })
      .addEdge(START, "add")
      .addEdge("add", END)
      .compile();
    expect(await Promise.all([counting.invoke(1), counting.invoke(2)])).toEqual([1011, 1021]);
  });
});

describe("an edge that cannot be added", () => {
  const add = (from: unknown, to: unknown) => thrownBy(() => oneNode().addEdge(plain(from), plain(to)));

  it("names the node that is not there, and those that are", () => {
    for (const error of [add("b", "a"), add("a", "b")]) {
      expect(error.code).toBe("UNKNOWN_NODE");
      expect(error.message).toContain('"b" needs to be added to graph first');
      expect(error.message).toContain('Nodes: "a"');
    }
    expect(add(undefined, "a").code).toBe("UNKNOWN_NODE");
  });

  it("starts at END or leads to START", () => {
    expect(add(END, "a").message).toContain("END cannot be a start node");
    expect(add("a", START).message).toContain("START cannot be an end node");
    expect(add(END, "a").code).toBe("INVALID_EDGE");
  });

  it("is there already", () => {
    const error = thrownBy(() => line().addEdge("a", END));
    expect(error.code).toBe("DUPLICATE_EDGE");
    expect(error.message).toContain('from "a" to "end"');
    const fork = oneNode().addNode("b", same).addEdge("a", "b").addEdge("a", END);
    expect(thrownBy(() => fork.addEdge("a", "b")).code).toBe("DUPLICATE_EDGE");
    expect(thrownBy(() => fork.addEdge("a", END)).code).toBe("DUPLICATE_EDGE");
  });
});

describe("a branch that cannot be added", () => {
  const add = (from: unknown, targets: unknown, choose: unknown = () => "a") =>
    thrownBy(() => oneNode().addBranch(plain(from), plain(targets), plain(choose)));

  it.each([
    ["no list", "a", "INVALID_BRANCH", "needs an array"],
    ["an empty list", [], "INVALID_BRANCH", "has no targets"],
    ["an unknown node", ["a", "x"], "UNKNOWN_NODE", `branch end node "x" needs to be added to graph first`],
    ["START", ["start"], "INVALID_EDGE", "START cannot be an end node"],
    ["one node twice", ["a", "end", "a"], "INVALID_BRANCH", 'lists "a" twice'],
  ])("has %s for targets", (_, targets, code, words) => {
    const error = add("a", targets);
    expect(error.code).toBe(code);
    expect(error.message).toContain(words);
  });

  it("starts at END or at an unknown node, or has no function", () => {
    expect(add(END, ["a"]).code).toBe("INVALID_EDGE");
    expect(add("x", ["a"]).code).toBe("UNKNOWN_NODE");
    const error = add("a", ["a"], "a");
    expect(error.code).toBe("INVALID_BRANCH");
    expect(error.message).toContain('from "a"');
  });
});

describe("addNodes", () => {
  it("adds nodes in the order of the record, with options where they stand", async () => {
    const many = graph()
      .addNodes({
        first: (text: string) => `${text}1`,
        second: { node: (text: string) => `${text}2`, options: { name: "Second" } },
        third: new Chain<string>().append((text) => `${text}3`),
      })
      .addEdge(START, "first")
      .addEdge("first", "second")
      .addEdge("second", "third")
      .addEdge("third", END)
      .compile();
    expect(many.graphInfo().nodes.map(({ key }) => key)).toEqual(["first", "second", "third"]);
    expect(await many.invoke("x")).toBe("x123");
  });

  it.each([
    [{ 1: same }, "INVALID_KEY", "looks like an integer"],
    [{ "-7": same }, "INVALID_KEY", "looks like an integer"],
    [{ a: { node: same, name: "A" } }, "INVALID_NODE", "Write { node, options: { name } }"],
    [{ a: { node: same, options: 1 } }, "INVALID_NODE", "options that are not an object"],
    [{ a: 1 }, "INVALID_NODE", 'Node "a"'],
    [{ start: same }, "RESERVED_KEY", "is reserved"],
    [[same], "INVALID_OPTION", "as a record"],
    [{ __proto__: same }, "INVALID_OPTION", "as a record"],
    [Object.defineProperty({}, "__proto__", { value: same, enumerable: true }), "INVALID_KEY", "__proto__"],
  ])("refuses %j", (nodes, code, words) => {
    const error = thrownBy(() => graph().addNodes(plain(nodes)));
    expect(error.code).toBe(code);
    expect(error.message).toContain(words);
  });
});
