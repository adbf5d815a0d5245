import { END, Graph, lambda, START, type StreamReader } from "kumiko";
import { describe, expect, it } from "vitest";
import { plain } from "../compose/thrown-by.js";
import { gate } from "./gate.js";
import { errorOf } from "./rejected-by.js";

const add = (text: string) => (input: string) => input + text;

async function* letters(text: string): AsyncGenerator<string, void> {
  yield* text;
}

const bothModes = [["anyPredecessor"], ["allPredecessor"]] as const;

describe.each(bothModes)("A branch in an %s graph", (triggerMode) => {
  it("leads to what it chooses", async () => {
    const graph = new Graph<number, string>()
      .addNode("even", (count: number) => `${count} is even`)
      .addNode("odd", (count: number) => `${count} is odd`)
      .addBranch(START, ["even", "odd"], (count) => (count % 2 === 0 ? "even" : "odd"))
      .addEdge("even", END)
      .addEdge("odd", END)
      .compile({ triggerMode });
    expect([await graph.invoke(1), await graph.invoke(2)]).toEqual(["1 is odd", "2 is even"]);
  });

  it("may lead to END at once", async () => {
    const graph = new Graph<string, string>()
      .addNode("a", add("a"))
      .addBranch(START, ["a", END], () => END)
      .addEdge("a", END)
      .compile({ triggerMode });
    expect(await graph.invoke("-")).toBe("-");
  });

  it("may choose several, in a list or a set", async () => {
    const graph = (several: () => Iterable<"a" | "b">) =>
      new Graph<string, unknown>()
        .addNode("a", add("a"), { outputKey: "a" })
        .addNode("b", add("b"), { outputKey: "b" })
        .addNode("c", add("c"), { outputKey: "c" })
        .addBranch(START, ["a", "b", "c"], several as () => ("a" | "b")[])
        .addEdge("a", END)
        .addEdge("b", END)
        .addEdge("c", END)
        .compile({ triggerMode });
    expect(await graph(() => ["b", "a"]).invoke("-")).toEqual({ a: "-a", b: "-b" });
    expect(await graph(() => new Set(["a", "b"] as const)).invoke("-")).toEqual({ a: "-a", b: "-b" });
    expect(await graph(() => ["a", "a"]).invoke("-")).toEqual({ a: "-a" });
  });

  it("may take its time", async () => {
    const answer = gate<"a">();
    const run = new Graph<string, string>()
      .addNode("a", add("a"))
      .addBranch(START, ["a", END], () => answer.promise)
      .addEdge("a", END)
      .compile({ triggerMode })
      .invoke("-");
    answer.open("a");
    expect(await run).toBe("-a");
  });

  it("may choose nothing, and what another edge feeds still runs", async () => {
    const graph = new Graph<string, string>()
      .addNode("a", add("a"))
      .addNode("b", add("b"))
      .addEdge(START, "a")
      .addBranch(START, ["b", END], () => [])
      .addEdge("a", "b")
      .addEdge("b", END)
      .compile({ triggerMode });
    expect(await graph.invoke("-")).toBe("-ab");
  });

  it("is one of several behind a node, which are all asked", async () => {
    const graph = new Graph<string, unknown>()
      .addNode("a", add("a"), { outputKey: "a" })
      .addNode("b", add("b"), { outputKey: "b" })
      .addNode("c", add("c"), { outputKey: "c" })
      .addBranch(START, ["a", "b"], () => "b")
      .addBranch(START, ["a", "c"], async () => "c")
      .addEdge("a", END)
      .addEdge("b", END)
      .addEdge("c", END)
      .compile({ triggerMode });
    expect(await graph.invoke("-")).toEqual({ b: "-b", c: "-c" });
  });

  it.each([["invoke"], ["stream"]])("fails when it chooses what it does not declare (%s)", async (mode) => {
    const graph = new Graph<string, string>()
      .addNode("a", add("a"))
      .addNode("b", add("b"))
      .addEdge(START, "a")
      .addBranch("a", ["b", END], () => plain("zz"))
      .addEdge("b", END)
      .compile({ triggerMode });
    const error = await errorOf(mode === "invoke" ? graph.invoke("-") : graph.stream("-").concat());
    expect(error.code).toBe("UNKNOWN_BRANCH_TARGET");
    expect(error.nodePath).toEqual(["a"]);
    expect(error.message).toBe(
      'The branch behind node "a" chose "zz", which it does not declare. Declared: "b", "end".',
    );
  });

  it("names START when it leaves START and chooses what it does not declare", async () => {
    const graph = new Graph<string, string>()
      .addNode("a", add("a"))
      .addBranch(START, ["a", END], () => plain("zz"))
      .addEdge("a", END)
      .compile({ triggerMode });
    const error = await errorOf(graph.invoke("-"));
    expect(error.message).toContain('The branch behind START of the graph chose "zz"');
    expect(error.nodePath).toEqual([]);
  });

  it.each([
    [
      "throws",
      () => {
        throw new Error("undecided");
      },
    ],
    ["rejects", () => Promise.reject(new Error("undecided"))],
  ])("that %s fails the run in the place of its source", async (_how, choose) => {
    const graph = new Graph<string, string>()
      .addNode("a", add("a"))
      .addNode("b", add("b"))
      .addEdge(START, "a")
      .addBranch("a", ["b", END], () => plain(choose()))
      .addEdge("b", END)
      .compile({ triggerMode });
    for (const run of [graph.invoke("-"), graph.stream("-").concat()]) {
      const error = await errorOf(run);
      expect(error).toMatchObject({ code: "NODE_FAILED", nodePath: ["a"], cause: { message: "undecided" } });
    }
  });

  it("sees the output under its key, and the context of its source", async () => {
    const seen: unknown[] = [];
    const graph = new Graph<string, unknown>()
      .addNode("a", add("a"), { outputKey: "text" })
      .addNode("b", (input: { text: string }) => input)
      .addEdge(START, "a")
      .addBranch("a", ["b", END], (value, { address }) => {
        seen.push(value, address);
        return "b";
      })
      .addEdge("b", END)
      .compile({ name: "g", triggerMode });
    await graph.invoke("-");
    await graph.stream("-").concat();
    expect(seen).toEqual([{ text: "-a" }, "runnable:g;node:a", { text: "-a" }, "runnable:g;node:a"]);
  });
});

