import { ConcatRegistry } from "kumiko";
import { describe, expect, it } from "vitest";
import { concatChunks } from "../../../src/schema/concat/concat-chunks.js";

class Animal {
  readonly name: string;
  constructor(name: string) {
    this.name = name;
  }
}
class Dog extends Animal {}
class Cat extends Animal {}

function names(chunks: readonly Animal[]): string {
  return chunks.map(({ name }) => name).join("+");
}

function concat(chunks: readonly unknown[], registry: ConcatRegistry): unknown {
  return concatChunks(chunks, undefined, registry);
}

describe("ConcatRegistry", () => {
  it("joins chunks of a class", () => {
    const registry = new ConcatRegistry().add(Animal, (chunks) => new Animal(names(chunks)));
    expect(concat([new Animal("a"), new Animal("b")], registry)).toEqual(new Animal("a+b"));
  });

  it("gives a single chunk as it is", () => {
    const registry = new ConcatRegistry().add(Animal, () => new Animal("joined"));
    const only = new Animal("only");
    expect(concat([only], registry)).toBe(only);
  });

  it("takes the rule of the nearest class that all chunks share", () => {
    const registry = new ConcatRegistry()
      .add(Animal, (chunks) => new Animal(`animals ${names(chunks)}`))
      .add(Dog, (chunks) => new Dog(`dogs ${names(chunks)}`));
    expect(concat([new Dog("a"), new Dog("b")], registry)).toEqual(new Dog("dogs a+b"));
    expect(concat([new Dog("a"), new Cat("b")], registry)).toEqual(new Animal("animals a+b"));
    expect(concat([new Cat("a"), new Cat("b")], registry)).toEqual(new Animal("animals a+b"));
  });

  it("wins over what is built in", () => {
    const registry = new ConcatRegistry()
      .add(Date, ([first]) => first ?? new Date())
      .add(String, (chunks) => chunks.join(" "));
    expect(concat([new Date(1), new Date(2)], registry)).toEqual(new Date(1));
    expect(concat(["to", "be"], registry)).toBe("to be");
  });

  it("says nothing about chunks of other classes", () => {
    const registry = new ConcatRegistry().add(Dog, ([first]) => first ?? new Dog(""));
    expect(() => concat([new Cat("a"), new Cat("b")], registry)).toThrow("an instance of Cat");
    expect(() => concat([new Dog("a"), new Cat("b")], registry)).toThrow("an instance of Dog, an instance of Cat");
  });

  it("refuses a class twice, and what is no class", () => {
    const registry = new ConcatRegistry().add(Dog, ([first]) => first ?? new Dog(""));
    expect(() => registry.add(Dog, ([first]) => first ?? new Dog(""))).toThrowError(
      expect.objectContaining({ code: "INVALID_OPTION", message: expect.stringContaining("Dog") }),
    );
    for (const given of ["Dog", {}, () => {}]) {
      expect(() => registry.add(given as never, () => 1)).toThrowError(
        expect.objectContaining({ code: "INVALID_OPTION" }),
      );
    }
  });
});
