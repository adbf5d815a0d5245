import {
  AgenticToolsNode,
  Chain,
  type CheckpointStore,
  type CompiledGraph,
  END,
  Graph,
  memoryStore,
  START,
} from "kumiko";
import { scriptedModel } from "kumiko/testing";
import { describe, expect, it } from "vitest";
import { z } from "zod";
import { plain } from "../compose/thrown-by.js";
import { errorOf } from "../run/rejected-by.js";
import { interruptOf, questionOf } from "./interrupt-of.js";

const asks = async (text: string, ctx: { ask: (key: string, info: unknown) => Promise<unknown> }) =>
  `${text}${String(await ctx.ask("go", {}))}`;

/** START → first → waits → END, as a run that waits left it. */
function original(store: CheckpointStore, log: string[] = []): CompiledGraph<string, string> {
  return new Graph<string, string>()
    .addNode("first", (text: string) => {
      log.push("first");
      return `${text}>`;
    })
    .addNode("waits", asks)
    .addEdge(START, "first")
    .addEdge("first", "waits")
    .addEdge("waits", END)
    .compile({ name: "original", store });
}

async function waiting() {
  const store = memoryStore();
  const { id } = await questionOf(original(store).invoke("a", { checkpointId: "id" }));
  return { store, id };
}

/** Refused with GRAPH_CHANGED and a name; the graph that it belongs to can still go on. */
async function expectRefused(changed: (store: CheckpointStore) => CompiledGraph<string, unknown>, named: string) {
  const { store, id } = await waiting();
  for (const answers of [undefined, { [id]: "b" }]) {
    const error = await errorOf(changed(store).resume("id", answers));
    expect(error.code).toBe("GRAPH_CHANGED");
    expect(error.message).toContain(named);
  }
  expect(await original(store).resume("id", { [id]: "b" })).toBe("a>b");
}

describe("A graph that has changed since a run of it was saved", () => {
  it("is refused when a node that waits is gone", async () => {
    await expectRefused(
      (store) =>
        new Graph<string, string>()
          .addNode("first", (text: string) => text)
          .addNode("other", asks)
          .addEdge(START, "first")
          .addEdge("first", "other")
          .addEdge("other", END)
          .compile({ name: "original", store }),
      '"waits"',
    );
  });

  it.each([
    ["a tools node", () => new AgenticToolsNode([])],
    ["a model", () => scriptedModel()],
    ["a graph", () => new Chain<string>().append(asks)],
  ])("is refused when the node that waits has become %s", async (_what, node) => {
    const other: typeof asks = plain(node());
    await expectRefused(
      (store) =>
        new Graph<string, string>()
          .addNode("first", (text: string) => text)
          .addNode("waits", other)
          .addEdge(START, "first")
          .addEdge("first", "waits")
          .addEdge("waits", END)
          .compile({ name: "original", store }),
      '"waits"',
    );
  });

  it("runs nothing when it is refused", async () => {
    const { store, id } = await waiting();
    const log: string[] = [];
    const note = (text: string) => {
      log.push(text);
      return text;
    };
    const changed = new Graph<string, string>()
      .addNode("first", note)
      .addNode("second", note)
      .addEdge(START, "first")
      .addEdge("first", "second")
      .addEdge("second", END)
      .compile({ store });
    expect((await errorOf(changed.resume("id", { [id]: "b" }))).code).toBe("GRAPH_CHANGED");
    expect(log).toEqual([]);
  });

  it("may have more nodes, before and after those that it had, and more edges", async () => {
    const { store, id } = await waiting();
    const log: string[] = [];
    const grown = new Graph<string, string>()
      .addNode("zeroth", (text: string) => text)
      .addNode("waits", asks)
      .addNode("added", (text: string) => `${text}+`)
      .addNode("first", (text: string) => {
        log.push("first");
        return text;
      })
      .addEdge(START, "zeroth")
      .addEdge("zeroth", "first")
      .addEdge("first", "waits")
      .addEdge("waits", "added")
      .addEdge("added", END)
      .compile({ store });
    expect(await grown.resume("id", { [id]: "b" })).toBe("a>b+");
    expect(log).toEqual([]);
  });

  it("may have another name", async () => {
    const { store, id } = await waiting();
    const renamed = new Graph<string, string>()
      .addNode("first", (text: string) => text)
      .addNode("waits", asks)
      .addEdge(START, "first")
      .addEdge("first", "waits")
      .addEdge("waits", END)
      .compile({ name: "renamed", store });
    const [question] = (await interruptOf(renamed.resume("id"))).interrupts;
    expect(question?.id).toBe(id);
    expect(await renamed.resume("id", { [id]: "b" })).toBe("a>b");
  });

  it("may have another name also where a run inside of a node waits", async () => {
    const store = memoryStore();
    const app = (name: string) => {
      const child = new Chain<string>().append(asks).compile({ name: "child" });
      return new Chain<string>().append((text, ctx) => child.invoke(text, { parent: ctx })).compile({ name, store });
    };
    const { id } = await questionOf(app("one").invoke("a", { checkpointId: "id" }));
    expect(await app("two").resume("id", { [id]: "b" })).toBe("ab");
  });

  it("is refused when a node that waits in a nested graph is gone", async () => {
    const store = memoryStore();
    const app = (key: string) =>
      new Chain<string>()
        .append(new Chain<string>().append((text) => text, { key: "in" }).append(asks, { key }), { key: "inner" })
        .compile({ store });
    const { id } = await questionOf(app("waits").invoke("a", { checkpointId: "id" }));
    const error = await errorOf(app("other").resume("id", { [id]: "b" }));
    expect(error.code).toBe("GRAPH_CHANGED");
    expect(error.message).toContain("waits");
    expect(await app("waits").resume("id", { [id]: "b" })).toBe("ab");
  });

  it("is refused when the input that was saved for a nested graph no longer fits its schema", async () => {
    const store = memoryStore();
    const log: string[] = [];
    const app = (input: z.ZodType<string, string>) => {
      const inner = new Graph<string, string>({ input })
        .addNode("in", (text: string) => {
          log.push("in");
          return text;
        })
        .addEdge(START, "in")
        .addEdge("in", END);
      return new Graph<string, string>()
        .addNode("inner", inner)
        .addEdge(START, "inner")
        .addEdge("inner", END)
        .compile({ store, interruptBefore: ["inner"] });
    };
    await interruptOf(app(z.string()).invoke("long enough", { checkpointId: "id" }));
    const error = await errorOf(app(z.string().max(3)).resume("id"));
    expect(error.code).toBe("GRAPH_CHANGED");
    expect(error.message).toContain("inner");
    expect(log).toEqual([]);
    expect(await app(z.string().max(20)).resume("id")).toBe("long enough");
  });

  it("may be one of the other builder, with the same keys", async () => {
    const { store, id } = await waiting();
    const chain = new Chain<string>()
      .append((text) => text, { key: "first" })
      .append(asks, { key: "waits" })
      .compile({ store });
    expect(await chain.resume("id", { [id]: "b" })).toBe("a>b");
  });
});
