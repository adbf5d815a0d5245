import { Chain, END, Graph, lambda, passthrough, START, StreamReader, stateKey } from "kumiko";
import { describe, expect, it } from "vitest";
import { plain, thrownBy } from "./thrown-by.js";

const chain = () => new Chain<string>();
const mark = (sign: string) => (text: string) => `${text}${sign}`;
const keysOf = (built: { compile(): { graphInfo(): { nodes: readonly { key: string }[] } } }) =>
  built
    .compile()
    .graphInfo()
    .nodes.map(({ key }) => key);

describe("a chain", () => {
  it("runs its steps one after the other", async () => {
    const steps = chain()
      .append(mark("1"))
      .append(mark("2"))
      .append(passthrough())
      .append(passthrough())
      .append(mark("3"));
    expect(await steps.compile().invoke("x")).toBe("x123");
  });

  it("names its nodes by position, or as it is told", () => {
    const built = chain()
      .append(mark("1"))
      .append(mark("2"), { key: "named" })
      .append(mark("3"))
      .appendParallel({ a: mark("a"), b: mark("b") })
      .append(({ a }) => a)
      .appendBranch(() => "y", { x: mark("x"), y: mark("y") })
      .append(passthrough(), { key: "last" });
    expect(keysOf(built)).toEqual([
      "node_0",
      "named",
      "node_2",
      "node_3_parallel_a",
      "node_3_parallel_b",
      "node_4",
      "node_5_branch_x",
      "node_5_branch_y",
      "last",
    ]);
  });

  it("takes all of these names as paths of run options", async () => {
    const built = chain()
      .append(mark("1"))
      .appendParallel({ a: mark("a"), b: mark("b") })
      .append(({ a, b }) => a + b, { key: "join" })
      .appendBranch(() => "x", { x: mark("x"), y: mark("y") })
      .compile();
    const nodes = { node_0: {}, node_1_parallel_a: {}, join: {}, node_3_branch_y: {} };
    expect(await built.invoke("0", { nodes })).toBe("01a01bx");
    await expect(built.invoke("0", { nodes: plain({ node_9: {} }) })).rejects.toMatchObject({ code: "UNKNOWN_PATH" });
  });

  it("gives a record of its members' outputs behind a parallel step, at the end too", async () => {
    const built = chain()
      .append(mark("!"))
      .appendParallel({
        size: (text) => text.length,
        loud: async (text) => text.toUpperCase(),
        twice: { node: lambda({ invoke: (text: string) => text + text }), options: { name: "Twice" } },
      })
      .compile();
    expect(await built.invoke("ab")).toEqual({ size: 3, loud: "AB!", twice: "ab!ab!" });
  });

  it("gives members with an input key that field", async () => {
    const built = new Chain<{ title: string; views: number }>().appendParallel({
      loud: { node: (title) => title.toUpperCase(), options: { inputKey: "title" } },
      more: { node: (views) => views + 1, options: { inputKey: "views" } },
      both: ({ title, views }) => `${title} ${views}`,
    });
    expect(await built.compile().invoke({ title: "a", views: 1 })).toEqual({ loud: "A", more: 2, both: "a 1" });
  });

  it("takes keys of members that would be no keys of nodes", async () => {
    const period = chain().appendParallel({ start: mark("<"), end: mark(">"), constructor: mark("c") });
    expect(await period.compile().invoke("x")).toEqual({ start: "x<", end: "x>", constructor: "xc" });
  });

  it("goes on from the member that a branch chose, directly from START too", async () => {
    const sized = new Chain<number>()
      .appendBranch((count) => (count > 9 ? "many" : "few"), {
        many: (count) => `as many as ${count}`,
        few: new Chain<number>().append((count) => `only ${count}`),
      })
      .append(mark("."))
      .compile();
    expect(await sized.invoke(10)).toBe("as many as 10.");
    expect(await sized.invoke(1)).toBe("only 1.");
  });

  it("joins the records of several chosen members", async () => {
    const built = new Chain<number>()
      .appendBranch(async () => ["a", "c"], {
        a: (count) => ({ a: count }),
        b: (count) => ({ b: count }),
        c: (count) => ({ c: count }),
      })
      .compile();
    expect(await built.invoke(1)).toEqual({ a: 1, c: 1 });
  });

  it("lets a stream branch choose before the stream has ended", async () => {
    const read: string[] = [];
    const built = chain()
      .appendStreamBranch(
        async (stream) => {
          for await (const chunk of stream) return chunk === "a" ? "first" : "second";
          return "second";
        },
        { first: passthrough<string>(), second: mark("2") },
      )
      .compile();
    const source = (async function* () {
      for (const chunk of ["a", "b"]) {
        read.push(chunk);
        yield chunk;
      }
    })();
    for await (const chunk of built.transform(source)) {
      if (read.length === 1) expect(chunk).toBe("a");
    }
    expect(await built.collect(StreamReader.from(["z"]))).toBe("z2");
  });

  it("picks a field of what flows, and wraps an output", async () => {
    const built = new Chain<{ question: string }>()
      .append((question) => question.length, { inputKey: "question", outputKey: "size" })
      .append(({ size }) => size * 2);
    expect(await built.compile().invoke({ question: "why" })).toBe(6);
  });

  it("has a state of its own, with a key that inner graphs can use", async () => {
    const notes = stateKey("notes", () => ({ list: [] as string[] }));
    const inner = new Graph<string, string>()
      .addNode("note", async (text: string, ctx) => {
        await ctx.processState(notes, ({ list }) => list.push(text));
        return text;
      })
      .addEdge(START, "note")
      .addEdge("note", END);
    const built = chain()
      .withState(notes)
      .append(inner)
      .append((text, ctx) => `${text} ${ctx.state.list.join()}`, {
        after: (text, { list }) => `${text} ${list.length}`,
      });
    expect(await built.compile().invoke("x")).toBe("x x 1");
  });

  it("can go on after compile(), and be compiled again", async () => {
    const first = chain().append(mark("1"));
    const before = first.compile();
    const after = first.append(mark("2")).compile();
    expect([await before.invoke("x"), await after.invoke("x")]).toEqual(["x1", "x12"]);
    expect("then" in first).toBe(false);
  });
});

