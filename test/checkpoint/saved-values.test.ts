import {
  assistantMessage,
  Chain,
  type CheckpointStore,
  END,
  functionToolCall,
  Graph,
  KumikoError,
  memoryStore,
  Runtime,
  START,
} from "kumiko";
import { describe, expect, it } from "vitest";
import { errorOf } from "../run/rejected-by.js";
import { interruptOf, questionOf } from "./interrupt-of.js";
import { watchedStore } from "./watched-store.js";

/** A chain that keeps what it is given while it waits, and then gives it back. */
const keeper = (store: CheckpointStore, runtime = Runtime.default) =>
  new Chain<unknown>()
    .append(
      async (value, ctx) => {
        await ctx.ask("go", "?");
        return { value };
      },
      { key: "keep" },
    )
    .compile({ store, runtime });

/** What becomes of a value in a checkpoint that another process reads. */
async function saved<T>(value: T, runtime?: Runtime): Promise<T> {
  const store = memoryStore();
  const { id } = await questionOf(keeper(store, runtime).invoke(value, { checkpointId: "id" }));
  const { value: restored } = await keeper(store, runtime).resume("id", { [id]: true });
  return restored as T;
}

class Money {
  readonly #cents: number;
  readonly currency: string;
  constructor(cents: number, currency: string) {
    this.#cents = cents;
    this.currency = currency;
  }
  get cents(): number {
    return this.#cents;
  }
}
const money = {
  name: "money",
  type: Money,
  encode: (value: Money) => ({ cents: value.cents, currency: value.currency }),
  decode: (data: { cents: number; currency: string }) => new Money(data.cents, data.currency),
};

