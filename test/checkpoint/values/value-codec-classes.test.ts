import { Runtime } from "kumiko";
import { describe, expect, it } from "vitest";
import type { AnyClassCodec } from "../../../src/checkpoint/values/class-codec.js";
import { ValueCodec } from "../../../src/checkpoint/values/value-codec.js";
import { thrownBy } from "../../compose/thrown-by.js";
import { roundTrip } from "./round-trip.js";

class Money {
  readonly #cents: bigint;
  constructor(cents: bigint) {
    this.#cents = cents;
  }
  get cents(): bigint {
    return this.#cents;
  }
}

class Person {
  readonly name: string;
  readonly friends: unknown[];
  constructor(name: string, friends: unknown[] = []) {
    this.name = name;
    this.friends = friends;
  }
}

class Box {
  readonly content: unknown;
  constructor(content: unknown) {
    this.content = content;
  }
}

const { codecs } = new Runtime({
  codecs: [
    { name: "money", type: Money, encode: ({ cents }: Money) => cents, decode: (cents: bigint) => new Money(cents) },
    {
      name: "person",
      type: Person,
      encode: ({ name, friends }: Person) => ({ name, friends }),
      decode: ({ name, friends }: { name: string; friends: unknown[] }) => new Person(name, friends),
    },
    { name: "box", type: Box, encode: ({ content }: Box) => content, decode: (content: unknown) => new Box(content) },
  ],
});

/** One codec for Box, of which a test needs something special. */
const boxCodec = (special: Partial<AnyClassCodec>): readonly AnyClassCodec[] => [
  {
    name: "box",
    type: Box,
    encode: ({ content }: Box) => content,
    decode: (content: unknown) => new Box(content),
    ...special,
  },
];

describe("an instance of a registered class", () => {
  it("comes back, with what no property shows", () => {
    const copy = roundTrip({ price: new Money(5n) }, codecs);
    expect(copy.price).toBeInstanceOf(Money);
    expect(copy.price.cents).toBe(5n);
  });

  it("comes back from inside lists, maps, sets, errors and other instances", () => {
    const error = Object.assign(new Error("x", { cause: new Money(1n) }), { price: new Money(2n) });
    const map = new Map([[new Money(3n), new Money(4n)]]);
    const copy = roundTrip(
      [new Box(new Money(5n)), [new Money(6n)], new Set([new Money(7n)]), map, error] as const,
      codecs,
    );
    expect(copy[0].content).toHaveProperty("cents", 5n);
    expect(copy[1][0]).toHaveProperty("cents", 6n);
    expect([...copy[2]][0]).toHaveProperty("cents", 7n);
    expect([...copy[3]][0]).toMatchObject([{ cents: 3n }, { cents: 4n }]);
    expect(copy[4]).toMatchObject({ cause: { cents: 1n }, price: { cents: 2n } });
  });

  it("is encoded and made once, however often it stands in a value", () => {
    let [encoded, decoded] = [0, 0];
    const counting = boxCodec({
      encode: ({ content }: Box) => {
        encoded++;
        return content;
      },
      decode: (content: unknown) => {
        decoded++;
        return new Box(content);
      },
    });
    const box = new Box(1);
    const copy = roundTrip([box, { box }, new Map([[box, box]])], counting);
    expect(copy[1]).toHaveProperty("box", copy[0]);
    expect([encoded, decoded]).toEqual([1, 1]);
  });

  it("may be encoded as anything, also as another instance or as nothing", () => {
    for (const content of [undefined, null, "", 0, new Date(0), [], new Map(), new Box(new Money(1n))]) {
      expect(roundTrip(new Box(content), codecs).content).toStrictEqual(content);
    }
  });

  it("of a built-in class is left to its codec", () => {
    const upper = {
      name: "url",
      type: URL,
      encode: (url: URL) => url.host,
      decode: (host: string) => new URL(`x://${host}`),
    };
    expect(roundTrip(new URL("https://a.example/b"), [upper]).href).toBe("x://a.example");
  });

  it("of a subclass comes back by the codec of the subclass", () => {
    class Crate extends Box {}
    const both = [
      ...boxCodec({}),
      {
        name: "crate",
        type: Crate,
        encode: ({ content }: Crate) => content,
        decode: (content: unknown) => new Crate(content),
      },
    ];
    const copy = roundTrip([new Box(1), new Crate(2)], both);
    expect(copy.map((box) => Object.getPrototypeOf(box))).toEqual([Box.prototype, Crate.prototype]);
  });
});

