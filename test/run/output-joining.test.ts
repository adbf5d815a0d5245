import { Chain, ConcatRegistry, lambda, Runtime, StreamReader } from "kumiko";
import { describe, expect, it } from "vitest";

class Sum {
  readonly value: number;

  constructor(value: number) {
    this.value = value;
  }
}

const sums = new Runtime({
  concat: new ConcatRegistry().add(Sum, (chunks) => new Sum(chunks.reduce((sum, { value }) => sum + value, 0))),
});

const parallel = new Chain<string>()
  .appendParallel({
    letters: async function* (text: string) {
      yield* text;
    },
    size: (text) => text.length,
  })
  .compile();
const listed = new Chain<string>()
  .append(
    async function* (text: string) {
      for (const letter of text) yield { letter };
    },
    { concat: "list" },
  )
  .compile();
const summed = new Chain<string>()
  .append(async function* (text: string) {
    for (const _letter of text) yield new Sum(1);
  })
  .compile({ runtime: sums });
const alone = lambda(
  {
    stream: async function* (text: string) {
      for (const letter of text) yield { letter };
    },
  },
  { concat: "list" },
);

describe.each([
  ["outputs of parallel members", parallel, { letters: "abc", size: 3 }],
  ["chunks whose node declares concat", listed, [{ letter: "a" }, { letter: "b" }, { letter: "c" }]],
  ["chunks of a class of the runtime", summed, new Sum(3)],
  ["chunks of a lambda alone", alone, [{ letter: "a" }, { letter: "b" }, { letter: "c" }]],
])("%s", (_case, runnable, whole) => {
  it("are joined by invoke", async () => {
    expect(await runnable.invoke("abc")).toEqual(whole);
  });

  it("are joined by collect", async () => {
    expect(await runnable.collect(StreamReader.from(["a", "bc"]))).toEqual(whole);
  });

  it("are joined by concat() of the stream", async () => {
    expect(await runnable.stream("abc").concat()).toEqual(whole);
  });

  it("are joined by concat() of a copy of the stream", async () => {
    const [first, second] = runnable.transform(StreamReader.from(["a", "bc"])).copy(2);
    expect(await Promise.all([first.concat(), second.concat()])).toEqual([whole, whole]);
  });
});