describe("a chain that is continued", () => {
  it("stays as it is, so that it can be continued twice", async () => {
    const trimmed = chain().append((text) => text.trim());
    const loud = trimmed.append((text) => text.toUpperCase()).append(mark("!"));
    const sized = trimmed.append((text) => text.length);
    expect(await loud.compile().invoke(" ab ")).toBe("AB!");
    expect(await sized.compile().invoke(" ab ")).toBe(2);
    expect(await trimmed.compile().invoke(" ab ")).toBe("ab");
  });

  it("stays as it is behind every kind of step", async () => {
    const members = { a: mark("a"), b: mark("b") };
    const base = chain().append(mark("1"));
    base.append(mark("?"));
    base.append(mark("?"));
    base.append(chain().append(mark("?")));
    base.append(passthrough());
    base.appendParallel(members);
    base.appendBranch(() => "a", members);
    base.appendStreamBranch(async () => "a", members);
    expect(keysOf(base)).toEqual(["node_0"]);
    expect(await base.append(mark("2")).compile().invoke("x")).toBe("x12");
  });

  it("numbers and names the steps of each continuation by itself", () => {
    const base = chain().append(mark("1"));
    const [first, second] = [
      base.append(mark("2"), { key: "end_of_it" }),
      base.append(mark("3"), { key: "end_of_it" }),
    ];
    expect(keysOf(first)).toEqual(["node_0", "end_of_it"]);
    expect(keysOf(second.append(mark("4")))).toEqual(["node_0", "end_of_it", "node_2"]);
    for (const built of [first, second]) {
      expect(thrownBy(() => built.append(mark("4"), { key: "end_of_it" })).code).toBe("DUPLICATE_NODE");
      expect(thrownBy(() => built.append(mark("4"), { key: "node_0" })).code).toBe("DUPLICATE_NODE");
    }
  });

  it("has a state of its own in each continuation, or none", async () => {
    const start = chain();
    const counted = start.withState(() => ({ calls: 0 })).append((text, ctx) => `${text}${++ctx.state.calls}`);
    expect(await counted.compile().invoke("x")).toBe("x1");
    expect(
      await start
        .append((_text, ctx) => typeof ctx.state)
        .compile()
        .invoke("x"),
    ).toBe("undefined");
    expect(thrownBy(() => chain().withState(Object).withState(Object)).message).toContain("already called");
  });

  it("can be a step of its own continuation", async () => {
    const twice = chain().append(mark("1"));
    expect(await twice.append(twice).compile().invoke("x")).toBe("x11");
  });

  it("does not let a node that is changed later into what was compiled before", async () => {
    const inner = new Graph<string, string>().addNode("a", mark("a")).addEdge(START, "a").addEdge("a", END);
    const outer = chain().append(inner);
    const before = outer.compile();
    inner.addNode("b", mark("b")).addEdge("a", "b").addEdge("b", END);
    expect(keysOf({ compile: () => before })).toEqual(["node_0"]);
    expect(before.graphInfo().nodes[0]?.graph?.nodes).toHaveLength(1);
    expect(outer.compile().graphInfo().nodes[0]?.graph?.nodes).toHaveLength(2);
  });

  it("is built in linear time", () => {
    let long = chain();
    for (let n = 0; n < 20_000; n++) long = long.append(mark(""), { key: `step ${n}` });
    expect(keysOf(long)).toHaveLength(20_000);
  });
});

