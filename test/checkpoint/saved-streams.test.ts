import {
  assistantMessage,
  Chain,
  ConcatRegistry,
  END,
  Graph,
  lambda,
  memoryStore,
  Runtime,
  START,
  StreamReader,
  textOf,
} from "kumiko";
import { recordingHandler } from "kumiko/testing";
import { describe, expect, it } from "vitest";
import { errorOf } from "../run/rejected-by.js";
import { interruptOf, questionOf } from "./interrupt-of.js";

/** Yields chunks, counts how often it was asked to; then a node that notes what chunks it gets, and may be stopped before. */
function streamed(log: string[], chunks: readonly unknown[], options: object = {}) {
  return new Graph<string, string>()
    .addNode(
      "yields",
      async function* () {
        log.push("yields");
        yield* chunks;
      },
      options,
    )
    .addNode(
      "reads",
      lambda({
        transform: async function* (stream: StreamReader<unknown>) {
          for await (const chunk of stream) {
            log.push(JSON.stringify(chunk));
            yield ".";
          }
        },
      }),
    )
    .addEdge(START, "yields")
    .addEdge("yields", "reads")
    .addEdge("reads", END);
}

describe("A stream on its way to a node when the run stops", () => {
  it.each<[string, readonly unknown[], readonly string[], object]>([
    ["texts", ["a", "b", "c"], ['"a"', '"b"', '"c"'], {}],
    ["numbers", [1, 2, 3], ["1", "2", "3"], {}],
    ["one object", [{ a: 1 }], ['{"a":1}'], {}],
    ["objects that nobody said how to join", [{ a: 1 }, { b: 2 }], ['{"a":1}', '{"b":2}'], {}],
    ["declared lists", [{ a: 1 }, { b: 2 }], ['{"a":1}', '{"b":2}'], { concat: "list" }],
    [
      "declared by a function",
      [1, 2],
      ["1", "2"],
      { concat: (all: number[]) => all.reduce((sum, one) => sum + one, 0) },
    ],
    ["records of the library", ["x", "y"], ['{"key":"x"}', '{"key":"y"}'], { outputKey: "key" }],
  ])("is saved as its chunks for a node that takes chunks: %s", async (_what, chunks, expected, options) => {
    const store = memoryStore();
    const log: string[] = [];
    const app = () => streamed(log, chunks, options).compile({ store, interruptBefore: ["reads"] });
    await interruptOf(app().stream("", { checkpointId: "id" }).concat());
    expect(log).toEqual(["yields"]);
    expect(await app().resumeStream("id").concat()).toBe(".".repeat(chunks.length));
    expect(log).toEqual(["yields", ...expected]);
  });

  it("is saved as one message when its chunks are messages", async () => {
    const store = memoryStore();
    const app = new Graph<string, string>()
      .addNode("speaks", async function* () {
        yield assistantMessage("Hel");
        yield assistantMessage("lo");
      })
      .addNode("hears", (message: ReturnType<typeof assistantMessage>) => textOf(message))
      .addEdge(START, "speaks")
      .addEdge("speaks", "hears")
      .addEdge("hears", END)
      .compile({ store, interruptBefore: ["hears"] });
    await interruptOf(app.stream("", { checkpointId: "id" }).concat());
    expect(await app.resume("id")).toBe("Hello");
  });

  it("is joined by the registry of the runtime when its chunks are of a class", async () => {
    class Sum {
      readonly value: number;
      constructor(value: number) {
        this.value = value;
      }
    }
    const concat = new ConcatRegistry().add(Sum, (all) => new Sum(all.reduce((total, { value }) => total + value, 0)));
    const codec = {
      name: "sum",
      type: Sum,
      encode: ({ value }: Sum) => value,
      decode: (value: number) => new Sum(value),
    };
    const runtime = new Runtime({ concat, codecs: [codec] });
    const app = new Graph<string, number>()
      .addNode("adds", async function* () {
        yield new Sum(1);
        yield new Sum(2);
      })
      .addNode("reads", (sum: Sum) => sum.value)
      .addEdge(START, "adds")
      .addEdge("adds", "reads")
      .addEdge("reads", END)
      .compile({ store: memoryStore(), runtime, interruptBefore: ["reads"] });
    await interruptOf(app.stream("", { checkpointId: "id" }).concat());
    expect(await app.resume("id")).toBe(3);
  });

  it("of objects that nobody said how to join is CANNOT_CONCAT for a node that takes the whole, and names its own", async () => {
    const store = memoryStore();
    const app = new Chain<string>()
      .append(
        async function* () {
          yield { a: 1 };
          yield { b: 2 };
        },
        { key: "yields" },
      )
      .append((value: object) => JSON.stringify(value), { key: "reads" })
      .compile({ store, interruptBefore: ["reads"] });
    await interruptOf(app.stream("", { checkpointId: "id" }).concat());
    const error = await errorOf(app.resume("id"));
    expect([error.code, error.nodePath]).toEqual(["CANNOT_CONCAT", ["yields"]]);
  });

  it("reaches every node that it goes to, and its source runs once", async () => {
    const store = memoryStore();
    const log: string[] = [];
    const whole = (key: string) => (text: string) => {
      log.push(`${key} ${text}`);
      return text;
    };
    const app = () =>
      new Graph<string, string>()
        .addNode("yields", async function* () {
          log.push("yields");
          yield* ["a", "b"];
        })
        .addNode("left", whole("left"))
        .addNode("right", async (text: string, ctx) => whole("right")(text) + String(await ctx.ask("go", "?")))
        .addNode("join", (text: string) => text, { merge: (texts) => texts.join("|") })
        .addEdge(START, "yields")
        .addEdge("yields", "left")
        .addEdge("yields", "right")
        .addEdge("left", "join")
        .addEdge("right", "join")
        .addEdge("join", END)
        .compile({ store });
    const { id } = await questionOf(app().stream("", { checkpointId: "id" }).concat());
    expect(
      await app()
        .resumeStream("id", { [id]: "!" })
        .concat(),
    ).toBe("ab|ab!");
    expect(log.filter((entry) => entry === "yields" || entry === "left ab")).toEqual(["yields", "left ab"]);
  });

  it("may be the input of the run itself", async () => {
    const store = memoryStore();
    const app = new Chain<string>()
      .append(async (text, ctx) => text + String(await ctx.ask("go", "?")))
      .compile({ store });
    const { id } = await questionOf(app.collect(StreamReader.from(["a", "b"]), { checkpointId: "id" }));
    expect(await app.resume("id", { [id]: "!" })).toBe("ab!");
    const other = await questionOf(app.transform(StreamReader.from(["a", "b"]), { checkpointId: "id" }).concat());
    expect(await app.resumeStream("id", { [other.id]: "!" }).concat()).toBe("ab!");
  });

  it.each([
    ["invoke", "resume"],
    ["invoke", "resumeStream"],
    ["stream", "resume"],
    ["stream", "resumeStream"],
  ] as const)("goes on across modes: %s, then %s", async (first, second) => {
    const store = memoryStore();
    const log: string[] = [];
    const app = streamed(log, ["a", "b"]).compile({ store, interruptBefore: ["reads"] });
    const options = { checkpointId: "id" };
    await interruptOf(first === "invoke" ? app.invoke("", options) : app.stream("", options).concat());
    const isStream = first === "stream" && second === "resumeStream";
    const result = second === "resume" ? await app.resume("id") : await app.resumeStream("id").concat();
    expect(result).toBe(isStream ? ".." : ".");
    expect(log).toEqual(isStream ? ["yields", '"a"', '"b"'] : ["yields", '"ab"']);
  });
});

