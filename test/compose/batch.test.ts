import {
  AgenticToolsNode,
  batch,
  Chain,
  createTool,
  END,
  Graph,
  isInterrupt,
  KumikoError,
  lambda,
  memoryStore,
  pipe,
  START,
  StreamReader,
  ToolError,
} from "kumiko";
import { recordingHandler } from "kumiko/testing";
import { describe, expect, it } from "vitest";
import { interruptOf } from "../checkpoint/interrupt-of.js";
import { forever, gate, turns } from "../run/gate.js";
import { errorOf, rejectedBy } from "../run/rejected-by.js";
import { call, calls } from "../tools/node/calls.js";

const length = lambda({ invoke: (text: string) => text.length });

function* words(text: string, log: string[] = []): Generator<string> {
  try {
    for (const word of text.split(" ")) {
      log.push(`take ${word}`);
      yield word;
    }
  } finally {
    log.push("closed");
  }
}

async function* later(inputs: Iterable<string>): AsyncGenerator<string> {
  yield* inputs;
}

describe("The inputs of a batch", () => {
  it.each<[string, Iterable<string> | AsyncIterable<string> | ReadableStream<string>]>([
    ["an array", ["a", "bcd"]],
    ["a set", new Set(["a", "bcd"])],
    ["a generator", words("a bcd")],
    [
      "the values of a map",
      new Map([
        ["x", "a"],
        ["y", "bcd"],
      ]).values(),
    ],
    ["an async generator", later(["a", "bcd"])],
    ["a stream", StreamReader.from(["a", "bcd"])],
    ["a web stream", StreamReader.from(["a", "bcd"]).toReadableStream()],
  ])("may be %s", async (_what, inputs) => {
    expect(await batch(length, inputs)).toEqual([1, 3]);
  });

  it("may be none", async () => {
    expect(await batch(length, [])).toEqual([]);
    expect(await batch(length, later([]))).toEqual([]);
  });

  it.each([
    ["a string", "abc"],
    ["a number", 7],
    ["null", null],
    ["an object", {}],
  ])("may not be %s", async (_what, inputs) => {
    const error = await errorOf(batch(length, inputs as never));
    expect(error.code).toBe("INVALID_OPTION");
    expect(error.message).toContain("batch: the inputs must be an array, another iterable or a stream");
  });

  it("are given on as they are, promises too", async () => {
    const isPromise = lambda({ invoke: (input: unknown) => input instanceof Promise });
    expect(await batch(isPromise, [Promise.resolve(1), 2])).toEqual([true, false]);
  });

  it("are taken when a run may start, and not before", async () => {
    for (const make of [words, (text: string, log: string[]) => later(words(text, log))]) {
      const log: string[] = [];
      const gates = [gate<string>(), gate<string>(), gate<string>()];
      const waits = lambda({ invoke: (word: string) => gates["abc".indexOf(word)]?.promise });
      const results = batch(waits, make("a b c", log), { concurrency: 2 });
      await turns();
      expect(log).toEqual(["take a", "take b"]);
      gates[1]?.open("B");
      await turns();
      expect(log).toEqual(["take a", "take b", "take c"]);
      gates[0]?.open("A");
      gates[2]?.open("C");
      expect(await results).toEqual(["A", "B", "C"]);
      expect(log.at(-1)).toBe("closed");
    }
  });

  it("are left when a run fails", async () => {
    const fails = lambda({ invoke: (word: string) => Promise.reject(new Error(word)) });
    for (const make of [words, (text: string, log: string[]) => later(words(text, log))]) {
      const log: string[] = [];
      await errorOf(batch(fails, make("a b c", log), { concurrency: 1 }));
      await turns();
      expect(log).toEqual(["take a", "closed"]);
    }
  });

  it("that fail reject the batch with their own error and stop what runs", async () => {
    const failure = new Error("no more");
    const signals: AbortSignal[] = [];
    const waits = lambda({
      invoke: (_: string, { signal }) => {
        signals.push(signal);
        return forever();
      },
    });
    const { reader, writer } = pipe<string>();
    const outcome = rejectedBy(batch(waits, reader));
    await writer.write("a");
    await turns();
    writer.fail(failure);
    expect(await outcome).toBe(failure);
    expect(signals.map(({ aborted }) => aborted)).toEqual([true]);
  });

  it("that do not come do not keep a failure back", async () => {
    const { reader, writer } = pipe<string>();
    const fails = lambda({ invoke: (word: string) => Promise.reject(new Error(word)) });
    const outcome = errorOf(batch(fails, reader));
    await writer.write("a");
    expect((await outcome).index).toBe(0);
    expect(await writer.write("b")).toBe(false);
  });
});