describe("a fork behind a fork", () => {
  const parallel = () => chain().appendParallel({ a: mark("a"), b: mark("b") });
  const branch = () => chain().appendBranch((text) => text, { a: mark("a"), b: mark("b") });

  it("gets the record of a parallel step", async () => {
    const app = parallel()
      .appendParallel({ c: ({ a }) => `${a}c`, d: ({ b }) => `${b}d` })
      .appendBranch(() => "e", { e: ({ c, d }) => c + d, f: () => "" })
      .compile();
    expect(await app.invoke("x")).toBe("xacxbd");
  });

  it("gets the output of the member that was chosen", async () => {
    const app = branch()
      .appendStreamBranch(
        async (stream) => {
          for await (const text of stream) return text === "aa" ? "e" : "f";
          return "f";
        },
        { e: mark("e"), f: mark("f") },
      )
      .appendParallel({ c: mark("c"), d: mark("d") })
      .compile();
    expect(await app.invoke("a")).toEqual({ c: "aaec", d: "aaed" });
    expect(await app.invoke("b")).toEqual({ c: "bbfc", d: "bbfd" });
  });

  it("is joined by a node of its own, which has the next number", () => {
    expect(keysOf(parallel().appendParallel({ c: () => 1, d: () => 2 }))).toEqual([
      "node_0_parallel_a",
      "node_0_parallel_b",
      "node_1",
      "node_2_parallel_c",
      "node_2_parallel_d",
    ]);
  });

  it("leaves the chain before it as it is", async () => {
    const base = parallel();
    base.appendParallel({ c: () => 1, d: () => 2 });
    expect(await base.compile().invoke("x")).toEqual({ a: "xa", b: "xb" });
  });
});

