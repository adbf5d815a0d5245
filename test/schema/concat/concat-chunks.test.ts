import fc from "fast-check";
import { type AgenticMessage, ConcatRegistry } from "kumiko";
import { describe, expect, it } from "vitest";
import { concatChunks } from "../../../src/schema/concat/concat-chunks.js";
import type { ConcatRule, Joining } from "../../../src/schema/concat/rule.js";

class Money {
  readonly cents: number;
  constructor(cents: number) {
    this.cents = cents;
  }
  plus(other: Money): Money {
    return new Money(this.cents + other.cents);
  }
}

const registry = new ConcatRegistry().add(Money, (chunks) => chunks.reduce((sum, chunk) => sum.plus(chunk)));

function concat(chunks: readonly unknown[], rule?: ConcatRule): unknown {
  return concatChunks(chunks, rule, registry, 'node "a"');
}

function text(part: string, index?: number): AgenticMessage {
  const streamingMeta = index === undefined ? {} : { streamingMeta: { index } };
  return { role: "assistant", contentBlocks: [{ type: "assistant_gen_text", text: part, ...streamingMeta }] };
}

const cannotConcat = expect.objectContaining({ code: "CANNOT_CONCAT", message: expect.stringContaining('node "a"') });

describe("without a declared rule", () => {
  it("rejects an empty stream, naming the place", () => {
    expect(() => concat([])).toThrowError(
      expect.objectContaining({ code: "EMPTY_STREAM", message: expect.stringContaining('node "a"') }),
    );
  });

  it.each([[{ a: 1 }], [[1, 2]], [null], [undefined], [new Map()], ["text"]])(
    "gives a single chunk as it is: %o",
    (chunk) => {
      expect(concat([chunk])).toBe(chunk);
    },
  );

  it("joins texts", () => {
    expect(concat(["to ", "", "be"])).toBe("to be");
  });

  it.each([
    ["numbers", [1, 2, 0], 0],
    ["booleans", [true, false], false],
    ["bigints", [1n, 2n], 2n],
    ["dates", [new Date(1), new Date(2)], new Date(2)],
  ])("takes the last of %s", (_, chunks, last) => {
    expect(concat(chunks)).toEqual(last);
  });

  it("joins messages, and removes the streaming index of a single one", () => {
    expect(concat([text("to ", 0), text("be", 0)])).toEqual(text("to be"));
    expect(concat([text("be", 0)])).toEqual(text("be"));
  });

  it("joins lists of messages slot by slot", () => {
    const [first, second] = [new Array<AgenticMessage>(2), new Array<AgenticMessage>(2)];
    first[1] = text("to ", 0);
    second[0] = text("or", 0);
    const third = [undefined, text("be", 0)];
    expect(concat([first, second, third])).toEqual([text("or"), text("to be")]);
    expect(concat([third])).toEqual([undefined, text("be")]);
  });

  it("skips undefined and null beside other chunks", () => {
    expect(concat([undefined, "a", null, "b"])).toBe("ab");
    expect(concat([undefined, { a: 1 }])).toEqual({ a: 1 });
    expect(concat([null, undefined])).toBeUndefined();
  });

  it.each([
    ["records", [{ a: 1 }, { b: 2 }], "an object"],
    ["arrays", [[1], [2]], "an array"],
    ["class instances", [new Map(), new Map()], "an instance of Map"],
    ["mixed chunks", ["a", 1], "a string, a number"],
    ["a message beside a text", [text("a"), "b"], "an object, a string"],
    ["functions", [() => {}, () => {}], "a function"],
  ])("refuses %s, saying what they are and what to declare", (_, chunks, kind) => {
    expect(() => concat(chunks)).toThrowError(cannotConcat);
    expect(() => concat(chunks)).toThrow(kind);
    expect(() => concat(chunks)).toThrow('"list", "last", "record", "text"');
  });
});

describe("a declared rule", () => {
  it('"list" joins arrays without their holes, and collects everything else', () => {
    // biome-ignore lint/suspicious/noSparseArray: a chunk may have holes
    expect(concat([[1], [2, , 3]], "list")).toEqual([1, 2, 3]);
    expect(concat([{ a: 1 }, null], "list")).toEqual([{ a: 1 }, null]);
    expect(concat([{ a: 1 }], "list")).toEqual([{ a: 1 }]);
    expect(concat([[[1]], [[2]]], "list")).toEqual([[1], [2]]);
  });

  it('"last" takes the last chunk', () => {
    expect(concat([{ a: 1 }, { b: 2 }], "last")).toEqual({ b: 2 });
  });

  it('"text" joins what reads as text', () => {
    expect(concat(["n = ", 1, undefined, true], "text")).toBe("n = 1true");
    expect(() => concat(["n = ", {}], "text")).toThrowError(cannotConcat);
  });

  it("a function gets all chunks, also a single one, in a list of its own", () => {
    const chunks = [{ a: 1 }, { a: 2 }];
    expect(concat(chunks, (all: unknown[]) => all.splice(0).length)).toBe(2);
    expect(chunks).toHaveLength(2);
    expect(concat([{ a: 1 }], (all: unknown[]) => all.length)).toBe(1);
  });

  it("refuses an empty stream whatever is declared", () => {
    for (const rule of ["list", "last", "record", "text", () => 1] as const) {
      expect(() => concat([], rule)).toThrowError(expect.objectContaining({ code: "EMPTY_STREAM" }));
    }
  });
});

