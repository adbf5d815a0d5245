import { Chain, findCause, InterruptError, isInterrupt, KumikoError, memoryStore, type NodeContext } from "kumiko";
import { describe, expect, it } from "vitest";
import { errorOf, rejectedBy } from "../run/rejected-by.js";
import { effects, interruptOf, questionOf } from "./interrupt-of.js";

const greeting = (log: string[] = [], store = memoryStore()) =>
  new Chain<string>()
    .append(
      (text) => {
        log.push(`trim(${text})`);
        return text.trim();
      },
      { key: "trim" },
    )
    .append(
      async (text, ctx) => {
        log.push(`greet(${text})`);
        return `${text} ${await ctx.ask("name", "Who?")}`;
      },
      { key: "greet" },
    )
    .append(
      (text) => {
        log.push(`shout(${text})`);
        return `${text}!`;
      },
      { key: "shout" },
    )
    .compile({ name: "greeting", store });

/** A run of one node that uses its context. */
const around = (use: (ctx: NodeContext) => unknown) =>
  new Chain<string>()
    .append(async (_text, ctx) => ({ result: await use(ctx) }), { key: "x" })
    .compile({ name: "app", store: memoryStore() });

describe("A question", () => {
  it("stops the run, and says where it was asked and what", async () => {
    const error = await interruptOf(greeting().invoke(" hello ", { checkpointId: "g" }));
    expect(error).toBeInstanceOf(InterruptError);
    expect(error.code).toBe("INTERRUPTED");
    expect(KumikoError.is(error)).toBe(true);
    expect(error.interrupts).toHaveLength(1);
    expect(error.interrupts[0]).toMatchObject({ address: "runnable:greeting;node:greet", info: "Who?" });
    expect(error.interrupts[0]?.schema).toBeUndefined();
  });

  it("is known by the key of its ask, wherever it was asked, also after a resume without its answer", async () => {
    const inner = new Chain<string>().append(
      async (_text, ctx) => (await Promise.all([ctx.ask("left", "?"), ctx.ask("right", "?")])).join(),
      { key: "asks" },
    );
    const app = new Chain<string>().append(inner).compile({ store: memoryStore() });
    const both = await interruptOf(app.invoke("", { checkpointId: "k" }));
    expect(both.interrupts.map(({ key }) => key)).toEqual(["left", "right"]);
    const [left, right] = both.interrupts;
    expect((await questionOf(app.resume("k", { [String(left?.id)]: 1 }))).key).toBe("right");
    expect(await app.resume("k", { [String(right?.id)]: 2 })).toBe("1,2");
    const { interrupts } = await interruptOf(around((ctx) => ctx.interrupt("stop")).invoke("", { checkpointId: "i" }));
    expect(interrupts.map((interrupt) => "key" in interrupt)).toEqual([false]);
  });

  it("gives its answer when the run is resumed; what ran before does not run again", async () => {
    const log: string[] = [];
    const app = greeting(log);
    const { id } = await questionOf(app.invoke(" hello ", { checkpointId: "g" }));
    expect(log.splice(0)).toEqual(["trim( hello )", "greet(hello)"]);
    expect(await app.resume("g", { [id]: "Ann" })).toBe("hello Ann!");
    expect(log).toEqual(["greet(hello)", "shout(hello Ann)"]);
  });

  it("has an id that nobody can guess", async () => {
    const app = greeting();
    const ids = await Promise.all(
      ["1", "2"].map(async (checkpointId) => (await questionOf(app.invoke("", { checkpointId }))).id),
    );
    expect(new Set(ids).size).toBe(2);
    for (const id of ids) expect(id.length).toBeGreaterThanOrEqual(22);
  });

  it("names what stands around it: its parents, outwards to the run", async () => {
    const question = await questionOf(greeting().invoke("", { checkpointId: "g" }));
    expect(question.parent).toMatchObject({ address: "runnable:greeting" });
    expect(question.parent?.parent).toBeUndefined();
  });

  it("is told from other errors by isInterrupt", () => {
    for (const other of [new Error("x"), new KumikoError("NODE_FAILED", "x"), undefined, null, "x", {}]) {
      expect(isInterrupt(other)).toBe(false);
    }
  });

  it("may carry any data", async () => {
    const info = { at: new Date(0), list: [1, { big: 2n }], nothing: undefined };
    const app = around((ctx) => ctx.ask("q", info));
    const first = await questionOf(app.invoke("", { checkpointId: "i" }));
    expect(first.info).toEqual(info);
    const again = await questionOf(app.resume("i"));
    expect(again.info).toEqual(info);
    expect(again.id).toBe(first.id);
  });

  it.each([[false], [0], [""], [null], [[]], ["no"]])("takes the answer %j", async (answer) => {
    const app = around(async (ctx) => ({ answer: await ctx.ask("q", "?") }));
    const { id } = await questionOf(app.invoke("", { checkpointId: "f" }));
    expect(await app.resume("f", { [id]: answer })).toEqual({ result: { answer } });
  });

  it("may follow another one in the same node: answers are remembered by key", async () => {
    const ran = effects();
    const app = around(async (ctx) => {
      ran.did("enter");
      const first = await ctx.ask("first", "1?");
      ran.did("between");
      const second = await ctx.ask("second", "2?");
      return `${first} ${second}`;
    });
    const first = await questionOf(app.invoke("", { checkpointId: "two" }));
    expect(first.info).toBe("1?");
    const second = await questionOf(app.resume("two", { [first.id]: "a" }));
    expect(second).toMatchObject({ info: "2?", address: first.address });
    expect(second.id).not.toBe(first.id);
    expect(await app.resume("two", { [second.id]: "b" })).toEqual({ result: "a b" });
    expect(ran.counts()).toEqual({ enter: 3, between: 2 });
  });

  it("may depend on the answer before it", async () => {
    const app = around(async (ctx) => {
      const names: string[] = [];
      for (let n = 0; names.at(-1) !== "stop"; n++) names.push(String(await ctx.ask(`name ${n}`, `after ${names}`)));
      return names;
    });
    let question = await questionOf(app.invoke("", { checkpointId: "many" }));
    for (const name of ["a", "b", "c"]) question = await questionOf(app.resume("many", { [question.id]: name }));
    expect(question.info).toBe("after a,b,c");
    expect(await app.resume("many", { [question.id]: "stop" })).toEqual({ result: ["a", "b", "c", "stop"] });
  });

  it("may be asked with the methods of a context on their own, and of a copy of it", async () => {
    const app = around(async (ctx) => {
      const { ask, once } = ctx;
      const a = await once("a", () => "a");
      const b = await ask("b", "b?");
      const c = await ctx.with({ extra: 1 }).ask("c", "c?");
      return [a, b, c].join("");
    });
    const b = await questionOf(app.invoke("", { checkpointId: "d" }));
    const c = await questionOf(app.resume("d", { [b.id]: "b" }));
    expect(await app.resume("d", { [c.id]: "c" })).toEqual({ result: "abc" });
  });

  it("with a key that was used before in this visit is an error", async () => {
    const app = around(async (ctx) => [await ctx.ask("q", "?"), await ctx.ask("q", "again?")]);
    const { id } = await questionOf(app.invoke("", { checkpointId: "dup" }));
    const error = await errorOf(app.resume("dup", { [id]: "x" }));
    expect(error).toMatchObject({ code: "DUPLICATE_KEY", nodePath: ["x"] });
    expect(error.message).toContain('"q"');
  });

  it("with a key that is asked at the same time is an error, at the latest when it is answered", async () => {
    const app = around((ctx) => Promise.all([ctx.ask("q", "?"), ctx.ask("q", "again?")]));
    let error = await rejectedBy(app.invoke("", { checkpointId: "dup" }));
    if (isInterrupt(error)) {
      const answers = Object.fromEntries(error.interrupts.map(({ id }) => [id, "x"]));
      error = await rejectedBy(app.resume("dup", answers));
    }
    expect(error).toMatchObject({ code: "DUPLICATE_KEY" });
  });
});