describe("The runs of a batch", () => {
  it("give their results in the order of the inputs", async () => {
    const gates = [gate<string>(), gate<string>()];
    const results = batch(lambda({ invoke: (n: number) => gates[n]?.promise }), [0, 1]);
    gates[1]?.open("second");
    await turns();
    gates[0]?.open("first");
    expect(await results).toEqual(["first", "second"]);
  });

  it("begin at once, all of them", () => {
    const begun: number[] = [];
    void batch(lambda({ invoke: (n: number) => begun.push(n) }), [1, 2, 3]);
    expect(begun).toEqual([1, 2, 3]);
  });

  it.each([0, 1.5, -1, Number.NaN, "2"])("cannot be %s at a time", async (concurrency) => {
    const error = await errorOf(batch(length, ["a"], { concurrency: concurrency as never }));
    expect(error).toMatchObject({ code: "INVALID_OPTION" });
    expect(error.message).toContain("concurrency must be a whole number of at least 1, or Infinity");
  });

  it("get the other options", async () => {
    const handler = recordingHandler();
    const app = new Chain<string>().append((text) => text).compile({ name: "app" });
    await batch(app, ["a", "b"], { callbacks: [handler] });
    expect(handler.names("onStart").filter((name) => name === "app")).toHaveLength(2);
  });

  it("are stopped with the batch, which rejects with the reason though they go on", async () => {
    const stop = new AbortController();
    const reason = new Error("enough");
    const outcome = rejectedBy(batch(lambda({ invoke: forever }), ["a"], { signal: stop.signal }));
    stop.abort(reason);
    expect(await outcome).toBe(reason);
  });

  it("do not begin under a signal that is aborted, and a stream of inputs is cancelled", async () => {
    const reason = new Error("enough");
    const { reader, writer } = pipe<string>();
    const signal = AbortSignal.abort(reason);
    expect(await rejectedBy(batch(length, reader, { signal }))).toBe(reason);
    expect(await writer.write("a")).toBe(false);
  });

  it("leave nothing on the signal when they are over", async () => {
    const { signal } = new AbortController();
    let listeners = 0;
    const { addEventListener, removeEventListener } = signal;
    signal.addEventListener = (...args: unknown[]) => {
      listeners++;
      addEventListener.apply(signal, args as never);
    };
    signal.removeEventListener = (...args: unknown[]) => {
      listeners--;
      removeEventListener.apply(signal, args as never);
    };
    await batch(length, ["a", "b"], { signal });
    expect(listeners).toBe(0);
  });
});

