import { AgenticToolsNode, assistantMessage, Chain, createTool, END, Graph, START, systemMessage } from "kumiko";
import { approvals, type CallRule, createAgent, createMiddleware } from "kumiko/agents";
import { scriptedModel } from "kumiko/testing";
import { describe, expect, it, vi } from "vitest";
import { z } from "zod";

const search = createTool({
  id: "search",
  description: "Finds pages.",
  inputSchema: z.object({ query: z.string() }),
  execute: () => "nothing",
});
const pay = createTool({ id: "pay", description: "Pays.", requireApproval: true, execute: () => "paid" });
const move = createTool({ id: "move", description: "Moves.", requireApproval: () => false, execute: () => "moved" });
const pick = createTool({ id: "pick", description: "Lets the user pick." });
const clock = createTool({ id: "clock", description: "Tells the time.", execute: () => "noon" });
const expert = createAgent({ name: "expert", description: "Knows.", model: scriptedModel("42") });
const webSearch = { type: "provider", id: "openai.web_search", args: {}, inputSchema: {} } as never;

const described = [
  {
    name: "search",
    description: "Finds pages.",
    parameters: expect.objectContaining({ properties: { query: { type: "string" } } }),
    kind: "local",
  },
  { name: "pay", description: "Pays.", approval: "always", kind: "local" },
  { name: "move", description: "Moves.", approval: "sometimes", kind: "local" },
  { name: "pick", description: "Lets the user pick.", kind: "client" },
  { name: "expert", description: "Knows.", parameters: expect.anything(), kind: "agent" },
];

describe("graphInfo()", () => {
  it("describes the tools of a tools node", () => {
    const tools = new AgenticToolsNode({ tools: [search, pay, move, pick, expert.asTool()] });
    const app = new Graph().addNode("tools", tools).addEdge(START, "tools").addEdge("tools", END).compile();
    expect(app.graphInfo().nodes).toEqual([{ key: "tools", component: "tools_node", tools: described }]);
  });

  it("describes the model and the tools of an agent", () => {
    const agent = createAgent({
      model: { component: "model", type: "acme/gpt", generate: async () => assistantMessage("hi") },
      tools: [search, pay, move, pick, expert.asTool(), webSearch],
      middleware: [createMiddleware({ name: "timely", tools: [clock] })],
      handoffs: [expert],
    });
    const app = new Chain<never>().append(agent.graph, { key: "inner" }).compile();
    const nodes = [
      { key: "model", component: "model", type: "acme/gpt" },
      {
        key: "tools",
        component: "tools_node",
        tools: [
          ...described,
          { name: "clock", description: "Tells the time.", kind: "local" },
          { name: "web_search", kind: "provider" },
        ],
      },
    ];
    expect(agent.graph.graphInfo()).toMatchObject({ name: "agent", component: "agent", state: true, nodes });
    expect(app.graphInfo()).toMatchObject({ component: "chain", nodes: [{ component: "agent", graph: { nodes } }] });
    expect(app.graphInfo()).not.toHaveProperty("state");
  });

  it("leaves out what functions supply", () => {
    const model = vi.fn(() => scriptedModel("hi"));
    const tools = vi.fn(() => [search]);
    expect(createAgent({ model, tools }).graph.graphInfo().nodes).toEqual([
      { key: "model", component: "model" },
      { key: "tools", component: "tools_node" },
    ]);
    expect([model, tools].flatMap(({ mock }) => mock.calls)).toEqual([]);
  });

  it("counts what an agent asks for beside its tools", () => {
    const asked = (...rules: readonly CallRule[]): unknown =>
      createAgent({ model: scriptedModel("hi"), tools: [search, pay, move], middleware: [approvals({ rules })] })
        .graph.graphInfo()
        .nodes[1]?.tools?.map(({ approval }) => approval);
    expect(asked({ tool: "*", action: "ask" })).toEqual(["always", "always", "always"]);
    expect(asked({ tool: "*", action: "ask", when: () => true })).toEqual(["sometimes", "always", "sometimes"]);
    expect(asked({ tool: "search", action: "ask" }, { tool: "move", action: "allow" })).toEqual([
      "always",
      "always",
      undefined,
    ]);
  });
});

describe("describe()", () => {
  it("tells what an agent is made of", () => {
    const agent = createAgent({
      name: "desk",
      description: "Answers mail.",
      model: { component: "model", type: "acme/gpt", generate: async () => assistantMessage("hi") },
      instructions: "Be kind.",
      tools: [search],
      output: z.object({ answer: z.string() }),
      handoffs: [expert],
      middleware: [createMiddleware({ name: "timely", tools: [clock] })],
      maxSteps: 5,
    });
    expect(agent.describe()).toEqual({
      name: "desk",
      description: "Answers mail.",
      instructions: "Be kind.",
      model: "acme/gpt",
      tools: [described[0], { name: "clock", description: "Tells the time.", kind: "local" }],
      output: expect.objectContaining({ type: "object", properties: { answer: { type: "string" } } }),
      handoffs: ["expert"],
      middleware: ["timely"],
      maxSteps: 5,
    });
    expect(JSON.parse(JSON.stringify(agent.describe()))).toEqual(agent.describe());
  });

  it("leaves out what an agent does not have", () => {
    const agent = createAgent({ model: scriptedModel("hi") });
    expect(agent.describe()).toEqual({
      name: "agent",
      model: "ScriptedModel",
      tools: [],
      handoffs: [],
      middleware: [],
      maxSteps: 20,
    });
  });

  it("gives instructions as they are", () => {
    const instructions = [systemMessage("Be kind.")];
    expect(createAgent({ model: scriptedModel("hi"), instructions }).describe()).toMatchObject({ instructions });
  });

  it("says what is dynamic, and calls no function", () => {
    const never = vi.fn(() => {
      throw new Error("called");
    });
    const agent = createAgent({ model: never, tools: never, instructions: never, handoffs: never });
    expect(agent.describe()).toMatchObject({
      model: "dynamic",
      tools: "dynamic",
      instructions: "dynamic",
      handoffs: "dynamic",
    });
    expect(never).not.toHaveBeenCalled();
  });
});