describe("A run that goes on", () => {
  it("gives the node the input that it had", async () => {
    const inputs: unknown[] = [];
    const app = new Chain<object>()
      .append((input) => ({ ...input, map: new Map([["k", new Set([1n])]]) }))
      .append(async (input, ctx) => {
        inputs.push(input);
        await ctx.ask("q", "?");
        return input;
      })
      .compile({ store: memoryStore() });
    const { id } = await questionOf(app.invoke({ at: new Date(5) }, { checkpointId: "in" }));
    await app.resume("in", { [id]: 1 });
    expect(inputs).toEqual(Array(2).fill({ at: new Date(5), map: new Map([["k", new Set([1n])]]) }));
  });

  it("has the state that it had", async () => {
    const app = new Chain<string>()
      .withState(() => ({ seen: new Set<string>() }))
      .append((text, ctx) => {
        ctx.state.seen.add("first");
        return text;
      })
      .append(async (_text, ctx) => String(await ctx.ask("q", "?")))
      .append((text, ctx) => [...ctx.state.seen, text])
      .compile({ store: memoryStore() });
    const { id } = await questionOf(app.invoke("", { checkpointId: "s" }));
    expect(await app.resume("s", { [id]: "yes" })).toEqual(["first", "yes"]);
  });

  it("leaves nothing behind when it has ended", async () => {
    const store = memoryStore();
    const app = greeting([], store);
    const { id } = await questionOf(app.invoke("", { checkpointId: "g" }));
    expect(await store.get("g")).toBeDefined();
    await app.resume("g", { [id]: "x" });
    expect(await store.get("g")).toBeUndefined();
  });

  it("may be gone on with by another graph that is compiled the same, with the same store", async () => {
    const store = memoryStore();
    const { id } = await questionOf(greeting([], store).invoke("hello", { checkpointId: "g" }));
    expect(await greeting([], store).resume("g", { [id]: "Ann" })).toBe("hello Ann!");
  });

  it("gets request context, options and callbacks anew", async () => {
    const seen: unknown[] = [];
    const app = around(async (ctx) => {
      seen.push(ctx.requestContext.get("user"));
      return ctx.ask("q", "?");
    });
    const { id } = await questionOf(app.invoke("", { checkpointId: "r", requestContext: { user: "Ann" } }));
    await app.resume("r", { [id]: 1 }, { requestContext: { user: "Bob" } });
    expect(seen).toEqual(["Ann", "Bob"]);
  });

  it("does not find the request context of the run before", async () => {
    const seen: unknown[] = [];
    const app = around(async (ctx) => {
      seen.push(ctx.requestContext.has("user"));
      return ctx.ask("q", "?");
    });
    const { id } = await questionOf(app.invoke("", { checkpointId: "r", requestContext: { user: "Ann" } }));
    await app.resume("r", { [id]: 1 });
    expect(seen).toEqual([true, false]);
  });

  it("may be stopped, and takes as long as timeoutMs says", async () => {
    const reason = new Error("stop");
    const app = greeting();
    const { id } = await questionOf(app.invoke("", { checkpointId: "g" }));
    const stopped = app.resume("g", { [id]: "x" }, { signal: AbortSignal.abort(reason) });
    await expect(stopped).rejects.toBe(reason);
    expect(await app.resume("g", { [id]: "Ann" })).toBe(" Ann!");
  });
});

