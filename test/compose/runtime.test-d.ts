import { Runtime } from "kumiko";
import type { ClassCodec, RuntimeOptions } from "kumiko/compose";
import { expectTypeOf, it } from "vitest";

class Money {
  readonly cents: bigint;
  constructor(cents: bigint) {
    this.cents = cents;
  }
}

class Person {
  readonly name: string;
  private constructor(name: string) {
    this.name = name;
  }
  static named(name: string): Person {
    return new Person(name);
  }
}

abstract class Shape {
  abstract readonly area: number;
}

const money = {
  name: "money",
  type: Money,
  encode: (value: Money) => ({ cents: value.cents }),
  decode: (data: { cents: bigint }) => new Money(data.cents),
};

it("takes codecs of different classes without a cast, also of those with a private constructor", () => {
  const runtime = new Runtime({
    codecs: [
      money,
      {
        name: "person",
        type: Person,
        encode: ({ name }: Person) => name,
        decode: (name: string) => Person.named(name),
      },
      { name: "shape", type: Shape, encode: ({ area }) => area, decode: (area: number): Shape => ({ area }) },
    ],
  });
  expectTypeOf(runtime).toExtend<Runtime>();
  expectTypeOf(new Runtime({ codecs: [] })).toExtend<Runtime>();
  expectTypeOf(new Runtime()).toExtend<Runtime>();
});

it("knows from the class what encode gets", () => {
  new Runtime({
    codecs: [
      {
        name: "money",
        type: Money,
        encode: (value) => {
          expectTypeOf(value).toEqualTypeOf<Money>();
          return value.cents;
        },
        decode: (cents: bigint) => new Money(cents),
      },
    ],
  });
});

it("takes a list of codecs of one class, and a codec that was typed on its own", () => {
  const typed: ClassCodec<Money, { cents: bigint }> = money;
  const list = [money];
  const options: RuntimeOptions<[Money]> = { codecs: [typed] };
  new Runtime({ codecs: list });
  new Runtime(options);
});

it("refuses an encode for another class", () => {
  // @ts-expect-error a Money is no Person
  new Runtime({ codecs: [{ ...money, encode: (person: Person) => person.name }] });
});

it("refuses a decode that makes something else", () => {
  // @ts-expect-error a Person is no Money
  new Runtime({ codecs: [{ ...money, decode: (name: string) => Person.named(name) }] });
});

it("refuses a codec without decode", () => {
  // @ts-expect-error decode is missing
  new Runtime({ codecs: [{ name: "money", type: Money, encode: (value: Money) => value.cents }] });
});