describe("instances in cycles", () => {
  it("come back when the cycle runs through lists and records", () => {
    const [ann, bob] = [new Person("Ann"), new Person("Bob")];
    ann.friends.push(bob, { best: ann }, ann);
    bob.friends.push(ann);
    const copy = roundTrip(ann, codecs);
    const [friend, best, self] = copy.friends as [Person, { best: Person }, Person];
    expect(copy).toBeInstanceOf(Person);
    expect(friend.friends[0]).toBe(copy);
    expect(best.best).toBe(copy);
    expect(self).toBe(copy);
  });

  it("come back in their place of maps and sets, as key, value and member", () => {
    const ann = new Person("Ann");
    ann.friends.push(
      new Set<unknown>(["first", ann, "last", ann]),
      new Map<unknown, unknown>([
        ["first", ann],
        [ann, 1],
        ["between", 2],
        [ann, ann],
        ["last", 3],
      ]),
    );
    const copy = roundTrip(ann, codecs);
    const [set, map] = copy.friends as [Set<unknown>, Map<unknown, unknown>];
    expect([...set].map((member) => (member === copy ? "Ann" : member))).toEqual(["first", "Ann", "last"]);
    const entries = [...map].map((entry) => entry.map((part) => (part === copy ? "Ann" : part)));
    expect(entries).toEqual([
      ["first", "Ann"],
      ["Ann", "Ann"],
      ["between", 2],
      ["last", 3],
    ]);
  });

  it("come back as values of a map whose keys are texts", () => {
    const ann = new Person("Ann");
    ann.friends.push(
      new Map<string, unknown>([
        ["first", ann],
        ["between", 2],
        ["last", ann],
      ]),
    );
    const copy = roundTrip(ann, codecs);
    const [map] = copy.friends as [Map<string, unknown>];
    expect([...map.keys()]).toEqual(["first", "between", "last"]);
    expect([...map.values()].map((value) => value === copy)).toEqual([true, false, true]);
  });

  it("come back through two instances that know each other, in a set that holds both", () => {
    const [ann, bob] = [new Person("Ann"), new Person("Bob")];
    const group = new Set([ann, bob]);
    ann.friends.push(bob, group);
    bob.friends.push(ann, group);
    const copy = roundTrip({ group }, codecs);
    const [copiedAnn, copiedBob] = [...copy.group] as [Person, Person];
    expect([copiedAnn.name, copiedBob.name]).toEqual(["Ann", "Bob"]);
    expect(copiedAnn.friends).toHaveLength(2);
    expect(copiedAnn.friends[0] === copiedBob && copiedBob.friends[0] === copiedAnn).toBe(true);
    expect(copiedAnn.friends[1] === copy.group && copiedBob.friends[1] === copy.group).toBe(true);
  });

  it("come back through errors and records with a __proto__ of their own", () => {
    const ann = new Person("Ann");
    const record = JSON.parse('{ "__proto__": 1, "person": 2 }');
    record.person = ann;
    ann.friends.push(Object.assign(new Error("x", { cause: ann }), { person: ann }), record);
    const copy = roundTrip(ann, codecs);
    const [error, copiedRecord] = copy.friends as [Error & { person: unknown }, Record<string, unknown>];
    expect(error.cause === copy && error.person === copy).toBe(true);
    expect(copiedRecord.person).toBe(copy);
    expect(Object.keys(copiedRecord)).toEqual(["__proto__", "person"]);
  });

  it("show decode undefined where the data leads back to the instance itself", () => {
    const seen: unknown[] = [];
    const self = { box: undefined as unknown };
    const box = new Box(self);
    self.box = box;
    const copy = roundTrip(
      box,
      boxCodec({
        decode: (content: { box: unknown }) => {
          seen.push({ ...content });
          return new Box(content);
        },
      }),
    );
    expect(seen).toStrictEqual([{ box: undefined }]);
    expect(copy.content).toHaveProperty("box", copy);
  });
});

describe("a codec that does not do what it should", () => {
  const encoded = (special: Partial<AnyClassCodec>) =>
    thrownBy(() => new ValueCodec(boxCodec(special)).encode({ list: [new Box(1)] }, "state"));
  const decoded = (special: Partial<AnyClassCodec>) => {
    const text = new ValueCodec(boxCodec({})).encode({ list: [new Box(1)] }, 'output of "b"');
    return thrownBy(() => new ValueCodec(boxCodec(special)).decode(JSON.parse(text), 'output of "b"'));
  };

  it("is named when encode throws", () => {
    const cause = new RangeError("no");
    const error = encoded({
      encode: () => {
        throw cause;
      },
    });
    expect(error).toMatchObject({ code: "NOT_SERIALIZABLE", cause });
    expect(error.message).toContain("state: list[0] ");
    expect(error.message).toContain('the codec "box" failed: no');
  });

  it("is named when encode gives back the instance itself", () => {
    const error = encoded({ encode: (box: Box) => box });
    expect(error.code).toBe("NOT_SERIALIZABLE");
    expect(error.message).toContain('encode of the codec "box" returned the instance itself');
  });

  it("is refused when encode always makes a new instance", () => {
    expect(encoded({ encode: () => new Box(1) }).code).toBe("NOT_SERIALIZABLE");
  });

  it("is refused when encode gives what cannot be saved", () => {
    const error = encoded({ encode: async () => 1 });
    expect(error.code).toBe("NOT_SERIALIZABLE");
    expect(error.message).toContain("state: list[0] cannot be saved in a checkpoint: it is a promise");
  });

  it("is named when decode throws", () => {
    const cause = new RangeError("no");
    const error = decoded({
      decode: () => {
        throw cause;
      },
    });
    expect(error).toMatchObject({ code: "CHECKPOINT_UNREADABLE", cause });
    expect(error.message).toContain('output of "b"');
    expect(error.message).toContain('"box" could not decode it: no');
  });

  it.each([[undefined], [{ content: 1 }], [Promise.resolve(new Box(1))], [new Date()]])(
    "is named when decode makes no instance but %o",
    (made) => {
      const error = decoded({ decode: () => made as object });
      expect(error.code).toBe("CHECKPOINT_UNREADABLE");
      expect(error.message).toMatch(/"box" gave back .*, not an instance of Box/);
    },
  );
});

it("a saved class that has no codec any more is UNKNOWN_CLASS, and named", () => {
  const text = new ValueCodec(codecs).encode([new Money(1n)], "state");
  const error = thrownBy(() => new ValueCodec(boxCodec({})).decode(JSON.parse(text), "state"));
  expect(error.code).toBe("UNKNOWN_CLASS");
  expect(error.message).toContain('"money"');
  expect(error.message).toContain("Codecs: box.");
});
