import {
  type CompiledGraph,
  END,
  each,
  from,
  Graph,
  type Handler,
  isInterrupt,
  lambda,
  memoryStore,
  type NodeContext,
  START,
  type StreamReader,
  Workflow,
} from "kumiko";
import { describe, expect, it } from "vitest";
import { looseGraph } from "../loose-graph.js";

/*
 * Inside of a node one part asks a question, and another one fails. The failure leaves the node, so its policies decide about
 * it, as they do when nobody asks: the question is withdrawn, and the rest of the run goes on.
 */

type App = CompiledGraph<number, unknown>;
type Body = (x: number, ctx: NodeContext) => unknown;

const turns = async (count: number): Promise<void> => {
  for (let n = 0; n < count; n++) await new Promise((resolve) => setImmediate(resolve));
};

const bad = async (): Promise<never> => {
  await turns(2);
  throw Object.assign(new Error("bad"), { status: 400 });
};

const asks: Body = (x, ctx) => ctx.ask("q", { x });

const inner = (triggerMode: string) =>
  looseGraph()
    .addNode("bad", bad, { outputKey: "bad" })
    .addNode("asks", asks, { outputKey: "asks" })
    .addEdge(START, "bad")
    .addEdge(START, "asks")
    .addEdge("bad", END)
    .addEdge("asks", END)
    .compile({ triggerMode, name: "inner" });

/** The question is asked, and the failure comes, while the output of the graph is read; the question comes first. */
const streaming = streams()
  .addEdge("bad", END)
  .addEdge("asks", END)
  .compile({ triggerMode: "allPredecessor", name: "streaming" });

const streamingToNode = streams()
  .addNode("join", lambda({ transform: (chunks: StreamReader<object>) => chunks }))
  .addEdge("bad", "join")
  .addEdge("asks", "join")
  .addEdge("join", END)
  .compile({ triggerMode: "allPredecessor", name: "joined" });

async function* badStream(): AsyncGenerator<never> {
  yield await bad();
}

async function* askingStream(x: number, ctx: NodeContext): AsyncGenerator<unknown> {
  yield await asks(x, ctx);
}

function streams(): ReturnType<typeof looseGraph> {
  return looseGraph()
    .addNode("bad", badStream, { outputKey: "bad" })
    .addNode("asks", askingStream, { outputKey: "asks" })
    .addEdge(START, "bad")
    .addEdge(START, "asks");
}

/** Nodes inside of which something asks and something fails. */
const nodes: Readonly<Record<string, unknown>> = {
  "a graph of streams": streaming,
  "a graph of streams that a node joins": streamingToNode,
  "a workflow of streams": new Workflow<number, unknown>()
    .untyped()
    .addNode("bad", badStream, { input: from(START) })
    .addNode("asks", askingStream as never, { input: from(START) })
    .end({ bad: from("bad"), asks: from("asks") })
    .compile(),
  "a graph with steps": inner("anyPredecessor"),
  "a graph without steps": inner("allPredecessor"),
  "a workflow": new Workflow<number, unknown>()
    .untyped()
    .addNode("bad", bad, { input: from(START) })
    .addNode("asks", asks as never, { input: from(START) })
    .end({ bad: from("bad"), asks: from("asks") })
    .compile(),
  "a graph in a graph": looseGraph()
    .addNode("deeper", inner("allPredecessor"))
    .addEdge(START, "deeper")
    .addEdge("deeper", END)
    .compile({}),
  "a child run": (async (x, ctx) => {
    const child = inner("allPredecessor") as unknown as App;
    return child.invoke(x, { parent: ctx });
  }) satisfies Body,
  "a function whose question is still open": ((x, ctx) => {
    void asks(x, ctx);
    return bad();
  }) satisfies Body,
};

const modes: Readonly<Record<string, (app: App, options: object) => Promise<unknown>>> = {
  invoke: (app, options) => app.invoke(1, options),
  stream: (app, options) => app.stream(1, options).concat(),
};

/** Counts what starts and ends. */
function counting(): { readonly handler: Handler; readonly open: Set<string> } {
  const open = new Set<string>();
  const close = ({ runId }: { readonly runId: string }): void => void open.delete(runId);
  return {
    open,
    handler: { onStart: ({ runId }) => void open.add(runId), onEnd: close, onError: close, onInterrupt: close },
  };
}

const companies: readonly (readonly [string, (mode: string) => object])[] = [
  ["plain", () => ({})],
  ["saved", () => ({ checkpointId: "1" })],
  ["limited", () => ({ maxConcurrency: 2 })],
  ["saved and limited", () => ({ checkpointId: "1", maxConcurrency: 2 })],
];

