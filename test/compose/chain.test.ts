import { describe, expect, it } from "vitest";
import { stateKey } from "../../src/components/state-key.js";
import { Chain } from "../../src/compose/chain.js";
import { Graph } from "../../src/compose/graph.js";
import { lambda, passthrough } from "../../src/compose/lambda.js";
import { END, START } from "../../src/compose/plan/plan.js";
import { StreamReader } from "../../src/schema/stream/reader.js";
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
      .appendPassthrough()
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
      .appendPassthrough({ key: "last" });
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

describe("a chain that cannot be built", () => {
  it("is empty", () => {
    expect(thrownBy(() => chain().compile()).code).toBe("EMPTY_GRAPH");
  });

  it.each(["appendParallel", "appendBranch", "appendStreamBranch"] as const)("has %s behind a fork", (method) => {
    const members = { a: mark("a"), b: mark("b") };
    const append = (built: Chain<string, unknown>) =>
      method === "appendParallel"
        ? built.appendParallel(plain(members))
        : built[method](
            plain(() => "a"),
            plain(members),
          );
    const forks: Chain<string, unknown>[] = [
      plain(chain().appendParallel(members)),
      plain(chain().appendBranch(() => "a", members)),
    ];
    for (const forked of forks) {
      const error = thrownBy(() => append(forked));
      expect(error.code).toBe("INVALID_CHAIN");
      expect(error.message).toContain("multiple previous nodes");
      expect(error.message).toContain(method);
      forked.appendPassthrough();
      expect(() => append(forked)).not.toThrow();
    }
  });

  it.each([
    [{}, "INVALID_CHAIN", "at least two members, and has 0"],
    [{ a: mark("a") }, "INVALID_CHAIN", "at least two members, and has 1"],
    [{ a: mark("a"), 1: mark("b") }, "INVALID_KEY", "looks like an integer"],
    [{ a: mark("a"), "": mark("b") }, "INVALID_KEY", "may not be empty"],
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
    expect(thrownBy(() => chain().appendParallel(plain(members))).message).toContain('goes under "a"');
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
