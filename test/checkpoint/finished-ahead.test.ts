import {
  type CompiledGraph,
  END,
  firstOf,
  from,
  isInterrupt,
  lambda,
  type NodeContext,
  RunControl,
  START,
  type StreamReader,
  Workflow,
} from "kumiko";
import { describe, expect, it } from "vitest";
import { looseGraph } from "../run/loose-graph.js";
import { watchedStore } from "./watched-store.js";

/*
 * `talk` streams. `pay` reads the beginning of its stream, leaves it, and has an effect; `ship` follows `pay`. Then the run
 * stops while `talk` is still at work. Whatever the reason: `talk` begins again, `pay` and `ship` do not, and nothing is lost.
 */

type Log = string[];
/** What happens to `talk` after its first chunk. */
type Rest = (ctx: NodeContext) => unknown;
type App = CompiledGraph<string, unknown>;

/** Lets all that can go on do so. */
async function pause(turns = 10): Promise<void> {
  for (let n = 0; n < turns; n++) await new Promise((resolve) => setImmediate(resolve));
}

const talk = (rest: Rest) =>
  async function* (text: string, ctx: NodeContext): AsyncGenerator<string> {
    yield text;
    const more = await rest(ctx);
    yield `, ${String(more)}`;
  };

/** Reads one chunk, and leaves. */
const pay = (log: Log) =>
  lambda({
    transform: async function* (chunks: AsyncIterable<unknown>): AsyncGenerator<string> {
      for await (const _ of chunks) break;
      log.push("pay");
      yield "paid";
    },
  });

const ship = (log: Log) => async () => {
  log.push("ship");
  return "shipped";
};

const dag = (log: Log, rest: Rest) =>
  looseGraph()
    .addNode("talk", talk(rest), { outputKey: "text", concat: "text" })
    .addNode("pay", pay(log), { outputKey: "paid" })
    .addNode("ship", ship(log), { outputKey: "shipped" })
    .addEdge(START, "talk")
    .addEdge("talk", "pay")
    .addEdge("talk", END)
    .addEdge("pay", "ship")
    .addEdge("ship", END);

const workflow = (log: Log, rest: Rest) =>
  new Workflow<string, unknown>()
    .untyped()
    .addNode("talk", talk(rest), { input: from(START), concat: "text" })
    .addNode("pay", pay(log), { input: from("talk") })
    .addNode("ship", ship(log), { input: from("pay") })
    .end({ text: from("talk"), shipped: firstOf(from("ship"), from("pay")) });

/** The graphs: on their own, in another graph, and in one that gives them a stream which is still open. */
const graphs: Readonly<Record<string, (log: Log, rest: Rest) => { compile(options: object): App }>> = {
  "a graph": (log, rest) => ({
    compile: (options) => dag(log, rest).compile({ ...options, triggerMode: "allPredecessor" }) as App,
  }),
  "a workflow": (log, rest) => ({ compile: (options) => workflow(log, rest).compile(options) as App }),
  "a workflow in a graph": (log, rest) => ({
    compile: (options) =>
      looseGraph()
        .addNode("inner", workflow(log, rest).compile())
        .addEdge(START, "inner")
        .addEdge("inner", END)
        .compile(options) as App,
  }),
  "a graph in a workflow": (log, rest) => ({
    compile: (options) =>
      new Workflow<string, unknown>()
        .untyped()
        .addNode("inner", dag(log, rest).compile({ triggerMode: "allPredecessor" }), { input: from(START) })
        .end(from("inner"))
        .compile(options) as App,
  }),
  "a graph whose input is what waits": (log, rest) => ({
    compile: (options) =>
      looseGraph()
        .addNode("talk", talk(rest), { concat: "text" })
        .addNode("inner", readers(log).compile({ triggerMode: "allPredecessor" }))
        .addEdge(START, "talk")
        .addEdge("talk", "inner")
        .addEdge("inner", END)
        .compile(options) as App,
  }),
};

/** The rest of the graph, without the node that talks. */
const readers = (log: Log) =>
  looseGraph()
    .addNode("text", (text: string) => text, { outputKey: "text" })
    .addNode("pay", pay(log), { outputKey: "paid" })
    .addNode("ship", ship(log), { outputKey: "shipped" })
    .addEdge(START, "text")
    .addEdge(START, "pay")
    .addEdge("text", END)
    .addEdge("pay", "ship")
    .addEdge("ship", END);

