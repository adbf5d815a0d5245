import { batch, type Runnable, type StreamReader } from "kumiko";
import { expectTypeOf, it } from "vitest";

declare const length: Runnable<string, number>;
declare const pair: Runnable<readonly [text: string, count: number], string>;
declare const field: Runnable<{ readonly text: string; readonly tone?: "calm" | "loud" }, string>;

it("takes any iterable and any stream of inputs", () => {
  expectTypeOf(batch(length, ["a"])).toEqualTypeOf<Promise<number[]>>();
  expectTypeOf(batch(length, ["a"] as const, { concurrency: 2 })).toEqualTypeOf<Promise<number[]>>();
  expectTypeOf(batch(length, new Set(["a"]))).toEqualTypeOf<Promise<number[]>>();
  expectTypeOf(batch(length, new Map<string, number>().keys())).toEqualTypeOf<Promise<number[]>>();
  expectTypeOf(batch(length, {} as Generator<string, Date>)).toEqualTypeOf<Promise<number[]>>();
  expectTypeOf(batch(length, {} as AsyncGenerator<string>)).toEqualTypeOf<Promise<number[]>>();
  expectTypeOf(batch(length, {} as StreamReader<string>)).toEqualTypeOf<Promise<number[]>>();
  expectTypeOf(batch(length, {} as ReadableStream<string>)).toEqualTypeOf<Promise<number[]>>();
});

it("gives literals the type of the input", () => {
  expectTypeOf(batch(pair, [["a", 1]])).toEqualTypeOf<Promise<string[]>>();
  expectTypeOf(batch(field, [{ text: "a" }, { text: "b", tone: "loud" }])).toEqualTypeOf<Promise<string[]>>();
});

it("refuses inputs of another type, and a single string", () => {
  // @ts-expect-error numbers are no texts
  void batch(length, [1]);
  // @ts-expect-error nor are some of them
  void batch(length, new Set(["a", 1]));
  // @ts-expect-error nor those of a stream
  void batch(length, {} as StreamReader<number>);
  // @ts-expect-error a string is one input
  void batch(length, "abc");
  // @ts-expect-error there is no such tone
  void batch(field, [{ text: "a", tone: "angry" }]);
});
