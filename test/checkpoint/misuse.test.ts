import { Chain, isInterrupt, memoryStore, type NodeContext } from "kumiko";
import { describe, expect, it } from "vitest";
import { plain } from "../compose/thrown-by.js";
import { errorOf, rejectedBy } from "../run/rejected-by.js";
import { type Effects, effects, questionOf } from "./interrupt-of.js";

const run = { checkpointId: "run" };

const asking = (ran: Effects) =>
  new Chain<string>()
    .append(async (text, ctx) => {
      ran.did("node");
      return `${text}${await ctx.ask("q", "?")}`;
    })
    .compile({ name: "app", store: memoryStore() });

describe("A wrong resume is refused, and runs nothing:", () => {
  it.each([[undefined], [null], [1], [{}], [["run"]]])("the id %j", async (id) => {
    const ran = effects();
    const app = asking(ran);
    await questionOf(app.invoke("x", run));
    expect(await errorOf(app.resume(plain(id), {}))).toMatchObject({ code: "INVALID_KEY" });
    expect(await errorOf(app.resumeStream(plain(id), {}).concat())).toMatchObject({ code: "INVALID_KEY" });
    expect(ran.counts()).toEqual({ node: 1 });
  });

  it.each([["yes"], [1], [true], [["yes"]], [new Map([["id", "yes"]])], [{ byAddress: "x" }], [{ byAddress: null }]])(
    "the answers %j",
    async (answers) => {
      const ran = effects();
      const app = asking(ran);
      const { id } = await questionOf(app.invoke("x", run));
      expect(await errorOf(app.resume("run", plain(answers)))).toMatchObject({ code: "INVALID_OPTION" });
      expect(ran.counts()).toEqual({ node: 1 });
      expect(await app.resume("run", { [id]: "!" })).toBe("x!");
    },
  );

  it.each([[{ nonsense: 1 }], [{ checkpointId: "other" }], [{ timeoutMs: -1 }], [{ nodes: { nowhere: {} } }]])(
    "the options %j",
    async (options) => {
      const ran = effects();
      const app = asking(ran);
      const { id } = await questionOf(app.invoke("x", run));
      const error = await errorOf(app.resume("run", { [id]: "lost" }, plain(options)));
      expect(error.code).toMatch(/^(INVALID_OPTION|UNKNOWN_PATH)$/);
      expect(ran.counts()).toEqual({ node: 1 });
      expect(await app.resume("run", { [id]: "!" })).toBe("x!");
    },
  );

  it("two answers to one question", async () => {
    const ran = effects();
    const app = asking(ran);
    const { id, address } = await questionOf(app.invoke("x", run));
    await errorOf(app.resume("run", { [id]: "one", byAddress: { [address]: "two" } }));
    expect(ran.counts()).toEqual({ node: 1 });
    expect(await app.resume("run", { [id]: "!" })).toBe("x!");
  });
});

describe("A run that asks inside of a node without being its child", () => {
  const outer = () => {
    const inner = new Chain<string>().append((_text, ctx) => ctx.ask("q", "?")).compile({ name: "inner" });
    return new Chain<string>()
      .append((text) => inner.invoke(text), { key: "x" })
      .compile({ name: "outer", store: memoryStore() });
  };

  it("never stops the outer run with nothing to answer", async () => {
    const error = await rejectedBy(outer().invoke("x", run));
    if (isInterrupt(error)) expect(error.interrupts).not.toEqual([]);
    else expect(error).toMatchObject({ nodePath: ["x"] });
  });
});

describe("A key that is no text", () => {
  it.each([[undefined], [null], [1], [{}]])("is refused where it is used: %j", async (key) => {
    const around = (use: (ctx: NodeContext) => unknown) =>
      new Chain<string>().append(async (_text, ctx) => use(ctx)).compile({ store: memoryStore() });
    for (const app of [around((ctx) => ctx.ask(plain(key), "?")), around((ctx) => ctx.once(plain(key), () => 1))]) {
      expect(await errorOf(app.invoke("x", run))).toMatchObject({ code: "INVALID_KEY" });
    }
  });
});

describe("A question that comes too late", () => {
  it("rejects when the run is over, and changes nothing", async () => {
    const late: (() => Promise<unknown>)[] = [];
    const store = memoryStore();
    const app = new Chain<string>()
      .append((text, ctx) => {
        late.push(() => ctx.ask("q", "?"));
        return text;
      })
      .compile({ store });
    expect(await app.invoke("x", run)).toBe("x");
    for (const ask of late) expect(await rejectedBy(ask())).toBeInstanceOf(Error);
    expect(await store.get("run")).toBeUndefined();
  });
});
