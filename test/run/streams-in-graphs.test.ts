import { Chain, END, Graph, lambda, mapChunks, pipe, START, StreamReader } from "kumiko";
import { recordingHandler } from "kumiko/testing";
import { describe, expect, it } from "vitest";
import { plain } from "../compose/thrown-by.js";
import { gate, turns } from "./gate.js";
import { errorOf, rejectedBy } from "./rejected-by.js";

async function* letters(text: string): AsyncGenerator<string, void> {
  yield* text;
}

const upper = lambda({
  transform: async function* (chunks: StreamReader<string>): AsyncGenerator<string, void> {
    for await (const chunk of chunks) yield chunk.toUpperCase();
  },
});

const read = async <T>(stream: AsyncIterable<T>): Promise<T[]> => {
  const chunks: T[] = [];
  for await (const chunk of stream) chunks.push(chunk);
  return chunks;
};

describe("A graph in four modes", () => {
  const kinds = new Graph<string, string>()
    .addNode("function", (text: string) => `${text}f`)
    .addNode("promise", async (text: string) => `${text}p`)
    .addNode("generator", letters)
    .addNode("transform", upper)
    .addNode(
      "chunks",
      mapChunks((text: string) => text.toLowerCase()),
    )
    .addNode("collect", lambda({ collect: (chunks: StreamReader<string>) => chunks.concat() }))
    .addNode("stream", lambda({ stream: letters }))
    .addNode("web", (text: string) => StreamReader.from([...text]).toReadableStream())
    .addNode("reader", (text: string) => StreamReader.from([...text]))
    .addEdge(START, "function")
    .addEdge("function", "promise")
    .addEdge("promise", "generator")
    .addEdge("generator", "transform")
    .addEdge("transform", "chunks")
    .addEdge("chunks", "collect")
    .addEdge("collect", "stream")
    .addEdge("stream", "web")
    .addEdge("web", "reader")
    .addEdge("reader", END)
    .compile();

  it("gives the same, whatever its nodes are", async () => {
    expect(await kinds.invoke("xY")).toBe("xyfp");
    expect(await kinds.stream("xY").concat()).toBe("xyfp");
    expect(await kinds.collect(StreamReader.from(["x", "Y"]))).toBe("xyfp");
    expect(await kinds.transform(StreamReader.from(["x", "Y"])).concat()).toBe("xyfp");
  });

  it("takes a generator, a web stream or a reader", async () => {
    for (const input of [letters("xY"), StreamReader.from(["x", "Y"]).toReadableStream(), StreamReader.from(["xY"])]) {
      expect(await kinds.collect(input)).toBe("xyfp");
    }
  });

  it("refuses what is no stream", async () => {
    for (const graph of [kinds, upper]) {
      expect((await errorOf(graph.collect(plain(5)))).code).toBe("TYPE_MISMATCH");
      expect((await errorOf(graph.transform(plain("text")).concat())).code).toBe("TYPE_MISMATCH");
    }
  });

  it("gives a reader that can be awaited without harm", async () => {
    const stream = await kinds.stream("xY");
    expect(stream).toBeInstanceOf(StreamReader);
    expect(await stream.concat()).toBe("xyfp");
  });

  it("gives a reader that is read once", async () => {
    const stream = kinds.stream("xY");
    expect(await stream.concat()).toBe("xyfp");
    expect((await errorOf(stream.concat())).code).toBe("STREAM_CONSUMED");
  });
});

describe("A stream of a graph", () => {
  it("comes chunk by chunk through nodes that stream", async () => {
    const chain = new Chain<string>()
      .append(letters)
      .append(upper)
      .append(mapChunks((text: string) => `${text}!`))
      .compile();
    expect(await read(chain.stream("abc"))).toEqual(["A!", "B!", "C!"]);
  });

  it("comes as it is made, before the whole is there", async () => {
    const rest = gate();
    const stream = new Chain<string>()
      .append(async function* (text: string) {
        yield text;
        await rest.promise;
        yield "rest";
      })
      .append(upper)
      .compile()
      .stream("a");
    expect(await stream.next()).toEqual({ done: false, value: "A" });
    rest.open();
    expect(await read(stream)).toEqual(["REST"]);
  });

  it("is one chunk where a node gives a value", async () => {
    const chain = new Chain<string>()
      .append(letters)
      .append((text) => `${text}!`)
      .compile();
    expect(await read(chain.stream("abc"))).toEqual(["abc!"]);
  });

  it("goes in chunk by chunk", async () => {
    const { reader, writer } = pipe<string>();
    const stream = new Chain<string>().append(upper).compile().transform(reader);
    await writer.write("a");
    expect((await stream.next()).value).toBe("A");
    await writer.write("b");
    expect((await stream.next()).value).toBe("B");
    writer.close();
    expect((await stream.next()).done).toBe(true);
  });

  it("is made only as fast as it is read", async () => {
    const made: string[] = [];
    const stream = new Chain<string>()
      .append(async function* (text: string) {
        for (const letter of text) {
          made.push(letter);
          yield letter;
        }
      })
      .append(upper)
      .compile()
      .stream("abc");
    await stream.next();
    await turns();
    expect(made).toEqual(["a"]);
    await stream.next();
    await turns();
    expect(made).toEqual(["a", "b"]);
  });

  it("may be empty", async () => {
    const chain = new Chain<string>().append(letters).append(upper).compile();
    expect(await read(chain.stream(""))).toEqual([]);
    expect((await errorOf(chain.invoke(""))).code).toBe("EMPTY_STREAM");
    expect((await errorOf(chain.collect(StreamReader.from([""])))).code).toBe("EMPTY_STREAM");
  });

  it("of objects needs a rule as soon as somebody wants the whole", async () => {
    const objects = (concat?: "list" | "last") =>
      new Chain<string>()
        .append(
          async function* () {
            yield { n: 1 };
            yield { n: 2 };
          },
          { key: "objects", concat },
        )
        .append((whole) => JSON.stringify(whole), { key: "write" })
        .compile();
    expect([await objects("list").invoke(""), await objects("last").stream("").concat()]).toEqual([
      '[{"n":1},{"n":2}]',
      '{"n":2}',
    ]);
    for (const run of [objects().invoke(""), objects().stream("").concat()]) {
      const error = await errorOf(run);
      expect(error.code).toBe("CANNOT_CONCAT");
      expect(error.message).toContain('node "objects"');
    }
  });
});