describe("An error of a batch", () => {
  const strict = new Graph<string, string>()
    .addNode("check", (text: string) => {
      if (text.length > 2) throw new RangeError(`no room for "${text}"`);
      return text;
    })
    .addEdge(START, "check")
    .addEdge("check", END)
    .compile();

  it("says which input it belongs to, and keeps code, path and cause", async () => {
    const error = await errorOf(batch(strict, ["a", "bb", "ccc"]));
    expect(error).toMatchObject({ code: "NODE_FAILED", nodePath: ["check"], index: 2 });
    expect(error.cause).toEqual(new RangeError('no room for "ccc"'));
    expect(error.message).toBe('Input 2 of the batch failed: Node "check" failed: no room for "ccc"');
    expect(error.stack).toContain(error.message);
  });

  it("has its index among the inputs, not among the runs that are open", async () => {
    const error = await errorOf(batch(strict, words("a b c ddd e"), { concurrency: 2 }));
    expect(error.index).toBe(3);
  });

  it("stays of its class", async () => {
    const tool = createTool({ id: "search", description: "", execute: () => Promise.reject(new Error("offline")) });
    const error = await rejectedBy(batch(new AgenticToolsNode([tool]), [calls(call("search", {}, "1"))]));
    expect(ToolError.is(error) && error instanceof ToolError).toBe(true);
    expect(error).toMatchObject({ kind: "execution", toolName: "search", callId: "1", index: 0 });
    expect((error as ToolError).results).toHaveLength(1);
  });

  it("is another one than that of the run: handlers and other batches keep theirs", async () => {
    const shared = Object.freeze(new KumikoError("VALIDATION", "It does not fit."));
    const rejects = { ...length, invoke: () => Promise.reject(shared) };
    const error = await errorOf(batch(rejects, ["a"]));
    expect(error).toMatchObject({ code: "VALIDATION", index: 0 });
    expect(shared).toMatchObject({ message: "It does not fit.", nodePath: [] });
    expect("index" in shared).toBe(false);
  });

  it("of a hand-written Runnable becomes the cause of one", async () => {
    const failure = new Error("broken");
    const rejects = { ...length, invoke: () => Promise.reject(failure) };
    const error = await errorOf(batch(rejects, ["a"]));
    expect(error).toMatchObject({ code: "NODE_FAILED", nodePath: [], index: 0 });
    expect(error.cause).toBe(failure);
  });

  it("of a run out of time stays a TimeoutError", async () => {
    const slow = lambda({ invoke: (ms: number) => (ms === 0 ? 0 : forever()) });
    const error = await rejectedBy(batch(slow, [0, 1], { timeoutMs: 1 }));
    expect(error).toMatchObject({ name: "TimeoutError", index: 1 });
    expect(error).toBeInstanceOf(DOMException);
  });

  it.each([true, false])("has the whole path inside a node (children: %s)", async (areChildren) => {
    const outer = new Graph<string[], string[]>()
      .addNode("all", (texts: string[], ctx) => batch(strict, texts, areChildren ? { parent: ctx } : {}))
      .addEdge(START, "all")
      .addEdge("all", END)
      .compile();
    const error = await errorOf(outer.invoke(["a", "bbb"]));
    expect(error).toMatchObject({ code: "NODE_FAILED", nodePath: ["all", "check"], index: 1 });
  });

  it("has the path of the node around it when its Runnable is hand-written", async () => {
    const rejects = { ...length, invoke: () => Promise.reject(new KumikoError("VALIDATION", "It does not fit.")) };
    const outer = new Graph<string[], number[]>()
      .addNode("all", (texts: string[], ctx) => batch(rejects, texts, { parent: ctx }))
      .addEdge(START, "all")
      .addEdge("all", END)
      .compile();
    const error = await errorOf(outer.invoke(["a"]));
    expect(error).toMatchObject({ code: "VALIDATION", nodePath: ["all"], index: 0 });
  });

  it("of a batch in a batch has the index of the outer one", async () => {
    const inner = lambda({ invoke: (texts: string[], ctx) => batch(strict, texts, { parent: ctx }) });
    const error = await errorOf(batch(inner, [["a"], ["a", "b", "ccc"]]));
    expect(error).toMatchObject({ code: "NODE_FAILED", index: 1 });
    expect(error.message).toMatch(/^Input 1 of the batch failed: Input 2 of the batch failed: /);
  });
});

