import {
  AgenticToolsNode,
  assistantMessage,
  type CompiledGraph,
  consoleTracer,
  createTool,
  each,
  functionToolCall,
  Graph,
  type Handler,
  isInterrupt,
  memoryStore,
  type NodeContext,
  stateKey,
} from "kumiko";
import { describe, expect, it } from "vitest";
import { looseGraph } from "../run/loose-graph.js";

type App = CompiledGraph<never, unknown>;
interface Counts {
  count: number;
  list: string[];
  deep: { values: Map<string, number> };
}
type Ctx = NodeContext<Counts>;

const asks = async (ctx: NodeContext): Promise<unknown> => ctx.ask("go", "Go?");

/** How a node can change its state. */
const changes: Readonly<Record<string, (state: Counts) => unknown>> = {
  "a field": (state) => state.count++,
  "a list": (state) => state.list.push("a"),
  "something deeper": (state) => state.deep.values.set("a", 1),
};

const key = stateKey("counts", (): Counts => ({ count: 0, list: [], deep: { values: new Map() } }));

const app = (node: unknown, options: object = {}, store = memoryStore()): App =>
  (new Graph<never, unknown>().withState(key) as unknown as ReturnType<typeof looseGraph>)
    .addNode("first", (x: unknown) => x)
    .addNode("node", node, options)
    .addEdge("start", "first")
    .addEdge("first", "node")
    .addEdge("node", "end")
    .compile({ store, name: "app" });

const watcher = () => {
  const events: unknown[] = [];
  const handler: Handler = {
    onEvent: ({ name }, value) => {
      const event = value as Readonly<Record<string, unknown>>;
      if (event.kind === "state_kept") events.push([name, event.node, event.reason]);
    },
  };
  return { events, callbacks: [handler] };
};

async function stop(run: Promise<unknown>): Promise<unknown> {
  return run.then(
    () => {
      throw new Error("It did not stop.");
    },
    (error: unknown) => error,
  );
}

describe.each(Object.entries(changes))("A node that has changed %s of its state", (_, change) => {
  it("before it asked tells so when it runs again, once", async () => {
    const store = memoryStore();
    const built = (): App =>
      app(
        async (_input: unknown, ctx: Ctx) => {
          change(ctx.state);
          return `${await ctx.ask("a", "a?")} ${await ctx.ask("b", "b?")}`;
        },
        {},
        store,
      );
    const first = watcher();
    const error = await stop(built().invoke("x" as never, { checkpointId: "1", callbacks: first.callbacks }));
    if (!isInterrupt(error)) throw error;
    expect(first.events).toEqual([]);
    const second = watcher();
    const next = await stop(built().resume("1", { [error.interrupts[0].id]: 1 }, { callbacks: second.callbacks }));
    if (!isInterrupt(next)) throw next;
    expect(second.events).toEqual([["node", "node", "asked"]]);
    const third = watcher();
    await built().resume("1", { [next.interrupts[0].id]: 2 }, { callbacks: third.callbacks });
    expect(third.events).toEqual([]);
  });

  it("before it failed tells so when the run is resumed", async () => {
    const store = memoryStore();
    let failures = 1;
    const built = (): App =>
      app(
        (_input: unknown, ctx: Ctx) => {
          change(ctx.state);
          if (failures-- > 0) throw new Error("down");
          return "up";
        },
        {},
        store,
      );
    await stop(built().invoke("x" as never, { checkpointId: "1" }));
    const { events, callbacks } = watcher();
    expect(await built().resume("1", undefined, { callbacks })).toBe("up");
    expect(events).toEqual([["node", "node", "failed"]]);
  });

  it("before it failed tells so at the next attempt, also without a store", async () => {
    let failures = 2;
    const { events, callbacks } = watcher();
    const built = app(
      (_input: unknown, ctx: Ctx) => {
        change(ctx.state);
        if (failures-- > 0) throw new Error("down");
        return "up";
      },
      { retry: { attempts: 3, delayMs: 0 } },
    );
    expect(await built.invoke("x" as never, { callbacks })).toBe("up");
    expect(events).toEqual([["node", "node", "failed"]]);
  });
});

describe("Whoever changes the state of a node", () => {
  const changing: Readonly<Record<string, () => unknown>> = {
    "the node, with processState": () => async (_: unknown, ctx: Ctx) => {
      await ctx.processState(key, (state) => state.count++);
      return asks(ctx);
    },
    "an item of it": () =>
      each((async (_: unknown, ctx: Ctx) => {
        ctx.state.count++;
        return asks(ctx);
      }) as never),
    "a tool of it": () =>
      new AgenticToolsNode([
        createTool({
          id: "tool",
          description: "Asks.",
          inputSchema: { type: "object" },
          execute: async (_, ctx) => {
            await ctx.processState(key, (state) => state.count++);
            return String(await asks(ctx as never));
          },
        }),
      ]),
    "a node of an inner graph": () =>
      looseGraph()
        .addNode("deep", async (_: unknown, ctx: Ctx) => {
          await ctx.processState(key, (state) => state.count++);
          return asks(ctx);
        })
        .addEdge("start", "deep")
        .addEdge("deep", "end")
        .compile({}),
  };
  const inputs: Readonly<Record<string, unknown>> = {
    "an item of it": [1],
    "a tool of it": assistantMessage([functionToolCall({ callId: "1", name: "tool", arguments: "{}" })]),
  };

  it.each(Object.entries(changing))("%s: the repetition is told", async (name, node) => {
    const store = memoryStore();
    const error = await stop(app(node(), {}, store).invoke((inputs[name] ?? "x") as never, { checkpointId: "1" }));
    if (!isInterrupt(error)) throw error;
    const { events, callbacks } = watcher();
    await app(node(), {}, store).resume("1", { [error.interrupts[0].id]: 1 }, { callbacks });
    expect(events).toHaveLength(1);
  });
});

describe("Nothing is told", () => {
  const silent: Readonly<Record<string, readonly [node: unknown, options?: object]>> = {
    "of a node that only reads its state": [
      async (_: unknown, ctx: Ctx) => `${ctx.state.count}${ctx.state.list.length}${await asks(ctx)}`,
    ],
    "of what before has written, which does not run again": [
      (_: unknown, ctx: Ctx) => asks(ctx),
      { before: (input: unknown, state: Counts) => [input, state.count++] },
    ],
    "of what after writes once": [
      (_: unknown, ctx: Ctx) => asks(ctx),
      { after: (output: unknown, state: Counts) => [output, state.count++] },
    ],
  };

  it.each(Object.entries(silent))("%s", async (_, [node, options]) => {
    const store = memoryStore();
    const error = await stop(app(node, options, store).invoke("x" as never, { checkpointId: "1" }));
    if (!isInterrupt(error)) throw error;
    const { events, callbacks } = watcher();
    await app(node, options, store).resume("1", { [error.interrupts[0].id]: 1 }, { callbacks });
    expect(events).toEqual([]);
  });
});

it("The console tracer shows it", async () => {
  const store = memoryStore();
  const node = async (_: unknown, ctx: Ctx) => {
    ctx.state.count++;
    return asks(ctx);
  };
  const error = await stop(app(node, {}, store).invoke("x" as never, { checkpointId: "1" }));
  if (!isInterrupt(error)) throw error;
  const lines: string[] = [];
  const tracer = consoleTracer({ colors: false, write: (text) => lines.push(text) });
  await app(node, {}, store).resume("1", { [error.interrupts[0].id]: 1 }, { callbacks: [tracer] });
  expect(lines.join("\n")).toContain("state_kept");
});
