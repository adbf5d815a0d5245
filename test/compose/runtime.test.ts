import { Runtime } from "kumiko";
import { describe, expect, it } from "vitest";
import { plain, thrownBy } from "./thrown-by.js";

describe("a Runtime", () => {
  it("refuses an option that it does not have, by name", () => {
    const error = thrownBy(() => new Runtime(plain({ callback: [] })));
    expect(error.code).toBe("INVALID_OPTION");
    expect(error.message).toContain('Unknown option "callback"');
  });

  it("refuses callbacks that are no list, and an onHandlerError that is no function", () => {
    expect(thrownBy(() => new Runtime({ callbacks: plain({}) })).message).toContain("callbacks");
    expect(thrownBy(() => new Runtime({ onHandlerError: plain("log") })).message).toContain("onHandlerError");
  });

  it("refuses a clock that is none, and a random that is no function", () => {
    expect(thrownBy(() => new Runtime({ clock: plain({ now: () => 0 }) })).message).toContain("clock");
    expect(thrownBy(() => new Runtime({ random: plain(0.5) })).message).toContain("random");
  });

  it("takes the handlers as they are when it is made", () => {
    const handlers = [{ onStart: () => undefined }];
    const runtime = new Runtime({ callbacks: handlers });
    handlers.push({ onStart: () => undefined });
    expect(runtime.callbacks).toHaveLength(1);
    expect(Object.isFrozen(runtime)).toBe(true);
  });
});

describe("the codecs of a Runtime", () => {
  class Money {
    readonly cents: number;
    constructor(cents: number) {
      this.cents = cents;
    }
  }
  const money = {
    name: "money",
    type: Money,
    encode: ({ cents }: Money) => cents,
    decode: (cents: number) => new Money(cents),
  };
  const made = (...codecs: unknown[]) => thrownBy(() => new Runtime({ codecs: plain(codecs) }));

  it("are kept as they are when it is made", () => {
    const codecs = [{ ...money }];
    const runtime = new Runtime({ codecs });
    codecs.pop();
    expect(runtime.codecs).toEqual([money]);
    expect(Object.isFrozen(runtime.codecs)).toBe(true);
    expect(Object.isFrozen(runtime.codecs[0])).toBe(true);
    expect(new Runtime().codecs).toEqual([]);
  });

  it("may not share a name", () => {
    const error = made(money, { ...money, type: class Price {} });
    expect(error.code).toBe("INVALID_OPTION");
    expect(error.message).toContain('the name "money"');
  });

  it("may not share a class", () => {
    const error = made(money, { ...money, name: "price" });
    expect(error.code).toBe("INVALID_OPTION");
    expect(error.message).toContain('"money" and "price"');
    expect(error.message).toContain("Money");
  });

  it("may be for a class and for its subclass", () => {
    class Price extends Money {}
    const price = { ...money, name: "price", type: Price, decode: (cents: number) => new Price(cents) };
    expect(new Runtime({ codecs: [money, price] }).codecs).toHaveLength(2);
  });

  it.each([
    ["no list", "money", "must be an array"],
    ["a function", [() => money], "codecs[0]"],
    ["an empty name", [{ ...money, name: "" }], "needs a name"],
    ["no name", [{ ...money, name: undefined }], "needs a name"],
    ["a name for a type", [{ ...money, type: "Money" }], 'codecs[0] of a Runtime ("money")'],
    ["an arrow function for a type", [{ ...money, type: () => new Money(1) }], "must be a class"],
    ["Object", [{ ...money, type: Object }], "is Object, which needs no codec"],
    ["Array", [{ ...money, type: Array }], "is Array, which needs no codec"],
    ["no encode", [{ ...money, encode: undefined }], "needs encode"],
    ["no decode", [money, { ...money, name: "price", decode: {} }], 'codecs[1] of a Runtime ("price") needs decode'],
  ])("are refused when one of them is or has %s", (_what, codecs, message) => {
    const error = thrownBy(() => new Runtime({ codecs: plain(codecs) }));
    expect(error.code).toBe("INVALID_OPTION");
    expect(error.message).toContain(message);
  });
});
