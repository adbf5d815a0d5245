import {
  AgenticToolsNode,
  assistantMessage,
  Chain,
  type CheckpointStore,
  type CompileOptions,
  createTool,
  END,
  functionToolCall,
  Graph,
  START,
} from "kumiko";
import { describe, expect, it } from "vitest";
import { z } from "zod";
import { forever, gate, turns } from "../run/gate.js";
import { errorOf } from "../run/rejected-by.js";
import { questionOf } from "./interrupt-of.js";
import { orderChain } from "./order-chain.js";
import { watchedStore } from "./watched-store.js";

const step = (store: CheckpointStore): CompileOptions<never> => ({ store, durability: "step" });

async function microtasks(count: number): Promise<void> {
  for (let n = 0; n < count; n++) await undefined;
}

/** a → b → c; each says when it starts. */
function letters(store: CheckpointStore, on: (key: string) => unknown = () => undefined) {
  let chain = new Chain<string>();
  for (const key of ["a", "b", "c"]) {
    chain = chain.append(
      async (text) => {
        await on(key);
        return text + key;
      },
      { key },
    );
  }
  return chain.compile(step(store));
}

describe('Durability "step"', () => {
  it("saves before the first node, and once between a node and the next", async () => {
    const store = watchedStore();
    const seen: number[] = [];
    await letters(store, () => seen.push(store.puts)).invoke("", { checkpointId: "id" });
    const [first = 0] = seen;
    expect(first).toBeGreaterThan(0);
    expect(seen).toEqual([first, first + 1, first + 2]);
    expect(await store.ids()).toEqual([]);
  });

  it("saves before the first node and between nodes in a stream as well", async () => {
    const store = watchedStore();
    const seen: number[] = [];
    const app = letters(store, () => seen.push(store.puts));
    expect(await app.stream("", { checkpointId: "id" }).concat()).toBe("abc");
    const [first = 0, second = 0, third = 0] = seen;
    expect(first).toBeGreaterThan(0);
    expect(second).toBeGreaterThan(first);
    expect(third).toBeGreaterThan(second);
  });

  it("saves nothing without a checkpointId", async () => {
    const store = watchedStore();
    expect(await letters(store).invoke("")).toBe("abc");
    expect(store.calls).toEqual([]);
  });

  it.each([["invoke"], ["stream"]])("starts no node before the saves are acknowledged (%s)", async (mode) => {
    let open = 0;
    const after = async ({ kind }: { kind: string }) => {
      if (kind !== "put") return;
      open += 1;
      await turns();
      open -= 1;
    };
    const seen: [string, number][] = [];
    const app = letters(watchedStore({ after }), (key) => seen.push([key, open]));
    const options = { checkpointId: "id" };
    expect(await (mode === "invoke" ? app.invoke("", options) : app.stream("", options).concat())).toBe("abc");
    expect(seen).toEqual([
      ["a", 0],
      ["b", 0],
      ["c", 0],
    ]);
  });

  it("saves for synchronous nodes, too", async () => {
    const store = watchedStore();
    const seen: number[] = [];
    const app = new Chain<string>()
      .append((text) => text + seen.push(store.puts))
      .append((text) => text + seen.push(store.puts))
      .append((text) => text + seen.push(store.puts))
      .compile(step(store));
    expect(await app.invoke("", { checkpointId: "id" })).toBe("123");
    const [first = 0] = seen;
    expect(seen).toEqual([first, first + 1, first + 2]);
  });

  it("saves each visit of a loop", async () => {
    const store = watchedStore();
    const seen: number[] = [];
    const app = new Graph<number, number>()
      .addNode("add", (count: number) => {
        seen.push(store.puts);
        return count + 1;
      })
      .addEdge(START, "add")
      .addBranch("add", ["add", END], (count) => (count < 5 ? "add" : END))
      .compile(step(store));
    expect(await app.invoke(0, { checkpointId: "id" })).toBe(5);
    const [first = 0] = seen;
    expect(seen).toEqual([0, 1, 2, 3, 4].map((visit) => first + visit));
  });

  it.each([["anyPredecessor"], ["allPredecessor"]] as const)(
    "saves a finished node while its siblings still run (%s)",
    async (triggerMode) => {
      const store = watchedStore();
      const log: string[] = [];
      const reached = gate();
      const graph = (rows: CheckpointStore, slow: () => unknown) =>
        new Graph<string, string>()
          .addNode("quick", (text: string) => text + log.push("quick"), { outputKey: "quick" })
          .addNode(
            "slow",
            async (text: string) => {
              log.push("slow");
              await slow();
              return text;
            },
            { outputKey: "slow" },
          )
          .addNode("join", ({ quick, slow: other }: { quick: string; slow: string }) => `${quick}|${other}`)
          .addEdge(START, "quick")
          .addEdge(START, "slow")
          .addEdge("quick", "join")
          .addEdge("slow", "join")
          .addEdge("join", END)
          .compile({ ...step(rows), triggerMode });
      const hanging = graph(store, () => {
        reached.open();
        return forever();
      });
      hanging.invoke("a", { checkpointId: "id" }).catch(() => undefined);
      await reached.promise;
      await turns();
      const other = graph(await store.copy(), () => undefined);
      expect(await other.resume("id", undefined, { takeover: true })).toBe("a1|a");
      expect(log).toEqual(["quick", "slow", "slow"]);
    },
  );

  it("keeps the state of the last save: what a killed node wrote is forgotten", async () => {
    const store = watchedStore();
    const reached = gate();
    const counting = (rows: CheckpointStore, last: () => unknown) =>
      new Chain<string>()
        .withState(() => ({ count: 0 }))
        .append((text, ctx) => {
          ctx.state.count += 1;
          return text;
        })
        .append(async (_text, ctx) => {
          ctx.state.count += 1;
          await last();
          return ctx.state.count;
        })
        .compile(step(rows));
    const hanging = counting(store, () => {
      reached.open();
      return forever();
    });
    hanging.invoke("a", { checkpointId: "id" }).catch(() => undefined);
    await reached.promise;
    const other = counting(await store.copy(), () => undefined);
    expect(await other.resume("id", undefined, { takeover: true })).toBe(2);
  });

  it("saves a failure, an interrupt and an abort as well", async () => {
    const store = watchedStore();
    const log: string[] = [];
    let fails = true;
    const on = (node: string) => {
      if (node === "last" && fails) throw new Error("boom");
    };
    const app = orderChain({ log, on }, step(store));
    const { id } = await questionOf(app.invoke("a", { checkpointId: "id" }));
    expect((await errorOf(app.resume("id", { [id]: "b" }))).code).toBe("NODE_FAILED");
    fails = false;
    expect(await app.resume("id")).toBe("a>b.");
    expect(log).toEqual(["first", "asks", "asks", "question", "last", "last"]);
    expect(await store.ids()).toEqual([]);
  });

  it("keeps the finished run with keepCheckpoint", async () => {
    const store = watchedStore();
    const app = new Chain<string>().append((text) => `${text}.`).compile({ ...step(store), keepCheckpoint: true });
    expect(await app.invoke("a", { checkpointId: "id" })).toBe("a.");
    expect(await store.ids()).toEqual(["id"]);
    expect((await errorOf(app.resume("id"))).code).toBe("CHECKPOINT_FINISHED");
  });

  it("goes on in a process that is compiled to save at the exit, and the other way round", async () => {
    const store = watchedStore();
    const { id } = await questionOf(orderChain({}, step(store)).invoke("a", { checkpointId: "id" }));
    expect(await orderChain({}, { store }).resume("id", { [id]: "b" })).toBe("a>b.");
    const other = await questionOf(orderChain({}, { store }).invoke("a", { checkpointId: "id" }));
    expect(await orderChain({}, step(store)).resume("id", { [other.id]: "b" })).toBe("a>b.");
  });

  it("loses nothing of a graph in a graph, however soon after its end an abort comes", async () => {
    for (let later = 0; ; later++) {
      const store = watchedStore();
      const log: string[] = [];
      const abort = new AbortController();
      const inner = new Chain<string>()
        .append((text) => {
          log.push("a");
          return `${text}a`;
        })
        .append((text) => {
          log.push("b");
          void microtasks(later).then(() => abort.abort());
          return `${text}b`;
        });
      const app = new Chain<string>()
        .append(inner)
        .append((text) => `${text}.`)
        .compile(step(store));
      const ended = await app.invoke("", { checkpointId: "id", signal: abort.signal }).then(
        () => true,
        () => false,
      );
      if (ended) break;
      expect(await app.resume("id")).toBe("ab.");
      expect([later, log.filter((name) => name === "a")]).toEqual([later, ["a"]]);
    }
  });

  /** Two calls, one after the other, of a tools node with these options; the last one does `last`. */
  function twoCalls(store: CheckpointStore, log: string[], last: () => void, retry = false) {
    const tool = createTool({
      id: "note",
      description: "Notes a name.",
      inputSchema: z.object({ name: z.string() }),
      execute: ({ name }) => {
        log.push(name);
        if (name === "second") last();
        return name;
      },
    });
    const calls = ["first", "second"].map((name) =>
      functionToolCall({ callId: name, name: "note", arguments: JSON.stringify({ name }) }),
    );
    return new Chain<string>()
      .append(() => assistantMessage(calls))
      .appendToolsNode(new AgenticToolsNode({ tools: [tool], executeSequentially: true }), { retry })
      .append((results) => results.length)
      .compile(step(store));
  }

  it("saves the last call of a tools node with its node, unless other code comes between", async () => {
    const counts: number[] = [];
    for (const retry of [false, true]) {
      const store = watchedStore();
      expect(await twoCalls(store, [], () => undefined, retry).invoke("", { checkpointId: "id" })).toBe(2);
      counts.push(store.puts);
    }
    expect(counts[1]).toBe((counts[0] ?? 0) + 1);
  });

  it("loses no tool call, however soon after the last one an abort comes", async () => {
    for (let later = 0; ; later++) {
      const log: string[] = [];
      const abort = new AbortController();
      const app = twoCalls(watchedStore(), log, () => void microtasks(later).then(() => abort.abort()));
      const ended = await app.invoke("", { checkpointId: "id", signal: abort.signal }).then(
        () => true,
        () => false,
      );
      if (ended) break;
      expect(await app.resume("id")).toBe(2);
      expect([later, log]).toEqual([later, ["first", "second"]]);
    }
  });
});
