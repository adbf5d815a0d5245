import {
  AgenticToolsNode,
  Chain,
  createTool,
  END,
  Graph,
  lambda,
  memoryStore,
  type NodeContext,
  START,
  stateKey,
} from "kumiko";
import { describe, expect, it } from "vitest";
import { call, calls } from "../tools/node/calls.js";
import { allWays, compileOptions, everyWay, inEveryWay, perWay, runOptions, start } from "./every-way.js";
import { gate, turns } from "./gate.js";
import { errorOf } from "./rejected-by.js";

const counter = stateKey("counter", () => ({ count: 0 }));

describe("a state handler that waits for its turn", () => {
  const timings = ["before", "after"] as const;

  it.each(timings)("does not run any more when the run is stopped: %s", async (timing) => {
    const seen = await perWay(async (mode, way) => {
      const [entered, held] = [gate(), gate()];
      const ran: string[] = [];
      const handler = (key: string) => async (text: string) => {
        ran.push(key);
        entered.open();
        await held.promise;
        return text;
      };
      const graph = new Graph<string, unknown>()
        .withState(counter)
        .addNode("a", (text: string) => text, { [timing]: handler("a") })
        .addNode("b", (text: string) => text, { [timing]: handler("b") })
        .addEdge(START, "a")
        .addEdge(START, "b")
        .addEdge("a", END)
        .addEdge("b", END)
        .compile(compileOptions(way));
      const controller = new AbortController();
      const running = start(graph, mode, { value: "x" }, { ...runOptions(way), signal: controller.signal });
      const stopped = expect(running).rejects.toThrow("stop");
      await entered.promise;
      await turns();
      controller.abort(new Error("stop"));
      held.open();
      await stopped;
      await turns();
      return ran;
    });
    expect(seen).toEqual(allWays(["a"]));
  });

  it("does not run any more when a node beside it has failed", async () => {
    const seen = await perWay(async (mode, way) => {
      const [entered, held] = [gate(), gate()];
      const ran: string[] = [];
      const waits = (key: string) => async (text: string) => {
        ran.push(key);
        entered.open();
        await held.promise;
        return text;
      };
      const fails = async (): Promise<string> => {
        await entered.promise;
        await turns();
        throw new Error("no");
      };
      const graph = new Graph<string, unknown>()
        .withState(counter)
        .addNode("a", (text: string) => text, { before: waits("a") })
        .addNode("b", (text: string) => text, { before: waits("b") })
        .addNode("fails", fails)
        .addEdge(START, "a")
        .addEdge(START, "b")
        .addEdge(START, "fails")
        .addEdge("a", END)
        .addEdge("b", END)
        .addEdge("fails", END)
        .compile(compileOptions(way));
      const running = start(graph, mode, { value: "x" }, runOptions(way));
      await expect(running).rejects.toMatchObject({ nodePath: ["fails"] });
      held.open();
      await turns();
      return ran;
    });
    expect(seen).toEqual(allWays(["a"]));
  });
});

describe("a second use of one state while the first is open", () => {
  const inner = new Chain<number>()
    .append((count, ctx) => ctx.processState(counter, (state) => state.count + count))
    .compile();
  const below = lambda({ invoke: (count: number, ctx) => ctx.processState(counter, (state) => state.count + count) });
  const use = (ctx: NodeContext) => ctx.processState(counter, (state) => state.count);

  const second: Record<string, (ctx: NodeContext) => unknown> = {
    "in it, at once": (ctx) => ctx.processState(counter, async () => use(ctx)),
    "in it, later": (ctx) =>
      ctx.processState(counter, async () => {
        await turns();
        return use(ctx);
      }),
    "beside it, at once": (ctx) => Promise.all([ctx.processState(counter, () => turns()), use(ctx)]),
    "beside it, later": async (ctx) => {
      const first = ctx.processState(counter, () => turns().then(turns));
      await turns();
      return Promise.all([first, use(ctx)]);
    },
    "in a child run in it": (ctx) => ctx.processState(counter, () => inner.invoke(1, { parent: ctx })),
    "in a child run beside it": (ctx) =>
      Promise.all([ctx.processState(counter, () => turns()), inner.invoke(1, { parent: ctx })]),
    "in a lambda below it": (ctx) => ctx.processState(counter, () => below.invoke(1, { parent: ctx })),
  };

  it.each(Object.entries(second))("is STATE_LOCKED: %s", async (_where, work) => {
    const seen = await perWay(async (mode, way) => {
      const graph = new Graph<string, unknown>()
        .withState(counter)
        .addNode("use", async (_text: string, ctx) => work(ctx as never))
        .addEdge(START, "use")
        .addEdge("use", END)
        .compile(compileOptions(way));
      const error = await errorOf(start(graph, mode, { value: "x" }, runOptions(way)));
      return { code: error.code, node: error.nodePath[0] };
    });
    expect(seen).toEqual(allWays({ code: "STATE_LOCKED", node: "use" }));
  });

  it.each(["before", "after"] as const)("is STATE_LOCKED: in a %s handler, which has it already", async (timing) => {
    const compile = (options: object) =>
      new Graph<string, string>()
        .withState(counter)
        .addNode("use", (text: string) => text, {
          [timing]: async (text: string, _state: unknown, ctx: NodeContext) => `${text}${await use(ctx)}`,
        })
        .addEdge(START, "use")
        .addEdge("use", END)
        .compile(options);
    const locked = { code: "STATE_LOCKED", nodePath: ["use"] };
    expect(await inEveryWay(compile, { value: "x" })).toEqual(everyWay(locked));
  });

  it("waits its turn when it is of another node", async () => {
    const compile = (options: object) => {
      const slowly = async (_text: string, ctx: NodeContext) =>
        ctx.processState(counter, async (state) => {
          const { count } = state;
          await turns();
          state.count = count + 1;
          return state.count;
        });
      return new Graph<string, unknown>()
        .withState(counter)
        .addNode("a", slowly, { outputKey: "a" })
        .addNode("b", slowly, { outputKey: "b" })
        .addEdge(START, "a")
        .addEdge(START, "b")
        .addEdge("a", END)
        .addEdge("b", END)
        .compile(options);
    };
    expect(await inEveryWay(compile, { value: "x" })).toEqual(everyWay({ value: { a: 1, b: 2 } }));
  });

  it("waits its turn when it is of another tool call", async () => {
    const slow = createTool({
      id: "slow",
      description: "Counts.",
      execute: (_input, ctx: NodeContext) =>
        ctx.processState(counter, async (state) => {
          await turns();
          state.count += 1;
          return String(state.count);
        }),
    });
    const app = new Chain<string>()
      .withState(counter)
      .append(() => calls(call("slow", {}, "1"), call("slow", {}, "2")))
      .appendToolsNode(new AgenticToolsNode([slow]))
      .compile({ store: memoryStore() });
    expect(await app.invoke("x")).toHaveLength(2);
  });

  it("is free again after a first one that was refused", async () => {
    const compile = (options: object) =>
      new Graph<string, unknown>()
        .withState(counter)
        .addNode("use", async (_text: string, ctx) => {
          await Promise.resolve(ctx.processState(counter, async () => use(ctx as never))).catch(() => undefined);
          return use(ctx as never);
        })
        .addEdge(START, "use")
        .addEdge("use", END)
        .compile(options);
    expect(await inEveryWay(compile, { value: "x" })).toEqual(everyWay({ value: 0 }));
  });
});
