import { Chain, END, Graph, lambda, mapChunks, passthrough, type Runnable, START, StreamReader } from "kumiko";
import type { LambdaModes } from "kumiko/compose";
import { describe, expect, it } from "vitest";
import { plain, thrownBy } from "./thrown-by.js";

const words = () => StreamReader.from(["to ", "be"]);
const read = async <T>(stream: AsyncIterable<T>): Promise<T[]> => {
  const chunks: T[] = [];
  for await (const chunk of stream) chunks.push(chunk);
  return chunks;
};

/** Each native mode marks its result, so that it can be seen which one ran. */
const natives: Required<LambdaModes<string, string>> = {
  invoke: (text) => `${text}|invoke`,
  stream: async function* (text) {
    yield text;
    yield "|stream";
  },
  collect: async (stream) => `${await stream.concat()}|collect`,
  transform: async function* (stream) {
    yield* stream;
    yield "|transform";
  },
};
type Mode = keyof typeof natives;
const modes = Object.keys(natives) as Mode[];

async function run(runnable: Runnable<string, string>, mode: Mode): Promise<string> {
  switch (mode) {
    case "invoke":
      return runnable.invoke("to be");
    case "stream":
      return (await read(runnable.stream("to be"))).join("");
    case "collect":
      return runnable.collect(words());
    default:
      return (await read(runnable.transform(words()))).join("");
  }
}

describe("a lambda", () => {
  it.each(modes)("with %s alone runs it in all four modes", async (native) => {
    const only = lambda<string, string>({ [native]: natives[native] });
    for (const mode of modes) expect(await run(only, mode)).toBe(`to be|${native}`);
  });

  it.each([
    ["invoke", ["stream", "collect", "transform"], "stream"],
    ["invoke", ["collect", "transform"], "collect"],
    ["stream", ["invoke", "collect", "transform"], "transform"],
    ["stream", ["invoke", "collect"], "invoke"],
    ["collect", ["invoke", "stream", "transform"], "transform"],
    ["collect", ["invoke", "stream"], "invoke"],
    ["transform", ["invoke", "stream", "collect"], "stream"],
    ["transform", ["invoke", "collect"], "collect"],
  ] satisfies [Mode, Mode[], Mode][])("makes %s, when it has %j, from %s", async (mode, given, preferred) => {
    const some = lambda<string, string>(Object.fromEntries(given.map((name) => [name, natives[name]])));
    expect(await run(some, mode)).toBe(`to be|${preferred}`);
  });

  it("runs the mode it has, when it has all", async () => {
    for (const mode of modes) expect(await run(lambda(natives), mode)).toBe(`to be|${mode}`);
  });

  it("joins its chunks as it declares", async () => {
    const counts = lambda(
      {
        stream: async function* (text: string) {
          for (const character of text) yield { character };
        },
      },
      { concat: "list" },
    );
    expect(await counts.invoke("ab")).toEqual([{ character: "a" }, { character: "b" }]);
    const inChain = new Chain<string>().append(counts).append((list) => JSON.stringify(list));
    expect(await inChain.compile().invoke("a")).toBe('[{"character":"a"}]');
    const last = new Chain<string>().append(counts, { concat: "last" });
    expect(await last.compile().invoke("ab")).toEqual({ character: "b" });
  });

  it.each([
    [{}, "at least one of invoke"],
    [{ invoke: undefined }, "at least one of invoke"],
    [{ invoke: "x" }, "invoke of a lambda must be a function"],
    [{ invoke: () => 1, call: () => 1 }, '"call" is not a mode'],
    [() => 1, "A plain function can be used as a node directly"],
    [undefined, "the modes as an object"],
  ])("cannot be made of %j", (given, sentence) => {
    const error = thrownBy(() => lambda(plain(given)));
    expect(error.code).toBe("INVALID_OPTION");
    expect(error.message).toContain(sentence);
  });

  it("refuses options that it does not have", () => {
    const make = (options: unknown) => thrownBy(() => lambda({ invoke: (text: string) => text }, plain(options)));
    expect(make({ kind: "x" }).message).toContain('"kind"');
    expect(make({ concat: "sum" }).message).toContain("concat");
    expect(make({ type: 1 }).message).toContain("type");
    expect(make("x").code).toBe("INVALID_OPTION");
  });
});

describe("mapChunks", () => {
  const upper = mapChunks(async (text: string) => text.toUpperCase());

  it("works chunk by chunk on streams, and once on a value", async () => {
    expect(await read(upper.transform(words()))).toEqual(["TO ", "BE"]);
    expect(await upper.collect(words())).toBe("TO BE");
    expect(await upper.invoke("to be")).toBe("TO BE");
    expect(await read(upper.stream("to be"))).toEqual(["TO BE"]);
  });

  it("keeps the stream flowing as a node", async () => {
    const chain = new Chain<string>().append(upper).append(mapChunks((text: string) => `<${text}>`));
    expect(await read(chain.compile().transform(words()))).toEqual(["<TO >", "<BE>"]);
  });

  it("takes a function", () => {
    expect(thrownBy(() => mapChunks(plain("x"))).code).toBe("INVALID_OPTION");
  });
});

describe("passthrough", () => {
  it("gives a value and each chunk of a stream as it is", async () => {
    const value = { list: [1] };
    expect(await passthrough<typeof value>().invoke(value)).toBe(value);
    expect(await read(passthrough<string>().transform(words()))).toEqual(["to ", "be"]);
  });

  it("calls no handler as a node", async () => {
    const names: string[] = [];
    const graph = new Graph<string, string>()
      .addNode("pass", passthrough())
      .addEdge(START, "pass")
      .addEdge("pass", END)
      .compile({ name: "graph" });
    await graph.invoke("x", { callbacks: [{ onStart: ({ name }) => void names.push(name) }] });
    expect(names).toEqual(["graph"]);
  });

  it("takes no call options", () => {
    const graph = new Graph<string, string>()
      .addNode("pass", passthrough(), plain({ options: {} }))
      .addEdge(START, "pass")
      .addEdge("pass", END);
    expect(thrownBy(() => graph.compile()).code).toBe("INVALID_OPTION");
  });
});
