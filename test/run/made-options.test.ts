import {
  type AgenticMessage,
  type AgenticModel,
  assistantMessage,
  Chain,
  END,
  each,
  from,
  Graph,
  lambda,
  mapChunks,
  memoryStore,
  passthrough,
  type Runnable,
  type RunOptions,
  START,
  StreamReader,
  textOf,
  userMessage,
  Workflow,
} from "kumiko";
import { recordingHandler } from "kumiko/testing";
import { describe, expect, it } from "vitest";
import { plain } from "../compose/thrown-by.js";

/** A model that says what it was told. */
const telling: AgenticModel = {
  component: "model",
  type: "Telling",
  generate: async (_messages, { options }) => assistantMessage(JSON.stringify(options)),
  async *stream(_messages, { options }) {
    yield assistantMessage(JSON.stringify(options));
  },
};

/** What a function sees of its options. */
const seen = (input: string, { options }: { readonly options: unknown }): string =>
  `${input} ${JSON.stringify(options)}`;

/** A graph of one node, run in each of the four modes. */
async function inEveryMode<I, O>(graph: Runnable<I, O>, input: I, options?: RunOptions): Promise<O[]> {
  return [
    await graph.invoke(input, options),
    await graph.stream(input, options).concat(),
    await graph.collect(StreamReader.from([input]), options),
    await graph.transform(StreamReader.from([input]), options).concat(),
  ];
}

