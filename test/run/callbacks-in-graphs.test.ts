import {
  type AgenticMessage,
  assistantMessage,
  Chain,
  END,
  Graph,
  type Handler,
  lambda,
  mapChunks,
  Runtime,
  START,
  StreamReader,
  userMessage,
} from "kumiko";
import { assistantGenText } from "kumiko/schema";
import { recordingHandler, scriptedModel } from "kumiko/testing";
import { describe, expect, it } from "vitest";
import { turns } from "./gate.js";
import { rejectedBy } from "./rejected-by.js";

async function* letters(text: string): AsyncGenerator<string, void> {
  yield* text;
}

const say = (log: string[], name: string): Handler => ({
  onStart: (info) => void log.push(`${name} start ${info.name}`),
  onEnd: (info) => void log.push(`${name} end ${info.name}`),
});

describe("Handlers are called in the order Runtime, compile, run, node", () => {
  it.each([["invoke"], ["stream"]])("at every timing (%s)", async (mode) => {
    const log: string[] = [];
    const runtime = new Runtime({ callbacks: [say(log, "runtime")] });
    const chain = new Chain<string>()
      .append((text) => text, { key: "step" })
      .compile({ name: "chain", runtime, callbacks: [say(log, "compile")] });
    const options = {
      callbacks: [say(log, "run 1"), say(log, "run 2")],
      nodes: { step: { callbacks: [say(log, "node")] } },
    } as const;
    await (mode === "invoke" ? chain.invoke("", options) : chain.stream("", options).concat());
    const around = ["runtime", "compile", "run 1", "run 2"];
    expect(log).toEqual([
      ...around.map((name) => `${name} start chain`),
      ...[...around, "node"].map((name) => `${name} start step`),
      ...[...around, "node"].map((name) => `${name} end step`),
      ...around.map((name) => `${name} end chain`),
    ]);
  });

  it("and those of a runtime once, also in graphs inside and child runs of the same runtime", async () => {
    const recorder = recordingHandler();
    const runtime = new Runtime({ callbacks: [recorder] });
    const child = new Chain<string>().append((text) => text, { key: "in child" }).compile({ name: "child", runtime });
    const inner = new Chain<string>().append((text) => text, { key: "in inner" }).compile({ runtime });
    const chain = new Chain<string>()
      .append(inner, { key: "inner" })
      .append((text, ctx) => child.invoke(text, { parent: ctx }), { key: "outer" })
      .compile({ name: "chain", runtime });
    await chain.invoke("");
    expect(recorder.names("onStart")).toEqual(["chain", "inner", "in inner", "outer", "child", "in child"]);
  });

  it("and those of an inner graph's compile hear only what is inside", async () => {
    const recorder = recordingHandler();
    const inner = new Chain<string>().append((text) => text, { key: "step" }).compile({ callbacks: [recorder] });
    const chain = new Chain<string>()
      .append(inner, { key: "inner" })
      .append((text) => text)
      .compile();
    await chain.invoke("");
    expect(recorder.names("onStart")).toEqual(["inner", "step"]);
  });
});

describe("What handlers are told about a run", () => {
  it("is who it is", async () => {
    const recorder = recordingHandler();
    const model = scriptedModel(assistantMessage("Hello"));
    const inner = new Chain<AgenticMessage[]>().appendModel(model, { key: "model", name: "Chat" });
    const graph = new Graph<AgenticMessage[], AgenticMessage>()
      .addNode("inner", inner)
      .addNode("last", lambda({ invoke: (message: AgenticMessage) => message }, { type: "Last" }))
      .addEdge(START, "inner")
      .addEdge("inner", "last")
      .addEdge("last", END)
      .compile({ name: "app" });
    await graph.invoke([userMessage("Hi")], { callbacks: [recorder] });
    const infos = recorder.events.filter(({ timing }) => timing === "onStart").map(({ info }) => info);
    const [app, chain] = infos;
    expect(infos.map(({ name, type, component, address }) => [name, type, component, address])).toEqual([
      ["app", "", "graph", "runnable:app"],
      ["inner", "", "chain", "runnable:app;node:inner"],
      ["Chat", "ScriptedModel", "model", "runnable:app;node:inner;node:model"],
      ["last", "Last", "lambda", "runnable:app;node:last"],
    ]);
    expect(infos.map(({ parentRunId }) => parentRunId)).toEqual([undefined, app?.runId, chain?.runId, app?.runId]);
    expect(new Set(infos.map(({ runId }) => runId)).size).toBe(4);
  });

  it("is for a model its messages and options, and its message", async () => {
    const [question, answer] = [userMessage("Hi"), assistantMessage("Hello")];
    const chain = () => new Chain<AgenticMessage[]>().appendModel(scriptedModel(answer, answer)).compile();
    const [values, streams] = [recordingHandler(), recordingHandler({ streams: true })];
    const options = { model: { temperature: 0 } };
    await chain().invoke([question], { callbacks: [values], options });
    await chain()
      .stream([question], { callbacks: [values, streams], options })
      .concat();
    await streams.settled();
    const ofModel = values.events.filter(({ info }) => info.component === "model").map(({ value }) => value);
    expect(ofModel).toEqual([
      { messages: [question], options: { temperature: 0 } },
      { message: answer },
      { messages: [question], options: { temperature: 0 } },
      { message: answer },
    ]);
    const copied = streams.events.find(({ timing, info }) => timing.includes("Stream") && info.component === "model");
    expect(copied?.value).toEqual([{ message: answer }]);
  });

  it("is for a streamed message the joined one", async () => {
    const pieces = ["Hel", "lo"].map((text) =>
      assistantMessage(assistantGenText({ text, streamingMeta: { index: 0 } })),
    );
    const recorder = recordingHandler();
    await new Chain<AgenticMessage[]>()
      .appendModel(scriptedModel(pieces))
      .compile()
      .stream([], { callbacks: [recorder] })
      .concat();
    const ends = recorder.events.filter(({ timing }) => timing === "onEnd").map(({ value }) => value);
    expect(ends).toEqual([{ message: assistantMessage("Hello") }, assistantMessage("Hello")]);
  });
});

