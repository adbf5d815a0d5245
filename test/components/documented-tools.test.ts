import { describe, expect, it } from "vitest";
import { z } from "zod";
import { AgenticToolsNode, createTool } from "../../src/index.js";
import { toolContext } from "../../src/testing/tool-context.js";
import { call, calls, textsOf } from "../compose/tools/calls.js";

describe("examples of Mastra's documents, with our import", () => {
  it("test-tool reverses its input [T1] [T2] [T13] [T32]", async () => {
    const tool = createTool({
      id: "test-tool",
      description: "Reverse the input string",
      inputSchema: z.object({ input: z.string() }),
      outputSchema: z.object({ output: z.string() }),
      execute: async (inputData) => {
        const reversed = inputData.input.split("").reverse().join("");
        return { output: reversed };
      },
    });
    expect(await tool.execute({ input: "kumiko" }, toolContext())).toEqual({ output: "okimuk" });
    const results = await new AgenticToolsNode([tool]).invoke(calls(call("test-tool", { input: "abc" })));
    expect(textsOf(results)).toEqual(['{"output":"cba"}']);
  });

  it("get-weather keeps its mcp block, and tells the model what the schema describes [T3] [T11] [T33]", async () => {
    const fetchWeather = async (location: string) => `sunny in ${location}`;
    const mcp = {
      annotations: {
        title: "Weather Lookup",
        readOnlyHint: true,
        destructiveHint: false,
        idempotentHint: true,
        openWorldHint: true,
      },
      _meta: { version: "1.0.0", category: "weather" },
    };
    const weatherTool = createTool({
      id: "get-weather",
      description: "Get current weather for a location",
      inputSchema: z.object({ location: z.string().describe("City name or coordinates") }),
      mcp,
      execute: async (inputData) => {
        const weather = await fetchWeather(inputData.location);
        return { weather };
      },
    });
    expect(weatherTool.mcp).toEqual(mcp);
    expect(weatherTool.info).toMatchObject({
      name: "get-weather",
      description: "Get current weather for a location",
    });
    expect(weatherTool.info.toJsonSchema()).toMatchObject({
      properties: { location: { type: "string", description: "City name or coordinates" } },
    });
    const results = await new AgenticToolsNode([weatherTool]).invoke(calls(call("get-weather", { location: "深圳" })));
    expect(textsOf(results)).toEqual(['{"weather":"sunny in 深圳"}']);
  });

  it.each(["onInputStart", "onInputDelta", "onInputAvailable", "onOutput"] as const)(
    "a tool may have an id, a description and %s, and nothing else [T24]",
    (hook) => {
      const tool = createTool({ id: "example-tool", description: "Example tool with hooks", [hook]: () => undefined });
      expect(new AgenticToolsNode([tool]).infos.map(({ name }) => name)).toEqual(["example-tool"]);
    },
  );
});
