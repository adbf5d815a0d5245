import { Chain, type CompiledGraph, END, each, memoryCache, memoryStore, RunControl, START } from "kumiko";
import { describe, expect, it } from "vitest";
import { turns } from "../run/gate.js";
import { looseGraph } from "../run/loose-graph.js";

/*
 * A node has finished, and its effect is done. Then the run fails beside it, or is cut off: what wraps the node must not lose
 * its output, or a resume does it again.
 */

type App = CompiledGraph<never, unknown>;

const wrappings: Readonly<Record<string, { readonly policies: object; readonly options?: object }>> = {
  nothing: { policies: {} },
  retries: { policies: { retry: { attempts: 2 } } },
  "a time limit": { policies: { timeoutMs: 60_000 } },
  "a cache": { policies: { cache: { store: memoryCache(), key: () => undefined } } },
  "a fallback": { policies: { fallback: () => "instead" } },
  maxConcurrency: { policies: {}, options: { maxConcurrency: 3 } },
  "a state handler": { policies: { after: (output: unknown) => output } },
};

const modes = {
  invoke: (app: App, options: object) => app.invoke("x" as never, options),
  stream: (app: App, options: object) => app.stream("x" as never, options).concat(),
  collect: (app: App, options: object) =>
    app.collect(
      (async function* () {
        yield "x" as never;
      })(),
      options,
    ),
};

describe.each(Object.entries(wrappings))("A finished function around which is %s", (_, { policies, options }) => {
  describe.each(Object.entries(modes))("in %s", (_mode, run) => {
    it.each([
      ["exit", []],
      ["step", []],
      ["exit", [{ onStart() {} }]],
      ["step", [{ onStart() {} }]],
    ] as const)("does not run again after a failure beside it (%s, handlers: %s)", async (durability, callbacks) => {
      const log: string[] = [];
      const store = memoryStore();
      let failures = 1;
      const app = (): App =>
        looseGraph()
          .addNode(
            "pay",
            async () => {
              await turns();
              log.push("paid");
              return "paid";
            },
            { outputKey: "pay", ...policies },
          )
          .addNode(
            "bad",
            async () => {
              for (let n = 0; n < 9; n++) await turns();
              if (failures-- > 0) throw new Error("bad");
              return "good";
            },
            { outputKey: "bad" },
          )
          .addEdge(START, "pay")
          .addEdge(START, "bad")
          .addEdge("pay", END)
          .addEdge("bad", END)
          .compile({ store, durability });
      const given = { ...options, callbacks };
      await expect(run(app(), { checkpointId: "1", ...given })).rejects.toThrow("bad");
      expect(await app().resume("1", undefined, given)).toEqual({ pay: "paid", bad: "good" });
      expect(log).toEqual(["paid"]);
    });
  });
});

describe("A node that is cut off", () => {
  it.each([
    ["no signal", undefined],
    ["a signal", new AbortController().signal],
  ] as const)("sees it in its own signal, in a run with %s", async (_, signal) => {
    const log: string[] = [];
    const store = memoryStore();
    const control = new RunControl();
    const app = () =>
      new Chain<string>()
        .append(async (text, ctx) => {
          control.interrupt({ timeoutMs: 0 });
          await turns();
          ctx.signal.throwIfAborted();
          log.push("effect");
          return text;
        })
        .compile({ store });
    await expect(app().invoke("x", { checkpointId: "1", control, signal })).rejects.toThrow();
    await turns();
    expect(log).toEqual([]);
    const free = new Chain<string>().append(async (text) => text).compile({ store });
    expect(await free.resume("1")).toBe("x");
  });
});

describe("Items of a list that still flows", () => {
  it.each(["stream", "collect"] as const)("do not run again after a stop (%s)", async (mode) => {
    for (let at = 1; at < 8; at++) {
      const log: number[] = [];
      const store = memoryStore();
      const control = new RunControl();
      let step = 0;
      const next = async (): Promise<void> => {
        if (++step === at) setImmediate(() => control.interrupt());
        await turns();
      };
      const app = () =>
        new Chain<string>()
          .append(
            async function* () {
              for (const n of [1, 2, 3]) {
                await next();
                yield [n];
              }
            },
            { key: "list", concat: "list" },
          )
          .append(
            each(async (n: number) => {
              await next();
              log.push(n);
              return n;
            }),
            { key: "items" },
          )
          .compile({ store });
      const first = modes[mode](app() as never, { checkpointId: "1", control });
      const ended: unknown = await first.catch(() => undefined);
      if (ended === undefined) expect(await app().resume("1")).toEqual([1, 2, 3]);
      expect(log.toSorted()).toEqual([1, 2, 3]);
    }
  });
});
