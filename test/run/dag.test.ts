import { END, findCause, Graph, START } from "kumiko";
import { recordingHandler } from "kumiko/testing";
import { describe, expect, it } from "vitest";
import { forever, gate, turns } from "./gate.js";
import { errorOf, rejectedBy } from "./rejected-by.js";

const dag = { triggerMode: "allPredecessor" } as const;
type Texts = Readonly<Record<string, string>>;

const add =
  (text: string, log: string[] = []) =>
  (input: string): string => {
    log.push(`${text}(${input})`);
    return input + text;
  };

/** s —branch→ {p | q}; p→j, q→j; j→END */
const forked = (choice: ("p" | "q")[], log: string[] = []) =>
  new Graph<string, unknown>()
    .addNode("s", add("s", log))
    .addNode("p", add("p", log), { outputKey: "p" })
    .addNode("q", add("q", log), { outputKey: "q" })
    .addNode("j", (parts: Texts) => {
      log.push(`j(${Object.keys(parts)})`);
      return parts;
    })
    .addEdge(START, "s")
    .addBranch("s", ["p", "q"], () => choice)
    .addEdge("p", "j")
    .addEdge("q", "j")
    .addEdge("j", END)
    .compile(dag);

describe("A graph of dependencies", () => {
  it("runs a node behind arms of uneven length once, with both", async () => {
    const log: string[] = [];
    const graph = new Graph<string, unknown>()
      .addNode("a", add("a", log), { outputKey: "a" })
      .addNode("b", add("b", log))
      .addNode("x", add("x", log), { outputKey: "x" })
      .addNode("c", (parts: Texts) => {
        log.push(`c(${Object.keys(parts)})`);
        return parts;
      })
      .addEdge(START, "a")
      .addEdge("a", "c")
      .addEdge(START, "b")
      .addEdge("b", "x")
      .addEdge("x", "c")
      .addEdge("c", END)
      .compile(dag);
    expect(await graph.invoke("-")).toEqual({ a: "-a", x: "-bx" });
    expect(log).toEqual(["a(-)", "b(-)", "x(-b)", "c(a,x)"]);
  });

  it("starts a node as soon as all before it are done, and does not wait for others", async () => {
    const log: string[] = [];
    const slow = gate();
    const run = new Graph<string, unknown>()
      .addNode("slow", (text: string) => slow.promise.then(() => `${text}slow`), { outputKey: "slow" })
      .addNode("fast", async (text: string) => `${text}fast`)
      .addNode("next", add("next", log), { outputKey: "next" })
      .addEdge(START, "slow")
      .addEdge(START, "fast")
      .addEdge("fast", "next")
      .addEdge("slow", END)
      .addEdge("next", END)
      .compile(dag)
      .invoke("-");
    await turns();
    expect(log).toEqual(["next(-fast)"]);
    slow.open();
    expect(await run).toEqual({ slow: "-slow", next: "-fastnext" });
  });

  it("joins in order of declaration, whatever finishes first", async () => {
    const first = gate<string>();
    const run = new Graph<string, unknown>()
      .addNode("a", () => first.promise, { outputKey: "a" })
      .addNode("b", async () => "b", { outputKey: "b" })
      .addEdge(START, "b")
      .addEdge(START, "a")
      .addEdge("b", END)
      .addEdge("a", END)
      .compile(dag)
      .invoke("");
    await turns();
    first.open("a");
    expect(JSON.stringify(await run)).toBe('{"a":"a","b":"b"}');
  });

  it("returns when END is reached, without waiting for what still runs", async () => {
    const graph = new Graph<string, string>()
      .addNode("deaf", forever)
      .addNode("fast", async (text: string) => text)
      .addNode("behind", (text: string) => text)
      .addEdge(START, "deaf")
      .addEdge(START, "fast")
      .addEdge("fast", END)
      .addEdge("deaf", "behind")
      .compile(dag);
    expect(await graph.invoke("done")).toBe("done");
  });

  it("stops what still runs when END is reached", async () => {
    let signal: AbortSignal | undefined;
    const recorder = recordingHandler();
    const graph = new Graph<string, string>()
      .addNode("deaf", (_: string, ctx) => {
        signal = ctx.signal;
        return forever();
      })
      .addNode("fast", async (text: string) => text)
      .addEdge(START, "deaf")
      .addEdge(START, "fast")
      .addEdge("fast", END)
      .compile(dag);
    await graph.invoke("done", { callbacks: [recorder] });
    expect(signal?.reason).toMatchObject({
      name: "AbortError",
      message: "Stopped, because the run has its result.",
    });
    expect(recorder.names()).toEqual([
      "onStart ",
      "onStart deaf",
      "onStart fast",
      "onEnd fast",
      "onError deaf",
      "onEnd ",
    ]);
  });

  it("runs nothing behind a node that finishes after END was reached", async () => {
    const log: string[] = [];
    const slow = gate<string>();
    const graph = new Graph<string, string>()
      .addNode("slow", () => slow.promise)
      .addNode("behind", add("behind", log))
      .addNode("fast", async (text: string) => text)
      .addEdge(START, "slow")
      .addEdge("slow", "behind")
      .addEdge(START, "fast")
      .addEdge("fast", END)
      .compile(dag);
    await graph.invoke("done");
    slow.open("late");
    await turns();
    expect(log).toEqual([]);
  });

  it("runs fifty thousand synchronous nodes in a line without overflowing the stack", async () => {
    const graph = new Graph<number, number>().untyped();
    let last = "n0";
    graph.addNode(last, (count: number) => count + 1);
    graph.addEdge(START, last);
    for (let n = 1; n < 50_000; n++) {
      const next = `n${n}`;
      graph.addNode(next, (count: number) => count + 1);
      graph.addEdge(last, next);
      last = next;
    }
    expect(await graph.addEdge(last, END).compile(dag).invoke(0)).toBe(50_000);
  });
});