describe("Callbacks follow the function that really runs", () => {
  const line = new Graph<string, string>()
    .addNode("inv", (text: string) => text)
    .addNode("str", letters)
    .addNode("tra", lambda({ transform: (chunks: StreamReader<string>) => chunks.map((chunk) => chunk) }))
    .addNode("col", lambda({ collect: (chunks: StreamReader<string>) => chunks.concat() }))
    .addEdge(START, "inv")
    .addEdge("inv", "str")
    .addEdge("str", "tra")
    .addEdge("tra", "col")
    .addEdge("col", END)
    .compile({ name: "G" });
  const inside = [
    "onStart inv",
    "onEnd inv",
    "onStart str",
    "onEndWithStreamOutput str",
    "onStartWithStreamInput tra",
    "onEndWithStreamOutput tra",
    "onStartWithStreamInput col",
    "onEnd col",
  ];

  it("in a run on values", async () => {
    const recorder = recordingHandler({ streams: true });
    await line.invoke("ab", { callbacks: [recorder] });
    expect(recorder.names()).toEqual(["onStart G", ...inside, "onEnd G"]);
  });

  it("in a run on streams, where the graph starts with what its caller gave", async () => {
    const recorder = recordingHandler({ streams: true });
    await line.stream("ab", { callbacks: [recorder] }).concat();
    await recorder.settled();
    expect(recorder.names()[0]).toBe("onStart G");
    expect(recorder.names().at(-1)).toBe("onEndWithStreamOutput G");
    expect([...recorder.names()].sort()).toEqual(["onStart G", ...inside, "onEndWithStreamOutput G"].sort());
  });

  it("in a run whose input is a stream", async () => {
    const recorder = recordingHandler({ streams: true });
    await line.transform(StreamReader.from(["a", "b"]), { callbacks: [recorder] }).concat();
    await recorder.settled();
    expect(recorder.events[0]).toMatchObject({
      timing: "onStartWithStreamInput",
      info: { name: "G" },
      value: ["a", "b"],
    });
  });

  it("and a handler without stream timings hears the same runs with values", async () => {
    const recorder = recordingHandler();
    await line.transform(StreamReader.from(["a", "b"]), { callbacks: [recorder] }).concat();
    expect(recorder.events.map(({ timing, info, value }) => `${timing} ${info.name} ${String(value)}`).sort()).toEqual(
      [
        "onStart G undefined",
        "onStart inv ab",
        "onEnd inv ab",
        "onStart str ab",
        "onEnd str ab",
        "onStart tra undefined",
        "onEnd tra ab",
        "onStart col undefined",
        "onEnd col ab",
        "onEnd G ab",
      ].sort(),
    );
  });

  it("and chunk functions are one run each", async () => {
    const chain = new Chain<string>()
      .append(
        mapChunks((text: string) => text.trim()),
        { key: "trim" },
      )
      .append(
        mapChunks((text: string) => text.toUpperCase()),
        { key: "loud" },
      )
      .compile();
    const recorder = recordingHandler();
    await chain.collect(StreamReader.from([" a", "b "]), { callbacks: [recorder] });
    expect([...recorder.names()].sort()).toEqual(
      ["onStart ", "onStart trim", "onStart loud", "onEnd trim", "onEnd loud", "onEnd "].sort(),
    );
    expect(recorder.events.find(({ timing, info }) => timing === "onEnd" && info.name === "loud")?.value).toBe("AB");
  });
});

