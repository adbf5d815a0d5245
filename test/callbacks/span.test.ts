import type { Handler } from "kumiko";
import { describe, expect, it } from "vitest";
import { type Heard, listener, open, watchersOf } from "./listener.js";

describe("timings", () => {
  it("calls onStart with the input and onEnd with the output", () => {
    const heard: Heard = [];
    const watch = open("add", watchersOf([listener("a", heard)]));
    watch.start(1);
    watch.end(2);
    expect(heard).toEqual(["a start add 1", "a end add 2 (a:add)"]);
  });

  it("calls onError with the very error", () => {
    const errors: unknown[] = [];
    const failure = new Error("broken");
    const watch = open("add", watchersOf([{ onError: (_info, error) => errors.push(error) }]));
    watch.start(1);
    watch.error(failure);
    expect(errors).toEqual([failure]);
    expect(errors[0]).toBe(failure);
  });

  it("calls onInterrupt and neither onEnd nor onError when a run stops to wait", () => {
    const heard: Heard = [];
    const watch = open("ask", watchersOf([listener("a", heard)]));
    watch.start(1);
    watch.interrupt({ id: "1" });
    expect(heard).toEqual(["a start ask 1", 'a interrupt ask {"id":"1"} (a:ask)']);
  });

  it("calls onEvent in between and also after the end", () => {
    const heard: Heard = [];
    const watch = open("add", watchersOf([listener("a", heard)]));
    watch.start(1);
    watch.event({ kind: "progress" });
    watch.end(2);
    watch.event({ kind: "late_result" });
    expect(heard).toEqual([
      "a start add 1",
      'a event add {"kind":"progress"} (a:add)',
      "a end add 2 (a:add)",
      'a event add {"kind":"late_result"} (a:add)',
    ]);
  });

  it("calls the handlers in list order at every timing", () => {
    const heard: Heard = [];
    const watch = open("add", watchersOf([listener("a", heard), listener("b", heard), listener("c", heard)]));
    watch.start(1);
    watch.event("e");
    watch.end(2);
    expect(heard.map((line) => line.split(" ").slice(0, 2).join(" "))).toEqual([
      ...["a start", "b start", "c start"],
      ...["a event", "b event", "c event"],
      ...["a end", "b end", "c end"],
    ]);
  });

  it("calls a handler as a method, so that a class can be one", () => {
    class Counter {
      starts = 0;
      ends = 0;
      onStart(): void {
        this.starts += 1;
      }
      onEnd(): void {
        this.ends += 1;
      }
    }
    const counters = [new Counter(), new Counter()];
    const watch = open("add", watchersOf(counters));
    watch.start(1);
    watch.end(2);
    expect(counters).toMatchObject([
      { starts: 1, ends: 1 },
      { starts: 1, ends: 1 },
    ]);
  });

  it("skips the timings that a handler does not have", () => {
    const heard: Heard = [];
    const { onError } = listener("b", heard);
    const watch = open("add", watchersOf([{}, onError === undefined ? {} : { onError }]));
    watch.start(1);
    watch.event("e");
    watch.error(new Error("broken"));
    expect(heard).toEqual(["b error add broken"]);
  });
});

describe("the end", () => {
  it("comes once: the first of end, error and interrupt counts", () => {
    const heard: Heard = [];
    const watch = open("add", watchersOf([listener("a", heard)]));
    watch.start(1);
    expect(watch.closed).toBe(false);
    watch.error(new Error("first"));
    expect(watch.closed).toBe(true);
    watch.end(2);
    watch.interrupt(3);
    watch.error(new Error("second"));
    watch.abort(new Error("third"));
    expect(heard).toEqual(["a start add 1", "a error add first (a:add)"]);
  });

  it("is silent for a run that never started", () => {
    const heard: Heard = [];
    const watch = open("add", watchersOf([listener("a", heard)]));
    watch.event("early");
    watch.error(new Error("broken"));
    watch.start(1);
    watch.event("late");
    watch.end(2);
    expect(heard).toEqual([]);
  });

  it("comes once even if a handler ends the run again", () => {
    const heard: Heard = [];
    const again: Handler = { onEnd: () => watch.error(new Error("again")) };
    const watch = open("add", watchersOf([again, listener("a", heard)]));
    watch.start(1);
    watch.end(2);
    expect(heard).toEqual(["a start add 1", "a end add 2 (a:add)"]);
  });
});

