import { assistantMessage, consoleTracer, userMessage } from "kumiko";
import type { ComponentKind, ConsoleTracerOptions } from "kumiko/callbacks";
import { describe, expect, it } from "vitest";
import { ToldRun } from "./told-run.js";

/** A tracer that writes into a list, with a clock that the test moves. */
function trace(options: ConsoleTracerOptions = {}) {
  let now = 0;
  const written: string[] = [];
  const tracer = consoleTracer({ write: (text) => written.push(text), colors: false, clock: () => now, ...options });
  return {
    written,
    open: (name: string, parent?: ToldRun, component: ComponentKind = "lambda") =>
      new ToldRun(tracer, name, component, parent),
    at: (time: number) => {
      now = time;
    },
  };
}

function lines(...text: string[]): string {
  return text.join("\n");
}

describe("consoleTracer", () => {
  it("prints the tree of a run when the run ends, and nothing before", () => {
    const { written, open, at } = trace();
    const graph = open("react", undefined, "graph");
    graph.start([userMessage("Weather?")]);
    const model = open("model", graph, "model");
    model.start({ messages: [userMessage("Weather?")], options: {} });
    at(812.34);
    model.end({ message: assistantMessage("Sunny.") });
    at(812.5);
    const tools = open("tools", graph, "tools_node");
    tools.start(assistantMessage("Sunny."));
    const search = open("search", tools, "tool");
    search.start({ arguments: '{"q":"sun"}' });
    search.event({ kind: "progress", event: "half" });
    at(815);
    search.end({ result: "found" });
    tools.end([]);
    expect(written).toEqual([]);
    at(1_240);
    graph.end(assistantMessage("Sunny."));
    expect(written).toEqual([
      lines(
        '✓ react graph 1.24 s  user: "Weather?" → assistant: "Sunny."',
        '├─ ✓ model 812.3 ms  user: "Weather?" → assistant: "Sunny."',
        '└─ ✓ tools tools_node 2.50 ms  assistant: "Sunny." → []',
        '   └─ ✓ search tool 2.50 ms  {"q":"sun"} → found',
        '      └─ · {"kind":"progress","event":"half"}',
      ),
    ]);
  });

  it("keeps parallel runs apart, in the order in which they started", () => {
    const { written, open, at } = trace();
    const tools = open("tools", undefined, "tools_node");
    tools.start(undefined);
    const [slow, quick] = ["slow", "quick"].map((name) => open(name, tools, "tool")) as [ToldRun, ToldRun];
    for (const watch of [slow, quick]) watch.start(undefined);
    const inner = open("inner", slow, "graph");
    inner.start(undefined);
    at(1);
    quick.end({ result: "q" });
    at(2);
    inner.end(undefined);
    slow.end({ result: "s" });
    tools.end(undefined);
    expect(written).toEqual([
      lines(
        "✓ tools tools_node 2.00 ms",
        "├─ ✓ slow tool 2.00 ms  → s",
        "│  └─ ✓ inner graph 2.00 ms",
        "└─ ✓ quick tool 1.00 ms  → q",
      ),
    ]);
  });

  it("prints each root on its own when several run at the same time", () => {
    const { written, open } = trace();
    const [a, b] = ["a", "b"].map((name) => open(name, undefined, "graph")) as [ToldRun, ToldRun];
    for (const root of [a, b]) root.start(undefined);
    for (const root of [b, a]) {
      const node = open(`in ${root.info.name}`, root);
      node.start(1);
      node.end(2);
    }
    b.end(undefined);
    a.end(undefined);
    expect(written).toEqual([
      lines("✓ b graph 0.00 ms", "└─ ✓ in b lambda 0.00 ms  1 → 2"),
      lines("✓ a graph 0.00 ms", "└─ ✓ in a lambda 0.00 ms  1 → 2"),
    ]);
  });

  it("marks errors and interrupts, and tells an error only where it happened", () => {
    const { written, open } = trace();
    const graph = open("agent", undefined, "graph");
    graph.start(0);
    const node = open("node", graph);
    node.start(1);
    const failure = new TypeError("no such city");
    node.error(failure);
    const asking = open("ask", graph);
    asking.start(2);
    asking.interrupt(new Error("waits for an answer"));
    graph.error(new Error('Node "node" failed: no such city', { cause: failure }));
    expect(written).toEqual([
      lines(
        "✗ agent graph 0.00 ms  0",
        "├─ ✗ node lambda 0.00 ms  1 TypeError: no such city",
        "└─ ⏸ ask lambda 0.00 ms  2 Error: waits for an answer",
      ),
    ]);
  });

  it("tells an error of the run itself", () => {
    const { written, open } = trace();
    const graph = open("agent", undefined, "graph");
    graph.start(0);
    graph.error("stopped");
    expect(written).toEqual(['✗ agent graph 0.00 ms  0 "stopped"']);
  });

  it("says what is still running, and prints it on its own when it ends", () => {
    const { written, open, at } = trace();
    const graph = open("agent", undefined, "graph");
    graph.start(0);
    const slow = open("slow", graph);
    slow.start(0);
    const inner = open("inner", slow);
    inner.start(0);
    at(5);
    graph.end(1);
    at(7);
    inner.end(2);
    at(8);
    slow.end(3);
    expect(written).toEqual([
      lines(
        "✓ agent graph 5.00 ms  0 → 1",
        "└─ … slow lambda still running  0",
        "   └─ … inner lambda still running  0",
      ),
      lines("(late, inside agent) ✓ slow lambda 8.00 ms  0 → 3", "└─ ✓ inner lambda 7.00 ms  0 → 2"),
    ]);
  });

  it("prints a run that starts late on its own", () => {
    const { written, open } = trace();
    const graph = open("", undefined, "graph");
    graph.start(0);
    graph.end(1);
    const late = open("late", graph);
    late.start(2);
    late.end(3);
    expect(written[1]).toBe("(late, inside graph) ✓ late lambda 0.00 ms  2 → 3");
  });

  it("names a run by its kind when it has no name, and shows the type", () => {
    const { written, open } = trace();
    const graph = open("", undefined, "graph");
    graph.start(undefined);
    graph.end(undefined);
    expect(written).toEqual(["✓ graph 0.00 ms"]);
  });

  it.each([
    [0.4, "0.40 ms"],
    [12.34, "12.3 ms"],
    [999.94, "999.9 ms"],
    [1_500, "1.50 s"],
    [125_000, "2 min 05 s"],
  ])("shows %d milliseconds as %s", (duration, expected) => {
    const { written, open, at } = trace();
    const graph = open("", undefined, "graph");
    graph.start(undefined);
    at(duration);
    graph.end(undefined);
    expect(written).toEqual([`✓ graph ${expected}`]);
  });

  it("shortens values, errors less than others", () => {
    const { written, open } = trace({ maxLength: 10 });
    const node = open("node");
    node.start("x".repeat(1_000));
    node.error(new Error("y".repeat(1_000)));
    expect(written).toEqual([`✗ node lambda 0.00 ms  "xxxxxxxx… Error: ${"y".repeat(32)}…`]);
  });

  it("prints no control characters that came from a model", () => {
    const { written, open } = trace();
    const tool = open("evil\u001b[2J\nname", undefined, "tool");
    tool.start({ arguments: "{\u001b[31m}" });
    tool.end({ result: "a\nb" });
    expect(written).toEqual(["✓ evil [2J name tool 0.00 ms  { [31m} → a b"]);
  });

  it("uses colors when asked", () => {
    const { written, open } = trace({ colors: true });
    const node = open("node");
    node.start(1);
    node.error("broken");
    expect(written[0]).toContain("\u001b[31m✗\u001b[39m");
    expect(written[0]).toContain("\u001b[1mnode\u001b[22m");
  });
});
