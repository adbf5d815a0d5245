import { StreamReader, traceRecorder } from "kumiko";
import type { TraceRecorder } from "kumiko/callbacks";
import { describe, expect, it } from "vitest";
import { open, place, watchersOf } from "./listener.js";

/** A recorder whose clock the test moves. */
function record(): { trace: TraceRecorder; at: (time: number) => void } {
  let now = 0;
  return {
    trace: traceRecorder({ clock: () => now }),
    at: (time) => {
      now = time;
    },
  };
}

describe("traceRecorder", () => {
  it("gives a tree of finished runs with inputs, outputs and times", () => {
    const { trace, at } = record();
    const watchers = watchersOf([trace]);
    at(1_000);
    const graph = open("agent", watchers, undefined, "graph");
    graph.start("in");
    at(1_010);
    const node = open("double", watchers, graph);
    node.start(1);
    at(1_030);
    node.end(2);
    at(1_050);
    graph.end("out");
    const common = { id: expect.any(String), type: "", address: place.address };
    expect(trace.toJSON().runs).toEqual([
      {
        ...{ ...common, name: "agent", component: "graph", startedAt: 1_000, durationMs: 50 },
        ...{ input: "in", output: "out" },
        children: [
          {
            ...{ ...common, name: "double", component: "lambda", startedAt: 1_010, durationMs: 20 },
            ...{ input: 1, output: 2, children: [] },
          },
        ],
      },
    ]);
    expect(JSON.parse(JSON.stringify(trace))).toEqual(trace.toJSON());
  });

  it("tells errors and interrupts apart, and says of an error what it was", () => {
    const { trace } = record();
    const watchers = watchersOf([trace]);
    const graph = open("agent", watchers, undefined, "graph");
    graph.start(0);
    const failing = open("failing", watchers, graph);
    failing.start(1);
    failing.error(new TypeError("wrong", { cause: new Error("deeper") }));
    const asking = open("asking", watchers, graph);
    asking.start(2);
    asking.interrupt({ interrupts: [{ id: "1" }] });
    const [root] = trace.toJSON().runs;
    const cause = { name: "Error", message: "deeper" };
    expect(root?.children[0]?.error).toEqual({ name: "TypeError", message: "wrong", cause });
    expect(root?.children[0]).not.toHaveProperty("output");
    expect(root?.children[1]?.interrupt).toEqual({ interrupts: [{ id: "1" }] });
    expect(root?.children[1]).not.toHaveProperty("error");
  });

  it("can be read while runs are open: they say so, and last until now", () => {
    const { trace, at } = record();
    const watchers = watchersOf([trace]);
    const graph = open("agent", watchers, undefined, "graph");
    graph.start(0);
    at(5);
    open("node", watchers, graph).start(1);
    at(12);
    expect(trace.toJSON().runs).toMatchObject([
      { durationMs: 12, running: true, children: [{ durationMs: 7, running: true }] },
    ]);
    graph.abort(new Error("stop"));
    expect(JSON.stringify(trace)).not.toContain("running");
  });

  it("keeps several roots apart that run at the same time", () => {
    const { trace } = record();
    const watchers = watchersOf([trace]);
    const [a, b] = ["a", "b"].map((name) => open(name, watchers, undefined, "graph"));
    a?.start(1);
    b?.start(2);
    for (const root of [b, a, b]) open(`inside ${root?.info.name}`, watchers, root).start(0);
    b?.end(2);
    a?.end(1);
    const names = trace.toJSON().runs.map(({ name, children }) => [name, ...children.map((child) => child.name)]);
    expect(names).toEqual([
      ["a", "inside a"],
      ["b", "inside b", "inside b"],
    ]);
  });

  it("puts a late run where it belongs", () => {
    const { trace, at } = record();
    const watchers = watchersOf([trace]);
    const graph = open("agent", watchers, undefined, "graph");
    graph.start(0);
    graph.end(1);
    at(9);
    const late = open("late", watchers, graph);
    late.start(2);
    late.end(3);
    expect(trace.toJSON().runs).toMatchObject([
      { durationMs: 0, children: [{ name: "late", startedAt: 9, output: 3 }] },
    ]);
  });

  it("records values as they were when they passed", () => {
    const { trace } = record();
    const watch = open("node", watchersOf([trace]));
    const list = [1];
    watch.start(list);
    list.push(2);
    watch.end(list);
    list.push(3);
    expect(trace.toJSON().runs).toMatchObject([{ input: [1], output: [1, 2] }]);
  });

  it("is JSON whatever the values are", () => {
    const { trace } = record();
    const cycle: Record<string, unknown> = { big: 1n };
    cycle.self = cycle;
    const watch = open("node", watchersOf([trace]));
    watch.start(cycle);
    watch.end(undefined);
    expect(JSON.parse(JSON.stringify(trace)).runs).toMatchObject([{ input: { big: "1", self: "[Circular]" } }]);
    expect(trace.toJSON().runs[0]).not.toHaveProperty("output");
  });

  it("holds streamed outputs joined", async () => {
    const { trace } = record();
    const watch = open("write", watchersOf([trace]));
    watch.start("in");
    await watch.outputStream(StreamReader.from(["to ", "be"])).concat();
    expect(trace.toJSON().runs).toMatchObject([{ output: "to be" }]);
  });

  it("forgets what was recorded", () => {
    const { trace } = record();
    const watch = open("node", watchersOf([trace]));
    watch.start(1);
    trace.clear();
    watch.end(2);
    expect(trace.toJSON()).toEqual({ version: 1, runs: [], graphs: {} });
  });

  it("measures wall-clock time by default", () => {
    const trace = traceRecorder();
    const before = performance.timeOrigin + performance.now();
    open("node", watchersOf([trace])).start(1);
    const [node] = trace.toJSON().runs;
    expect(node?.startedAt).toBeGreaterThanOrEqual(before);
    expect(node?.durationMs).toBeGreaterThanOrEqual(0);
  });
});
