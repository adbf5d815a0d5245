import { Chain, END, Graph, START } from "kumiko";
import { recordingHandler } from "kumiko/testing";
import { describe, expect, it } from "vitest";
import { forever, gate, turns } from "./gate.js";
import { errorOf, rejectedBy } from "./rejected-by.js";

async function* letters(text: string): AsyncGenerator<string, void> {
  yield* text;
}

const inner = () => new Graph<string, string>().addNode("in", letters).addEdge(START, "in").addEdge("in", END);

describe("A graph in a graph", () => {
  it("is one segment of the address, as a builder, compiled, or a chain", async () => {
    const outer = new Graph<string, unknown>()
      .addNode("builder", inner(), { outputKey: "builder" })
      .addNode("compiled", inner().compile({ name: "a name of its own" }), { outputKey: "compiled" })
      .addNode("chain", new Chain<string>().append(letters, { key: "in" }), { outputKey: "chain" })
      .addEdge(START, "builder")
      .addEdge(START, "compiled")
      .addEdge(START, "chain")
      .addEdge("builder", END)
      .addEdge("compiled", END)
      .addEdge("chain", END)
      .compile({ name: "outer" });
    const recorder = recordingHandler();
    expect(await outer.invoke("a", { callbacks: [recorder] })).toEqual({ builder: "a", compiled: "a", chain: "a" });
    const infos = recorder.events.filter(({ timing }) => timing === "onStart").map(({ info }) => info);
    expect(infos.map(({ address, name, component }) => [address, name, component])).toEqual([
      ["runnable:outer", "outer", "graph"],
      ["runnable:outer;node:builder", "builder", "graph"],
      ["runnable:outer;node:builder;node:in", "in", "lambda"],
      ["runnable:outer;node:compiled", "compiled", "graph"],
      ["runnable:outer;node:compiled;node:in", "in", "lambda"],
      ["runnable:outer;node:chain", "chain", "chain"],
      ["runnable:outer;node:chain;node:in", "in", "lambda"],
    ]);
  });

  it("streams through", async () => {
    const rest = gate();
    const slow = new Graph<string, string>()
      .addNode("in", async function* (text: string) {
        yield text;
        await rest.promise;
        yield "!";
      })
      .addEdge(START, "in")
      .addEdge("in", END);
    const outer = new Graph<string, string>()
      .addNode("n", new Graph<string, string>().addNode("m", slow).addEdge(START, "m").addEdge("m", END))
      .addEdge(START, "n")
      .addEdge("n", END)
      .compile();
    const stream = outer.stream("a");
    expect((await stream.next()).value).toBe("a");
    rest.open();
    expect((await stream.next()).value).toBe("!");
    expect((await stream.next()).done).toBe(true);
  });

  it("has its own trigger mode", async () => {
    const ran: string[] = [];
    const note = (key: string) => (text: string) => {
      ran.push(key);
      return text;
    };
    const diamond = (triggerMode: "anyPredecessor" | "allPredecessor") =>
      new Graph<string, string>()
        .addNode("a", note("a"), { outputKey: "a" })
        .addNode("b", note("b"))
        .addNode("x", note("x"), { outputKey: "x" })
        .addNode("c", (parts: { a?: string; x?: string }) => {
          ran.push("c");
          return Object.keys(parts).join();
        })
        .addEdge(START, "a")
        .addBranch(START, ["b"], () => "b") // in a graph with a branch, uneven joins compile
        .addEdge("b", "x")
        .addEdge("a", "c")
        .addEdge("x", "c")
        .addEdge("c", END)
        .compile({ triggerMode });
    const outer = new Chain<string>()
      .appendParallel({ any: diamond("anyPredecessor"), all: diamond("allPredecessor") })
      .compile();
    expect(await outer.invoke("-")).toEqual({ any: "a", all: "a,x" });
    expect(await outer.stream("-").concat()).toEqual({ any: "a", all: "a,x" });
  });

  it("stops the rest of its own when it has its result, and nothing around it", async () => {
    const reasons: unknown[] = [];
    let outside: AbortSignal | undefined;
    const eager = new Graph<string, string>()
      .addNode("rest", (_: string, { signal }) => {
        signal.addEventListener("abort", () => reasons.push(signal.reason));
        return forever();
      })
      .addNode("fast", async (text: string) => text)
      .addEdge(START, "rest")
      .addEdge(START, "fast")
      .addEdge("fast", END)
      .compile({ triggerMode: "allPredecessor" });
    const recorder = recordingHandler();
    const outer = new Chain<string>()
      .append(eager, { key: "eager" })
      .append((text, { signal }) => {
        outside = signal;
        return text;
      })
      .compile();
    expect(await outer.invoke("done", { callbacks: [recorder] })).toBe("done");
    expect(reasons).toEqual([expect.objectContaining({ message: "Stopped, because the run has its result." })]);
    expect(outside?.aborted).toBe(false);
    expect(recorder.unfinished()).toEqual([]);
    expect(recorder.names("onError")).toEqual(["rest"]);
  });

  it("of dependencies stops its rest in a run on streams when the result was read", async () => {
    let signal: AbortSignal | undefined;
    const eager = new Graph<string, string>()
      .addNode("rest", (_: string, ctx) => {
        signal = ctx.signal;
        return forever();
      })
      .addNode("fast", letters)
      .addEdge(START, "rest")
      .addEdge(START, "fast")
      .addEdge("fast", END)
      .compile({ triggerMode: "allPredecessor" });
    const recorder = recordingHandler();
    const outer = new Chain<string>().append(eager).compile();
    expect(await outer.stream("done", { callbacks: [recorder] }).concat()).toBe("done");
    expect(signal?.aborted).toBe(true);
    expect(recorder.unfinished()).toEqual([]);
  });

  it("hears an abort while it streams, and while it waits", async () => {
    const stop = new Error("stop");
    for (const wait of ["before", "while"] as const) {
      const reasons: unknown[] = [];
      const controller = new AbortController();
      const waiting = new Graph<string, string>()
        .addNode("in", async function* (text: string, { signal }) {
          signal.addEventListener("abort", () => reasons.push(signal.reason));
          if (wait === "while") yield text;
          await forever();
        })
        .addEdge(START, "in")
        .addEdge("in", END);
      const stream = new Chain<string>().append(waiting).compile().stream("a", { signal: controller.signal });
      if (wait === "while") await stream.next();
      const rejection = rejectedBy(stream.next());
      await turns();
      controller.abort(stop);
      expect([await rejection, reasons]).toEqual([stop, [stop]]);
    }
  });

  it("may be the same compiled graph several times, side by side", async () => {
    const once = new Chain<string>()
      .withState(() => ({ runs: 0 }))
      .append(async (text, { state }) => {
        state.runs += 1;
        await turns();
        return `${text}${state.runs}`;
      })
      .compile();
    const outer = new Chain<string>().appendParallel({ a: once, b: once }).compile();
    expect(await outer.invoke("x")).toEqual({ a: "x1", b: "x1" });
  });

  it("keeps its errors apart from those of the outer graph", async () => {
    const outer = new Chain<string>()
      .append(
        new Graph<string, string>()
          .addNode("a", (text: string) => text)
          .addEdge(START, "a")
          .addBranch("a", ["a", END], () => []),
        { key: "n" },
      )
      .compile();
    for (const run of [outer.invoke(""), outer.stream("").concat()]) {
      const error = await errorOf(run);
      expect(error).toMatchObject({ code: "NO_NEXT_NODE", nodePath: ["n"] });
      expect(error.message).toContain('Node "n" has no tasks to execute');
    }
  });
});