describe.each(bothModes)("A branch on streams in an %s graph", (triggerMode) => {
  it("decides on the first chunk while the rest still flows to the target", async () => {
    const rest = gate();
    async function* slowly(): AsyncGenerator<string, void> {
      yield "first ";
      await rest.promise;
      yield "rest";
    }
    const stream = new Graph<string, string>()
      .addNode("slowly", slowly)
      .addNode("same", lambda({ transform: (chunks: StreamReader<string>) => chunks.map((chunk) => chunk) }))
      .addEdge(START, "slowly")
      .addStreamBranch("slowly", ["same", END], async (chunks) => {
        for await (const chunk of chunks) return chunk.startsWith("first") ? "same" : END;
        return END;
      })
      .addEdge("same", END)
      .compile({ triggerMode })
      .stream("");
    expect(await stream.next()).toEqual({ done: false, value: "first " });
    rest.open();
    expect(await stream.next()).toEqual({ done: false, value: "rest" });
    expect((await stream.next()).done).toBe(true);
  });

  it("sees one chunk in a run on values", async () => {
    const seen: string[] = [];
    const graph = new Graph<string, string>()
      .addNode("letters", letters)
      .addNode("same", (text: string) => text)
      .addEdge(START, "letters")
      .addStreamBranch("letters", ["same", END], async (chunks) => {
        for await (const chunk of chunks) seen.push(chunk);
        return END;
      })
      .addEdge("same", END)
      .compile({ triggerMode });
    expect(await graph.invoke("abc")).toBe("abc");
    expect(seen).toEqual(["abc"]);
  });

  it("may leave its stream unread", async () => {
    const graph = new Graph<string, string>()
      .addNode("letters", letters)
      .addNode("same", (text: string) => text)
      .addEdge(START, "letters")
      .addStreamBranch("letters", ["same", END], () => "same")
      .addEdge("same", END)
      .compile({ triggerMode });
    expect(await graph.stream("abc").concat()).toBe("abc");
    expect(await graph.invoke("abc")).toBe("abc");
  });
});

describe.each(bothModes)("A branch on values in a run on streams of an %s graph", (triggerMode) => {
  it("waits for the whole value, and the target still gets the chunks", async () => {
    const seen: unknown[] = [];
    const graph = new Graph<string, string>()
      .addNode("letters", letters)
      .addNode(
        "loud",
        lambda({ transform: (chunks: StreamReader<string>) => chunks.map((chunk) => chunk.toUpperCase()) }),
      )
      .addEdge(START, "letters")
      .addBranch("letters", ["loud", END], (text) => {
        seen.push(text);
        return "loud";
      })
      .addEdge("loud", END)
      .compile({ triggerMode });
    const chunks: string[] = [];
    for await (const chunk of graph.stream("abc")) chunks.push(chunk);
    expect(seen).toEqual(["abc"]);
    expect(chunks).toEqual(["A", "B", "C"]);
  });
});

it("blames, of several branches that are asked at a time, the one that fails", async () => {
  for (const bad of ["a", "b"]) {
    const graph = new Graph<string, string>()
      .addNode("a", add("a"))
      .addNode("b", add("b"))
      .addNode("c", add("c"))
      .addEdge(START, "a")
      .addEdge(START, "b")
      .addBranch("a", ["c", END], async () => (bad === "a" ? Promise.reject(new Error("undecided")) : "c"))
      .addBranch("b", ["c", END], async () => (bad === "b" ? Promise.reject(new Error("undecided")) : "c"))
      .addEdge("c", END)
      .compile();
    expect((await errorOf(graph.invoke("-"))).nodePath).toEqual([bad]);
    expect((await errorOf(graph.stream("-").concat())).nodePath).toEqual([bad]);
  }
});
