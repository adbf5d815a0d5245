import { type CheckpointStore, END, Graph, isInterrupt, memoryStore, START, StreamReader } from "kumiko";
import { describe, expect, it } from "vitest";

interface Order {
  readonly items: string[];
}

/** A store as some people have it: documents are written as a whole. */
function wholeStore(): CheckpointStore {
  const rows = memoryStore();
  return {
    get: (id) => rows.get(id),
    put: (id, data, ifVersion) => rows.put(id, data, ifVersion),
    delete: (id, ifVersion) => rows.delete(id, ifVersion),
    list: (prefix) => rows.list(prefix),
  };
}

/** Nodes that nobody would trust with the input: they change it. */
function compile(store: CheckpointStore, durability: "exit" | "step", turns = 40) {
  return new Graph<Order, Order>()
    .withState(() => ({ turns: 0 }))
    .addNode("work", (order: Order, ctx) => {
      order.items.push(`item ${++ctx.state.turns}`);
      return order;
    })
    .addNode("ask", async (order: Order, ctx) => ({ items: [...order.items, await ctx.ask<string>("more", "more?")] }))
    .addEdge(START, "work")
    .addBranch("work", ["work", "ask"], (_order, ctx) => (ctx.state.turns % turns === 0 ? "ask" : "work"))
    .addEdge("ask", END)
    .compile({ store, durability, keepCheckpoint: true, maxSteps: 1_000 });
}

describe.each([
  ["a store that appends", memoryStore],
  ["a store that does not", wholeStore],
])("The input of a run, in %s", (_kind, open) => {
  it.each(["exit", "step"] as const)("is there after every node that reads it (%s)", async (durability) => {
    const app = compile(open(), durability);
    const error: unknown = await app.invoke({ items: ["first"] }, { checkpointId: "run" }).catch((thrown) => thrown);
    if (!isInterrupt(error)) throw error;
    expect((await app.stateAt("run")).input).toEqual({ items: ["first"] });
    const copy = await app.fork("run");
    await app.resume("run", { [error.interrupts[0].id]: "last" });
    const { input, output } = await app.stateAt("run");
    expect(input).toEqual({ items: ["first"] });
    expect((output() as Order).items).toHaveLength(42);
    expect((await app.stateAt(copy)).input).toEqual({ items: ["first"] });
    const asked: unknown = await app.resume(copy).catch((thrown) => thrown);
    if (!isInterrupt(asked)) throw asked;
    await app.resume(copy, { [asked.interrupts[0].id]: "other" }, { writeToCheckpointId: "third" });
    expect((await app.stateAt("third")).input).toEqual({ items: ["first"] });
  });

  it.each(["exit", "step"] as const)(
    "is that of the new run where one begins under its id (%s)",
    async (durability) => {
      const app = compile(open(), durability);
      for (const item of ["one", "other"]) {
        await app.invoke({ items: [item] }, { checkpointId: "run", forceNewRun: true }).catch(() => undefined);
        expect((await app.stateAt("run")).input).toEqual({ items: [item] });
      }
    },
  );

  it("is whole where it was a stream", async () => {
    const app = new Graph<string, string>()
      .addNode("work", (text: string) => text)
      .addNode("ask", (_text: string, ctx) => ctx.ask<string>("more", "more?"))
      .addEdge(START, "work")
      .addEdge("work", "ask")
      .addEdge("ask", END)
      .compile({ store: open(), durability: "step" });
    await app.collect(StreamReader.from(["fi", "rst"]), { checkpointId: "run" }).catch(() => undefined);
    expect((await app.stateAt("run")).input).toBe("first");
  });
});