describe("A node in a graph of dependencies is skipped", () => {
  it("when its only source did not choose it, and the next one runs on what is left", async () => {
    const log: string[] = [];
    expect(await forked(["p"], log).invoke("-")).toEqual({ p: "-sp" });
    expect(log).toEqual(["s(-)", "p(-s)", "j(p)"]);
  });

  it("but not when all were chosen", async () => {
    expect(await forked(["q", "p"]).invoke("-")).toEqual({ p: "-sp", q: "-sq" });
  });

  it("as are all behind it, so that nothing is left when nothing was chosen", async () => {
    const log: string[] = [];
    const error = await errorOf(forked([], log).invoke("-"));
    expect(error.code).toBe("NO_NEXT_NODE");
    expect(error.message).toContain('last completed nodes: "s"');
    expect(log).toEqual(["s(-)"]);
  });

  it("in runs on streams as well", async () => {
    expect(await forked(["p"]).stream("-").concat()).toEqual({ p: "-sp" });
    expect((await errorOf(forked([]).stream("-").concat())).code).toBe("NO_NEXT_NODE");
  });

  it("through long lines of skipped nodes", async () => {
    const graph = new Graph<number, unknown>().untyped();
    graph.addNode("chosen", (count: number) => count);
    let last = "n0";
    graph.addNode(last, (count: number) => count);
    graph.addBranch(START, ["chosen", last], () => "chosen");
    for (let n = 1; n < 20_000; n++) {
      const next = `n${n}`;
      graph.addNode(next, (count: number) => count);
      graph.addEdge(last, next);
      last = next;
    }
    graph.addNode("join", (only: number) => only);
    graph.addEdge("chosen", "join").addEdge(last, "join").addEdge("join", END);
    expect(await graph.compile(dag).invoke(7)).toBe(7);
  });

  it("unless another branch of the same source chose it", async () => {
    const log: string[] = [];
    const graph = new Graph<string, unknown>()
      .addNode("a", add("a", log))
      .addNode("b", add("b", log), { outputKey: "b" })
      .addNode("c", add("c", log), { outputKey: "c" })
      .addEdge(START, "a")
      .addBranch("a", ["b", "c"], () => "b")
      .addBranch("a", ["b", "c"], () => "c")
      .addEdge("b", END)
      .addEdge("c", END)
      .compile(dag);
    expect(await graph.invoke("-")).toEqual({ b: "-ab", c: "-ac" });
  });

  it("unless there is an ordinary edge from that source too, which brings the output once", async () => {
    const log: string[] = [];
    const graph = new Graph<string, string>()
      .addNode("a", add("a", log))
      .addNode("b", add("b", log))
      .addEdge(START, "a")
      .addEdge("a", "b")
      .addBranch("a", ["b", END], () => [])
      .addEdge("b", END)
      .compile(dag);
    expect(await graph.invoke("-")).toBe("-ab");
    expect(log).toEqual(["a(-)", "b(-a)"]);
  });

  it("unless an ordinary edge from elsewhere brings something", async () => {
    const graph = new Graph<string, string>()
      .addNode("a", add("a"))
      .addNode("x", add("x"))
      .addNode("b", add("b"))
      .addEdge(START, "a")
      .addEdge(START, "x")
      .addEdge("x", "b")
      .addBranch("a", ["b", END], () => [])
      .addEdge("b", END)
      .compile(dag);
    expect(await graph.invoke("-")).toBe("-xb");
  });
});

