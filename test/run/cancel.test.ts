import { Chain, END, Graph, lambda, pipe, type Runnable, START, type StreamReader } from "kumiko";
import { recordingHandler } from "kumiko/testing";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { forever, gate, turns } from "./gate.js";
import { errorOf, rejectedBy } from "./rejected-by.js";

const modes = ["invoke", "stream", "collect", "transform"] as const;
type Mode = (typeof modes)[number];

async function* chunk(text: string): AsyncGenerator<string, void> {
  yield text;
}

const start = (runnable: Runnable<string, unknown>, mode: Mode, options: object = {}): Promise<unknown> => {
  switch (mode) {
    case "invoke":
      return runnable.invoke("", options);
    case "stream":
      return runnable.stream("", options).concat();
    case "collect":
      return runnable.collect(chunk(""), options);
    case "transform":
      return runnable.transform(chunk(""), options).concat();
    default:
      return mode satisfies never;
  }
};

const deaf = () =>
  new Chain<string>()
    .append(forever, { key: "deaf" })
    .append(() => "next", { key: "next" })
    .compile();
const stop = new Error("stop");

const unhandled: unknown[] = [];
const note = (error: unknown): void => void unhandled.push(error);
beforeEach(() => void process.on("unhandledRejection", note));
afterEach(async () => {
  await turns();
  process.off("unhandledRejection", note);
  expect(unhandled.splice(0)).toEqual([]);
});

describe.each(modes)("A run that is aborted (%s)", (mode) => {
  it("before it starts runs nothing, calls no handler and rejects with the reason", async () => {
    const recorder = recordingHandler();
    const ran: string[] = [];
    const graph = new Chain<string>().append((text) => ran.push(text)).compile({ callbacks: [recorder] });
    expect(await rejectedBy(start(graph, mode, { signal: AbortSignal.abort(stop) }))).toBe(stop);
    expect([ran, recorder.events]).toEqual([[], []]);
  });

  it("while a deaf node runs rejects at once with the reason, and ends its runs with it", async () => {
    const controller = new AbortController();
    const recorder = recordingHandler();
    const run = start(deaf(), mode, { signal: controller.signal, callbacks: [recorder] });
    await turns();
    controller.abort(stop);
    expect(await rejectedBy(run)).toBe(stop);
    expect(recorder.names()).toEqual(["onStart ", "onStart deaf", "onError deaf", "onError "]);
    expect(recorder.events.slice(2).map(({ value }) => value)).toEqual([stop, stop]);
  });

  it("by a handler at its start runs nothing", async () => {
    const controller = new AbortController();
    const ran: string[] = [];
    const graph = new Chain<string>().append((text) => ran.push(text)).compile();
    const callbacks = [{ onStart: () => controller.abort(stop), onStartWithStreamInput: () => controller.abort(stop) }];
    expect(await rejectedBy(start(graph, mode, { signal: controller.signal, callbacks }))).toBe(stop);
    expect(ran).toEqual([]);
  });

  it("by one of its nodes runs no further one", async () => {
    const controller = new AbortController();
    const ran: string[] = [];
    const graph = new Chain<string>()
      .append((text) => {
        controller.abort(stop);
        return text;
      })
      .append((text) => ran.push(text))
      .compile();
    expect(await rejectedBy(start(graph, mode, { signal: controller.signal }))).toBe(stop);
    expect(ran).toEqual([]);
  });

  it("goes on with nothing when the deaf node is done after all", async () => {
    const controller = new AbortController();
    const late = gate<string>();
    const ran: string[] = [];
    const graph = new Chain<string>()
      .append(() => late.promise)
      .append((text) => ran.push(text))
      .compile();
    const run = start(graph, mode, { signal: controller.signal });
    await turns();
    controller.abort(stop);
    await rejectedBy(run);
    late.open("late");
    await turns();
    expect(ran).toEqual([]);
  });

  it("after its end is as if nothing had happened", async () => {
    const controller = new AbortController();
    const recorder = recordingHandler();
    const run = start(new Chain<string>().append(() => "done").compile(), mode, {
      signal: controller.signal,
      callbacks: [recorder],
    });
    expect(await run).toBe("done");
    controller.abort(stop);
    await turns();
    expect(recorder.names("onError")).toEqual([]);
  });

  it("with undefined or null as the reason rejects all the same", async () => {
    for (const reason of [undefined, null]) {
      const controller = new AbortController();
      const run = start(deaf(), mode, { signal: controller.signal });
      await turns();
      controller.abort(reason);
      expect(await rejectedBy(run)).toBe(controller.signal.reason);
    }
  });
});

