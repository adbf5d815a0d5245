import { describe, expect, it } from "vitest";
import { Graph } from "../../src/compose/graph.js";
import { END, START } from "../../src/compose/plan/plan.js";
import { plain, thrownBy } from "./thrown-by.js";

const same = (text: string) => text;

describe("a graph made with handles", () => {
  it("runs what was connected in statements and loops", async () => {
    const graph = new Graph<string, string>();
    let last = graph.node("first", (text: string) => `${text}0`);
    graph.connect(graph.start, last);
    for (let count = 1; count < 4; count++) {
      const next = graph.node(`next_${count}`, (text: string) => `${text}${count}`);
      graph.connect(last, next);
      last = next;
    }
    graph.connect(last, graph.end);
    expect(await graph.compile().invoke("x")).toBe("x0123");
  });

  it("joins parts at `part`", async () => {
    const graph = new Graph<string, { size: number; loud: string }>();
    const size = graph.node("size", (text: string) => text.length, { outputKey: "size" });
    const loud = graph.node("loud", (text: string) => text.toUpperCase(), { outputKey: "loud" });
    const join = graph.node("join", (parts: { size: number; loud: string }) => parts);
    for (const part of [size, loud]) graph.connect(graph.start, part);
    graph.connect(size, join.part).connect(loud, join.part).connect(join, graph.end);
    expect(await graph.compile().invoke("ab")).toEqual({ size: 2, loud: "AB" });
  });

  it("lets a branch choose references: one, several, or a promise of them", async () => {
    const graph = new Graph<number, unknown>();
    const low = graph.node("low", (count: number) => `${count} is low`, { outputKey: "low" });
    const high = graph.node("high", (count: number) => `${count} is high`, { outputKey: "high" });
    graph.addBranch(graph.start, [low, high], (count) => {
      if (count < 5) return low;
      return count > 10 ? Promise.resolve(high) : [low, high];
    });
    graph.connect(low, graph.end).connect(high, graph.end);
    const compiled = graph.compile();
    expect(await compiled.invoke(1)).toEqual({ low: "1 is low" });
    expect(await compiled.invoke(20)).toEqual({ high: "20 is high" });
    expect(await compiled.invoke(7)).toEqual({ low: "7 is low", high: "7 is high" });
  });

  it("lets a stream branch choose references, END among them", async () => {
    const graph = new Graph<string, string>();
    const shout = graph.node("shout", (text: string) => text.toUpperCase());
    graph.addStreamBranch(graph.start, [shout, graph.end], async (stream) => {
      for await (const chunk of stream) if (chunk.includes("!")) return shout;
      return graph.end;
    });
    graph.connect(shout, graph.end);
    const compiled = graph.compile();
    expect(await compiled.invoke("hey")).toBe("hey");
    expect(
      await compiled.collect(
        (async function* () {
          yield "he";
          yield "y!";
        })(),
      ),
    ).toBe("HEY!");
  });

  it("reports missing inputs at compile()", () => {
    const graph = new Graph<string, string>();
    const lost = graph.node("lost", same);
    graph.connect(graph.start, graph.end).connect(lost, graph.end);
    expect(thrownBy(() => graph.compile()).message).toContain('"lost" has no incoming edge');
  });

  it("gives the same checks as keys", () => {
    const graph = new Graph<string, string>();
    const a = graph.node("a", same);
    graph.connect(graph.start, a);
    expect(thrownBy(() => graph.node("a", same)).code).toBe("DUPLICATE_NODE");
    expect(thrownBy(() => graph.connect(graph.start, a)).code).toBe("DUPLICATE_EDGE");
    expect(thrownBy(() => graph.connect(plain(graph.end), plain(a))).message).toContain("END cannot be a start node");
    expect(thrownBy(() => graph.connect(a, plain(graph.start))).message).toContain("START cannot be an end node");
    expect(thrownBy(() => graph.addBranch(a, [], plain(same))).code).toBe("INVALID_BRANCH");
    expect(thrownBy(() => graph.addBranch(a, [graph.end], plain("end"))).code).toBe("INVALID_BRANCH");
  });

  it("refuses the handle of another graph", () => {
    const other = new Graph<string, string>().node("there", same);
    const graph = new Graph<string, string>();
    const here = graph.node("here", same);
    for (const error of [
      thrownBy(() => graph.connect(graph.start, other)),
      thrownBy(() => graph.connect(other, here)),
      thrownBy(() => graph.addBranch(here, [other], () => other)),
    ]) {
      expect(error.code).toBe("INVALID_EDGE");
      expect(error.message).toContain('The handle of "there" belongs to another graph');
    }
  });

  it("refuses a part as the target of a branch", () => {
    const graph = new Graph<string, string>();
    const a = graph.node("a", same);
    const error = thrownBy(() => graph.addBranch(graph.start, plain([a.part]), plain(same)));
    expect(error.code).toBe("INVALID_BRANCH");
    expect(error.message).toContain('a part of "a"');
  });
});

describe("keys and handles", () => {
  it("do not mix, whichever came first", () => {
    const keyed = new Graph<string, string>();
    keyed.addNode("a", same);
    expect(thrownBy(() => keyed.node("b", same)).message).toContain(
      '"b" is used as a handle, but this graph was built with keys',
    );
    expect(thrownBy(() => keyed.connect(keyed.start, keyed.end)).code).toBe("MIXED_STYLES");
    const edge = thrownBy(() => keyed.addEdge(plain(keyed.start), "end"));
    expect(edge.code).toBe("MIXED_STYLES");
    expect(edge.message).toContain('got the handle of "start"');
    expect(thrownBy(() => keyed.addBranch(keyed.start, [keyed.end], () => keyed.end)).code).toBe("MIXED_STYLES");

    const handled = new Graph<string, string>();
    const a = handled.node("a", same);
    const error = thrownBy(() => handled.addNode("b", same));
    expect(error.message).toContain('"b" is used as a key, but this graph was built with handles');
    expect(thrownBy(() => handled.addEdge(START, END)).code).toBe("MIXED_STYLES");
    expect(thrownBy(() => handled.connect(a, plain(END))).code).toBe("MIXED_STYLES");
    expect(thrownBy(() => handled.addBranch(plain("a"), plain([END]), () => plain(END))).code).toBe("MIXED_STYLES");
  });

  it("are not chosen by a call that failed", () => {
    const graph = new Graph<string, string>();
    expect(() => graph.addNode(plain("start"), same)).toThrow();
    expect(() => graph.node("a", same)).not.toThrow();
  });
});