describe("A graph of dependencies that is stopped", () => {
  const waiting = (log: string[], slow: Promise<string>) =>
    new Graph<string, string>()
      .addNode("slow", () => slow)
      .addNode("behind", add("behind", log))
      .addEdge(START, "slow")
      .addEdge("slow", "behind")
      .addEdge("behind", END)
      .compile(dag);

  it.each([["invoke"], ["stream"]])("starts nothing any more (%s)", async (mode) => {
    const log: string[] = [];
    const slow = gate<string>();
    const controller = new AbortController();
    const graph = waiting(log, slow.promise);
    const options = { signal: controller.signal };
    const run = mode === "invoke" ? graph.invoke("", options) : graph.stream("", options).concat();
    await turns();
    controller.abort(new Error("stop"));
    expect(await rejectedBy(run)).toMatchObject({ message: "stop" });
    slow.open("late");
    await turns();
    expect(log).toEqual([]);
  });

  it("by one of its own nodes starts nothing any more", async () => {
    const log: string[] = [];
    const controller = new AbortController();
    const graph = new Graph<string, string>()
      .addNode("stops", () => controller.abort(new Error("stop")), { outputKey: "stops" })
      .addNode("next", add("next", log), { outputKey: "next" })
      .addNode("join", (_both: { stops: unknown; next: string }) => "joined")
      .addEdge(START, "stops")
      .addEdge(START, "next")
      .addEdge("stops", "join")
      .addEdge("next", "join")
      .addEdge("join", END)
      .compile(dag);
    expect(await rejectedBy(graph.invoke("", { signal: controller.signal }))).toMatchObject({ message: "stop" });
    expect(log).toEqual([]);
  });

  it("fails at the first failure, and aborts the signals of the others", async () => {
    let signal: AbortSignal | undefined;
    const failure = new RangeError("too far");
    const graph = new Graph<string, unknown>()
      .addNode(
        "deaf",
        (_: string, ctx) => {
          signal = ctx.signal;
          return forever();
        },
        { outputKey: "deaf" },
      )
      .addNode("fails", () => Promise.reject(failure), { outputKey: "fails" })
      .addEdge(START, "deaf")
      .addEdge(START, "fails")
      .addEdge("deaf", END)
      .addEdge("fails", END)
      .compile(dag);
    const error = await errorOf(graph.invoke(""));
    expect(error.nodePath).toEqual(["fails"]);
    expect(findCause(error, RangeError)).toBe(failure);
    expect(signal?.aborted).toBe(true);
  });
});