describe("The signal of a node", () => {
  it("is aborted with the reason of the caller's, in graphs inside and child runs too", async () => {
    const controller = new AbortController();
    const reasons: unknown[] = [];
    const listen = (_: string, { signal }: { signal: AbortSignal }) => {
      signal.addEventListener("abort", () => reasons.push(signal.reason));
      return forever();
    };
    const nested = new Chain<string>().append(new Chain<string>().append(listen)).compile();
    const child = new Chain<string>()
      .append((text, ctx) => new Chain<string>().append(listen).compile().invoke(text, { parent: ctx }))
      .compile();
    const side = new Chain<string>().appendParallel({ a: listen, b: listen }).compile();
    for (const graph of [nested, child, side] as Runnable<string, unknown>[]) {
      for (const mode of modes) {
        const own = new AbortController();
        const run = start(graph, mode, { signal: own.signal });
        await turns();
        own.abort(stop);
        await rejectedBy(run);
      }
    }
    controller.abort();
    expect(reasons).toEqual(Array(16).fill(stop));
  });

  it("is aborted already when it is read late", async () => {
    const controller = new AbortController();
    const late = gate<AbortSignal>();
    const graph = new Chain<string>()
      .appendParallel({
        a: async (_text, ctx) => {
          await turns();
          late.open(ctx.signal);
          return forever();
        },
        b: forever,
      })
      .compile();
    const run = graph.invoke("", { signal: controller.signal });
    controller.abort(stop);
    await rejectedBy(run);
    expect(await late.promise).toMatchObject({ aborted: true, reason: stop });
  });

  it.each([["invoke"], ["stream"]] as const)(
    "is aborted when a sibling fails, and the run does not wait (%s)",
    async (mode) => {
      const reasons: unknown[] = [];
      const graph = new Chain<string>()
        .appendParallel({
          deaf: (_text, { signal }) => {
            signal.addEventListener("abort", () => reasons.push(signal.reason));
            return forever();
          },
          fails: () => Promise.reject(new Error("broken")),
        })
        .compile();
      expect(await errorOf(start(graph, mode))).toMatchObject({ nodePath: ["node_0_parallel_fails"] });
      expect(reasons).toEqual([expect.objectContaining({ name: "AbortError" })]);
    },
  );

  it("is aborted when a sibling throws at once, and what the others reject with is nobody's", async () => {
    const graph = new Chain<string>()
      .appendParallel({
        waits: (_text, { signal }) =>
          new Promise((_, reject) => signal.addEventListener("abort", () => reject(signal.reason))),
        throws: () => {
          throw new Error("broken");
        },
      })
      .compile();
    expect(await errorOf(graph.invoke(""))).toMatchObject({ nodePath: ["node_0_parallel_throws"] });
  });
});

describe("A node that is overtaken by the end of its run", () => {
  it.each([["invoke"], ["stream"]] as const)("tells handlers of its late result (%s)", async (mode) => {
    const controller = new AbortController();
    const late = gate<string>();
    const recorder = recordingHandler();
    const graph = new Chain<string>().append(() => late.promise, { key: "late" }).compile();
    const run = start(graph, mode, { signal: controller.signal, callbacks: [recorder] });
    await turns();
    controller.abort(stop);
    await rejectedBy(run);
    late.open("too late");
    await turns();
    expect(recorder.names()).toEqual(["onStart ", "onStart late", "onError late", "onError ", "onEvent late"]);
    expect(recorder.events.at(-1)?.value).toEqual({ kind: "late_result", value: "too late" });
  });

  it("tells handlers of its late result when a sibling has failed", async () => {
    const late = gate<string>();
    const recorder = recordingHandler();
    const graph = new Chain<string>()
      .appendParallel({ late: () => late.promise, fails: () => Promise.reject(new Error("broken")) })
      .compile();
    await rejectedBy(graph.invoke("", { callbacks: [recorder] }));
    late.open("too late");
    await turns();
    expect(recorder.events.at(-1)).toMatchObject({
      timing: "onEvent",
      value: { kind: "late_result", value: "too late" },
    });
    expect(recorder.unfinished()).toEqual([]);
  });

  it("has what it streams late closed", async () => {
    const controller = new AbortController();
    const late = gate<StreamReader<string>>();
    const graph = new Chain<string>().append(() => late.promise).compile();
    const run = graph.invoke("", { signal: controller.signal });
    await turns();
    controller.abort(stop);
    await rejectedBy(run);
    const { reader, writer } = pipe<string>();
    late.open(reader);
    await turns();
    expect(await writer.write("anybody?")).toBe(false);
  });
});

