import { END, Graph, lambda, passthrough, START, StreamReader } from "kumiko";
import { recordingHandler } from "kumiko/testing";
import { describe, expect, it } from "vitest";
import { plain } from "../compose/thrown-by.js";
import { errorOf } from "./rejected-by.js";

interface Log {
  readonly log: unknown[];
}

async function* letters(text: string): AsyncGenerator<string, void> {
  yield* text;
}

const both = <O>(graph: { invoke(input: never): Promise<O>; stream(input: never): StreamReader<O> }, input: unknown) =>
  Promise.all([graph.invoke(plain(input)), graph.stream(plain(input)).concat()]);

describe("An input key", () => {
  const picks = new Graph<{ text: string; other: number }, string>()
    .addNode("loud", (text: string) => text.toUpperCase(), { inputKey: "text" })
    .addEdge(START, "loud")
    .addEdge("loud", END)
    .compile();

  it("takes one field out of a record", async () => {
    expect(await both(picks, { text: "a", other: 1 })).toEqual(["A", "A"]);
  });

  it("that is missing fails the node, and says what is there", async () => {
    const error = await errorOf(picks.invoke(plain({ txt: "a" })));
    expect(error).toMatchObject({ code: "MISSING_INPUT_KEY", nodePath: ["loud"] });
    expect(error.message).toContain('cannot find input key "text": it got a record with the keys "txt"');
  });

  it("takes its field out of the chunks that have it", async () => {
    const input = StreamReader.from([{ text: "a" }, { other: 1 }, { text: "b" }]) as StreamReader<never>;
    expect(await picks.collect(input)).toBe("AB");
  });

  it("that no chunk of a stream has leaves nothing to concatenate", async () => {
    const error = await errorOf(picks.collect(plain(StreamReader.from([{ other: 1 }]))));
    expect(error.code).toMatch(/EMPTY_STREAM|MISSING_INPUT_KEY/);
    expect(error.nodePath).toEqual(["loud"]);
  });

  it("may be constructor", async () => {
    const graph = new Graph<{ constructor: string }, string>()
      .addNode("same", (text: string) => text, { inputKey: "constructor" })
      .addEdge(START, "same")
      .addEdge("same", END)
      .compile();
    expect(await both(graph, { constructor: "mine" })).toEqual(["mine", "mine"]);
    expect((await errorOf(graph.invoke(plain({})))).code).toBe("MISSING_INPUT_KEY");
  });

  it("whose value is undefined is there", async () => {
    const graph = new Graph<{ text: undefined }, string>()
      .addNode("same", (text: undefined) => String(text), { inputKey: "text" })
      .addEdge(START, "same")
      .addEdge("same", END)
      .compile();
    expect(await graph.invoke({ text: undefined })).toBe("undefined");
  });
});

describe("An output key", () => {
  it("wraps the value, and every chunk", async () => {
    const graph = new Graph<string, { text: string }>()
      .addNode("letters", letters, { outputKey: "text" })
      .addEdge(START, "letters")
      .addEdge("letters", END)
      .compile();
    expect(await graph.invoke("ab")).toEqual({ text: "ab" });
    const chunks: unknown[] = [];
    for await (const chunk of graph.stream("ab")) chunks.push(chunk);
    expect(chunks).toEqual([{ text: "a" }, { text: "b" }]);
  });

  it("with an input key moves a field", async () => {
    const graph = new Graph<{ from: string }, { to: string }>()
      .addNode("move", (text: string) => text, { inputKey: "from", outputKey: "to" })
      .addEdge(START, "move")
      .addEdge("move", END)
      .compile();
    expect(await both(graph, { from: "x" })).toEqual([{ to: "x" }, { to: "x" }]);
  });

  it("stands on a passthrough as well", async () => {
    const graph = new Graph<string, { text: string }>()
      .addNode("name", passthrough<string>(), { outputKey: "text" })
      .addEdge(START, "name")
      .addEdge("name", END)
      .compile();
    expect(await both(graph, "x")).toEqual([{ text: "x" }, { text: "x" }]);
  });

  it("does not show in what handlers hear of the node", async () => {
    const recorder = recordingHandler();
    const graph = new Graph<{ a: string }, { b: string }>()
      .addNode("node", (text: string) => text, { inputKey: "a", outputKey: "b" })
      .addEdge(START, "node")
      .addEdge("node", END)
      .compile();
    await graph.invoke({ a: "x" }, { callbacks: [recorder] });
    expect(recorder.events.map(({ value }) => value)).toEqual([{ a: "x" }, "x", "x", { b: "x" }]);
  });
});

describe("A passthrough", () => {
  const graph = new Graph<string, string>()
    .addNode("letters", letters)
    .addNode("same", passthrough<string>())
    .addEdge(START, "letters")
    .addEdge("letters", "same")
    .addEdge("same", END)
    .compile();

  it("leaves a stream a stream", async () => {
    const chunks: string[] = [];
    for await (const chunk of graph.stream("abc")) chunks.push(chunk);
    expect(chunks).toEqual(["a", "b", "c"]);
  });

  it("gives on the very value", async () => {
    const value = {};
    const same = new Graph<object, object>()
      .addNode("same", passthrough<object>())
      .addEdge(START, "same")
      .addEdge("same", END)
      .compile();
    expect(await same.invoke(value)).toBe(value);
  });

  it.each([["invoke"], ["stream"]])("is not heard by handlers (%s)", async (mode) => {
    const recorder = recordingHandler();
    const options = { callbacks: [recorder] };
    await (mode === "invoke" ? graph.invoke("a", options) : graph.stream("a", options).concat());
    expect(recorder.names("onStart")).toEqual(["", "letters"]);
  });
});