interface Resumed {
  readonly wasInterrupted: boolean;
  readonly state: unknown;
  readonly isTarget: boolean;
  readonly hasData: boolean;
  readonly data: unknown;
}

function read({ wasInterrupted, state, isTarget, hasData, data }: Resumed): Resumed {
  return { wasInterrupted, state, isTarget, hasData, data };
}

describe("ctx.interrupt and ctx.resume", () => {
  const waiting = (seen: Resumed[], state?: unknown) =>
    around((ctx) => {
      seen.push(read(ctx.resume));
      if (ctx.resume.isTarget) return ctx.resume.data;
      return ctx.interrupt("?", { state });
    });

  it("say nothing in a run that was not resumed", async () => {
    const fresh = { wasInterrupted: false, state: undefined, isTarget: false, hasData: false, data: undefined };
    expect(await around((ctx) => read(ctx.resume)).invoke("")).toEqual({ result: fresh });
  });

  it("stop the run where they are", async () => {
    const ran = effects();
    const app = around((ctx) => {
      ran.did("before");
      ctx.interrupt({ why: "because" });
      ran.did("after");
    });
    const question = await questionOf(app.invoke("", { checkpointId: "i" }));
    expect(question).toMatchObject({ info: { why: "because" }, address: "runnable:app;node:x" });
    expect(ran.counts()).toEqual({ before: 1 });
  });

  it("bring back the state of the place, and the answer", async () => {
    const seen: Resumed[] = [];
    const app = waiting(seen, { step: 1, at: new Date(1) });
    const { id } = await questionOf(app.invoke("", { checkpointId: "i" }));
    expect(await app.resume("i", { [id]: "data" })).toEqual({ result: "data" });
    expect(seen[1]).toEqual({
      wasInterrupted: true,
      state: { step: 1, at: new Date(1) },
      isTarget: true,
      hasData: true,
      data: "data",
    });
  });

  it.each([[false], [0], [""], [null]])("bring the answer %j, which is an answer", async (data) => {
    const seen: Resumed[] = [];
    const app = waiting(seen);
    const { id } = await questionOf(app.invoke("", { checkpointId: "i" }));
    expect(await app.resume("i", { [id]: data })).toEqual({ result: data });
    expect(seen[1]).toMatchObject({ isTarget: true, hasData: true, data });
  });

  it("target a place without data by undefined", async () => {
    const seen: Resumed[] = [];
    const app = waiting(seen, "state");
    const { id } = await questionOf(app.invoke("", { checkpointId: "i" }));
    await app.resume("i", { [id]: undefined });
    expect(seen[1]).toEqual({ wasInterrupted: true, state: "state", isTarget: true, hasData: false, data: undefined });
  });

  it("may interrupt again, with another state", async () => {
    const seen: Resumed[] = [];
    const app = around((ctx) => {
      seen.push(read(ctx.resume));
      const count = typeof ctx.resume.state === "number" ? ctx.resume.state : 0;
      if (count < 2) ctx.interrupt(`round ${count}`, { state: count + 1 });
      return ctx.resume.data;
    });
    const first = await questionOf(app.invoke("", { checkpointId: "i" }));
    const second = await questionOf(app.resume("i", { [first.id]: "a" }));
    expect(second.info).toBe("round 1");
    expect(await app.resume("i", { [second.id]: "b" })).toEqual({ result: "b" });
    expect(seen.map(({ state, data }) => [state, data])).toEqual([
      [undefined, undefined],
      [1, "a"],
      [2, "b"],
    ]);
  });
});