describe("Streams inside of a run that is stopped are closed", () => {
  const endless = (closed: string[], key: string) =>
    async function* (): AsyncGenerator<string, void> {
      try {
        for (;;) {
          await turns();
          yield key;
        }
      } finally {
        closed.push(key);
      }
    };

  it("in a run on values, where they would be read to their end", async () => {
    const controller = new AbortController();
    const closed: string[] = [];
    const graph = new Chain<string>().append(endless(closed, "a")).compile();
    const run = graph.invoke("", { signal: controller.signal });
    await turns();
    controller.abort(stop);
    await rejectedBy(run);
    await turns();
    await turns();
    expect(closed).toEqual(["a"]);
  });

  it("when a node that reads one fails", async () => {
    const closed: string[] = [];
    const failing = lambda({
      transform: async function* (chunks: StreamReader<string>): AsyncGenerator<string, void> {
        for await (const text of chunks) yield Promise.reject(new Error(`broken by ${text}`));
      },
    });
    const graph = new Chain<string>().append(endless(closed, "a")).append(failing, { key: "failing" }).compile();
    expect(await errorOf(graph.stream("").concat())).toMatchObject({ nodePath: ["failing"] });
    await turns();
    await turns();
    expect(closed).toEqual(["a"]);
  });

  it("when a branch has begun to read one, and the chosen node never does", async () => {
    const closed: string[] = [];
    const graph = new Graph<string, string>()
      .addNode("a", endless(closed, "a"))
      .addNode(
        "fails",
        lambda({
          transform: (_: StreamReader<string>): AsyncIterable<string> => {
            throw new Error("broken");
          },
        }),
      )
      .addEdge(START, "a")
      .addStreamBranch("a", ["fails", END], async (chunks) => {
        await chunks.next();
        return "fails";
      })
      .addEdge("fails", END)
      .compile();
    expect(await errorOf(graph.stream("").concat())).toMatchObject({ nodePath: ["fails"] });
    await turns();
    await turns();
    expect(closed).toEqual(["a"]);
  });

  it("when their reader leaves", async () => {
    const closed: string[] = [];
    const graph = new Chain<string>().appendParallel({ a: endless(closed, "a"), b: endless(closed, "b") }).compile();
    for await (const _chunk of graph.stream("")) break;
    await turns();
    await turns();
    expect(closed.sort()).toEqual(["a", "b"]);
  });

  it("when the run ends although nobody has read them", async () => {
    const { reader, writer } = pipe<string>();
    const careless = lambda({
      transform: async function* (_: StreamReader<string>): AsyncGenerator<string, void> {
        yield "without looking";
      },
    });
    const graph = new Chain<string>()
      .append(() => reader)
      .append(careless)
      .compile();
    expect(await graph.stream("").concat()).toBe("without looking");
    expect(await writer.write("anybody?")).toBe(false);
  });

  it("and with them the stream that the caller has given", async () => {
    for (const stopRun of ["abort", "failure", "options", "aborted before"] as const) {
      const { reader, writer } = pipe<string>();
      const controller = new AbortController();
      if (stopRun === "aborted before") controller.abort(stop);
      const graph = new Chain<string>()
        .append(
          lambda({
            transform: async function* (chunks: StreamReader<string>): AsyncGenerator<string, void> {
              for await (const text of chunks) {
                if (stopRun === "failure") throw new Error("broken");
                yield text;
              }
            },
          }),
        )
        .compile();
      const run = graph.collect(reader, stopRun === "options" ? { timeoutMs: -1 } : { signal: controller.signal });
      const rejection = rejectedBy(run);
      await writer.write("a");
      await turns();
      if (stopRun === "abort") controller.abort(stop);
      await rejection;
      expect(await writer.write("anybody?")).toBe(false);
    }
  });
});