describe("An interrupt in a batch", () => {
  const asks = (did: string[]) =>
    new Chain<string>()
      .append(async (text, ctx) => {
        if (text.length > 1) return `${text}: ${await ctx.ask<string>("ok", `${text}?`)}`;
        did.push(text);
        return text;
      })
      .compile({ name: "asks" });

  it("stays an interrupt, and says which input waits", async () => {
    const error = await rejectedBy(batch(asks([]), ["a", "bb"]));
    expect(isInterrupt(error)).toBe(true);
    expect(error).toMatchObject({ code: "INTERRUPTED", index: 1, interrupts: [{ info: "bb?" }] });
  });

  it.each([1, 2, Number.POSITIVE_INFINITY])(
    "inside a node lets the other inputs finish: all questions leave together, and nothing runs twice (%s at a time)",
    async (concurrency) => {
      const did: string[] = [];
      const app = new Graph<string[], string[]>()
        .addNode("all", (texts: string[], ctx) => batch(asks(did), texts, { parent: ctx, concurrency }))
        .addEdge(START, "all")
        .addEdge("all", END)
        .compile({ name: "app", store: memoryStore() });
      const { interrupts } = await interruptOf(app.invoke(["aa", "b", "cc", "d"], { checkpointId: "1" }));
      expect(interrupts.map(({ info }) => info)).toEqual(["aa?", "cc?"]);
      const answers = Object.fromEntries(interrupts.map(({ id, info }) => [id, `yes ${info}`]));
      expect(await app.resume("1", answers)).toEqual(["aa: yes aa?", "b", "cc: yes cc?", "d"]);
      expect(did).toEqual(["b", "d"]);
    },
  );

  it("inside a node gives way to a failure", async () => {
    const app = new Graph<string[], string[]>()
      .addNode("all", (texts: string[], ctx) =>
        batch(
          new Chain<string>()
            .append(async (text, inner) => {
              if (text === "asks") return inner.ask<string>("ok", "ok?");
              await turns();
              throw new Error("broken");
            })
            .compile(),
          texts,
          { parent: ctx },
        ),
      )
      .addEdge(START, "all")
      .addEdge("all", END)
      .compile({ store: memoryStore() });
    const error = await errorOf(app.invoke(["asks", "fails"], { checkpointId: "1" }));
    expect(error).toMatchObject({ code: "NODE_FAILED", index: 1 });
  });
});

describe("with settled, retry and onResult, a batch", () => {
  const halves = lambda({
    invoke(count: number) {
      if (count % 2 === 1) throw new Error(`${count} is odd`);
      return count / 2;
    },
  });

  it("gives what became of each input, and stops no other", async () => {
    const [first, second, third] = await batch(halves, [4, 3, 8], { settled: true, concurrency: 1 });
    expect(first).toEqual({ status: "fulfilled", value: 2 });
    expect(third).toEqual({ status: "fulfilled", value: 4 });
    expect(second).toMatchObject({ status: "rejected", reason: { code: "NODE_FAILED", index: 1 } });
  });

  it("runs an input again", async () => {
    const seen: number[] = [];
    const flaky = lambda({
      invoke(count: number) {
        seen.push(count);
        if (seen.filter((other) => other === count).length < 3) throw new Error("not yet");
        return count;
      },
    });
    expect(await batch(flaky, [1, 2], { retry: { delayMs: 0 } })).toEqual([1, 2]);
    expect(seen.toSorted()).toEqual([1, 1, 1, 2, 2, 2]);
    const retryOn = () => false;
    expect((await errorOf(batch(flaky, [3], { retry: { delayMs: 0, retryOn } }))).index).toBe(0);
  });

  it("tells each result as it comes, and ends with what the listener throws", async () => {
    const told: [number, number][] = [];
    await batch(halves, [4, 3, 8], { settled: true, onResult: (value, index) => void told.push([value, index]) });
    expect(told).toEqual([
      [2, 0],
      [4, 2],
    ]);
    const failing = batch(halves, [4, 8], {
      onResult: () => {
        throw new Error("no room");
      },
    });
    await expect(failing).rejects.toThrow("no room");
  });

  it("refuses a policy that is none", async () => {
    expect((await errorOf(batch(halves, [2], { retry: { attempts: 0 } }))).message).toContain(
      "batch: retry.attempts must be",
    );
  });

  it.each([
    null,
    5,
    { settled: 1 },
    { settled: "yes" },
    { retry: { buffer: true } },
    { onResult: 5 },
    { concurency: 2 },
  ])("refuses %j as options", async (options) => {
    expect(await errorOf(batch(halves, [2], options as never))).toMatchObject({ code: "INVALID_OPTION" });
  });

  it.each([undefined, null, 5, {}])("refuses %j as a Runnable, also without inputs", async (runnable) => {
    expect(await errorOf(batch(runnable as never, []))).toMatchObject({ code: "INVALID_OPTION" });
  });
});
