import {
  type CompiledGraph,
  from,
  isInterrupt,
  memoryStore,
  type NodeContext,
  RunControl,
  START,
  Workflow,
} from "kumiko";
import { describe, expect, it } from "vitest";
import { looseGraph } from "../run/loose-graph.js";

/*
 * A streaming node asks in a graph whose output nobody reads: something only comes after it. It is entered again as it would be
 * if somebody read it: `before` has run, and what it returned is given again.
 */

type App = CompiledGraph<string, unknown>;
type Log = string[];

const node = async function* (text: string, ctx: NodeContext): AsyncGenerator<string> {
  yield `${text} ${String(await ctx.ask("q", "q?"))}`;
};

const options = (log: Log) => ({
  concat: "text",
  before: (text: string) => {
    log.push("before");
    return `b(${text})`;
  },
  after: (text: string) => {
    log.push(`after ${text}`);
    return text;
  },
});

const inner = {
  workflow: (log: Log) =>
    new Workflow<string, unknown>()
      .withState(() => ({}))
      .untyped()
      .addNode("n", node as never, { input: from(START) as never, ...(options(log) as object) } as never)
      .end({ x: from("n") })
      .compile(),
  graph: (log: Log) =>
    looseGraph().addNode("n", node, options(log)).addEdge("start", "n").addEdge("n", "end").compile({}) as never,
  "graph without steps": (log: Log) =>
    looseGraph()
      .addNode("n", node, options(log))
      .addEdge("start", "n")
      .addEdge("n", "end")
      .compile({ triggerMode: "allPredecessor" }) as never,
} satisfies Record<string, (log: Log) => unknown>;

const outer = {
  "a workflow that ends after it": (log: Log, kind: keyof typeof inner) =>
    new Workflow<string, unknown>()
      .untyped()
      .addNode("sub", inner[kind](log), { input: from(START) as never })
      .end({ x: from(START) }, { runAfter: ["sub"] }),
  "a node that runs after it": (log: Log, kind: keyof typeof inner) =>
    new Workflow<string, unknown>()
      .untyped()
      .addNode("sub", inner[kind](log), { input: from(START) as never })
      .addNode("next", (text: unknown) => text, { input: from(START) as never, runAfter: ["sub"] })
      .end({ x: from("next") }),
};

const modes = {
  invoke: (app: App, given: object) => app.invoke("x", given),
  stream: (app: App, given: object) => app.stream("x", given).concat(),
};

const companies: Readonly<Record<string, () => object>> = {
  saved: () => ({}),
  watched: () => ({ callbacks: [{ onStart() {} }] }),
  controlled: () => ({ control: new RunControl() }),
};

for (const kind of Object.keys(inner) as (keyof typeof inner)[]) {
  describe.each(Object.entries(outer))(`A node of a ${kind} that nobody reads, in %s`, (_, build) => {
    describe.each(Object.entries(modes))("with %s", (_mode, run) => {
      it.each(Object.entries(companies))("is entered again as it stopped (%s)", async (_company, given) => {
        for (const durability of ["exit", "step"] as const) {
          const log: Log = [];
          const store = memoryStore();
          const app = (): App => build(log, kind).compile({ store, durability });
          const error: unknown = await run(app(), { checkpointId: "1", ...given() }).catch((thrown: unknown) => thrown);
          if (!isInterrupt(error)) throw error;
          expect(await app().resume("1", { [error.interrupts[0].id]: "yes" }, given())).toEqual({ x: "x" });
          expect(log).toEqual(["before", "after b(x) yes"]);
        }
      });
    });
  });
}
