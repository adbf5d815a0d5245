import { Chain, lambda, type NodeContext, type RunOptions, Runtime, sleep } from "kumiko";
import { manualClock, recordingHandler } from "kumiko/testing";
import { describe, expect, it } from "vitest";
import { plain } from "../compose/thrown-by.js";
import { forever, gate, turns } from "./gate.js";
import { errorOf, rejectedBy } from "./rejected-by.js";

/** A run of one node that uses its context. */
const around = <T>(use: (ctx: NodeContext) => T | Promise<T>, options: RunOptions = {}): Promise<T> =>
  new Chain<string>()
    .append(async (_text, ctx) => ({ result: await use(ctx) }), { key: "x" })
    .compile({ name: "outer" })
    .invoke("", options)
    .then(({ result }) => result as T);

const address = new Chain<string>().append((_text, ctx) => ctx.address, { key: "y" }).compile({ name: "inner" });
const stop = new Error("stop");

describe("A run inside of a node, with parent: ctx", () => {
  it("has its place below the node", async () => {
    expect(await around((ctx) => address.invoke("", { parent: ctx }))).toBe(
      "runnable:outer;node:x;runnable:inner;node:y",
    );
  });

  it("has it in a stream, and in a run on a stream", async () => {
    const place = "runnable:outer;node:x;runnable:inner;node:y";
    expect(await around((ctx) => address.stream("", { parent: ctx }).concat())).toBe(place);
    const outer = new Chain<string>().append((_text, ctx) => address.stream("", { parent: ctx }), { key: "x" });
    expect(await outer.compile({ name: "outer" }).stream("").concat()).toBe(place);
  });

  it("of a lone node has the runtime of the run around it", async () => {
    const clock = manualClock();
    const app = new Chain<string>()
      .append((text, ctx) => sleep(60_000).invoke(text, { parent: ctx }))
      .compile({ runtime: new Runtime({ clock }) });
    let result: unknown;
    const run = app.invoke("slept").then((text) => {
      result = text;
    });
    await turns();
    expect(result).toBeUndefined();
    await clock.advance(60_000);
    await run;
    expect(result).toBe("slept");
  });

  it("of a lone lambda has the place of the lambda", async () => {
    const alone = lambda({ invoke: (_: string, ctx) => ctx.address });
    expect(await around((ctx) => alone.invoke("", { parent: ctx }))).toBe("runnable:outer;node:x;runnable:");
  });

  it("may be started with a copy of the context", async () => {
    const place = await around((ctx) => address.invoke("", { parent: ctx.with({ extra: 1 }) }));
    expect(place).toBe("runnable:outer;node:x;runnable:inner;node:y");
  });

  it("is heard by the handlers of its parent, as its child", async () => {
    const recorder = recordingHandler();
    await around((ctx) => address.invoke("", { parent: ctx }), { callbacks: [recorder] });
    expect(recorder.names()).toEqual([
      "onStart outer",
      "onStart x",
      "onStart inner",
      "onStart y",
      "onEnd y",
      "onEnd inner",
      "onEnd x",
      "onEnd outer",
    ]);
    const infos = recorder.events.slice(0, 4).map(({ info }) => info);
    expect(infos.map(({ parentRunId }) => parentRunId)).toEqual([
      undefined,
      ...infos.slice(0, 3).map(({ runId }) => runId),
    ]);
  });

  it("is heard by handlers that only the node has, and brings handlers of its own", async () => {
    const [ofNode, ofChild] = [recordingHandler(), recordingHandler()];
    await around((ctx) => address.invoke("", { parent: ctx, callbacks: [ofChild] }), {
      nodes: plain({ x: { callbacks: [ofNode] } }),
    });
    expect(ofNode.names("onStart")).toEqual(["x", "inner", "y"]);
    expect(ofChild.names("onStart")).toEqual(["inner", "y"]);
    expect(ofChild.unfinished()).toEqual([]);
  });

  it("brings handlers of its own into a run that nobody watches", async () => {
    const recorder = recordingHandler();
    await around((ctx) => address.invoke("", { parent: ctx, callbacks: [recorder] }));
    expect(recorder.names()).toEqual(["onStart inner", "onStart y", "onEnd y", "onEnd inner"]);
  });

  it("is a root without parent: nothing is inherited", async () => {
    const recorder = recordingHandler();
    const place = await around(() => address.invoke(""), { callbacks: [recorder] });
    expect(place).toBe("runnable:inner;node:y");
    expect(recorder.names("onStart")).toEqual(["outer", "x"]);
  });
});