describe("A streamed run that does not come to its end", () => {
  const chain = new Chain<string>().append(letters, { key: "letters" }).compile({ name: "chain" });

  it("ends with an AbortError when its reader leaves", async () => {
    const recorder = recordingHandler();
    for await (const _chunk of chain.stream("abc", { callbacks: [recorder] })) break;
    expect(recorder.names()).toEqual(["onStart chain", "onStart letters", "onError letters", "onError chain"]);
    expect(recorder.events.at(-1)?.value).toMatchObject({ name: "AbortError" });
  });

  it("ends with the reason when its reader is cancelled", async () => {
    const recorder = recordingHandler();
    const reason = new Error("enough");
    const stream = chain.stream("abc", { callbacks: [recorder] });
    await stream.next();
    await stream.cancel(reason);
    expect(recorder.events.slice(-2).map(({ timing, value }) => [timing, value])).toEqual([
      ["onError", reason],
      ["onError", reason],
    ]);
  });

  it("tells the error of its node once to each, with its place to the graph", async () => {
    const failing = new Chain<string>()
      .append(
        async function* () {
          yield "a";
          throw new Error("broken");
        },
        { key: "letters" },
      )
      .compile({ name: "chain" });
    const recorder = recordingHandler();
    await rejectedBy(failing.stream("", { callbacks: [recorder] }).concat());
    expect(recorder.names()).toEqual(["onStart chain", "onStart letters", "onError letters", "onError chain"]);
    expect(recorder.events.at(-1)?.value).toMatchObject({ code: "NODE_FAILED", nodePath: ["letters"] });
  });

  it("gives handlers copies that fail with it", async () => {
    const failures: unknown[] = [];
    const reason = new Error("enough");
    const stream = chain.stream("abc", {
      callbacks: [
        {
          onEndWithStreamOutput: async (_info, copy) => {
            await copy.concat().catch((error: unknown) => failures.push(error));
          },
        },
      ],
    });
    await stream.next();
    await stream.cancel(reason);
    await turns();
    expect(failures).toHaveLength(2);
  });
});

describe("Handlers never break a run", () => {
  it.each([["invoke"], ["stream"]])("and what they throw goes to the runtime (%s)", async (mode) => {
    const problems: unknown[] = [];
    const runtime = new Runtime({
      onHandlerError: (error, timing, { name }) => problems.push(`${(error as Error).message} in ${timing} of ${name}`),
    });
    const throws = () => {
      throw new Error("oops");
    };
    const chain = new Chain<string>().append((text) => text, { key: "step" }).compile({ name: "chain", runtime });
    const options = { callbacks: [{ onStart: throws, onEnd: throws }] };
    expect(await (mode === "invoke" ? chain.invoke("x", options) : chain.stream("x", options).concat())).toBe("x");
    expect(problems).toEqual([
      "oops in onStart of chain",
      "oops in onStart of step",
      "oops in onEnd of step",
      "oops in onEnd of chain",
    ]);
  });

  it("and are not awaited", async () => {
    const chain = new Chain<string>().append((text) => text).compile();
    const callbacks = [
      { onStart: () => new Promise(() => undefined), onEnd: () => new Promise<void>(() => undefined) },
    ];
    expect(await chain.invoke("x", { callbacks } as never)).toBe("x");
  });
});

describe("Spans", () => {
  it("are what the handler has returned for the parent, and then for the run itself", async () => {
    const seen: unknown[] = [];
    const handler: Handler = {
      onStart: ({ name }, _value, span) => {
        seen.push(`${name} in ${String(span)}`);
        return `span of ${name}`;
      },
      onEnd: ({ name }, _value, span) => void seen.push(`${name} ends ${String(span)}`),
    };
    const child = new Chain<string>().append((text) => text, { key: "in child" }).compile({ name: "child" });
    const chain = new Chain<string>()
      .append(
        new Chain<string>().append((text) => text, { key: "step" }),
        { key: "inner" },
      )
      .append((text, ctx) => child.invoke(text, { parent: ctx }), { key: "outer" })
      .compile({ name: "chain" });
    await chain.invoke("", { callbacks: [{}, handler] });
    expect(seen).toEqual([
      "chain in undefined",
      "inner in span of chain",
      "step in span of inner",
      "step ends span of step",
      "inner ends span of inner",
      "outer in span of chain",
      "child in span of outer",
      "in child in span of child",
      "in child ends span of in child",
      "child ends span of child",
      "outer ends span of outer",
      "chain ends span of chain",
    ]);
  });
});

it("gives on watched runs what it gives on others", async () => {
  const chain = new Chain<string>()
    .appendParallel({ a: letters, b: async (text) => text.length, c: (text) => text })
    .append(({ a, b, c }) => `${a}${b}${c}`)
    .appendBranch((text) => (text.length > 3 ? "long" : "short"), { long: (text) => `${text}!`, short: letters })
    .compile();
  const plain = [await chain.invoke("ab"), await chain.invoke("x"), await chain.stream("ab").concat()];
  const callbacks = [recordingHandler(), recordingHandler({ streams: true })];
  const watched = [
    await chain.invoke("ab", { callbacks }),
    await chain.invoke("x", { callbacks }),
    await chain.stream("ab", { callbacks }).concat(),
  ];
  expect(watched).toEqual(plain);
});
