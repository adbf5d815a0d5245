import { AgenticToolsNode, createTool, type Tool } from "kumiko";
import { toolInfo } from "kumiko/components";
import { describe, expect, it } from "vitest";
import { z } from "zod";
import { z as zod3 } from "zod/v3";
import { modelName } from "../../../src/tools/node/model-name.js";
import { plain, thrownBy } from "../../compose/thrown-by.js";
import { blocksOf, call, calls, textsOf, tool } from "./calls.js";

const answer = async (): Promise<string> => "";
const named = (name: string) => tool(name, (_input) => `I am ${name}`);

describe("infos", () => {
  it("are those of the tools, in order", () => {
    const tools = [named("b"), named("a")];
    expect(new AgenticToolsNode(tools).infos).toEqual(tools.map(({ info }) => info));
  });

  it("have names that every provider accepts; both names find the tool", async () => {
    const node = new AgenticToolsNode([named("weather.get"), named("天气"), named("x".repeat(80))]);
    const names = node.infos.map(({ name }) => name);
    for (const name of names) expect(name).toMatch(/^[A-Za-z0-9_-]{1,64}$/);
    expect(names[0]).toMatch(/^weather_get_[0-9a-f]{8}$/);
    expect(new Set(names).size).toBe(3);
    const results = await node.invoke(
      calls(call(names[0] ?? ""), call("weather.get"), call(names[1] ?? ""), call(names[2] ?? "")),
    );
    expect(textsOf(results)).toEqual(["I am weather.get", "I am weather.get", "I am 天气", `I am ${"x".repeat(80)}`]);
    expect(blocksOf(results).map(({ name }) => name)).toEqual([names[0], "weather.get", names[1], names[2]]);
  });

  it("keep their schema and their JSON form under another name", () => {
    const odd: Tool = {
      component: "tool",
      info: toolInfo({ name: "a.b", description: "d", parameters: { city: { type: "string" } } }),
      invoke: async () => "",
    };
    const [info] = new AgenticToolsNode([odd]).infos;
    expect(info?.toJsonSchema()).toEqual(odd.info.toJsonSchema());
    expect(JSON.parse(JSON.stringify(info))).toMatchObject({ name: modelName("a.b"), description: "d" });
  });

  it("are always the same for the same name, and differ for different ones", () => {
    expect(modelName("a.b")).toBe(modelName("a.b"));
    expect(modelName("a.b")).not.toBe(modelName("a b"));
    expect(modelName("plain-name_1")).toBe("plain-name_1");
  });
});

describe("names", () => {
  it.each(["constructor", "toString", "__proto__", "hasOwnProperty", "valueOf"])(
    "%s is a name like any other",
    async (name) => {
      const node = new AgenticToolsNode([named(name)]);
      expect(textsOf(await node.invoke(calls(call(name))))).toEqual([`I am ${name}`]);
      await expect(new AgenticToolsNode([named("a")]).invoke(calls(call(name)))).rejects.toMatchObject({
        kind: "unknown_tool",
      });
    },
  );

  it("of a record are its keys", async () => {
    const node = new AgenticToolsNode({ tools: { first: named("a"), second: named("a") } });
    expect(node.infos.map(({ name }) => name)).toEqual(["first", "second"]);
    expect(textsOf(await node.invoke(calls(call("second"))))).toEqual(["I am a"]);
  });

  it("of a record may be constructor, and neither integers nor __proto__ nor empty", () => {
    expect(new AgenticToolsNode({ tools: { constructor: named("a") } as never }).infos[0]?.name).toBe("constructor");
    expect(thrownBy(() => new AgenticToolsNode({ tools: { 1: named("a") } })).code).toBe("INVALID_KEY");
    expect(thrownBy(() => new AgenticToolsNode({ tools: { "": named("a") } })).code).toBe("INVALID_TOOL");
    const hostile = Object.fromEntries([["__proto__", named("a")]]);
    expect(thrownBy(() => new AgenticToolsNode({ tools: hostile })).code).toBe("INVALID_KEY");
  });

  it("may not be there twice, for us or for the model", () => {
    const twice = thrownBy(() => new AgenticToolsNode([named("a"), named("b"), named("a")]));
    expect(twice.code).toBe("DUPLICATE_TOOL");
    expect(twice.message).toContain("tools[0] and tools[2]");
    const hidden = thrownBy(() => new AgenticToolsNode([named("a.b"), named(modelName("a.b"))]));
    expect(hidden.code).toBe("DUPLICATE_TOOL");
  });

  it("may not be empty", () => {
    const nameless = { component: "tool", info: { name: "" }, invoke: answer };
    expect(thrownBy(() => new AgenticToolsNode([plain(nameless)])).message).toContain("tools[0] has no name");
  });
});

describe("what is no tool", () => {
  const info = toolInfo({ name: "a" });
  it.each([
    ["tools[0] is not a tool", null],
    ["tools[0] is not a tool", { name: "a" }],
    ['Tool "a" is not invokable or streamable', { component: "tool", info }],
    ["failed to get the info of tools[0]", { component: "tool", invoke: answer }],
    [
      "failed to get the info of tools[0]: no schema",
      {
        component: "tool",
        get info() {
          throw new Error("no schema");
        },
        invoke: answer,
      },
    ],
  ])("is refused: %s", (message, given) => {
    const error = thrownBy(() => new AgenticToolsNode([plain(given)]));
    expect(error.code).toBe("INVALID_TOOL");
    expect(error.message).toContain(message);
  });
});

it("refuses tools that no model can be told of, all at once and each with its path", () => {
  const withInput = (id: string, inputSchema: z.ZodObject) =>
    createTool({ id, description: "", inputSchema, execute: () => "" });
  const tools = [
    withInput("first", z.object({ list: z.array(z.object({ when: z.map(z.string(), z.string()) })) })),
    named("fine"),
    withInput("second", z.object({ part: z.symbol() })),
  ];
  const error = thrownBy(() => new AgenticToolsNode(tools));
  expect(error.code).toBe("SCHEMA_UNSUPPORTED");
  expect(error.message).toMatch(/tools\[0\]: Tool "first": .* no map at "list\[\]\.when"/);
  expect(error.message).toMatch(/tools\[2\]: Tool "second": .* no symbol at "part"/);
  expect(error.message).not.toContain("fine");
});

it("refuses a schema of zod 3, and says what to do", () => {
  const old = createTool({ id: "old", description: "", inputSchema: zod3.object({}), execute: () => "" });
  expect(thrownBy(() => new AgenticToolsNode([old])).message).toMatch(/tools\[0\]: Tool "old": .*"zod" 4\.2 or newer/);
});

it("knows the tools that it was made with, whatever becomes of the list", async () => {
  const tools = [named("a")];
  const node = new AgenticToolsNode({ tools });
  tools.pop();
  expect(textsOf(await node.invoke(calls(call("a"))))).toEqual(["I am a"]);
});
