import { type AgenticMessage, AgenticToolsNode, Chain, createTool, toolOptions, userMessage } from "kumiko";
import { describe, expect, it } from "vitest";
import { plain } from "../../compose/thrown-by.js";
import { call, calls, rejection, textsOf, tool } from "./calls.js";

const named = (name: string, text = name) => tool(name, () => text);
const node = new AgenticToolsNode({
  tools: [named("a")],
  toolAliases: { a: { nameAliases: ["alpha"] }, b: { nameAliases: ["beta"] } },
});

describe("tools of a call", () => {
  it("replace those of the node, with the aliases that fit", async () => {
    const options = { toolsNode: { tools: [named("b", "other")] } };
    expect(textsOf(await node.invoke(calls(call("beta")), { options }))).toEqual(["other"]);
    await expect(node.invoke(calls(call("a")), { options })).rejects.toMatchObject({ kind: "unknown_tool" });
    await expect(node.invoke(calls(call("alpha")), { options })).rejects.toMatchObject({ kind: "unknown_tool" });
  });

  it("may be none", async () => {
    const options = { toolsNode: { tools: [] } };
    await expect(node.invoke(calls(call("a")), { options })).rejects.toMatchObject({ kind: "unknown_tool" });
  });

  it("may be a record", async () => {
    const options = { toolsNode: { tools: { c: named("b", "other") } } };
    expect(textsOf(await node.invoke(calls(call("c")), { options }))).toEqual(["other"]);
  });

  it("are taken apart once per list, and again when the list has changed", async () => {
    let asked = 0;
    const counting = {
      component: "tool" as const,
      get info() {
        asked++;
        return named("c").info;
      },
      invoke: async () => "c",
    };
    const tools = [counting];
    const options = { toolsNode: { tools } };
    await node.invoke(calls(call("c")), { options });
    await node.invoke(calls(call("c")), { options });
    expect(asked).toBe(1);
    (tools as unknown[]).push(named("d"));
    expect(textsOf(await node.invoke(calls(call("d")), { options }))).toEqual(["d"]);
  });

  it("that are none fail the call", async () => {
    const options = { toolsNode: { tools: [named("b"), named("b")] } };
    await expect(node.invoke(calls(call("b")), { options })).rejects.toMatchObject({ code: "DUPLICATE_TOOL" });
  });

  it("may be given for one place, or as a default of the node", async () => {
    const chain = new Chain<AgenticMessage>()
      .appendToolsNode(node, { key: "tools", options: { tools: [named("c")] } })
      .compile();
    expect(textsOf(await chain.invoke(calls(call("c"))))).toEqual(["c"]);
    const nodes = { tools: { options: { tools: [named("d")] } } };
    expect(textsOf(await chain.invoke(calls(call("d")), { nodes }))).toEqual(["d"]);
  });
});

describe("aliases of a call", () => {
  it("replace all aliases of the node", async () => {
    const options = { toolsNode: { toolAliases: { a: { nameAliases: ["first"] } } } };
    expect(textsOf(await node.invoke(calls(call("first")), { options }))).toEqual(["a"]);
    await expect(node.invoke(calls(call("alpha")), { options })).rejects.toMatchObject({ kind: "unknown_tool" });
  });

  it("replace both together with tools", async () => {
    const options = { toolsNode: { tools: [named("b")], toolAliases: { b: { nameAliases: ["second"] } } } };
    expect(textsOf(await node.invoke(calls(call("second")), { options }))).toEqual(["b"]);
    await expect(node.invoke(calls(call("beta")), { options })).rejects.toMatchObject({ kind: "unknown_tool" });
  });
});

describe("messages of a call", () => {
  const listening = createTool({ id: "a", description: "", execute: (_input, { messages }) => messages });
  const own = new AgenticToolsNode([listening]);

  it("are the assistant message, if nothing else is said", async () => {
    const message = calls(call("a"));
    expect(JSON.parse(textsOf(await own.invoke(message))[0] ?? "")).toEqual([message]);
  });

  it("are what the option says", async () => {
    const messages = [userMessage("hi")];
    expect(
      JSON.parse(textsOf(await own.invoke(calls(call("a")), { options: { toolsNode: { messages } } }))[0] ?? ""),
    ).toEqual(messages);
  });
});

it("refuses an option that it does not know", async () => {
  const options = { toolsNode: { tool: [] } as never };
  expect(await rejection(node.invoke(calls(call("a")), { options }))).toMatchObject({
    code: "INVALID_OPTION",
    message: expect.stringContaining("tools, toolAliases, messages"),
  });
});

describe("options of tools", () => {
  interface MyToolOptions {
    timeout: number;
    maxRetries: number;
  }
  const mine = toolOptions<MyToolOptions>("my_tool", { timeout: 1_000, maxRetries: 3 });
  const withTimeout = (timeout: number) => mine.with({ timeout });
  const withRetries = (maxRetries: number) => mine.with({ maxRetries });
  const others = toolOptions<{ timeout: number }>("other_tool", { timeout: 7 });
  const tools = [
    createTool({ id: "mine", description: "", options: mine, execute: (_input, ctx) => ctx.options }),
    createTool({ id: "others", description: "", options: others, execute: (_input, ctx) => ctx.options }),
    createTool({ id: "none", description: "", execute: (_input, ctx) => `${ctx.options}` }),
  ];
  const message = calls(call("mine"), call("others"), call("none"));
  const own = new AgenticToolsNode(tools);

  it("are their defaults", async () => {
    expect(textsOf(await own.invoke(message))).toEqual([
      '{"timeout":1000,"maxRetries":3}',
      '{"timeout":7}',
      "undefined",
    ]);
  });

  it("are set per run, by key, the later over the earlier", async () => {
    const options = { tool: [withTimeout(5), withRetries(9), withTimeout(6)] };
    expect(textsOf(await own.invoke(message, { options }))).toEqual([
      '{"timeout":6,"maxRetries":9}',
      '{"timeout":7}',
      "undefined",
    ]);
  });

  it("keep their defaults for what is undefined", async () => {
    const options = { tool: [mine.with({ timeout: undefined as never })] };
    expect(textsOf(await own.invoke(message, { options }))[0]).toBe('{"timeout":1000,"maxRetries":3}');
  });

  it("never change the defaults of later calls", async () => {
    const spoiling = createTool({
      id: "a",
      description: "",
      options: mine,
      execute: (_input, { options }) => (options.timeout += 1),
    });
    const spoiled = new AgenticToolsNode([spoiling]);
    await spoiled.invoke(calls(call("a")));
    expect(textsOf(await spoiled.invoke(calls(call("a"))))).toEqual(["1001"]);
  });
});

it.each([{ tool: { key: "a", values: {} } }, { tool: [{}] }, { tool: [null] }, { toolsNode: 3 }])(
  "refuses call options of another shape: %j",
  async (options) => {
    await expect(node.invoke(calls(call("a")), { options: plain(options) })).rejects.toMatchObject({
      code: "INVALID_OPTION",
    });
  },
);
