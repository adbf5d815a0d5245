import { RunEmitter, type RunInfo, StreamReader } from "kumiko";
import type { ComponentKind } from "kumiko/callbacks";
import { describe, expect, it } from "vitest";
import { open, watchersOf } from "./listener.js";

describe("RunEmitter", () => {
  it("emits start, end, error, interrupt and event under the name of the component", () => {
    const emitter = new RunEmitter();
    const heard: unknown[] = [];
    for (const moment of ["start", "end", "error", "interrupt", "event"] as const) {
      emitter.on(`tool:${moment}`, (...[info, value]: readonly [RunInfo, ...unknown[]]) => {
        heard.push([moment, info.name, value]);
      });
    }
    const watchers = watchersOf([emitter]);
    const endings = ["end", "error", "interrupt"] as const;
    for (const ending of endings) {
      const watch = open("search", watchers, undefined, "tool");
      watch.start({ arguments: "{}" });
      watch.event({ kind: "progress" });
      watch[ending](ending);
    }
    expect(heard).toEqual(
      endings.flatMap((ending) => [
        ["start", "search", { arguments: "{}" }],
        ["event", "search", { kind: "progress" }],
        [ending, "search", ending],
      ]),
    );
  });

  it("emits nothing to listeners of other components", () => {
    const emitter = new RunEmitter();
    const heard: ComponentKind[] = [];
    emitter.on("model:start", (info) => heard.push(info.component));
    emitter.on("graph:start", (info) => heard.push(info.component));
    open("graph", watchersOf([emitter]), undefined, "graph").start(1);
    expect(heard).toEqual(["graph"]);
  });

  it("gives streamed outputs joined, at their end", async () => {
    const emitter = new RunEmitter();
    const heard: unknown[] = [];
    emitter.on("tool:end", (_info, { result }) => heard.push(result));
    const watch = open("tail", watchersOf([emitter]), undefined, "tool");
    watch.start({ arguments: "{}" });
    const output = watch.outputStream(StreamReader.from(["to ", "be"]), (chunk) => ({ result: chunk }));
    await output.next();
    expect(heard).toEqual([]);
    await output.concat();
    expect(heard).toEqual(["to be"]);
  });

  it("keeps the spans that startSpan makes: a start is given the parent's, the rest its own", () => {
    const emitter = new RunEmitter<string>({ startSpan: (info, _value, parent) => `${parent ?? ""}/${info.name}` });
    const heard: unknown[] = [];
    emitter.on("graph:start", (_info, _value, span) => heard.push(span));
    emitter.on("lambda:start", (_info, _value, span) => heard.push(span));
    emitter.on("lambda:end", (_info, _value, span) => heard.push(span));
    const graph = open("graph", watchersOf([emitter]), undefined, "graph");
    graph.start(1);
    const node = open("node", graph.handlers, graph);
    node.start(2);
    node.end(3);
    expect(heard).toEqual([undefined, "/graph", "/graph/node"]);
  });

  it("reports a listener that throws and goes on", () => {
    const emitter = new RunEmitter();
    const reports: unknown[] = [];
    const failure = new Error("listener");
    emitter.on("tool:start", () => {
      throw failure;
    });
    const watch = open(
      "search",
      watchersOf([emitter], (error, timing) => reports.push([error, timing])),
      undefined,
      "tool",
    );
    watch.start({ arguments: "{}" });
    expect(reports).toEqual([[failure, "onStart"]]);
    expect(watch.closed).toBe(false);
  });
});