describe("A child is stopped with its parent", () => {
  const deaf = new Chain<string>().append(forever, { key: "deaf" });

  it.each([["invoke"], ["stream"]])("and its own run rejects at once, with the reason (%s)", async (mode) => {
    const controller = new AbortController();
    const seen: unknown[] = [];
    const recorder = recordingHandler();
    const child = deaf.compile({ name: "child" });
    const run = around(
      async (ctx) => {
        const inner =
          mode === "invoke" ? child.invoke("", { parent: ctx }) : child.stream("", { parent: ctx }).concat();
        seen.push(await rejectedBy(inner));
        return forever();
      },
      { signal: controller.signal, callbacks: [recorder] },
    );
    await turns();
    controller.abort(stop);
    expect(await rejectedBy(run)).toBe(stop);
    await turns();
    expect(seen).toEqual([stop]);
    expect(recorder.names("onError")).toEqual(["deaf", "child", "x", "outer"]);
  });

  it("also when the stop is the failure of the parent's sibling", async () => {
    const seen: unknown[] = [];
    const child = deaf.compile();
    const fail = gate();
    const graph = new Chain<string>()
      .appendParallel({
        parent: async (text, ctx) => {
          const rejection = rejectedBy(child.invoke(text, { parent: ctx }));
          fail.open();
          seen.push(await rejection);
        },
        fails: () => fail.promise.then(() => Promise.reject(stop)),
      })
      .compile();
    expect(await errorOf(graph.invoke(""))).toMatchObject({ nodePath: ["node_0_parallel_fails"] });
    await turns();
    expect(seen).toEqual([expect.objectContaining({ name: "AbortError" })]);
  });

  it("and cannot be started any more", async () => {
    const controller = new AbortController();
    const seen: unknown[] = [];
    const run = around(
      async (ctx) => {
        await rejectedBy(deaf.compile().invoke("", { parent: ctx }));
        seen.push(await rejectedBy(address.invoke("", { parent: ctx })));
      },
      { signal: controller.signal },
    );
    await turns();
    controller.abort(stop);
    await rejectedBy(run);
    await turns();
    expect(seen).toEqual([stop]);
  });

  it("but not the parent with its child, which may have a signal and a time of its own", async () => {
    const own = new AbortController();
    const seen = await around(async (ctx) => {
      const first = rejectedBy(deaf.compile().invoke("", { parent: ctx, signal: own.signal }));
      own.abort(stop);
      const second = await rejectedBy(deaf.compile().invoke("", { parent: ctx, timeoutMs: 1 }));
      const copy = ctx.with({ signal: own.signal });
      const third = await rejectedBy(deaf.compile().invoke("", { parent: copy }));
      return [await first, second, third, ctx.signal.aborted];
    });
    expect(seen).toEqual([stop, expect.objectContaining({ name: "TimeoutError" }), stop, false]);
  });
});

describe("The keys of children", () => {
  const slow = (release: Promise<void>) =>
    new Chain<string>().append((text) => release.then(() => text)).compile({ name: "slow" });

  it("are the names of their graphs, and two live ones with one key are an error", async () => {
    const release = gate();
    const child = slow(release.promise);
    const error = await errorOf(
      around(async (ctx) => {
        const first = child.invoke("", { parent: ctx });
        const second = child.invoke("", { parent: ctx });
        release.open();
        return Promise.all([first, second]);
      }),
    );
    expect(error).toMatchObject({ code: "DUPLICATE_CHILD", nodePath: ["x"] });
    expect(error.message).toContain('At "runnable:outer;node:x" a child run with the key "slow" is still running');
  });

  it("are free again when a child has ended, failed, was left or stopped", async () => {
    const failing = new Chain<string>().append(() => Promise.reject(stop)).compile({ name: "slow" });
    const seen = await around(async (ctx) => {
      const child = slow(Promise.resolve());
      await child.invoke("", { parent: ctx });
      await rejectedBy(failing.invoke("", { parent: ctx }));
      for await (const _chunk of child.stream("", { parent: ctx })) break;
      await child.stream("", { parent: ctx }).concat();
      await rejectedBy(slow(forever()).invoke("", { parent: ctx, timeoutMs: 1 }));
      await rejectedBy(child.invoke("", { parent: ctx, signal: AbortSignal.abort(stop) }));
      return child.invoke("last", { parent: ctx });
    });
    expect(seen).toBe("last");
  });

  it("are free again when the state of a child cannot be made", async () => {
    const broken = new Chain<string>()
      .withState(() => {
        throw stop;
      })
      .append((text) => text)
      .compile({ name: "slow" });
    const seen = await around(async (ctx) => {
      await rejectedBy(broken.invoke("", { parent: ctx }));
      return slow(Promise.resolve()).invoke("after", { parent: ctx });
    });
    expect(seen).toBe("after");
  });

  it("may be given, so that one graph runs several times", async () => {
    const release = gate();
    const child = slow(release.promise);
    const seen = around((ctx) => Promise.all(["a", "b", "c"].map((key) => child.invoke(key, { parent: ctx, key }))));
    release.open();
    expect(await seen).toEqual(["a", "b", "c"]);
  });

  it("count for a stream from its first read on", async () => {
    const child = slow(Promise.resolve());
    const seen = await around(async (ctx) => {
      const unread = child.stream("unread", { parent: ctx });
      const first = await child.invoke("first", { parent: ctx });
      return [first, await unread.concat()];
    });
    expect(seen).toEqual(["first", "unread"]);
  });

  it("are those of one place, whatever copy of its context is used", async () => {
    const child = slow(forever());
    const error = await errorOf(
      around(async (ctx) => {
        rejectedBy(child.invoke("", { parent: ctx.with({}) })).catch(() => undefined);
        return child.invoke("", { parent: ctx });
      }),
    );
    expect(error.code).toBe("DUPLICATE_CHILD");
  });

  it("are refused without a parent, and a parent must be a context", async () => {
    expect((await errorOf(address.invoke("", { key: "a" }))).message).toContain("give parent with it");
    const error = await errorOf(address.invoke("", { parent: plain({ signal: new AbortController().signal }) }));
    expect(error.message).toBe("parent must be the ctx that a node, tool or handler of a run was given.");
  });
});

describe("A child that outlives its parent", () => {
  it("goes on by itself, and its handlers hear its end", async () => {
    const release = gate();
    const recorder = recordingHandler();
    let child: Promise<string> | undefined;
    const slow = new Chain<string>()
      .append((text) => release.promise.then(() => text), { key: "y" })
      .compile({ name: "inner" });
    await around(
      (ctx) => {
        child = slow.invoke("late", { parent: ctx });
      },
      { callbacks: [recorder] },
    );
    expect(recorder.unfinished().map(({ name }) => name)).toEqual(["inner", "y"]);
    release.open();
    expect(await child).toBe("late");
    expect(recorder.unfinished()).toEqual([]);
    expect(recorder.names().slice(-2)).toEqual(["onEnd y", "onEnd inner"]);
  });
});
