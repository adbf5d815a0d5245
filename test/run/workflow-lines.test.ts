import { from, START, Workflow } from "kumiko";
import { describe, expect, it } from "vitest";

describe("A workflow whose nodes run one after another", () => {
  it("gives what its nodes read, in whatever order they were added", async () => {
    const ran: string[] = [];
    const app = new Workflow<string, string>()
      .untyped()
      .addNode("last", (given: { text: string; count: number }) => `${given.text} ${given.count}`, {
        input: { text: from("work"), count: from("late", { dataOnly: true }) },
      })
      .addNode("late", () => ran.push("late"), { runAfter: ["work"] })
      .addNode("work", (text: string) => text.toUpperCase(), { input: from(START) })
      .end(from("last"))
      .compile();
    expect(await app.invoke("a")).toBe("A 1");
    expect(await app.stream("a").concat()).toBe("A 2");
  });

  it("fails in the node whose mapping fails, in END too", async () => {
    const app = new Workflow<{ text: string }, unknown>()
      .untyped()
      .addNode("first", (text: string) => text, { input: from(START, "text") })
      .end({ first: from("first"), size: from(START, "text.length") })
      .compile();
    await expect(app.invoke({ text: "a" })).rejects.toMatchObject({ code: "MAPPING_FAILED", nodePath: [] });
    const inside = new Workflow<{ text: string }, unknown>()
      .addNode("first", () => "first")
      .addNode("bad", (given: unknown) => given, {
        input: { text: from("first"), size: from(START, () => Promise.reject(new Error("no size"))) },
      })
      .end(from("bad"))
      .compile();
    await expect(inside.invoke({ text: "a" })).rejects.toMatchObject({
      nodePath: ["bad"],
      cause: { message: "no size" },
    });
  });

  it("stops at an abort while a mapping is awaited", async () => {
    const ran: string[] = [];
    const caller = new AbortController();
    const app = new Workflow<string, unknown>()
      .addNode("first", (text: string) => text, { input: from(START) })
      .addNode("next", () => ran.push("next"), {
        input: from("first", async (text: string) => {
          caller.abort(new Error("enough"));
          return text;
        }),
      })
      .end(from("next"))
      .compile();
    await expect(app.invoke("a", { signal: caller.signal })).rejects.toThrow("enough");
    expect(ran).toEqual([]);
  });
});
