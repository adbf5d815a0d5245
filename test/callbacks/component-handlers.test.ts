import { componentHandlers, StreamReader } from "kumiko";
import { describe, expect, it, vi } from "vitest";
import { open, watchersOf } from "./listener.js";

describe("a handler by component", () => {
  it("hears runs of its own kind only, with their values", () => {
    const heard: unknown[] = [];
    const handler = componentHandlers({
      tool: {
        onStart: (info, { arguments: text }) => heard.push([info.name, text]),
        onEnd: (info, { result }) => heard.push([info.name, result]),
        onError: (_info, error) => heard.push(error),
        onEvent: (_info, { kind }) => heard.push(kind),
      },
      model: { onInterrupt: (_info, interrupt) => heard.push(interrupt) },
    });
    const watchers = watchersOf([handler]);
    const graph = open("graph", watchers, undefined, "graph");
    graph.start(1);
    const tool = open("search", watchers, graph, "tool");
    tool.start({ arguments: "{}" });
    tool.event({ kind: "progress" });
    tool.end({ result: "found" });
    const failing = open("search", watchers, graph, "tool");
    failing.start({ arguments: "[]" });
    failing.error("broken");
    const model = open("model", watchers, graph, "model");
    model.start({ messages: [] });
    model.interrupt("waits");
    graph.end(2);
    expect(heard).toEqual([
      ...[["search", "{}"], "progress", ["search", "found"]],
      ...[["search", "[]"], "broken"],
      "waits",
    ]);
  });

  it("may be an object of a class", () => {
    class ToolCounter {
      calls = 0;
      onStart(): void {
        this.calls += 1;
      }
    }
    const counter = new ToolCounter();
    open("search", watchersOf([componentHandlers({ tool: counter })]), undefined, "tool").start({ arguments: "{}" });
    expect(counter.calls).toBe(1);
  });

  it("declares only timings which some set declares", () => {
    const handler = componentHandlers({
      tool: { onStart: () => {} },
      model: { onEndWithStreamOutput: () => {} },
      graph: undefined,
    });
    expect(Object.keys(handler).sort()).toEqual(["onEndWithStreamOutput", "onStart"]);
    expect(Object.keys(componentHandlers({}))).toEqual([]);
  });

  it("rejects with what a handler rejects with, so that it can be reported", async () => {
    const reports: unknown[] = [];
    const failure = new Error("handler");
    const handler = componentHandlers({ tool: { onEnd: async () => Promise.reject(failure) } });
    const tool = open(
      "search",
      watchersOf([handler], (error) => reports.push(error)),
      undefined,
      "tool",
    );
    tool.start({ arguments: "{}" });
    tool.end({ result: "" });
    await new Promise(setImmediate);
    expect(reports).toEqual([failure]);
  });
});

describe("spans by component", () => {
  it("pass through runs of kinds without handlers", () => {
    const heard: unknown[] = [];
    const handler = componentHandlers({
      graph: { onStart: () => "graph span" },
      tool: {
        onStart: (_info, _value, parentSpan) => {
          heard.push(parentSpan);
          return "tool span";
        },
        onEnd: (_info, _value, span) => heard.push(span),
      },
    });
    const watchers = watchersOf([handler]);
    const graph = open("graph", watchers, undefined, "graph");
    graph.start(1);
    const node = open("tools", watchers, graph, "tools_node");
    node.start({});
    const tool = open("search", watchers, node, "tool");
    tool.start({ arguments: "{}" });
    tool.end({ result: "" });
    expect(heard).toEqual(["graph span", "tool span"]);
  });

  it("are not those of an outer run where a kind has handlers, but none that starts one", () => {
    const heard: unknown[] = [];
    const handler = componentHandlers({
      graph: { onStart: () => "graph span" },
      tools_node: { onEnd: (_info, _value, span) => heard.push(span) },
      tool: { onStart: (_info, _value, parentSpan) => heard.push(parentSpan) },
    });
    const watchers = watchersOf([handler]);
    const graph = open("graph", watchers, undefined, "graph");
    graph.start(1);
    const node = open("tools", watchers, graph, "tools_node");
    node.start({});
    open("search", watchers, node, "tool").start({ arguments: "{}" });
    node.end([]);
    expect(heard).toEqual(["graph span", undefined]);
  });
});

describe("streams by component", () => {
  it("go to the kinds that take them, joined values to the others", async () => {
    const heard: unknown[] = [];
    const handler = componentHandlers({
      tool: { onEndWithStreamOutput: async (_info, stream) => void heard.push(["copy", await stream.concat()]) },
      model: { onEnd: (_info, { message }) => heard.push(["joined", message]) },
    });
    const watchers = watchersOf([handler]);
    const heardOf = { tool: "copy", model: "joined" };
    for (const component of ["tool", "model"] as const) {
      const watch = open(component, watchers, undefined, component);
      watch.start({});
      const key = component === "tool" ? "result" : "message";
      await watch.outputStream(StreamReader.from(["to ", "be"]), (chunk) => ({ [key]: chunk })).concat();
      await vi.waitFor(() => expect(heard).toContainEqual(expect.arrayContaining([heardOf[component]])));
    }
    expect(heard).toEqual([
      ["copy", { result: "to be" }],
      ["joined", "to be"],
    ]);
  });

  it("reach onStartWithStreamInput of the kinds that have it, and onStart of the others", async () => {
    const heard: unknown[] = [];
    const handler = componentHandlers({
      lambda: {
        onStartWithStreamInput: async (info, stream) => {
          heard.push([info.name, await stream.concat()]);
        },
      },
      graph: { onStart: (info, value) => heard.push([info.name, value]) },
    });
    const watchers = watchersOf([handler]);
    await open("graph", watchers, undefined, "graph")
      .inputStream(StreamReader.from(["a"]))
      .concat();
    await open("lambda", watchers)
      .inputStream(StreamReader.from(["a"]))
      .concat();
    await new Promise(setImmediate);
    expect(heard).toEqual([
      ["graph", undefined],
      ["lambda", "a"],
    ]);
  });
});

describe("wrong handlers", () => {
  it.each([
    ["a kind that does not exist", { tools: {} }, 'got handlers for "tools"', "tool, model, graph"],
    ["a function in place of handlers", { tool: () => {} }, 'for "tool"', "got a function"],
    ["null in place of handlers", { tool: null }, 'for "tool"', "got null"],
    ["a timing that is no function", { model: { onEnd: 1 } }, '"onEnd" of "model"', "got a number"],
  ])("are refused: %s", (_title, handlers, where, what) => {
    const make = (): unknown => componentHandlers(handlers as never);
    expect(make).toThrow(expect.objectContaining({ code: "INVALID_OPTION" }));
    expect(make).toThrow(where);
    expect(make).toThrow(what);
  });
});
