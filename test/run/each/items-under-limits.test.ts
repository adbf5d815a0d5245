import {
  Chain,
  type CompiledGraph,
  END,
  each,
  Graph,
  type Handler,
  isInterrupt,
  memoryStore,
  type NodeContext,
  type RunOptions,
  START,
} from "kumiko";
import { describe, expect, it } from "vitest";

/** What an item says of itself. */
interface Identity {
  readonly address: string;
  readonly taskKey: string;
  readonly name: string;
  readonly runId: string;
  readonly infoAddress: string;
}

const identityOf = ({ address, taskKey, runInfo }: NodeContext): Identity => ({
  address,
  taskKey,
  name: runInfo.name,
  runId: runInfo.runId,
  infoAddress: runInfo.address,
});

/** What wraps the task of an item: each must leave the item what it is. */
const wrappings: Readonly<Record<string, { readonly policies: object; readonly options: RunOptions }>> = {
  "no limit": { policies: {}, options: {} },
  maxConcurrency: { policies: {}, options: { maxConcurrency: 2 } },
  "a time limit": { policies: { timeoutMs: 60_000 }, options: {} },
  "an idle time limit and maxConcurrency": { policies: { idleTimeoutMs: 60_000 }, options: { maxConcurrency: 1 } },
  retries: { policies: { retry: { attempts: 2, delayMs: 0 } }, options: {} },
  "retries and maxConcurrency": { policies: { retry: { attempts: 2, delayMs: 0 } }, options: { maxConcurrency: 2 } },
  "a fallback": { policies: { fallback: () => "instead" }, options: {} },
};

type Items = CompiledGraph<string[], unknown>;

function over(node: (item: string, ctx: NodeContext) => unknown, policies: object, store = memoryStore()): Items {
  return new Graph<string[], unknown>()
    .addNode("list", each(node as (item: string) => unknown), policies)
    .addEdge(START, "list")
    .addEdge("list", END)
    .compile({ name: "app", store });
}

describe.each(Object.entries(wrappings))("An item of each with %s", (_, { policies, options }) => {
  it("has its own address, task key and run info", async () => {
    const seen: Identity[] = [];
    const app = over((item, ctx) => seen.push(identityOf(ctx)) > 0 && item, policies);
    await app.invoke(["a", "b", "c"], options);
    const address = (n: number) => `runnable:app;node:list;item:${n}`;
    expect(seen.map((one) => one.address)).toEqual([0, 1, 2].map(address));
    expect(seen.map((one) => one.infoAddress)).toEqual([0, 1, 2].map(address));
    expect(new Set(seen.map((one) => one.taskKey)).size).toBe(3);
    expect(new Set(seen.map((one) => one.runId)).size).toBe(3);
  });

  it("asks its own question, and gets its own answer", async () => {
    const app = over(async (item, ctx) => `${item}: ${await ctx.ask("q", { item })}`, policies);
    const error: unknown = await app
      .invoke(["a", "b", "c"], { ...options, checkpointId: "1" })
      .catch((thrown) => thrown);
    if (!isInterrupt(error)) throw error;
    expect(error.interrupts.map(({ info, address }) => [info, address])).toEqual(
      ["a", "b", "c"].map((item, n) => [{ item }, `runnable:app;node:list;item:${n}`]),
    );
    const answers = Object.fromEntries(
      error.interrupts.map(({ id, info }) => [id, `yes ${(info as { item: string }).item}`]),
    );
    expect(await app.resume("1", answers, options)).toEqual(["a: yes a", "b: yes b", "c: yes c"]);
  });

  it("is interrupted at its own address, and finds its own state again", async () => {
    const app = over((item, ctx) => {
      const { wasInterrupted, state, data } = ctx.resume;
      if (!wasInterrupted) ctx.interrupt({ item }, { state: `state of ${item}` });
      return `${state}: ${data}`;
    }, policies);
    const error: unknown = await app.invoke(["a", "b"], { ...options, checkpointId: "1" }).catch((thrown) => thrown);
    if (!isInterrupt(error)) throw error;
    const [a, b] = error.interrupts;
    expect([a.info, b?.info]).toEqual([{ item: "a" }, { item: "b" }]);
    const answers = { byAddress: { [a.address]: 1, [b?.address ?? ""]: 2 } };
    expect(await app.resume("1", answers, options)).toEqual(["state of a: 1", "state of b: 2"]);
  });

  it("remembers its own work, and its own child runs", async () => {
    const log: string[] = [];
    const child = new Chain<string>()
      .append((text) => log.push(`child of ${text}`) > 0 && `<${text}>`)
      .compile({ name: "child" });
    const app = over(async (item, ctx) => {
      const once = await ctx.once("work", () => log.push(`once ${item}`) > 0 && item.toUpperCase());
      const inner = await child.invoke(item, { parent: ctx });
      return `${once} ${inner} ${await ctx.ask("q", { item })}`;
    }, policies);
    const error: unknown = await app.invoke(["a", "b"], { ...options, checkpointId: "1" }).catch((thrown) => thrown);
    if (!isInterrupt(error)) throw error;
    const answers = Object.fromEntries(error.interrupts.map(({ id }) => [id, "yes"]));
    expect(await app.resume("1", answers, options)).toEqual(["A <a> yes", "B <b> yes"]);
    expect(log.toSorted()).toEqual(["child of a", "child of b", "once a", "once b"]);
  });

  it("has a span of its own, under that of the list", async () => {
    const started: string[] = [];
    const handler: Handler = { onStart: (info) => void started.push(`${info.component} ${info.address}`) };
    const child = new Chain<string>().append((text) => text).compile({ name: "child" });
    const app = over((item, ctx) => child.invoke(item, { parent: ctx }), policies);
    await app.invoke(["a", "b"], { ...options, callbacks: [handler] });
    for (const n of [0, 1]) expect(started).toContain(`chain runnable:app;node:list;item:${n};runnable:child`);
  });
});

describe("A stream that is opened again by a retry in a later step", () => {
  it("keeps the task key of its node", async () => {
    const keys: string[] = [];
    let failures = 1;
    const app = new Graph<string, unknown>()
      .addNode(
        "source",
        async function* (text: string, ctx) {
          keys.push(ctx.taskKey);
          await undefined;
          if (failures-- > 0) throw Object.assign(new Error("busy"), { status: 503 });
          yield text;
        },
        { retry: { attempts: 2, delayMs: 0 }, outputKey: "source" },
      )
      .addNode("other", (text: string) => text, { outputKey: "other" })
      .addNode("join", (both: unknown) => both)
      .addEdge(START, "source")
      .addEdge(START, "other")
      .addEdge("source", "join")
      .addEdge("other", "join")
      .addEdge("join", END)
      .compile();
    await app.stream("a").concat();
    expect(keys).toHaveLength(2);
    expect(new Set(keys).size).toBe(1);
  });
});