describe("options of a node that are a function", () => {
  it("are made of the input and the state, in every mode", async () => {
    const graph = new Graph<AgenticMessage[], AgenticMessage>()
      .withState(() => ({ temperature: 0.5 }))
      .addNode("model", telling, {
        options: ([first], state) => ({
          temperature: state.temperature,
          maxOutputTokens: first && textOf(first).length,
        }),
      })
      .addEdge(START, "model")
      .addEdge("model", END)
      .compile();
    for (const answer of await inEveryMode(graph, [userMessage("four")])) {
      expect(textOf(answer)).toBe('{"temperature":0.5,"maxOutputTokens":4}');
    }
  });

  it("may be a promise, and know where they are", async () => {
    const graph = new Chain<string>()
      .append(seen, {
        key: "step",
        options: async (_input, state, ctx) => {
          await undefined;
          return { state, address: ctx.address.split(";").at(-1), user: ctx.requestContext.get("user") };
        },
      })
      .compile();
    for (const text of await inEveryMode(graph, "x", { requestContext: { user: "Ada" } })) {
      expect(text).toBe('x {"address":"node:step","user":"Ada"}');
    }
  });

  it("get what the node itself gets: the field of its input key, what before made of it", async () => {
    const graph = new Graph<{ text: string }, { out: string }>()
      .withState(() => ({ suffix: "!" }))
      .addNode("step", seen, {
        inputKey: "text",
        outputKey: "out",
        before: ({ text }, { suffix }) => ({ text: text + suffix }),
        options: (text) => ({ length: text.length }),
      })
      .addEdge(START, "step")
      .addEdge("step", END)
      .compile();
    for (const output of await inEveryMode(graph, { text: "abc" }))
      expect(output).toEqual({ out: 'abc! {"length":4}' });
  });

  it("stand below those of the run, field by field", async () => {
    const graph = new Graph<AgenticMessage[], AgenticMessage>()
      .addNode("model", telling, { options: () => ({ temperature: 1, topP: 1, seed: 1 }) })
      .addEdge(START, "model")
      .addEdge("model", END)
      .compile();
    const options: RunOptions = {
      options: { model: { topP: 2, seed: 2 } },
      nodes: { model: { options: { seed: 3 } } },
    };
    for (const answer of await inEveryMode(graph, [userMessage("x")], options)) {
      expect(JSON.parse(textOf(answer))).toEqual({ temperature: 1, topP: 2, seed: 3 });
    }
  });

  it("may be none", async () => {
    const graph = new Chain<string>().append(seen, { options: () => undefined }).compile();
    expect(await inEveryMode(graph, "x")).toEqual(Array(4).fill("x {}"));
  });

  it("are made once for all attempts of a task, and for each task of a loop", async () => {
    let made = 0;
    let tries = 0;
    const graph = new Graph<number, number>()
      .addNode(
        "step",
        (count: number, { options, attempt }) => {
          tries += 1;
          if (attempt === 1) throw new Error("not yet");
          return count + (options as { readonly step: number }).step;
        },
        {
          retry: { attempts: 2, delayMs: 0, retryOn: () => true },
          options: (count) => {
            made += 1;
            return { step: count };
          },
        },
      )
      .addEdge(START, "step")
      .addBranch("step", ["step", END], (count) => (count < 8 ? "step" : END))
      .compile();
    await expect(graph.invoke(1)).resolves.toBe(8);
    expect([made, tries]).toEqual([3, 6]);
  });

  it("wait for the whole of a stream, which goes on in its chunks", async () => {
    const sizes: number[] = [];
    const graph = new Chain<string>()
      .append(
        mapChunks((chunk: string) => {
          sizes.push(chunk.length);
          return chunk;
        }),
        { options: (text) => ({ length: text.length }) },
      )
      .compile();
    await expect(graph.transform(StreamReader.from(["a", "bc", "def"])).concat()).resolves.toBe("abcdef");
    expect(sizes).toEqual([1, 2, 3]);
    const lengths = new Chain<string>()
      .append(
        lambda({
          transform: async function* (input: StreamReader<string>, { options }) {
            for await (const chunk of input) yield `${chunk}${(options as { readonly length: number }).length}`;
          },
        }),
        { options: (text) => ({ length: text.length }) },
      )
      .compile();
    await expect(lengths.transform(StreamReader.from(["a", "bc"])).concat()).resolves.toBe("a3bc3");
  });

  it("are seen by handlers", async () => {
    const handler = recordingHandler();
    const graph = new Chain<AgenticMessage[]>()
      .append(telling, { key: "model", options: () => ({ seed: 7 }) })
      .compile();
    await graph.invoke([userMessage("x")], { callbacks: [handler] });
    const start = handler.events.find(({ timing, info }) => timing === "onStart" && info.component === "model");
    expect(JSON.stringify(start)).toContain('"seed":7');
  });

  it("are those of each item of a list, below those of the run", async () => {
    const models = new Chain<AgenticMessage[][]>()
      .append(each(telling), { key: "all", options: (lists) => ({ maxOutputTokens: lists.length, seed: 1 }) })
      .compile();
    const [one, two] = await models.invoke([[userMessage("a")], [userMessage("b")]], {
      options: { model: { seed: 2 } },
    });
    for (const answer of [one, two]) {
      expect(JSON.parse(textOf(answer as AgenticMessage))).toEqual({ maxOutputTokens: 2, seed: 2 });
    }
  });

  it("stand at nodes of workflows, and of records of nodes, too", async () => {
    const flow = new Workflow<{ text: string }, string>()
      .addNode("step", seen, { input: from(START, "text"), options: (text) => ({ length: text.length }) })
      .end(from("step"))
      .compile();
    await expect(flow.invoke({ text: "abc" })).resolves.toBe('abc {"length":3}');
    const graph = new Graph<string, string>()
      .addNodes({ step: { node: seen, options: { options: (text: unknown) => ({ is: text }) } } })
      .addEdge(START, "step")
      .addEdge("step", END)
      .compile();
    await expect(graph.invoke("abc")).resolves.toBe('abc {"is":"abc"}');
  });

  it("may change the state, alone with it", async () => {
    const graph = new Graph<string, string>()
      .withState(() => ({ count: 0 }))
      .addNode("a", seen, {
        outputKey: "a",
        options: async (_text, state) => {
          const { count } = state;
          await undefined;
          state.count = count + 1;
          return { count: state.count };
        },
      })
      .addNode("b", seen, {
        outputKey: "b",
        options: async (_text, state) => {
          const { count } = state;
          await undefined;
          state.count = count + 1;
          return { count: state.count };
        },
      })
      .addNode("both", ({ a, b }: { a: string; b: string }) => [a, b].sort().join())
      .addEdge(START, "a")
      .addEdge(START, "b")
      .addEdge("a", "both")
      .addEdge("b", "both")
      .addEdge("both", END)
      .compile();
    await expect(graph.invoke("x")).resolves.toBe('x {"count":1},x {"count":2}');
  });

  it("of a graph without a state get none, also inside of one that has it", async () => {
    const inner = new Graph<string, string>()
      .addNode("step", seen, { options: (_text, state) => ({ state: String(state) }) })
      .addEdge(START, "step")
      .addEdge("step", END);
    const graph = new Graph<string, string>()
      .withState(() => ({ secret: 1 }))
      .addNode("inner", inner)
      .addEdge(START, "inner")
      .addEdge("inner", END)
      .compile();
    await expect(graph.invoke("x")).resolves.toBe('x {"state":"undefined"}');
  });

  it("that fail are a failure of the node", async () => {
    const failing = new Chain<string>()
      .append(seen, {
        key: "step",
        options: () => {
          throw new Error("no idea");
        },
      })
      .compile();
    const failure = { code: "NODE_FAILED", nodePath: ["step"], message: expect.stringContaining("no idea") };
    await expect(failing.invoke("x")).rejects.toMatchObject(failure);
    await expect(failing.stream("x").concat()).rejects.toMatchObject(failure);
  });

  it.each([[5], ["hot"], [[]], [null]])("must be an object (%j)", async (wrong) => {
    const graph = new Chain<string>().append(seen, { key: "step", options: () => plain(wrong) }).compile();
    const refusal = { code: "INVALID_OPTION", nodePath: ["step"], message: expect.stringContaining("options") };
    await expect(graph.invoke("x")).rejects.toMatchObject(refusal);
    await expect(graph.stream("x").concat()).rejects.toMatchObject(refusal);
  });

  it("may ask, and are made anew when the run goes on", async () => {
    const store = memoryStore();
    let made = 0;
    const app = new Chain<string>()
      .append(seen, {
        key: "step",
        options: async (_text, _state, ctx) => {
          made += 1;
          return { answer: await ctx.ask("how", "How?") };
        },
      })
      .compile({ store, durability: "step" });
    await expect(app.invoke("x", { checkpointId: "r" })).rejects.toMatchObject({ code: "INTERRUPTED" });
    await expect(app.resume("r", { byAddress: { "runnable:;node:step": "so" } })).resolves.toBe('x {"answer":"so"}');
    expect(made).toBe(2);
  });

  it("are refused at a graph and a passthrough, and when they are neither a function nor an object", () => {
    const inner = new Graph<string, string>()
      .addNode("x", (text: string) => text)
      .addEdge(START, "x")
      .addEdge("x", END);
    const none = plain(() => ({}));
    for (const node of [inner, passthrough()]) {
      const build = () => new Chain<string>().append(node as never, { options: none } as never).compile();
      expect(build).toThrow("takes no call options");
    }
    const wrong = () => new Graph<string, string>().addNode("f", (text: string) => text, { options: plain(5) });
    expect(wrong).toThrow("or a function");
  });
});
