import {
  type AgenticMessage,
  type AgenticModel,
  AgenticToolsNode,
  assistantMessage,
  Chain,
  createTool,
  type Document,
  type Embedder,
  END,
  functionToolCall,
  Graph,
  type Indexer,
  type Loader,
  lambda,
  type ModelContext,
  passthrough,
  type Retriever,
  type RunInfo,
  type Runnable,
  type RunOptions,
  START,
  StreamReader,
  type Transformer,
  textOf,
  userMessage,
} from "kumiko";
import type { DocumentSource, Template } from "kumiko/components";
import { describe, expect, it } from "vitest";
import { z } from "zod";

/** Answers with the texts of its messages and its temperature; keeps a secret, so that `this` must be right. */
class EchoModel implements AgenticModel {
  readonly component = "model";
  readonly type = "Echo";
  readonly #mark = "!";

  async generate(messages: readonly AgenticMessage[], { options }: ModelContext): Promise<AgenticMessage> {
    return assistantMessage(`${messages.map(textOf).join(" ")}${this.#mark}${options.temperature ?? ""}`);
  }

  async *stream(messages: readonly AgenticMessage[], _ctx: ModelContext) {
    for (const message of messages) yield assistantMessage(textOf(message));
    yield assistantMessage(this.#mark);
  }
}

const template: Template<{ name: string }> = {
  component: "template",
  format: async ({ name }) => [userMessage(`I am ${name}`)],
};
const retriever: Retriever = {
  component: "retriever",
  retrieve: async (query, { options }) =>
    Array<Document>(options.topK ?? 1).fill({ id: query, content: query, metadata: {} }),
};
const embedder: Embedder = { component: "embedder", embed: async (texts) => texts.map((text) => [text.length]) };
const indexer: Indexer = { component: "indexer", store: async (documents) => documents.map(({ id }) => id ?? "") };
const loader: Loader = {
  component: "loader",
  load: async ({ uri }: DocumentSource) => [{ id: uri, content: "", metadata: {} }],
};
const transformer: Transformer = { component: "transformer", transform: async (documents) => [...documents].reverse() };

const seen = (infos: RunInfo[]) => ({ onStart: (info: RunInfo) => void infos.push(info) });

describe("a node", () => {
  it("may be a model: default options come from the node, and its stream is used in streams", async () => {
    const graph = new Graph<AgenticMessage[], AgenticMessage>()
      .addModelNode("model", new EchoModel(), { options: { temperature: 0.5 } })
      .addEdge(START, "model")
      .addEdge("model", END)
      .compile();
    const input = [userMessage("a"), userMessage("b")];
    expect(textOf(await graph.invoke(input))).toBe("a b!0.5");
    const chunks: string[] = [];
    for await (const chunk of graph.stream(input)) chunks.push(textOf(chunk));
    expect(chunks).toEqual(["a", "b", "!"]);
  });

  it("may be any other component", async () => {
    const chain = new Chain<DocumentSource>()
      .append(loader)
      .append(transformer)
      .append(indexer)
      .append(embedder)
      .append((vectors) => String(vectors[0]?.[0]))
      .append(retriever, { options: { topK: 2 } })
      .append((documents) => ({ name: documents.map(({ id }) => id).join() }))
      .append(template)
      .append(new EchoModel())
      .compile();
    expect(textOf(await chain.invoke({ uri: "abc" }))).toBe("I am 3,3!");
    expect(chain.graphInfo().nodes.map(({ component, type }) => type ?? component)).toEqual([
      "loader",
      "transformer",
      "indexer",
      "embedder",
      "lambda",
      "retriever",
      "lambda",
      "template",
      "Echo",
    ]);
  });

  it("may be a function, sync or async, or a generator whose chunks are joined", async () => {
    const chain = new Chain<string>()
      .append((text) => text.length)
      .append(async (count) => count + 1)
      .append(async function* (count) {
        for (let left = count; left > 0; left--) yield `${left} `;
      })
      .append((text) => text.trim())
      .compile();
    expect(await chain.invoke("ab")).toBe("3 2 1");
  });

  it("may be a built-in function", async () => {
    const chain = new Chain<string>().append(Number).append(String);
    expect(await chain.compile().invoke("5.0")).toBe("5");
  });

  it("may be a graph, a chain, a compiled one, or a lambda", async () => {
    const graph = new Graph<string, string>()
      .addNode("g", (text: string) => `${text}g`)
      .addEdge(START, "g")
      .addEdge("g", END);
    const chain = new Chain<string>()
      .append(graph)
      .append(new Chain<string>().append((text) => `${text}c`))
      .append(graph.compile())
      .append(lambda({ invoke: (text: string) => `${text}l` }))
      .compile();
    expect(await chain.invoke("")).toBe("gcgl");
  });

  it("may be a Runnable from elsewhere, which runs as a child: it gets the context and the signal", async () => {
    const given: (RunOptions | undefined)[] = [];
    const foreign: Runnable<string, string> = {
      invoke: async (text, options) => {
        given.push(options);
        return `${text}!`;
      },
      stream: (text) => StreamReader.from([text, "!"]),
      collect: async (chunks) => `${await StreamReader.from(chunks).concat()}!`,
      transform: (chunks) => StreamReader.from(chunks).map((chunk) => `${chunk}!`),
    };
    const chain = new Chain<string>().append(foreign, { key: "foreign" }).compile();
    expect(await chain.invoke("x")).toBe("x!");
    expect(given[0]?.parent?.address).toContain("node:foreign");
    expect(given[0]?.signal).toBeInstanceOf(AbortSignal);
    expect(await StreamReader.from(chain.transform(StreamReader.from(["a", "b"]))).concat()).toBe("a!b!");
  });

  it("is seen in traces by its name, type and component", async () => {
    const infos: RunInfo[] = [];
    const chain = new Chain<string>()
      .append((text) => [userMessage(text)], { name: "Wrap" })
      .append(new EchoModel(), { key: "model" })
      .append(lambda({ invoke: (message: AgenticMessage) => textOf(message) }, { type: "Text" }))
      .compile();
    await chain.invoke("x", { callbacks: [seen(infos)] });
    expect(infos.map(({ component, name, type }) => [component, name, type])).toEqual([
      ["chain", "", ""],
      ["lambda", "Wrap", ""],
      ["model", "model", "Echo"],
      ["lambda", "node_2", "Text"],
    ]);
  });
});

describe("the methods with Eino's names", () => {
  const tools = new AgenticToolsNode([
    createTool({
      id: "add",
      description: "Adds one.",
      inputSchema: z.object({ a: z.number() }),
      execute: ({ a }) => a + 1,
    }),
  ]);
  const call = assistantMessage([functionToolCall({ callId: "1", name: "add", arguments: '{"a":1}' })]);
  const resultOf = ([message]: AgenticMessage[]) => message?.contentBlocks[0];
  const result = { type: "function_tool_result", callId: "1", name: "add", result: "2" };

  it("take a tools node under both of its names", async () => {
    const graph = new Graph<AgenticMessage, AgenticMessage[]>()
      .addToolsNode("first", tools)
      .addNode("again", (_: AgenticMessage[]) => call)
      .addAgenticToolsNode("second", tools)
      .addEdge(START, "first")
      .addEdge("first", "again")
      .addEdge("again", "second")
      .addEdge("second", END);
    expect(resultOf(await graph.compile().invoke(call))).toMatchObject(result);
    const chain = new Chain<AgenticMessage>()
      .appendToolsNode(tools)
      .append(() => call)
      .appendAgenticToolsNode(tools);
    expect(resultOf(await chain.compile().invoke(call))).toMatchObject(result);
  });

  const upper = (text: string) => text.toUpperCase();

  it("add the same nodes as addNode", async () => {
    const inner = new Chain<string>().append((text) => [userMessage(text)]);
    const graph = new Graph<string, AgenticMessage>()
      .addNode("upper", upper)
      .addNode("lambda", lambda({ invoke: (text: string) => `${text}?` }))
      .addNode("inner", inner)
      .addNode("compiled", new Chain<AgenticMessage[]>().append((messages) => messages).compile())
      .addModelNode("model", new EchoModel())
      .addEdge(START, "upper")
      .addEdge("upper", "lambda")
      .addEdge("lambda", "inner")
      .addEdge("inner", "compiled")
      .addEdge("compiled", "model")
      .addEdge("model", END);
    expect(textOf(await graph.compile().invoke("hi"))).toBe("HI?!");
  });

  it("append the same steps as append", async () => {
    const chain = new Chain<string>()
      .append(upper)
      .append(new Chain<string>().append((text) => [userMessage(text)]))
      .append(passthrough(), { key: "pass" })
      .appendModel(new EchoModel(), { options: { temperature: 1 } });
    expect(textOf(await chain.compile().invoke("hi"))).toBe("HI!1");
  });
});
