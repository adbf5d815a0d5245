import type { Handler } from "kumiko";
import type { HandlerTiming } from "kumiko/callbacks";
import { describe, expect, it } from "vitest";
import { type Heard, listener, open, watchersOf } from "./listener.js";

const timings = ["onStart", "onEnd", "onError", "onInterrupt", "onEvent"] as const;

/** A run in which every value timing fires, in three runs because a run has one end. */
function fireAll(handlers: readonly Handler[], reports: unknown[]): void {
  const watchers = watchersOf(handlers, (error, timing, info) => reports.push([error, timing, info.name]));
  for (const timing of ["onEnd", "onError", "onInterrupt"]) {
    const watch = open("add", watchers);
    watch.start(1);
    if (timing === "onEnd") watch.event("e");
    if (timing === "onEnd") watch.end(2);
    else if (timing === "onError") watch.error(3);
    else watch.interrupt(4);
  }
}

describe.each(timings)("%s", (timing: HandlerTiming) => {
  it("may throw: the listener is told, and the other handlers are called all the same", () => {
    const reports: unknown[] = [];
    const heard: Heard = [];
    const failure = new Error("handler");
    const broken: Handler = {
      [timing]: () => {
        throw failure;
      },
    };
    fireAll([broken, listener("b", heard)], reports);
    expect(reports).toEqual(Array(timing === "onStart" ? 3 : 1).fill([failure, timing, "add"]));
    expect(heard).toHaveLength(7);
  });

  it("may reject when it is the only handler: the listener is told, and nobody waits", async () => {
    const reports: unknown[] = [];
    const failure = new Error("handler");
    fireAll([{ [timing]: async () => Promise.reject(failure) }], reports);
    expect(reports).toEqual([]);
    await new Promise(setImmediate);
    expect(reports).toEqual(Array(timing === "onStart" ? 3 : 1).fill([failure, timing, "add"]));
  });
});

it("leaves a run without a span when its onStart throws", () => {
  const spans: unknown[] = [];
  const handler: Handler = {
    onStart: (info) => {
      if (info.name === "inner") throw new Error("handler");
      return "outer span";
    },
    onEnd: (_info, _value, span) => spans.push(span),
  };
  const watchers = watchersOf([handler], () => {});
  const outer = open("outer", watchers);
  outer.start(0);
  const inner = open("inner", watchers, outer);
  inner.start(1);
  inner.end(2);
  outer.end(3);
  expect(spans).toEqual([undefined, "outer span"]);
});

describe("a listener that fails itself", () => {
  it.each([
    [
      "throws",
      () => {
        throw new Error("listener");
      },
    ],
    ["rejects", () => Promise.reject(new Error("listener"))],
  ])("%s to the console and never into the run", async (_title, fail) => {
    const written: unknown[][] = [];
    const original = console.error;
    console.error = (...args: unknown[]) => written.push(args);
    try {
      const watch = open("add", watchersOf([{ onEnd: () => Promise.reject(new Error("handler")) }], fail));
      watch.start(1);
      watch.end(2);
      await new Promise(setImmediate);
    } finally {
      console.error = original;
    }
    expect(written).toEqual([[expect.stringContaining("onHandlerError"), new Error("listener")]]);
  });
});