describe("State handlers", () => {
  const logged = () =>
    new Graph<{ in: string }, { out: string }>()
      .withState((): Log => ({ log: [] }))
      .addNode(
        "node",
        (text: string, ctx) => {
          ctx.state.log.push(["node", text]);
          return `${text}!`;
        },
        {
          inputKey: "in",
          outputKey: "out",
          before: (input, state) => {
            state.log.push(["before", input]);
            return { in: `${input.in}?` };
          },
          after: (output, state) => {
            state.log.push(["after", output]);
            return { out: JSON.stringify(state.log) };
          },
        },
      )
      .addEdge(START, "node")
      .addEdge("node", END)
      .compile();
  const log = JSON.stringify([
    ["before", { in: "x" }],
    ["node", "x?"],
    ["after", { out: "x?!" }],
  ]);

  it("stand outside of the keys: before sees the record, after the record", async () => {
    expect(await both(logged(), { in: "x" })).toEqual([{ out: log }, { out: log }]);
  });

  it("work the same when the run is watched", async () => {
    const graph = logged();
    const options = { callbacks: [{ onStart() {} }] };
    expect(await graph.invoke({ in: "x" }, options)).toEqual({ out: log });
    expect(await graph.stream({ in: "x" }, options).concat()).toEqual({ out: log });
  });

  it("may be asynchronous", async () => {
    const graph = new Graph<string, string>()
      .withState(() => ({ calls: 0 }))
      .addNode("node", (text: string) => `${text}!`, {
        before: async (text, state) => `${text}${state.calls++}`,
        after: async (text, state) => `${text}${state.calls++}`,
      })
      .addEdge(START, "node")
      .addEdge("node", END)
      .compile();
    expect(await both(graph, "x")).toEqual(["x0!1", "x0!1"]);
  });

  it("that fail fail the node, and handlers do not hear of it when it was before", async () => {
    const graph = (option: "before" | "after") =>
      new Graph<string, string>()
        .withState(() => ({}))
        .addNode("node", (text: string) => text, {
          [option]: () => {
            throw new Error("no state for you");
          },
        })
        .addEdge(START, "node")
        .addEdge("node", END)
        .compile();
    for (const [option, heard] of [
      ["before", ["onStart ", "onError "]],
      ["after", ["onStart ", "onStart node", "onEnd node", "onError "]],
    ] as const) {
      const recorder = recordingHandler();
      const error = await errorOf(graph(option).invoke("x", { callbacks: [recorder] }));
      expect(error).toMatchObject({ nodePath: ["node"], cause: { message: "no state for you" } });
      expect(recorder.names()).toEqual(heard);
      expect(await errorOf(graph(option).stream("x").concat())).toMatchObject({ nodePath: ["node"] });
    }
  });

  it("on values make a streaming node wait for the whole value", async () => {
    const seen: string[] = [];
    const graph = new Graph<string, string>()
      .withState(() => ({}))
      .addNode("letters", letters, {
        after: (text) => {
          seen.push(text);
          return text;
        },
      })
      .addEdge(START, "letters")
      .addEdge("letters", END)
      .compile();
    const chunks: string[] = [];
    for await (const chunk of graph.stream("abc")) chunks.push(chunk);
    expect([chunks, seen]).toEqual([["abc"], ["abc"]]);
  });

  it("on streams keep streaming, and see one chunk in a run on values", async () => {
    const seen: string[] = [];
    const graph = new Graph<string, string>()
      .withState(() => ({ mark: "+" }))
      .addNode("same", lambda({ transform: (chunks: StreamReader<string>) => chunks.map((chunk) => chunk) }), {
        streamBefore: (chunks, state) => chunks.map((chunk) => `${chunk}${state.mark}`),
        streamAfter: async function* (chunks) {
          for await (const chunk of chunks) {
            seen.push(chunk);
            yield chunk.toUpperCase();
          }
        },
      })
      .addEdge(START, "same")
      .addEdge("same", END)
      .compile();
    const chunks: string[] = [];
    for await (const chunk of graph.transform(StreamReader.from(["a", "b"]))) chunks.push(chunk);
    expect(chunks).toEqual(["A+", "B+"]);
    expect(seen.splice(0)).toEqual(["a+", "b+"]);
    expect(await graph.invoke("ab")).toBe("AB+");
    expect(seen).toEqual(["ab+"]);
  });

  it("of a nested graph stand outside of it", async () => {
    const inner = new Graph<string, string>()
      .addNode("same", (text: string) => text)
      .addEdge(START, "same")
      .addEdge("same", END);
    const graph = new Graph<string, string>()
      .withState(() => ({ mark: "+" }))
      .addNode("inner", inner, {
        before: (text, state) => text + state.mark,
        after: (text, state) => text + state.mark,
      })
      .addEdge(START, "inner")
      .addEdge("inner", END)
      .compile();
    expect(await both(graph, "x")).toEqual(["x++", "x++"]);
  });
});