describe("spans", () => {
  it("gives a start the span of the parent run, and later timings the run's own", () => {
    const heard: Heard = [];
    const watchers = watchersOf([listener("a", heard), listener("b", heard)]);
    const graph = open("graph", watchers);
    graph.start(0);
    const node = open("node", watchers, graph);
    node.start(1);
    node.end(2);
    graph.end(3);
    expect(heard).toEqual([
      ...["a start graph 0", "b start graph 0"],
      ...["a start node 1 (a:graph)", "b start node 1 (b:graph)"],
      ...["a end node 2 (a:node)", "b end node 2 (b:node)"],
      ...["a end graph 3 (a:graph)", "b end graph 3 (b:graph)"],
    ]);
  });

  it.each([
    ["one handler", 1],
    ["several handlers", 2],
  ])("gives no parent span to handlers that only an inner run has, beside %s", (_title, outer) => {
    const heard: Heard = [];
    const all = ["a", "b", "c"].map((name) => listener(name, heard));
    const watchers = watchersOf(all.slice(0, outer));
    const graph = open("graph", watchers);
    graph.start(0);
    heard.length = 0;
    open("node", watchers.with(all.slice(outer)), graph).start(1);
    expect(heard).toEqual(
      ["a", "b", "c"].map((name, index) => `${name} start node 1${index < outer ? ` (${name}:graph)` : ""}`),
    );
  });

  it("gives the spans of the parent also when the parent has ended", () => {
    const heard: Heard = [];
    const watchers = watchersOf([listener("a", heard)]);
    const graph = open("graph", watchers);
    graph.start(0);
    graph.end(1);
    open("late", watchers, graph).start(2);
    expect(heard.at(-1)).toBe("a start late 2 (a:graph)");
  });

  it("keeps a promise as the span itself", async () => {
    const spans: unknown[] = [];
    const watch = open(
      "add",
      watchersOf([{ onStart: async () => "span", onEnd: (_info, _value, span) => spans.push(span) }]),
    );
    watch.start(1);
    watch.end(2);
    expect(spans[0]).toBeInstanceOf(Promise);
    expect(await spans[0]).toBe("span");
  });

  it("has no span for a handler without a start timing", () => {
    const spans: unknown[] = [];
    const outer = open("graph", watchersOf([{ onEnd: (_info, _value, span) => spans.push(span) }]));
    outer.start(0);
    const inner = open("node", outer.handlers, outer);
    inner.start(1);
    inner.end(2);
    outer.end(3);
    expect(spans).toEqual([undefined, undefined]);
  });
});

describe("runs inside a run", () => {
  it("are aborted when it fails, the innermost first, with the same error", () => {
    const heard: Heard = [];
    const watchers = watchersOf([listener("a", heard)]);
    const graph = open("graph", watchers);
    const first = open("first", watchers, graph);
    const second = open("second", watchers, graph);
    const inner = open("inner", watchers, first);
    for (const watch of [graph, first, second, inner]) watch.start(0);
    heard.length = 0;
    graph.error(new Error("broken"));
    inner.end(1);
    second.end(2);
    expect(heard).toEqual([
      "a error inner broken (a:inner)",
      "a error first broken (a:first)",
      "a error second broken (a:second)",
      "a error graph broken (a:graph)",
    ]);
  });

  it("are left out of it when they have ended before", () => {
    const heard: Heard = [];
    const watchers = watchersOf([listener("a", heard)]);
    const graph = open("graph", watchers);
    graph.start(0);
    const children = ["one", "two", "three", "four"].map((name) => open(name, watchers, graph));
    for (const child of children) child.start(0);
    for (const index of [1, 3, 0]) children[index]?.end(1);
    heard.length = 0;
    graph.abort(new Error("stop"));
    expect(heard).toEqual(["a error three stop (a:three)", "a error graph stop (a:graph)"]);
  });

  it("can be aborted while it goes on itself", () => {
    const heard: Heard = [];
    const watchers = watchersOf([listener("a", heard)]);
    const graph = open("graph", watchers);
    const node = open("node", watchers, graph);
    graph.start(0);
    node.start(1);
    graph.abortInside(new Error("sibling"));
    graph.end(2);
    expect(heard.slice(2)).toEqual(["a error node sibling (a:node)", "a end graph 2 (a:graph)"]);
  });

  it("stay open when it ends, and are then aborted with the run around it", () => {
    const heard: Heard = [];
    const watchers = watchersOf([listener("a", heard)]);
    const graph = open("graph", watchers);
    const node = open("node", watchers, graph);
    const detached = open("detached", watchers, node);
    for (const watch of [graph, node, detached]) watch.start(0);
    node.end(1);
    expect(detached.closed).toBe(false);
    graph.abort(new Error("stop"));
    expect(heard.slice(3)).toEqual([
      "a end node 1 (a:node)",
      "a error detached stop (a:detached)",
      "a error graph stop (a:graph)",
    ]);
  });

  it("end by themselves when nothing is left around them", () => {
    const heard: Heard = [];
    const watchers = watchersOf([listener("a", heard)]);
    const graph = open("graph", watchers);
    const detached = ["x", "y"].map((name) => open(name, watchers, graph));
    for (const watch of [graph, ...detached]) watch.start(0);
    graph.end(1);
    for (const watch of detached) watch.end(2);
    expect(heard.slice(3)).toEqual(["a end graph 1 (a:graph)", "a end x 2 (a:x)", "a end y 2 (a:y)"]);
  });

  it("stand alone when they start after its end", () => {
    const heard: Heard = [];
    const watchers = watchersOf([listener("a", heard)]);
    const graph = open("graph", watchers);
    graph.start(0);
    graph.error(new Error("broken"));
    const late = open("late", watchers, graph);
    late.start(1);
    graph.abort(new Error("again"));
    late.end(2);
    expect(heard.at(-1)).toBe("a end late 2 (a:late)");
  });

  it("do not keep a run from closing that was opened and never started", () => {
    const heard: Heard = [];
    const watchers = watchersOf([listener("a", heard)]);
    const graph = open("graph", watchers);
    graph.start(0);
    const waiting = open("waiting", watchers, graph);
    graph.error(new Error("broken"));
    expect(waiting.closed).toBe(true);
    expect(heard).toEqual(["a start graph 0", "a error graph broken (a:graph)"]);
  });
});