describe("A value in a checkpoint", () => {
  it.each<[string, unknown]>([
    ["a text", "深圳 😀 \u0000 \ud800"],
    ["an empty text", ""],
    ["a number", 1.5],
    ["a big number", Number.MAX_SAFE_INTEGER],
    ["-0", -0],
    ["NaN", Number.NaN],
    ["Infinity", Number.POSITIVE_INFINITY],
    ["-Infinity", Number.NEGATIVE_INFINITY],
    ["true", true],
    ["null", null],
    ["undefined", undefined],
    ["a bigint", 2n ** 70n],
    ["a negative bigint", -1n],
    ["a date", new Date(1_700_000_000_123)],
    ["a date that is none", new Date(Number.NaN)],
    [
      "a map",
      new Map<unknown, unknown>([
        ["a", 1],
        [2, new Date(0)],
        [Number.NaN, undefined],
      ]),
    ],
    ["a map with objects as keys", new Map([[{ key: 1 }, "one"]])],
    ["a set", new Set<unknown>(["a", 1, undefined, -0])],
    ["a set of sets", new Set([new Set([1]), new Set([2])])],
    ["a regular expression", /a\/b"[^x]/giu],
    ["a URL", new URL("https://example.org/a?b=c#d")],
    ["bytes", new Uint8Array([0, 1, 127, 128, 255])],
    ["no bytes", new Uint8Array()],
    ["other numbers in a row", new Float64Array([1.5, -0, Number.NaN])],
    ["big numbers in a row", new BigInt64Array([1n, -1n])],
    ["an array buffer", new Uint8Array([1, 2, 3]).buffer],
    ["an object with undefined", { a: undefined, b: 1 }],
    ["a list with undefined", [undefined, null, 1]],
    ["an object with odd keys", { "": 1, "a.b": 2, constructor: 3, "1": 4, toString: 5, version: 6, $type: "date" }],
    ["an object with a toJSON key", { toJSON: "not a function" }],
    ["lists in lists", [[], [[]], [[[1]]]]],
    ["what looks like an encoding", [["Date", "2020"], { $: 1 }, { type: "Map", value: [] }, [-1], [1, 2]]],
    ["a message", assistantMessage([functionToolCall({ callId: "1", name: "a", arguments: '{"b":1}' })])],
    ["a deep mixture", { list: [{ when: new Date(5), tags: new Set(["x"]), by: new Map([["n", { big: 5n }]]) }] }],
  ])("may be %s", async (_what, value) => {
    expect(await saved({ value })).toStrictEqual({ value });
    expect(await saved(value)).toStrictEqual(value);
  });

  it("has its class back", async () => {
    const value = [new Date(0), new Map(), new Set(), /x/, new URL("https://example.org"), new Uint8Array(1)];
    const restored = await saved(value);
    expect(restored.map((one) => one.constructor.name)).toEqual(["Date", "Map", "Set", "RegExp", "URL", "Uint8Array"]);
    expect(Object.is((await saved({ zero: -0 })).zero, -0)).toBe(true);
  });

  it("keeps undefined fields as fields", async () => {
    expect(Object.keys(await saved({ a: undefined }))).toEqual(["a"]);
  });

  it("keeps the order of keys", async () => {
    expect(Object.keys(await saved({ z: 1, a: 2, m: 3 }))).toEqual(["z", "a", "m"]);
    expect([
      ...(
        await saved(
          new Map([
            ["z", 1],
            ["a", 2],
          ]),
        )
      ).keys(),
    ]).toEqual(["z", "a"]);
  });

  it("keeps what is shared shared", async () => {
    const shared = { count: 1 };
    const restored = await saved({ a: shared, list: [shared], map: new Map([["b", shared]]) });
    expect(restored.list[0]).toBe(restored.a);
    expect(restored.map.get("b")).toBe(restored.a);
  });

  it("keeps cycles", async () => {
    interface Ring {
      name: string;
      next?: Ring;
      all: Set<unknown>;
    }
    const ring: Ring = { name: "one", all: new Set() };
    ring.next = { name: "two", next: ring, all: new Set([ring]) };
    ring.all.add(ring);
    const restored = await saved(ring);
    expect(restored.next?.next).toBe(restored);
    expect(restored.next?.name).toBe("two");
    expect(restored.all.has(restored)).toBe(true);
    expect(restored.next?.all.has(restored)).toBe(true);
  });

  it("keeps an own __proto__ as a field, and changes no prototype", async () => {
    const value = JSON.parse('{"__proto__":{"polluted":true},"a":{"__proto__":1}}');
    const restored = await saved(value);
    expect(Object.getPrototypeOf(restored)).toBe(Object.prototype);
    expect(JSON.stringify(restored)).toBe('{"__proto__":{"polluted":true},"a":{"__proto__":1}}');
    expect(Reflect.get({}, "polluted")).toBeUndefined();
  });

  it("may be an error: name, message, cause and own fields are kept", async () => {
    const error = Object.assign(new TypeError("wrong", { cause: new RangeError("deep") }), {
      status: 418,
      at: new Date(5),
    });
    const restored = await saved(error);
    expect(restored).toBeInstanceOf(TypeError);
    expect(restored).toMatchObject({ name: "TypeError", message: "wrong", status: 418, at: new Date(5) });
    expect(restored.cause).toBeInstanceOf(RangeError);
    expect(restored.cause).toMatchObject({ message: "deep" });
  });

  it("may be an error of this library", async () => {
    const restored = await saved(
      new KumikoError("NODE_FAILED", "no", { nodePath: ["a", "b"], cause: new Error("why") }),
    );
    expect(KumikoError.is(restored)).toBe(true);
    expect(restored).toMatchObject({
      code: "NODE_FAILED",
      message: "no",
      nodePath: ["a", "b"],
      cause: { message: "why" },
    });
  });
});

describe("Values of a class", () => {
  it("are saved with the codec of the runtime, wherever they stand", async () => {
    const runtime = new Runtime({ codecs: [money] });
    const price = new Money(150, "EUR");
    const restored = await saved({ price, again: price, list: [new Map([["a", new Money(1, "USD")]])] }, runtime);
    expect(restored.price).toBeInstanceOf(Money);
    expect([restored.price.cents, restored.price.currency]).toEqual([150, "EUR"]);
    expect(restored.again).toBe(restored.price);
    expect(restored.list[0]?.get("a")?.cents).toBe(1);
  });

  it("may hold other values that are not plain", async () => {
    class Box {
      readonly inside: unknown;
      constructor(inside: unknown) {
        this.inside = inside;
      }
    }
    const box = {
      name: "box",
      type: Box,
      encode: (value: Box) => [value.inside],
      decode: ([inside]: unknown[]) => new Box(inside),
    };
    const runtime = new Runtime({ codecs: [money, box] });
    const restored = await saved(new Box({ when: new Date(5), price: new Money(7, "EUR"), box: new Box(1n) }), runtime);
    expect(restored).toBeInstanceOf(Box);
    expect(restored.inside).toMatchObject({ when: new Date(5), box: { inside: 1n } });
  });

  it("without a codec are NOT_SERIALIZABLE, and the message says where they are and what to do", async () => {
    const error = await errorOf(
      keeper(memoryStore()).invoke({ cart: [{ price: new Money(1, "EUR") }] }, { checkpointId: "id" }),
    );
    expect(error.code).toBe("NOT_SERIALIZABLE");
    expect(error.message).toContain("input of the graph: cart[0].price");
    expect(error.message).toContain("Money");
    expect(error.message).toContain("codecs");
  });

  it("that the resuming program does not know are UNKNOWN_CLASS by name; nothing runs, and nothing is lost", async () => {
    const store = memoryStore();
    const runtime = new Runtime({ codecs: [money] });
    const { id } = await questionOf(keeper(store, runtime).invoke(new Money(5, "EUR"), { checkpointId: "id" }));
    const error = await errorOf(keeper(store).resume("id", { [id]: true }));
    expect(error.code).toBe("UNKNOWN_CLASS");
    expect(error.message).toContain("money");
    const { value } = await keeper(store, runtime).resume("id", { [id]: true });
    expect((value as Money).cents).toBe(5);
  });

  it("of one name or one class twice are refused by the runtime", () => {
    expect(() => new Runtime({ codecs: [money, { ...money, type: Date }] as never })).toThrow(/money/);
    expect(() => new Runtime({ codecs: [money, { ...money, name: "cash" }] })).toThrow();
  });
});

describe("What cannot be saved", () => {
  it.each<[string, unknown]>([
    ["a function", () => 1],
    ["a symbol", Symbol("s")],
    ["a promise", Promise.resolve()],
    ["a weak map", new WeakMap()],
    ["an instance of an unknown class", new Money(1, "EUR")],
  ])("is %s: the error names the place", async (_what, fn) => {
    const app = new Graph<string, unknown>()
      .addNode("a", () => ({ outer: { list: [1, { fn }] } }))
      .addNode("b", async (value: unknown, ctx) => {
        await ctx.ask("go", "?");
        return value;
      })
      .addEdge(START, "a")
      .addEdge("a", "b")
      .addEdge("b", END)
      .compile({ store: memoryStore() });
    const error = await errorOf(app.invoke("", { checkpointId: "id" }));
    expect(error.code).toBe("NOT_SERIALIZABLE");
    expect(error.message).toContain('input of "b": outer.list[1].fn');
  });

  it("is no trouble as long as nothing is saved", async () => {
    const app = new Chain<string>()
      .append((text) => ({ text: () => text }))
      .append(({ text }) => text())
      .compile({ store: memoryStore() });
    expect(await app.invoke("a", { checkpointId: "id" })).toBe("a");
  });

  it('stops a run that saves every step before the next node starts (durability "step")', async () => {
    const log: string[] = [];
    const app = new Chain<string>()
      .append((text) => ({ text: () => text }), { key: "a" })
      .append(({ text }) => log.push(text()), { key: "b" })
      .compile({ store: memoryStore(), durability: "step" });
    const error = await errorOf(app.invoke("a", { checkpointId: "id" }));
    expect(error.code).toBe("NOT_SERIALIZABLE");
    expect(error.message).toContain("text");
    expect(log).toEqual([]);
  });

  it("may be in the state: the error says so", async () => {
    const app = new Chain<string>()
      .withState(() => ({ tools: [{ run: () => 1 }] }))
      .append(async (text, ctx) => text + String(await ctx.ask("go", "?")))
      .compile({ store: memoryStore() });
    const error = await errorOf(app.invoke("a", { checkpointId: "id" }));
    expect(error.code).toBe("NOT_SERIALIZABLE");
    expect(error.message).toContain("state");
    expect(error.message).toContain("tools[0].run");
  });

  it("may be what once is to remember, or what is asked", async () => {
    const store = memoryStore();
    const remembers = new Chain<string>()
      .append(async (_text, ctx) => {
        await ctx.once("make", () => ({ deep: { fn: () => 1 } }));
        return String(await ctx.ask("go", "?"));
      })
      .compile({ store });
    const one = await errorOf(remembers.invoke("a", { checkpointId: "one" }));
    expect([one.code, one.message.includes("deep.fn")]).toEqual(["NOT_SERIALIZABLE", true]);
    const asks = new Chain<string>()
      .append(async (_text, ctx) => String(await ctx.ask("go", { deep: { fn: () => 1 } })))
      .compile({ store });
    const two = await errorOf(asks.invoke("a", { checkpointId: "two" }));
    expect([two.code, two.message.includes("deep.fn")]).toEqual(["NOT_SERIALIZABLE", true]);
  });
});

describe("A checkpoint keeps values everywhere", () => {
  const when = new Date(1_700_000_000_000);
  const value = { when, tags: new Set(["x"]), bytes: new Uint8Array([1, 2]), big: 5n, nothing: undefined };

  it("in states", async () => {
    const store = memoryStore();
    const app = () =>
      new Chain<string>()
        .withState(() => ({ kept: undefined as unknown }))
        .append((text, ctx) => {
          ctx.state.kept = value;
          return text;
        })
        .append(async (text, ctx) => text + String(await ctx.ask("go", "?")))
        .append((_text, ctx) => ({ kept: ctx.state.kept }))
        .compile({ store });
    const { id } = await questionOf(app().invoke("a", { checkpointId: "id" }));
    expect((await app().resume("id", { [id]: 1 })).kept).toStrictEqual(value);
  });

  it("in what once remembers, and in answers", async () => {
    const store = memoryStore();
    const app = () =>
      new Chain<string>()
        .append(async (_text, ctx) => {
          const made = await ctx.once("make", () => value);
          const one = await ctx.ask("one", 1);
          const two = await ctx.ask("two", 2);
          return { made, one, two };
        })
        .compile({ store });
    const one = await questionOf(app().invoke("a", { checkpointId: "id" }));
    const two = await questionOf(app().resume("id", { [one.id]: value }));
    expect(await app().resume("id", { [two.id]: when })).toStrictEqual({ made: value, one: value, two: when });
  });

  it("in the state of an interrupt, and in its info", async () => {
    const store = memoryStore();
    const app = () =>
      new Chain<string>()
        .append((_text, ctx) => {
          if (!ctx.resume.wasInterrupted) ctx.interrupt(value, { state: value });
          return { state: ctx.resume.state, data: ctx.resume.data };
        })
        .compile({ store });
    await interruptOf(app().invoke("a", { checkpointId: "id" }));
    const { id, info } = await questionOf(app().resume("id"));
    expect(info).toStrictEqual(value);
    expect(await app().resume("id", { [id]: value })).toStrictEqual({ state: value, data: value });
  });

  it("in outputs of nodes that wait for a sibling", async () => {
    const store = watchedStore();
    const app = () =>
      new Chain<string>()
        .appendParallel({ made: () => value, asks: async (_text, ctx) => ctx.ask("go", "?") })
        .compile({ store });
    const { id } = await questionOf(app().invoke("a", { checkpointId: "id" }));
    expect(await app().resume("id", { [id]: when })).toStrictEqual({ made: value, asks: when });
  });
});
