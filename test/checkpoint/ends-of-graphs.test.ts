import { Chain, END, Graph, memoryStore, START } from "kumiko";
import { describe, expect, it } from "vitest";
import { z } from "zod";
import { effects, questionOf } from "./interrupt-of.js";

const run = { checkpointId: "run" };

describe("Schemas of the ends of a graph", () => {
  const measured = (ran = effects()) =>
    new Graph({
      input: z.string().transform((text) => {
        ran.did("input");
        return text.length;
      }),
      output: z.string().transform((text) => {
        ran.did("output");
        return { text };
      }),
    })
      .addNode("ask", async (length: number, ctx) => `${length}${await ctx.ask("q", "?")}`)
      .addEdge(START, "ask")
      .addEdge("ask", END)
      .compile({ store: memoryStore() });

  it("that change a value change it once in a run that waits", async () => {
    const ran = effects();
    const app = measured(ran);
    const { id } = await questionOf(app.invoke("four", run));
    expect(await app.resume("run", { [id]: "!" })).toEqual({ text: "4!" });
    expect(ran.counts()).toEqual({ input: 1, output: 1 });
  });

  it("change what goes into a stream once, and check what comes out", async () => {
    const ran = effects();
    const app = measured(ran);
    const { id } = await questionOf(app.stream("four", run).concat());
    expect(await app.resumeStream("run", { [id]: "!" }).concat()).toBe("4!");
    expect(ran.counts()).toEqual({ input: 1, output: 1 });
  });

  it("do so in a graph inside, and in a child run", async () => {
    const child = measured();
    const app = new Chain<string>()
      .append(measured(), { key: "inner" })
      .append(({ text }, ctx) => child.invoke(text, { parent: ctx }), { key: "child" })
      .compile({ store: memoryStore() });
    const first = await questionOf(app.invoke("four", run));
    const second = await questionOf(app.resume("run", { [first.id]: "!" }));
    expect(await app.resume("run", { [second.id]: "?" })).toEqual({ text: "2?" });
  });
});