describe('"record"', () => {
  it("joins key by key, in the order in which keys came, and inner records too", () => {
    const joined = concat(
      [{ b: "x", n: 1 }, { a: { t: "to " } }, undefined, { b: "y", a: { t: "be", u: 1 }, n: 2 }],
      "record",
    );
    expect(joined).toEqual({ b: "xy", n: 2, a: { t: "to be", u: 1 } });
    expect(Object.keys(joined as object)).toEqual(["b", "n", "a"]);
  });

  it("joins messages and registered classes inside", () => {
    const chunks = [
      { m: text("to ", 0), cost: new Money(1) },
      { m: text("be", 0), cost: new Money(2) },
    ];
    expect(concat(chunks, "record")).toEqual({ m: text("to be"), cost: new Money(3) });
  });

  it("skips keys without a value beside others", () => {
    expect(concat([{ a: undefined }, { a: "x" }, { b: undefined }], "record")).toEqual({ a: "x", b: undefined });
  });

  it("takes any key", () => {
    const chunks = ['{"__proto__": "a", "constructor": "b", "7": "c"}', '{"__proto__": "d", "7": "e"}'].map((json) =>
      JSON.parse(json),
    );
    const joined = concat(chunks, "record") as object;
    expect(Object.entries(joined)).toEqual([
      ["7", "ce"],
      ["__proto__", "ad"],
      ["constructor", "b"],
    ]);
    expect(Object.getPrototypeOf(joined)).toBe(Object.prototype);
  });

  it("takes instances without methods as records, and nothing else", () => {
    class Point {
      x = "1";
    }
    expect(concat([new Point(), Object.create(null, { y: { value: "2", enumerable: true } })], "record")).toEqual({
      x: "1",
      y: "2",
    });
    for (const other of [[], "text", new Map(), new Money(1), 7]) {
      expect(() => concat([{ a: 1 }, other], "record")).toThrowError(cannotConcat);
    }
  });

  it("names the key that cannot be joined", () => {
    expect(() => concat([{ a: { hits: [1] } }, { a: { hits: [2] } }], "record")).toThrow(
      'node "a", key "a", key "hits"',
    );
  });

  it("splits and joins back without loss", () => {
    fc.assert(
      fc.property(
        fc.dictionary(fc.string(), fc.string({ minLength: 1 }), { minKeys: 1 }),
        fc.infiniteStream(fc.nat(5)),
        (record, cuts) => {
          const chunks = Object.entries(record).flatMap(([key, value]) => {
            const cut = cuts.next().value;
            return [value.slice(0, cut), value.slice(cut)].map((part) => Object.fromEntries([[key, part]]));
          });
          expect(concat(chunks, "record")).toEqual(record);
        },
      ),
    );
  });
});

describe("a keyed rule", () => {
  const rule: ConcatRule = {
    keyed: new Map<string, Joining>([
      ["hits", { rule: "list" }],
      ["count", { rule: (counts: number[]) => counts.length }],
      ["answer", {}],
      ["inner", { rule: { keyed: new Map(), rest: "last" } }],
    ]),
    rest: "text",
  };

  it("joins each key by its own rule, an unset one by kind, and others by the rest", () => {
    const chunks = [{ hits: [1] }, { hits: [2], count: 7 }, { answer: 1 }, { answer: 2 }, { other: 1 }, { other: 2 }];
    expect(concat(chunks, rule)).toEqual({ hits: [1, 2], count: 1, answer: 2, other: "12" });
  });

  it("holds for a single chunk too", () => {
    expect(concat([{ hits: 1, answer: text("be", 0) }], rule)).toEqual({ hits: [1], answer: text("be") });
  });

  it("may be nested", () => {
    expect(concat([{ inner: { a: [1] } }, { inner: { a: [2] } }], rule)).toEqual({ inner: { a: [2] } });
  });

  it("refuses what is no record", () => {
    expect(() => concat(["text"], rule)).toThrowError(cannotConcat);
  });
});
