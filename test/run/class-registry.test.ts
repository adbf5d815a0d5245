import { Chain, ConcatRegistry, passthrough, Runtime } from "kumiko";
import { expect, it } from "vitest";
import { plain } from "../compose/thrown-by.js";
import { everyWay, inEveryWay } from "./every-way.js";

class Sum {
  readonly value: number;

  constructor(value: number) {
    this.value = value;
  }
}

const runtime = new Runtime({
  concat: new ConcatRegistry().add(Sum, (all) => new Sum(all.reduce((sum, { value }) => sum + value, 0))),
  codecs: [{ name: "sum", type: Sum, encode: ({ value }) => value, decode: (value) => new Sum(value as number) }],
});

async function* sums(_text: string) {
  yield new Sum(1);
  yield new Sum(2);
}

const double = (sum: Sum): Sum => new Sum(2 * sum.value);

it("joins chunks of a class by the runtime of the graph when its output stream was mapped", async () => {
  const app = new Chain<string>().append(sums).compile({ runtime });
  expect(await app.stream("").map(double).concat()).toEqual(new Sum(6));
});

it("joins them so when the last node is a passthrough, and when it is a graph", async () => {
  const ends = [passthrough<Sum>(), new Chain<Sum>().append(passthrough<Sum>())];
  for (const end of ends) {
    const app = new Chain<string>().append(sums).append(plain(end)).compile(plain({ runtime }));
    expect(await app.stream("").map(plain(double)).concat()).toEqual(new Sum(6));
  }
});

it("joins them so after a streamAfter that maps them, in every way to run", async () => {
  const compile = (options: object) =>
    new Chain<string>()
      .withState(() => ({}))
      .append(new Chain<string>().append(sums), { streamAfter: (stream) => stream.map(double) })
      .compile({ runtime, ...options });
  expect(await inEveryWay(compile, { value: "" })).toEqual(everyWay({ value: new Sum(6) }));
});
