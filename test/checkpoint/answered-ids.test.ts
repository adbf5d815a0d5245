import { END, Graph, START } from "kumiko";
import { describe, expect, it } from "vitest";
import { errorOf } from "../run/rejected-by.js";
import { questionOf } from "./interrupt-of.js";
import { watchedStore } from "./watched-store.js";

/** Asks again and again, until somebody says "end". */
function endless(store: ReturnType<typeof watchedStore>) {
  return new Graph<string, string>()
    .addNode("ask", async (_text: string, ctx) => String(await ctx.ask("next", "next?")))
    .addEdge(START, "ask")
    .addBranch("ask", ["ask", END], (answer) => (answer === "end" ? END : "ask"))
    .compile({ store, durability: "step", maxSteps: 1_000 });
}

describe("A run that is answered many times", () => {
  it("does not keep the ids of all its answers", async () => {
    const store = watchedStore();
    const app = endless(store);
    let { id } = await questionOf(app.invoke("", { checkpointId: "id" }));
    const sizes: number[] = [];
    for (let n = 0; n < 30; n++) {
      ({ id } = await questionOf(app.resume("id", { [id]: "again" })));
      sizes.push((await store.text("id")).length);
    }
    expect(Math.max(...sizes) - Math.min(...sizes)).toBeLessThan(10);
    expect(await app.resume("id", { [id]: "end" })).toBe("end");
  });

  it("knows the answers of the last resume that had some: ALREADY_ANSWERED", async () => {
    const app = endless(watchedStore());
    const first = await questionOf(app.invoke("", { checkpointId: "id" }));
    const second = await questionOf(app.resume("id", { [first.id]: "again" }));
    await questionOf(app.resume("id"));
    expect((await errorOf(app.resume("id", { [first.id]: "again" }))).code).toBe("ALREADY_ANSWERED");
    await questionOf(app.resume("id", { [second.id]: "again" }));
    expect((await errorOf(app.resume("id", { [second.id]: "again" }))).code).toBe("ALREADY_ANSWERED");
  });

  it("does not know older ones, when what they answered is over: UNKNOWN_INTERRUPT", async () => {
    const app = endless(watchedStore());
    const first = await questionOf(app.invoke("", { checkpointId: "id" }));
    const second = await questionOf(app.resume("id", { [first.id]: "again" }));
    await questionOf(app.resume("id", { [second.id]: "again" }));
    expect((await errorOf(app.resume("id", { [first.id]: "again" }))).code).toBe("UNKNOWN_INTERRUPT");
  });

  it("knows older ones as long as their place has not ended: ALREADY_ANSWERED", async () => {
    const app = new Graph<string, string>()
      .addNode("ask", async (_text: string, ctx) => {
        const answers: unknown[] = [];
        for (const key of ["a", "b", "c"]) answers.push(await ctx.ask(key, key));
        return answers.join("");
      })
      .addEdge(START, "ask")
      .addEdge("ask", END)
      .compile({ store: watchedStore() });
    const a = await questionOf(app.invoke("", { checkpointId: "id" }));
    const b = await questionOf(app.resume("id", { [a.id]: "1" }));
    const c = await questionOf(app.resume("id", { [b.id]: "2" }));
    for (const { id } of [a, b]) {
      expect((await errorOf(app.resume("id", { [id]: "x" }))).code).toBe("ALREADY_ANSWERED");
      expect((await errorOf(app.resume("id", { [id]: "x", [c.id]: "3" }))).code).toBe("ALREADY_ANSWERED");
    }
    expect(await app.resume("id", { [c.id]: "3" })).toBe("123");
  });
});
