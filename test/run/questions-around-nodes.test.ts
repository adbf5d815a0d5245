import { Chain, isInterrupt, memoryStore, type NodeContext } from "kumiko";
import { describe, expect, it } from "vitest";
import { effects, questionOf } from "../checkpoint/interrupt-of.js";
import { goOn, modes, start } from "./every-way.js";
import { turns } from "./gate.js";
import { rejectedBy } from "./rejected-by.js";

const run = { checkpointId: "run" };
const durabilities = ["exit", "step"] as const;

describe.each(durabilities)("a question in an after handler (durability %s)", (durability) => {
  it.each(modes)("keeps the output of its node: with the answer only the handler runs again (%s)", async (mode) => {
    const ran = effects();
    const app = new Chain<string>()
      .withState(() => ({}))
      .append((text) => `${text}${ran.did("node")}`, {
        after: async (text, _state, ctx) => {
          ran.did("after");
          return `${text}${await ctx.ask("q", "?")}`;
        },
      })
      .compile({ store: memoryStore(), durability });
    const { id } = await questionOf(start(app, mode, { value: "x" }, run));
    const how = mode === "invoke" || mode === "collect" ? "resume" : "resumeStream";
    expect(await goOn(app, how, { [id]: "!" })).toBe("x1!");
    expect(ran.counts()).toEqual({ node: 1, after: 2 });
  });

  it.each(modes)("keeps what its node has streamed (%s)", async (mode) => {
    const ran = effects();
    const app = new Chain<string>()
      .withState(() => ({}))
      .append(
        async function* (text) {
          yield text;
          yield `${ran.did("node")}`;
        },
        { after: async (text, _state, ctx) => `${text}${await ctx.ask("q", "?")}` },
      )
      .compile({ store: memoryStore(), durability });
    const { id } = await questionOf(start(app, mode, { value: "x" }, run));
    const how = mode === "invoke" || mode === "collect" ? "resume" : "resumeStream";
    expect(await goOn(app, how, { [id]: "!" })).toBe("x1!");
    expect(ran.counts()).toEqual({ node: 1 });
  });

  it("keeps the output over several questions of the handler", async () => {
    const ran = effects();
    const app = new Chain<string>()
      .withState(() => ({}))
      .append((text) => `${text}${ran.did("node")}`, {
        after: async (text, _state, ctx) => `${text}${await ctx.ask("one", "1?")}${await ctx.ask("two", "2?")}`,
      })
      .compile({ store: memoryStore(), durability });
    const one = await questionOf(app.invoke("x", run));
    const two = await questionOf(app.resume("run", { [one.id]: "!" }));
    expect(await app.resume("run", { [two.id]: "?" })).toBe("x1!?");
    expect(ran.counts()).toEqual({ node: 1 });
  });
});

describe("ask, after its node has returned", () => {
  it.each(modes)("rejects and says so; the run goes on (%s)", async (mode) => {
    let late: NodeContext | undefined;
    const refused: unknown[] = [];
    const store = memoryStore();
    const app = new Chain<string>()
      .append(
        (text, ctx) => {
          late = ctx as never;
          return text;
        },
        { key: "early" },
      )
      .append(async (text) => {
        await turns();
        refused.push(await rejectedBy(Promise.resolve(late?.ask("q", "?"))));
        return `${text}!`;
      })
      .compile({ store });
    expect(await start(app, mode, { value: "x" }, run)).toBe("x!");
    expect(refused).toHaveLength(1);
    expect(refused.some(isInterrupt)).toBe(false);
    expect(String(refused[0])).toMatch(/early/);
    expect(String(refused[0])).toMatch(/return|ended|finished|over/);
    expect(await store.get("run")).toBeUndefined();
  });
});