describe("timeoutMs", () => {
  it.each(modes)("rejects with a TimeoutError, which is the reason of the signals too (%s)", async (mode) => {
    let reason: unknown;
    const graph = new Chain<string>()
      .append((_text, { signal }) => {
        signal.addEventListener("abort", () => {
          reason = signal.reason;
        });
        return forever();
      })
      .compile();
    const error = await rejectedBy(start(graph, mode, { timeoutMs: 1 }));
    expect(error).toMatchObject({ name: "TimeoutError", message: "The run took longer than its timeoutMs of 1 ms." });
    expect(reason).toBe(error);
  });

  it("counts from the first read of a stream", async () => {
    const stream = new Chain<string>()
      .append(() => "done")
      .compile()
      .stream("", { timeoutMs: 40 });
    await new Promise((resolve) => setTimeout(resolve, 80));
    expect(await stream.concat()).toBe("done");
  });

  it("stops a stream that is read too slowly", async () => {
    const stream = new Chain<string>()
      .append(async function* () {
        for (;;) yield "more";
      })
      .compile()
      .stream("", { timeoutMs: 5 });
    const reading = (async () => {
      for await (const _chunk of stream) await new Promise((resolve) => setTimeout(resolve, 1));
    })();
    expect(await rejectedBy(reading)).toMatchObject({ name: "TimeoutError" });
  });

  it("leaves no timer behind when the run ends before", async () => {
    const graph = new Chain<string>().append(() => "done").compile();
    const timers = () => process.getActiveResourcesInfo().filter((type) => type === "Timeout").length;
    const before = timers();
    await Promise.all(modes.map((mode) => start(graph, mode, { timeoutMs: 60_000 })));
    await rejectedBy(
      start(new Chain<string>().append(() => Promise.reject(stop)).compile(), "invoke", { timeoutMs: 60_000 }),
    );
    expect(timers()).toBe(before);
  });

  it("gives way to the caller's signal, if that is aborted first", async () => {
    const controller = new AbortController();
    const run = deaf().invoke("", { signal: controller.signal, timeoutMs: 60_000 });
    controller.abort(stop);
    expect(await rejectedBy(run)).toBe(stop);
  });
});

describe("Many runs on one signal", () => {
  it("cause no warning, and leave no listener behind", async () => {
    const warnings: Error[] = [];
    const warn = (warning: Error): void => void warnings.push(warning);
    process.on("warning", warn);
    const { signal } = new AbortController();
    const graph = new Chain<string>().append(() => turns().then(() => "done")).compile();
    const listeners = countListeners(signal);
    const runs = Array.from({ length: 200 }, (_, n) => start(graph, modes[n % 4] ?? "invoke", { signal }));
    await turns();
    expect(listeners()).toBeLessThanOrEqual(1);
    await Promise.all(runs);
    await turns();
    process.off("warning", warn);
    expect([listeners(), warnings]).toEqual([0, []]);
  });

  it("are all stopped by it", async () => {
    const controller = new AbortController();
    const runs = Array.from({ length: 50 }, () => rejectedBy(deaf().invoke("", { signal: controller.signal })));
    await turns();
    controller.abort(stop);
    expect(await Promise.all(runs)).toEqual(Array(50).fill(stop));
  });
});

function countListeners(signal: AbortSignal): () => number {
  let count = 0;
  const { addEventListener, removeEventListener } = signal;
  signal.addEventListener = (...args: Parameters<typeof addEventListener>) => {
    count += 1;
    addEventListener.apply(signal, args);
  };
  signal.removeEventListener = (...args: Parameters<typeof removeEventListener>) => {
    count -= 1;
    removeEventListener.apply(signal, args);
  };
  return () => count;
}
