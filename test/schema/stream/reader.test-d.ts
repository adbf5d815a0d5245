import { ConcatRegistry, pipe, StreamReader, type StreamSource } from "kumiko";
import { expectTypeOf, it } from "vitest";

declare const reader: StreamReader<string | number>;

it("is covariant, and a source of streams", () => {
  expectTypeOf<StreamReader<"a">>().toExtend<StreamReader<string>>();
  expectTypeOf<StreamReader<string>>().not.toExtend<StreamReader<"a">>();
  expectTypeOf<StreamReader<string>>().toExtend<StreamSource<string>>();
  expectTypeOf<ReadableStream<string>>().toExtend<StreamSource<string>>();
});

it("infers the chunk of what it is made from", () => {
  expectTypeOf(StreamReader.from([1, 2])).toEqualTypeOf<StreamReader<number>>();
  expectTypeOf(StreamReader.from(new ReadableStream<string>())).toEqualTypeOf<StreamReader<string>>();
  expectTypeOf(
    StreamReader.from(
      (async function* () {
        yield 1;
      })(),
    ),
  ).toEqualTypeOf<StreamReader<number>>();
  // @ts-expect-error a promise is no stream
  StreamReader.from(Promise.resolve([1]));
});

it("maps to what the function or its promise gives", () => {
  expectTypeOf(reader.map(String)).toEqualTypeOf<StreamReader<string>>();
  expectTypeOf(reader.map(async (chunk) => ({ chunk }))).toEqualTypeOf<StreamReader<{ chunk: string | number }>>();
});

it("narrows with a type guard", () => {
  expectTypeOf(reader.filter((chunk) => typeof chunk === "string")).toEqualTypeOf<StreamReader<string>>();
  expectTypeOf(reader.filter((chunk) => chunk !== "")).toEqualTypeOf<StreamReader<string | number>>();
});

it("knows how many copies there are when the count is written out", () => {
  expectTypeOf(reader.copy(2)).toEqualTypeOf<[typeof reader, typeof reader]>();
  expectTypeOf(reader.copy(Number("4"))).toEqualTypeOf<(typeof reader)[]>();
});

it("names the chunks of a named merge", () => {
  const merged = StreamReader.mergeNamed({ a: [1], b: [2] });
  expectTypeOf(merged).toExtend<StreamReader<{ source: string; value: number } | { source: string; end: true }>>();
  const byName: Record<string, AsyncIterable<Date>> = {};
  expectTypeOf(StreamReader.mergeNamed(byName)).toExtend<StreamReader<{ source: string; value?: Date }>>();
  interface Named {
    left: StreamReader<string>;
    right: ReadableStream<string>;
  }
  expectTypeOf(StreamReader.mergeNamed({} as Named)).toExtend<StreamReader<{ source: string; value?: string }>>();
  const chunks = <T>(sources: Readonly<Record<"a" | "b", StreamReader<T>>>) => StreamReader.mergeNamed(sources);
  expectTypeOf(chunks({ a: reader, b: reader })).toExtend<StreamReader<{ source: string; value?: string | number }>>();
});

it("refuses names that look like integers in a named merge", () => {
  // @ts-expect-error "7" looks like an integer, and JavaScript would move it to the front
  StreamReader.mergeNamed({ a: [1], 7: [2] });
  // @ts-expect-error "-7" looks like an integer, and JavaScript would move it to the front
  StreamReader.mergeNamed({ "-7": [2] });
  StreamReader.mergeNamed({ x7: [1], "7x": [2], "1.5": [3] });
});

it("concatenates to the type of a chunk", () => {
  expectTypeOf(reader.concat()).toEqualTypeOf<Promise<string | number>>();
});

it("writes only what the reader reads", () => {
  const { reader, writer } = pipe<string>();
  expectTypeOf(reader).toEqualTypeOf<StreamReader<string>>();
  expectTypeOf(writer.write("a")).toEqualTypeOf<Promise<boolean>>();
  // @ts-expect-error a number is no string
  void writer.write(1);
});

it("gives the chunks of a class to its rule", () => {
  class Money {
    cents = 0;
  }
  new ConcatRegistry().add(Money, (chunks) => {
    expectTypeOf(chunks).toEqualTypeOf<Money[]>();
    return chunks[0] ?? new Money();
  });
  // @ts-expect-error the rule gives a value of the class
  new ConcatRegistry().add(Money, () => 1);
});