const read = (app: App, checkpointId: string, options: object = {}): Promise<unknown> =>
  app.stream("hello", { checkpointId, ...options }).concat();

const rejection = (promise: Promise<unknown>): Promise<unknown> =>
  promise.then(
    () => {
      throw new Error("It did not stop.");
    },
    (error: unknown) => error,
  );

const ways = [
  ["resume", (app: App, ...args: Parameters<App["resume"]>) => app.resume(...args)],
  ["resumeStream", (app: App, ...args: Parameters<App["resume"]>) => app.resumeStream(...args).concat()],
] as const;

describe.each(Object.entries(graphs))("A node that has finished ahead of its source, in %s", (_, build) => {
  describe.each(ways)("continued with %s", (_name, resume) => {
    it("does not run again when the source has asked, however often", async () => {
      const log: Log = [];
      const store = watchedStore();
      const app = (): App =>
        build(log, async (ctx) => `${await ctx.ask("a", "a?")} ${await ctx.ask("b", "b?")}`).compile({ store });
      const first = await rejection(read(app(), "1"));
      if (!isInterrupt(first)) throw first;
      const second = await rejection(resume(app(), "1", { [first.interrupts[0].id]: 1 }));
      if (!isInterrupt(second)) throw second;
      expect(await resume(app(), "1", { [second.interrupts[0].id]: 2 })).toMatchObject({
        text: "hello, 1 2",
        shipped: "shipped",
      });
      expect(log).toEqual(["pay", "ship"]);
    });

    it("does not run again when the source has failed, however often", async () => {
      const log: Log = [];
      const store = watchedStore();
      let failures = 2;
      const app = (): App =>
        build(log, async () => {
          await pause();
          if (failures-- > 0) throw new Error("down");
          return "you";
        }).compile({ store });
      await rejection(read(app(), "1"));
      await rejection(resume(app(), "1"));
      expect(await resume(app(), "1")).toMatchObject({ text: "hello, you", shipped: "shipped" });
      expect(log).toEqual(["pay", "ship"]);
    });

    it("does not run again when the run was stopped by its control", async () => {
      const log: Log = [];
      const store = watchedStore();
      const control = new RunControl();
      let stops = 1;
      const app = (): App =>
        build(log, async () => {
          await pause();
          if (stops-- > 0) {
            control.interrupt({ timeoutMs: 0 });
            await pause(50);
          }
          return "you";
        }).compile({ store });
      await rejection(read(app(), "1", { control }));
      expect(await resume(app(), "1")).toMatchObject({ text: "hello, you", shipped: "shipped" });
      expect(log).toEqual(["pay", "ship"]);
    });

    it("does not run again when the run was aborted", async () => {
      const log: Log = [];
      const store = watchedStore();
      const abort = new AbortController();
      const app = (): App =>
        build(log, async () => {
          await pause();
          abort.abort(new Error("left"));
          return "you";
        }).compile({ store });
      await rejection(read(app(), "1", { signal: abort.signal }));
      expect(await resume(app(), "1")).toMatchObject({ text: "hello, you", shipped: "shipped" });
      expect(log).toEqual(["pay", "ship"]);
    });
  });
});

describe("What a branch has chosen from the beginning of a stream", () => {
  it("holds when the node streams again after a question", async () => {
    const log: Log = [];
    const store = watchedStore();
    let chosen = 0;
    const app = (): App =>
      looseGraph()
        .addNode(
          "talk",
          talk((ctx) => ctx.ask("q", "q?")),
          { concat: "text" },
        )
        .addNode("left", pay(log))
        .addNode("right", pay(log))
        .addNode("after", ship(log))
        .addEdge(START, "talk")
        .addStreamBranch("talk", ["left", "right"], async (chunks: StreamReader<string>) => {
          for await (const _ of chunks) break;
          return chosen++ % 2 === 0 ? "left" : "right";
        })
        .addEdge("left", "after")
        .addEdge("right", "after")
        .addEdge("after", END)
        .compile({ store, triggerMode: "allPredecessor" }) as App;
    const error: unknown = await read(app(), "1").then(
      () => "shipped",
      (thrown: unknown) => thrown,
    );
    if (isInterrupt(error)) await app().resume("1", { [error.interrupts[0].id]: "yes" });
    expect(chosen).toBe(1);
    expect(log).toEqual(["pay", "ship"]);
  });
});
