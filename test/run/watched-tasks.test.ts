import { Chain, END, Graph, type Handler, type NodeContext, type RunInfo, START } from "kumiko";
import { expect, it } from "vitest";

/** A handler that writes down what it hears; the span of a run is its name. */
function listener(heard: string[], also: Handler = {}): Handler {
  const name = (info: RunInfo): string => info.name || "graph";
  return {
    onStart: (info, value, outer) => {
      heard.push(`start ${name(info)} in ${outer ?? "nothing"}`);
      also.onStart?.(info, value, outer);
      return name(info);
    },
    onEnd: (info, value, span) => {
      heard.push(`end ${span}`);
      also.onEnd?.(info, value, span);
    },
    onError: (_info, _error, span) => void heard.push(`error ${span}`),
    onInterrupt: (_info, _error, span) => void heard.push(`interrupt ${span}`),
    onEvent: (_info, _event, span) => void heard.push(`event ${span}`),
  };
}

const twoNodes = (a: (text: string, ctx: NodeContext) => unknown, b: (text: string) => unknown = (text) => text) =>
  new Graph<string, string>()
    .addNode("a", a as (text: string) => string)
    .addNode("b", b as (text: string) => string)
    .addEdge(START, "a")
    .addEdge("a", "b")
    .addEdge("b", END)
    .compile();

it("ends the node that runs, and then the graph, when a run is aborted", async () => {
  const heard: string[] = [];
  const controller = new AbortController();
  const graph = twoNodes(() => new Promise(() => controller.abort(new Error("enough"))));
  await expect(graph.invoke("", { callbacks: [listener(heard)], signal: controller.signal })).rejects.toThrow("enough");
  expect(heard).toEqual(["start graph in nothing", "start a in graph", "error a", "error graph"]);
});

it("ends the node that runs in a nested graph first when a run is aborted", async () => {
  const heard: string[] = [];
  const controller = new AbortController();
  const inner = new Chain<string>()
    .append(() => new Promise<string>(() => controller.abort(new Error("enough"))), { key: "deep" })
    .compile();
  const outer = new Chain<string>().append(inner, { key: "inner" }).compile();
  await expect(outer.invoke("", { callbacks: [listener(heard)], signal: controller.signal })).rejects.toThrow("enough");
  expect(heard).toEqual([
    "start graph in nothing",
    "start inner in graph",
    "start deep in inner",
    "error deep",
    "error inner",
    "error graph",
  ]);
});

it("starts no further node when a handler aborts the run at the end of one", async () => {
  const heard: string[] = [];
  const controller = new AbortController();
  const stop: Handler = { onEnd: (info) => info.name === "a" && controller.abort(new Error("enough")) };
  const graph = twoNodes(async (text) => text);
  const run = graph.invoke("", { callbacks: [listener(heard, stop)], signal: controller.signal });
  await expect(run).rejects.toThrow("enough");
  expect(heard).toEqual(["start graph in nothing", "start a in graph", "end a", "error graph"]);
});

it("does not run a node whose start made a handler abort the run", async () => {
  const heard: string[] = [];
  const controller = new AbortController();
  const stop: Handler = { onStart: (info) => info.name === "a" && controller.abort(new Error("enough")) };
  let ran = false;
  const graph = twoNodes(() => {
    ran = true;
  });
  const run = graph.invoke("", { callbacks: [listener(heard, stop)], signal: controller.signal });
  await expect(run).rejects.toThrow("enough");
  expect(heard.filter((line) => line.startsWith("error"))).toEqual(["error graph", "error graph"]);
  expect(ran).toBe(false);
});

it("tells of progress under the span of the node, also after its end", async () => {
  const heard: string[] = [];
  let late: NodeContext | undefined;
  const graph = twoNodes(
    async (text, ctx) => {
      ctx.progress("now");
      late = ctx;
      return text;
    },
    (text) => {
      late?.progress("later");
      return text;
    },
  );
  await graph.invoke("", { callbacks: [listener(heard)] });
  expect(heard.slice(1)).toEqual([
    "start a in graph",
    "event a",
    "end a",
    "start b in graph",
    "event a",
    "end b",
    "end graph",
  ]);
});

it("is one run for handlers, however many copies of its context start children", async () => {
  const heard: string[] = [];
  const inner = new Chain<string>().append((text) => text, { key: "node" }).compile({ name: "inner" });
  const graph = twoNodes(async (text, ctx) => {
    const copy = ctx.with({ requestContext: { tenant: 1 } });
    await inner.invoke(text, { parent: copy, key: "one" });
    await inner.invoke(text, { parent: ctx, key: "two" });
    throw new Error("broken");
  });
  await expect(graph.invoke("", { callbacks: [listener(heard)] })).rejects.toThrow("broken");
  expect(heard.slice(1)).toEqual([
    "start a in graph",
    ...["start inner in a", "start node in inner", "end node", "end inner"],
    ...["start inner in a", "start node in inner", "end node", "end inner"],
    ...["error a", "error graph"],
  ]);
});

it("gives a handler without onStart no span", async () => {
  const spans: unknown[] = [];
  const graph = twoNodes(async (text) => text);
  await graph.invoke("", { callbacks: [{ onEnd: (_info, _value, span) => spans.push(span) }] });
  expect(spans).toEqual([undefined, undefined, undefined]);
});

it("gives the node the same info as its handlers", async () => {
  const infos: RunInfo[] = [];
  let own: RunInfo | undefined;
  const graph = twoNodes(async (text, ctx) => {
    own = ctx.runInfo;
    return text;
  });
  await graph.invoke("", {
    callbacks: [{ onStart: (info) => void infos.push(info), onEnd: (info) => infos.push(info) }],
  });
  expect(infos.filter((info) => info === own)).toHaveLength(2);
});