describe("A streaming node that stops after it has yielded", () => {
  it("starts over on resume, and its reader gets the stream from the start", async () => {
    const app = new Chain<string>()
      .append(async function* (text, ctx) {
        yield `${text}1`;
        yield String(await ctx.ask("go", "?"));
        yield "3";
      })
      .compile({ store: memoryStore() });
    const read: string[] = [];
    const { id } = await questionOf(
      (async () => {
        for await (const chunk of app.stream("a", { checkpointId: "id" })) read.push(chunk);
      })(),
    );
    expect(read).toEqual(["a1"]);
    const again: string[] = [];
    for await (const chunk of app.resumeStream("id", { [id]: "2" })) again.push(chunk);
    expect(again).toEqual(["a1", "2", "3"]);
  });
});

describe("A graph that reads the stream of a node that asks", () => {
  it("waits too, and tells handlers something that it waits for", async () => {
    const app = new Chain<string>()
      .append(async function* (text, ctx) {
        yield text;
        yield await ctx.ask<string>("q", "?");
      })
      .append(new Chain<string>().append((text) => `${text}!`))
      .compile({ store: memoryStore() });
    const recorder = recordingHandler();
    const { id } = await questionOf(app.stream("x", { checkpointId: "run", callbacks: [recorder] }).concat());
    const heard = recorder.events.filter(({ timing }) => timing === "onInterrupt");
    for (const { value } of heard) expect(value).toMatchObject({ interrupts: [expect.anything()] });
    expect(await app.resumeStream("run", { [id]: "y" }).concat()).toBe("xy!");
  });
});