describe("A stream that nobody has read", () => {
  const ran: string[] = [];
  const chain = new Chain<string>().append((text) => {
    ran.push(text);
    return text;
  });

  it("has run nothing, and looked at nothing", async () => {
    const recorder = recordingHandler();
    let pulled = false;
    const input = async function* () {
      pulled = true;
      yield "a";
    };
    const graph = chain.compile();
    graph.stream("a", { callbacks: [recorder] });
    graph.transform(input(), { callbacks: [recorder] });
    graph.stream("a", plain({ noSuchOption: 1 }));
    graph.stream("a", { signal: AbortSignal.abort() });
    await turns();
    expect([ran, recorder.events, pulled]).toEqual([[], [], false]);
  });

  it("runs nothing when it is cancelled, and reading it rejects", async () => {
    const stream = chain.compile().stream("a");
    await stream.cancel(new Error("never mind"));
    expect((await errorOf(stream.next())).code).toBe("STREAM_CANCELLED");
    await turns();
    expect(ran).toEqual([]);
  });

  it("has its first error at the first read", async () => {
    const stream = chain.compile().stream("a", plain({ noSuchOption: 1 }));
    expect((await errorOf(stream.next())).code).toBe("INVALID_OPTION");
    expect((await stream.next()).done).toBe(true);
  });

  it("is rejected with the reason if its signal is aborted by then", async () => {
    const controller = new AbortController();
    const stream = chain.compile().stream("a", { signal: controller.signal });
    controller.abort(new Error("too late"));
    expect(await rejectedBy(stream.next())).toMatchObject({ message: "too late" });
    expect(ran).toEqual([]);
  });
});

describe("A stream that is left", () => {
  const endless = (seen: { signal?: AbortSignal; closed?: boolean }) =>
    new Chain<string>()
      .append(async function* (text: string, ctx) {
        seen.signal = ctx.signal;
        try {
          for (;;) yield text;
        } finally {
          seen.closed = true;
        }
      })
      .append(upper)
      .compile();

  it("by break aborts the signals with an AbortError, and closes its producers", async () => {
    const seen: { signal?: AbortSignal; closed?: boolean } = {};
    for await (const _chunk of endless(seen).stream("a")) break;
    await turns();
    expect(seen).toMatchObject({ closed: true, signal: { aborted: true, reason: { name: "AbortError" } } });
  });

  it.each([
    ["without a signal", {}],
    ["with a signal", { signal: new AbortController().signal }],
    ["with a timeoutMs", { timeoutMs: 60_000 }],
  ])("by cancel aborts the signals with the reason (%s)", async (_how, options) => {
    const seen: { signal?: AbortSignal; closed?: boolean } = {};
    const stream = endless(seen).stream("a", options);
    await stream.next();
    const reason = new Error("enough");
    await stream.cancel(reason);
    await turns();
    expect(seen.signal?.reason).toBe(reason);
    expect(seen.closed).toBe(true);
    expect((await errorOf(stream.next())).code).toBe("STREAM_CANCELLED");
  });

  it("after its end is not left any more", async () => {
    let signal: AbortSignal | undefined;
    const stream = new Chain<string>()
      .append((text, ctx) => {
        signal = ctx.signal;
        return text;
      })
      .compile()
      .stream("a");
    await read(stream);
    await stream.cancel(new Error("too late"));
    expect(signal?.aborted).toBe(false);
  });

  it("while a node is deaf does not wait for it", async () => {
    const deaf = gate<string>();
    const stream = new Chain<string>()
      .append(() => deaf.promise)
      .compile()
      .stream("a");
    const pending = stream.next().catch(() => "rejected");
    await turns();
    await stream.cancel();
    expect(await pending).toBe("rejected");
    deaf.open("late");
  });
});

describe("Reading a stream of a graph", () => {
  it("side by side gives the chunks in order", async () => {
    const stream = new Chain<string>().append(letters).append(upper).compile().stream("abc");
    const results = await Promise.all([stream.next(), stream.next(), stream.next(), stream.next()]);
    expect(results.map(({ value }) => value)).toEqual(["A", "B", "C", undefined]);
  });

  it("in copies gives each all chunks, and runs once", async () => {
    let runs = 0;
    const stream = new Chain<string>()
      .append((text) => {
        runs += 1;
        return letters(text);
      })
      .compile()
      .stream("ab");
    const [one, two] = stream.copy(2);
    expect([await read(one), await two.concat()]).toEqual([["a", "b"], "ab"]);
    expect(runs).toBe(1);
  });
});
