import {
  type AgenticMessage,
  type AgenticModel,
  AgenticToolsNode,
  Chain,
  END,
  from,
  Graph,
  lambda,
  type ModelOptions,
  passthrough,
  type Retriever,
  START,
  Workflow,
} from "kumiko";
import type { RetrieverOptions } from "kumiko/components";
import { describe, it } from "vitest";

interface MyOptions extends ModelOptions {
  readonly region: string;
}
declare const model: AgenticModel;
declare const mine: AgenticModel<MyOptions>;
declare const plain: { readonly component: "retriever"; retrieve(query: string): Promise<string[]> };
declare const retriever: Retriever<RetrieverOptions>;
const tools = new AgenticToolsNode([]);
const inner = new Graph<string, string>()
  .addNode("x", (text: string) => text)
  .addEdge(START, "x")
  .addEdge("x", END);

describe("the call options of a node", () => {
  it("are checked by what its component takes, in addNode", () => {
    const graph = () => new Graph<AgenticMessage[], AgenticMessage>();
    graph().addNode("model", model, { options: { temperature: 0 } });
    graph().addNode("model", mine, { options: { temperature: 0, region: "eu" } });
    graph().addNode("tools", tools, { options: { toolAliases: {} } });
    graph().addNode("find", retriever, { options: { topK: 3 } });
    graph().addNode("find", plain, { options: { whatever: 3 } });
    graph().addNode("f", (text: string) => text, { options: { whatever: 3 } });
    graph().addNode("l", lambda({ invoke: (text: string) => text }), { options: { whatever: 3 } });
    // @ts-expect-error a model has no such option
    graph().addNode("model", model, { options: { temprature: 0 } });
    // @ts-expect-error a number
    graph().addNode("model", model, { options: { temperature: "hot" } });
    // @ts-expect-error a text
    graph().addNode("model", mine, { options: { region: 1 } });
    // @ts-expect-error a tools node has no such option
    graph().addNode("tools", tools, { options: { tool: [] } });
    // @ts-expect-error a retriever has no such option
    graph().addNode("find", retriever, { options: { top: 3 } });
    // @ts-expect-error a graph takes no call options of its own
    graph().addNode("inner", inner, { options: {} });
    // @ts-expect-error a passthrough calls nothing
    graph().addNode("same", passthrough(), { options: {} });
    // @ts-expect-error a tools node has no such option
    graph().addToolsNode("tools", tools, { options: { tool: [] } });
  });

  it("may be a function of what the node takes and the state", () => {
    const graph = () => new Graph<AgenticMessage[], AgenticMessage>().withState(() => ({ temperature: 0 }));
    graph().addNode("model", model, {
      options: (messages, state, ctx) => ({ temperature: state.temperature + messages.length + ctx.state.temperature }),
    });
    graph().addNode("model", model, { options: async () => ({ temperature: 0 }) });
    graph().addModelNode("model", mine, { options: (messages) => ({ region: `eu-${messages.length}` }) });
    graph().addNode("model", model, { inputKey: "log", options: (messages) => ({ seed: messages.length }) });
    graph().addNode("f", (text: string) => text, { options: (text) => ({ whatever: text.length }) });
    new Chain<readonly AgenticMessage[]>().append(model, { options: (messages) => ({ seed: messages.length }) });
    graph().addNodes({
      model: { node: mine, options: { options: (messages: readonly AgenticMessage[]) => ({ seed: messages.length }) } },
    });
    new Workflow<AgenticMessage[], AgenticMessage>().addNode("model", model, {
      input: from(START),
      options: (messages) => ({ seed: messages.length }),
    });
    // @ts-expect-error a number
    graph().addNode("model", model, { options: () => ({ temperature: "hot" }) });
    // @ts-expect-error a promise of a number
    graph().addNode("model", model, { options: async () => ({ temperature: "hot" }) });
    // @ts-expect-error a model takes messages
    graph().addNode("model", model, { options: (text: string) => ({ seed: text.length }) });
    // @ts-expect-error a number
    graph().addNodes({ model: { node: mine, options: { options: () => ({ temperature: "hot" }) } } });
    // @ts-expect-error a graph takes no call options of its own
    graph().addNode("inner", inner, { options: () => ({}) });
    // @ts-expect-error a passthrough calls nothing
    graph().addNode("same", passthrough(), { options: () => ({}) });
  });

  it("are checked in append and node as well", () => {
    const chain = new Chain<readonly AgenticMessage[]>();
    chain.append(model, { options: { temperature: 0 } }).append(tools, { options: { messages: [] } });
    // @ts-expect-error a model has no such option
    chain.append(model, { options: { temprature: 0 } });
    // @ts-expect-error a tools node has no such option
    chain.append(model).append(tools, { options: { tool: [] } });
    // @ts-expect-error a graph takes no call options of its own
    new Chain<string>().append(inner, { options: {} });
    // @ts-expect-error a passthrough calls nothing
    chain.append(passthrough(), { options: {} });
    const graph = new Graph<AgenticMessage[], AgenticMessage>();
    graph.addNode("model", model, { options: { temperature: 0 } });
    // @ts-expect-error a model has no such option
    graph.addNode("other", model, { options: { temprature: 0 } });
  });

  it("are checked in addNodes, and by path for its nodes", () => {
    const graph = () => new Graph<AgenticMessage[], AgenticMessage>();
    const app = graph()
      .addNodes({
        model: { node: mine, options: { options: { temperature: 0, region: "eu" }, outputKey: "answer" } },
        tools: { node: tools, options: { options: { messages: [] } } },
        find: { node: plain, options: { options: { whatever: 3 } } },
        f: { node: (text: string) => text, options: { options: { whatever: 3 } } },
        other: mine,
        answer: ({ answer }: { answer: AgenticMessage }) => answer,
      })
      .addEdge(START, "model")
      .addEdge("model", "answer")
      .addEdge("answer", END);
    // @ts-expect-error a model has no such option
    graph().addNodes({ model: { node: model, options: { options: { temprature: 0 } } } });
    // @ts-expect-error a number
    graph().addNodes({ model: { node: model, options: { options: { temperature: "hot" } } } });
    // @ts-expect-error a tools node has no such option
    graph().addNodes({ tools: { node: tools, options: { options: { tool: [] } } } });
    // @ts-expect-error a retriever has no such option
    graph().addNodes({ find: { node: retriever, options: { options: { top: 3 } } } });
    // @ts-expect-error a graph takes no call options of its own
    graph().addNodes({ inner: { node: inner, options: { options: {} } } });
    // @ts-expect-error a passthrough calls nothing
    graph().addNodes({ same: { node: passthrough(), options: { options: {} } } });
    // @ts-expect-error not all nodes are fed
    app.compile();
    const small = graph()
      .addNodes({ model: mine, tools: { node: tools, options: {} } })
      .addEdge(START, "model")
      .addEdge("model", "tools")
      .addEdge("model", END)
      .compile();
    small.invoke([], { nodes: { model: { options: { region: "eu" } }, tools: { options: { messages: [] } } } });
    // @ts-expect-error a text
    small.invoke([], { nodes: { model: { options: { region: 1 } } } });
    // @ts-expect-error a model has no such option
    small.invoke([], { nodes: { model: { options: { temprature: 0 } } } });
    // @ts-expect-error a tools node has no such option
    small.invoke([], { nodes: { tools: { options: { tool: [] } } } });
  });

  it("are checked by path when a run gives them", () => {
    const agent = new Graph<AgenticMessage[], AgenticMessage>()
      .addNode("model", mine)
      .addEdge(START, "model")
      .addEdge("model", END)
      .compile();
    agent.invoke([], { nodes: { model: { options: { temperature: 0 } } } });
    // @ts-expect-error a model has no such option
    agent.invoke([], { nodes: { model: { options: { temprature: 0 } } } });
    // @ts-expect-error a text
    agent.stream([], { nodes: { model: { options: { region: 1 } } } });
    const app = new Chain<AgenticMessage[]>()
      .append(agent, { key: "agent" })
      .append(tools, { key: "tools" })
      .append((messages) => messages.length, { key: "count" })
      .compile();
    app.invoke([], { nodes: { "agent/model": { options: { region: "eu" } }, count: { options: { any: 1 } } } });
    // @ts-expect-error a model has no such option
    app.invoke([], { nodes: { "agent/model": { options: { temprature: 0 } } } });
    // @ts-expect-error a tools node has no such option
    app.resume("id", {}, { nodes: { tools: { options: { tool: [] } } } });
    // @ts-expect-error a graph takes no call options of its own
    app.invoke([], { nodes: { agent: { options: {} } } });
  });
});