describe("a chain that cannot be built", () => {
  it("is empty", () => {
    expect(thrownBy(() => chain().compile())).toMatchObject({ code: "EMPTY_GRAPH" });
    expect(thrownBy(() => chain().compile()).message).not.toContain("was not used");
  });

  it.each([
    ["append", (built: Chain<string>) => built.append(mark("1"))],
    ["appendParallel", (built: Chain<string>) => built.appendParallel({ a: mark("a"), b: mark("b") })],
    ["appendToolsNode", (built: Chain<string>) => built.appendToolsNode(plain(passthrough()))],
  ])("is empty because what %s returned was dropped", (method, call) => {
    const built = chain();
    call(built);
    const error = thrownBy(() => built.compile());
    expect(error.code).toBe("EMPTY_GRAPH");
    expect(error.message).toContain(`the chain that ${method}(…) returned was not used`);
    expect(error.message).toContain(`chain = chain.${method}(…)`);
    expect(thrownBy(() => chain().append(built).compile()).message).toContain("was not used");
  });

  it.each([
    [{}, "INVALID_CHAIN", "at least two members (got 0)"],
    [{ a: mark("a") }, "INVALID_CHAIN", "at least two members (got 1)"],
    [{ a: mark("a"), 1: mark("b") }, "INVALID_KEY", "looks like an integer"],
    [{ a: mark("a"), "": mark("b") }, "INVALID_KEY", "must not be empty"],
    [{ a: mark("a"), "b/c": mark("b") }, "INVALID_KEY", "separates the keys"],
    [{ a: mark("a"), b: 1 }, "INVALID_NODE", "is the value 1"],
    [undefined, "INVALID_OPTION", "as a record"],
  ])("has the members %j in a fork", (members, code, words) => {
    for (const built of [chain(), chain().append(mark(""))]) {
      for (const call of [
        () => built.appendParallel(plain(members)),
        () =>
          built.appendBranch(
            plain(() => "a"),
            plain(members),
          ),
      ]) {
        const error = thrownBy(call);
        expect(error.code).toBe(code);
        expect(error.message).toContain(words);
      }
    }
  });

  it("is left as it was by a fork that was refused", async () => {
    const built = chain().append(mark("1"));
    expect(() => built.appendParallel({ a: mark("a"), b: plain(2) })).toThrow();
    expect(await built.append(mark("2")).compile().invoke("x")).toBe("x12");
  });

  it("has a member with an output key in a parallel step, or no function in a branch", () => {
    const members = { a: { node: mark("a"), options: { outputKey: "z" } }, b: mark("b") };
    expect(thrownBy(() => chain().appendParallel(plain(members))).message).toContain('the output has the key "a"');
    const error = thrownBy(() => chain().appendBranch(plain("a"), plain({ a: mark("a"), b: mark("b") })));
    expect(error.message).toContain("a function that chooses");
  });

  it("has a step with a key that is taken, reserved or no key", () => {
    const keyed = chain().append(mark("1"), { key: "a" });
    expect(thrownBy(() => keyed.append(mark("2"), { key: "a" })).code).toBe("DUPLICATE_NODE");
    expect(thrownBy(() => keyed.append(mark("2"), { key: "end" })).code).toBe("RESERVED_KEY");
    expect(thrownBy(() => keyed.append(mark("2"), { key: plain(1) })).code).toBe("INVALID_KEY");
    expect(thrownBy(() => keyed.append(mark("2"), plain({ kee: "b" }))).code).toBe("INVALID_OPTION");
  });

  it("is compiled with a trigger mode, or given its state late", () => {
    const built = chain().append(mark("1"));
    const error = thrownBy(() => built.compile(plain({ triggerMode: "allPredecessor" })));
    expect(error.code).toBe("INVALID_OPTION");
    expect(error.message).toContain("doesn't support node trigger mode option");
    expect(thrownBy(() => built.withState(() => ({}))).message).toContain("before the first node");
    expect(thrownBy(() => built.append(mark("2"), plain({ before: mark("3") }))).code).toBe("STATE_REQUIRED");
  });

  it("chooses a member that is not there", async () => {
    const built = chain().appendBranch(
      plain(() => "z"),
      { a: mark("a"), b: mark("b") },
    );
    await expect(built.compile().invoke("x")).rejects.toMatchObject({ code: "UNKNOWN_BRANCH_TARGET" });
  });
});
