import { describe, expectTypeOf, it } from "vitest";
import { Graph } from "../../src/compose/graph.js";
import type { Runnable } from "../../src/compose/runnable.js";
import type { NodeRef, PartsRef, SourceRef } from "../../src/compose/types/node-ref.js";

const graph = new Graph<string, { size: number; loud: string }>().withState(() => ({ turns: 0 }));
const size = graph.node("size", (text: string, ctx) => text.length + ctx.state.turns, { outputKey: "size" });
const loud = graph.node("loud", (text: string) => text.toUpperCase(), { outputKey: "loud" });
const join = graph.node("join", (parts: { size: number; loud: string }) => parts);

describe("handles", () => {
  it("carry the types of their nodes, keys included", () => {
    expectTypeOf(size).toEqualTypeOf<NodeRef<string, Readonly<Record<"size", number>>>>();
    expectTypeOf(graph.start).toEqualTypeOf<SourceRef<string>>();
    expectTypeOf(graph.end).toEqualTypeOf<PartsRef<{ size: number; loud: string }>>();
  });

  it("connect what fits, whole or as a part", () => {
    graph.connect(graph.start, size).connect(graph.start, loud);
    graph.connect(size, join.part).connect(loud, join.part).connect(join, graph.end);
    graph.connect(size, graph.end.part);
    // @ts-expect-error only a part of the input
    graph.connect(size, join);
    const depth = graph.node("depth", () => ({ depth: 1 }));
    // @ts-expect-error not a field of the input
    graph.connect(depth, join.part);
    const wide = graph.node("wide", () => ({ size: "wide" }));
    // @ts-expect-error a field of another type
    graph.connect(wide, join.part);
    // @ts-expect-error text and a record
    graph.connect(size, loud);
    // @ts-expect-error nothing leaves END
    graph.connect(graph.end, size);
    // @ts-expect-error nothing goes back to START
    graph.connect(join, graph.start);
  });

  it("are what a branch between them speaks of", () => {
    graph.addBranch(graph.start, [size, loud], (text) => (text === "" ? size : [size, loud]));
    graph.addStreamBranch(graph.start, [size, loud], async (stream) => {
      for await (const chunk of stream) if (chunk === "") return size;
      return loud;
    });
    // @ts-expect-error "join" does not take text
    graph.addBranch(graph.start, [size, join], () => size);
    // @ts-expect-error a branch may not bring a part
    graph.addBranch(size, [join.part], () => join.part);
    // @ts-expect-error a key is no reference
    graph.addBranch(graph.start, [size, loud], () => "size");
  });

  it("work in functions that are generic in what flows", () => {
    function twice<Message>(step: (message: Message) => Message): Runnable<Message, Message> {
      const built = new Graph<Message, Message>();
      const first = built.node("first", step);
      const second = built.node("second", step);
      built.connect(built.start, first).connect(first, second).connect(second, built.end);
      return built.compile();
    }
    expectTypeOf(twice((text: string) => text)).toEqualTypeOf<Runnable<string, string>>();
  });

  it("do not mix with keys", () => {
    const keyed = new Graph<string, string>().addNode("a", (text: string) => text);
    // @ts-expect-error handles and keys do not mix
    keyed.node("b", (text: string) => text);
    // @ts-expect-error handles and keys do not mix
    keyed.connect(size, loud);
    // @ts-expect-error handles and keys do not mix
    keyed.addEdge(keyed.start, "a");
  });
});