describe("ctx.once", () => {
  it("gives what the work gives, also without a store", async () => {
    const app = new Chain<string>().append((text, ctx) => ctx.once("w", async () => `${text}!`)).compile();
    expect(await app.invoke("x")).toBe("x!");
    const sync = new Chain<string>().append((text, ctx) => ctx.once("w", () => `${text}!`)).compile();
    expect(await sync.invoke("x")).toBe("x!");
  });

  it.each([["text"], [undefined], [null], [0], [{ at: new Date(3), big: 1n }]])(
    "remembers %o in a node that is entered again",
    async (value) => {
      const ran = effects();
      const app = around(async (ctx) => {
        const done = await ctx.once("work", async () => {
          ran.did("work");
          return value;
        });
        await ctx.ask("q", "?");
        return { done };
      });
      const { id } = await questionOf(app.invoke("", { checkpointId: "o" }));
      expect(await app.resume("o", { [id]: 1 })).toEqual({ result: { done: value } });
      expect(ran.counts()).toEqual({ work: 1 });
    },
  );

  it("remembers work that was done after an answer, before the next question", async () => {
    const ran = effects();
    const app = around(async (ctx) => {
      await ctx.once("1", () => ran.did("1"));
      await ctx.ask("a", "a?");
      await ctx.once("2", () => ran.did("2"));
      await ctx.ask("b", "b?");
      await ctx.once("3", () => ran.did("3"));
      return "done";
    });
    const a = await questionOf(app.invoke("", { checkpointId: "o" }));
    const b = await questionOf(app.resume("o", { [a.id]: 1 }));
    expect(await app.resume("o", { [b.id]: 1 })).toEqual({ result: "done" });
    expect(ran.counts()).toEqual({ 1: 1, 2: 1, 3: 1 });
  });

  it("does not remember work that failed, and remembers what was done before it", async () => {
    class Broken extends Error {}
    const ran = effects();
    const app = around(async (ctx) => {
      await ctx.once("good", () => ran.did("good"));
      return ctx.once("bad", async () => {
        if (ran.did("bad") === 1) throw new Broken("once more");
        return "fine";
      });
    });
    const error = await errorOf(app.invoke("", { checkpointId: "o" }));
    expect(error.code).toBe("NODE_FAILED");
    expect(findCause(error, Broken)?.message).toBe("once more");
    expect(await app.resume("o")).toEqual({ result: "fine" });
    expect(ran.counts()).toEqual({ good: 1, bad: 2 });
  });

  it("fails where it stands, so that a node may do something else", async () => {
    const app = around(async (ctx) => {
      const failing = ctx.once("bad", () => Promise.reject(new Error("bad")));
      return failing.catch((error: Error) => `not ${error.message}`);
    });
    expect(await app.invoke("")).toEqual({ result: "not bad" });
  });

  it("with a key that was used before in this visit is an error", async () => {
    const app = around(async (ctx) => [await ctx.once("k", () => 1), await ctx.once("k", () => 2)]);
    expect(await errorOf(app.invoke(""))).toMatchObject({ code: "DUPLICATE_KEY", nodePath: ["x"] });
  });

  it("does its work again in another run", async () => {
    const ran = effects();
    const app = around((ctx) => ctx.once("k", () => ran.did("work")));
    await app.invoke("", { checkpointId: "o" });
    expect(await app.invoke("", { checkpointId: "o" })).toEqual({ result: 2 });
  });
});
