import { type CompiledGraph, END, passthrough, START, StreamReader } from "kumiko";
import { describe, expect, it } from "vitest";
import { plain } from "../compose/thrown-by.js";
import { everyWay, inEveryWay } from "./every-way.js";
import { lineOf, looseGraph, type NodeEntry } from "./loose-graph.js";

const yields = (...chunks: unknown[]) =>
  async function* () {
    yield* chunks;
  };
const same = (value: unknown): unknown => value;
const sameStream = (stream: unknown): unknown => stream;
const given = { value: "" };

const inLine =
  (...nodes: NodeEntry[]) =>
  (options: object) =>
    lineOf(...nodes).compile(options) as CompiledGraph<object | string, unknown>;

describe("the input key of a node", () => {
  const picked = (chunks: readonly unknown[], concat: unknown) =>
    inEveryWay(inLine(["yields", yields(...chunks), { concat }], ["reads", same, { inputKey: "a" }]), given);

  it('picks out of the last chunk when the node before declares concat: "last"', async () => {
    expect(await picked([{ a: "x" }, { a: "y" }], "last")).toEqual(everyWay({ value: "y" }));
  });

  it('picks what concat: "record" makes, records in records included', async () => {
    const chunks = [{ a: { text: "x" } }, { a: { text: "y" } }];
    expect(await picked(chunks, "record")).toEqual(everyWay({ value: { text: "xy" } }));
  });

  it("picks out of what the function of the node before makes", async () => {
    const count = (all: readonly { a: string }[]) => ({ a: `${all.length} chunks` });
    expect(await picked([{ a: "x" }, { a: "y" }], count)).toEqual(everyWay({ value: "2 chunks" }));
  });

  it("is missing when the last chunk counts and has it not", async () => {
    const missing = { code: "MISSING_INPUT_KEY", nodePath: ["reads"] };
    expect(await picked([{ a: "x" }, { b: "y" }], "last")).toEqual(everyWay(missing));
  });
});

describe("streamAfter leaves how chunks join as it is", () => {
  const chunks = yields({ a: 1 }, { b: 2 });
  const listed = everyWay({ value: [{ a: 1 }, { b: 2 }] });

  it("behind a graph as a node", async () => {
    const inner = lineOf(["yields", chunks, { concat: "list" }]);
    expect(await inEveryWay(inLine(["inner", inner, { streamAfter: sameStream }]), given)).toEqual(listed);
  });

  it("behind a passthrough", async () => {
    const nodes = inLine(["yields", chunks, { concat: "list" }], ["pass", passthrough(), { streamAfter: sameStream }]);
    expect(await inEveryWay(nodes, given)).toEqual(listed);
  });

  it("behind a passthrough, also when it maps the chunks", async () => {
    const streamAfter = (stream: StreamReader<unknown>) => stream.map((chunk) => chunk);
    const nodes = inLine(["yields", chunks, { concat: "list" }], ["pass", passthrough(), { streamAfter }]);
    expect(await inEveryWay(nodes, given)).toEqual(listed);
  });
});

describe("concat on a node that is a graph", () => {
  it("counts in every mode", async () => {
    const inner = lineOf(["yields", yields("a", "b")]);
    const nodes = inLine(["inner", inner, { concat: "list" }]);
    expect(await inEveryWay(nodes, given)).toEqual(everyWay({ value: ["a", "b"] }));
  });

  it("joins objects for which the graph itself has no rule", async () => {
    const inner = lineOf(["yields", yields({ a: 1 }, { a: 2 })]);
    const nodes = inLine(["inner", inner, { concat: "last" }]);
    expect(await inEveryWay(nodes, given)).toEqual(everyWay({ value: { a: 2 } }));
  });
});

describe("several edges into one node", () => {
  const joined = (chunks: readonly unknown[], options: object = {}) =>
    inEveryWay(
      (compiled) =>
        looseGraph()
          .addNode("yields", yields(...chunks), options)
          .addNode("other", () => ({ other: 1 }))
          .addNode("reads", same)
          .addEdge(START, "yields")
          .addEdge(START, "other")
          .addEdge("yields", "reads")
          .addEdge("other", "reads")
          .addEdge("reads", END)
          .compile(compiled) as CompiledGraph<object | string, unknown>,
      given,
    );

  it("may bring chunks of null, which say nothing", async () => {
    expect(await joined([null, { a: "x" }, null])).toEqual(everyWay({ value: { a: "x", other: 1 } }));
  });

  it("are refused when chunks of records make a list", async () => {
    const refused = { code: "CANNOT_MERGE", nodePath: ["reads"] };
    expect(await joined([{ a: 1 }, { b: 2 }], { concat: "list" })).toEqual(everyWay(refused));
  });

  it("are taken when chunks of text make a record", async () => {
    const concat = (all: readonly string[]) => ({ text: all.join("-") });
    expect(await joined(["a", "b"], { concat })).toEqual(everyWay({ value: { text: "a-b", other: 1 } }));
  });

  it("do not join objects for which their node has no rule", async () => {
    const refused = { code: "CANNOT_CONCAT", nodePath: ["yields"] };
    expect(await joined([{ a: 1 }, { b: 2 }])).toEqual(everyWay(refused));
  });

  it("refuse what is null as a whole", async () => {
    expect(await joined([null, null])).toEqual(everyWay({ code: "CANNOT_MERGE", nodePath: ["reads"] }));
  });
});

describe("a record that comes in pieces as the input of a graph", () => {
  const whole = { text: "ab", count: 2 };
  const pieces = [{ text: "a" }, { text: "b", count: 1 }, { count: 2 }];
  const sources: readonly (readonly [string, () => AsyncIterable<object>])[] = [
    ["a stream reader", () => StreamReader.from<object>(pieces)],
    ["a generator", () => yields(...pieces)() as AsyncGenerator<object>],
    ["a web stream", () => StreamReader.from<object>(pieces).toReadableStream() as unknown as AsyncIterable<object>],
  ];

  it.each(sources)("joins key by key: %s", async (_what, chunks) => {
    expect(await inEveryWay<object, unknown>(inLine(["reads", same]), plain({ value: whole, chunks }))).toEqual(
      everyWay({ value: whole }),
    );
  });

  it.each(sources)("joins key by key when it flows on to END: %s", async (_what, chunks) => {
    expect(await inEveryWay<object, unknown>(inLine(["pass", passthrough()]), plain({ value: whole, chunks }))).toEqual(
      everyWay({ value: whole }),
    );
  });
});