describe.each(Object.entries(nodes))("A failure beside a question, in %s", (_, node) => {
  describe.each(Object.entries(modes))("with %s", (_mode, run) => {
    describe.each(companies)("%s", (company, optionsOf) => {
      const around = (durability: "exit" | "step", options: object, targets: readonly string[] = []): App => {
        const graph = looseGraph() as unknown as Graph<number, unknown>;
        const built = (graph as never as ReturnType<typeof looseGraph>)
          .addNode("node", node, { ...options, outputKey: "node" })
          .addNode("beside", async (x: number) => {
            await turns(1);
            return x;
          })
          .addNode("then", async (x: number) => x + 1, { outputKey: "then" });
        built.addEdge(START, "node").addEdge(START, "beside").addEdge("beside", "then").addEdge("then", END);
        for (const target of targets) built.addNode(target, () => "branch", { outputKey: "node" }).addEdge(target, END);
        if (targets.length > 0)
          (graph as never as { addErrorBranch: (...args: unknown[]) => void }).addErrorBranch(
            "node",
            targets,
            () => targets[0],
          );
        built.addEdge("node", END);
        return built.compile({ store: memoryStore(), durability, triggerMode: "allPredecessor" }) as App;
      };

      it.each(["exit", "step"] as const)(
        "is replaced by the fallback, and the rest goes on (%s)",
        async (durability) => {
          const { handler, open } = counting();
          const app = around(durability, { fallback: () => "fallback" });
          expect(await run(app, optionsOf(company))).toEqual({ node: "fallback", then: 2 });
          expect(await run(app, { ...optionsOf(company), callbacks: [handler] })).toEqual({
            node: "fallback",
            then: 2,
          });
          expect(open.size).toBe(0);
        },
      );

      it.each(["exit", "step"] as const)(
        "is taken by the error branch, and the rest goes on (%s)",
        async (durability) => {
          const { handler, open } = counting();
          const app = around(durability, {}, ["rescue"]);
          expect(await run(app, optionsOf(company))).toEqual({ node: "branch", then: 2 });
          expect(await run(app, { ...optionsOf(company), callbacks: [handler] })).toEqual({ node: "branch", then: 2 });
          expect(open.size).toBe(0);
        },
      );

      it.each(["exit", "step"] as const)("goes to the fallback before the error branch (%s)", async (durability) => {
        const app = around(durability, { fallback: () => "fallback" }, ["rescue"]);
        expect(await run(app, optionsOf(company))).toEqual({ node: "fallback", then: 2 });
      });

      it("fails the run without a policy, and the question stays open", async () => {
        const app = around("exit", {});
        await expect(run(app, optionsOf(company))).rejects.toMatchObject({
          code: "NODE_FAILED",
          cause: { message: "bad" },
        });
      });
    });
  });
});

describe("A failing item beside one that asks", () => {
  const item = (x: number, ctx: NodeContext): unknown => {
    const asking = asks(x, ctx);
    return x === 2 ? bad() : asking;
  };

  it("is replaced, and the question of the other one is still asked and answered", async () => {
    const app = new Graph<number[], unknown>()
      .addNode("list", each(item, { onItemError: () => "replaced" }))
      .addEdge(START, "list")
      .addEdge("list", END)
      .compile({ store: memoryStore() });
    const error: unknown = await app.invoke([1, 2], { checkpointId: "1" }).catch((thrown: unknown) => thrown);
    if (!isInterrupt(error)) throw error;
    expect(error.interrupts.map(({ info }) => info)).toEqual([{ x: 1 }]);
    expect(await app.resume("1", { [error.interrupts[0].id]: "yes" })).toEqual(["yes", "replaced"]);
  });

  it("is replaced, and nothing is asked where no other item asks", async () => {
    const app = new Graph<number[], unknown>()
      .addNode("list", each(item, { onItemError: () => "replaced" }))
      .addEdge(START, "list")
      .addEdge("list", END)
      .compile();
    expect(await app.invoke([2])).toEqual(["replaced"]);
  });
});

describe("A fallback that asks, for a failure beside a question", () => {
  it("asks only its own question, and does not repeat what has finished", async () => {
    const log: string[] = [];
    const store = memoryStore();
    const graph = looseGraph()
      .addNode("paid", () => log.push("paid"), { outputKey: "paid" })
      .addNode("bad", bad, { outputKey: "bad" })
      .addNode("asks", asks, { outputKey: "asks" });
    for (const key of ["paid", "bad", "asks"]) graph.addEdge(START, key).addEdge(key, END);
    const app = (): App =>
      looseGraph()
        .addNode("node", graph.compile({ triggerMode: "allPredecessor" }), {
          fallback: (_failure: unknown, ctx: NodeContext) => ctx.ask("instead", "What instead?"),
        })
        .addEdge(START, "node")
        .addEdge("node", END)
        .compile({ store }) as unknown as App;
    const error: unknown = await app()
      .invoke(1, { checkpointId: "1" })
      .catch((thrown: unknown) => thrown);
    if (!isInterrupt(error)) throw error;
    expect(error.interrupts.map(({ info }) => info)).toEqual(["What instead?"]);
    expect(await app().resume("1", { [error.interrupts[0].id]: "this" })).toBe("this");
    expect(log).toEqual(["paid"]);
  });
});
