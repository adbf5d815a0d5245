import { type } from "arktype";
import { Chain, END, Graph, START } from "kumiko";
import * as v from "valibot";
import { describe, expect, it } from "vitest";
import { z } from "zod";
import { plain, thrownBy } from "./thrown-by.js";

describe("a graph with schemas for its ends", () => {
  const search = new Graph({
    input: z.object({ query: z.string().min(1), limit: z.number().default(3) }),
    output: z.array(z.string()).transform((hits) => hits.length),
  })
    .addNode("search", ({ query, limit }: { query: string; limit: number }) => Array<string>(limit).fill(query))
    .addEdge(START, "search")
    .addEdge("search", END)
    .compile();

  it("gives on what the schemas make of the values", async () => {
    expect(await search.invoke({ query: "x" })).toBe(3);
  });

  it("rejects an input that does not fit, and says where", async () => {
    const run = search.invoke({ query: "" });
    await expect(run).rejects.toMatchObject({ code: "VALIDATION" });
    await expect(run).rejects.toThrow(/The input of the graph does not fit its schema: at "query": /);
  });

  it("rejects an output that does not fit", async () => {
    const graph = new Graph({ input: z.unknown(), output: z.string() }).addEdge(START, plain(END));
    await expect(graph.compile().invoke(5)).rejects.toThrow(/The output of the graph does not fit/);
  });

  it("takes schemas of any library, and async ones", async () => {
    const known = z.string().refine(async (name) => name === "ann", "is not known");
    const graph = new Graph({ input: known, output: type("string") })
      .addNode("greet", (name: string) => `hello ${name}`)
      .addEdge(START, "greet")
      .addEdge("greet", END)
      .compile();
    expect(await graph.invoke("ann")).toBe("hello ann");
    await expect(graph.invoke("bob")).rejects.toThrow(/is not known/);
    const trimmed = new Graph({ input: v.pipe(v.string(), v.trim()) }).addEdge(START, END).compile();
    expect(await trimmed.invoke(" x ")).toBe("x");
  });

  it("refuses what cannot check values, and options that it does not have", () => {
    const error = thrownBy(() => new Graph({ input: plain({ type: "string" }) }));
    expect(error.code).toBe("INVALID_OPTION");
    expect(error.message).toContain("The input of the graph needs a schema that validates");
    expect(thrownBy(() => new Graph(plain({ name: "x" }))).message).toContain('Unknown option "name"');
    expect(thrownBy(() => new Graph(plain("x"))).message).toContain("must be an object");
  });
});

describe("a chain with schemas for its ends", () => {
  it("checks and changes both", async () => {
    const chain = new Chain({ input: z.string().transform(Number), output: z.string().max(3) })
      .append((count) => "x".repeat(count))
      .compile();
    expect(await chain.invoke("2")).toBe("xx");
    await expect(chain.invoke("4")).rejects.toThrow(/The output of the chain does not fit/);
  });

  it("checks them where it is a step of another", async () => {
    const inner = new Chain({ input: z.string().max(3) }).append((text) => text.length);
    const outer = new Chain<string>().append(inner, { key: "inner" }).compile();
    expect(await outer.invoke("abc")).toBe(3);
    await expect(outer.invoke("abcd")).rejects.toMatchObject({ code: "VALIDATION", nodePath: ["inner"] });
  });
});
