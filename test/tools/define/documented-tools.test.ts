import { toolDefinition } from "@tanstack/ai";
import { tool as aiTool } from "ai";
import { type } from "arktype";
import { AgenticToolsNode, createTool } from "kumiko";
import { toolContext } from "kumiko/testing";
import { describe, expect, it } from "vitest";
import { z } from "zod";
import { call, calls, textsOf, toolError } from "../node/calls.js";

describe("examples of Mastra's documents, with our import", () => {
  it("test-tool reverses its input", async () => {
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

  it("get-weather keeps its mcp block, and tells the model what the schema describes", async () => {
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
    "a tool may have an id, a description and %s, and nothing else",
    (hook) => {
      const tool = createTool({ id: "example-tool", description: "Example tool with hooks", [hook]: () => undefined });
      expect(new AgenticToolsNode([tool]).infos.map(({ name }) => name)).toEqual(["example-tool"]);
    },
  );
});

describe("examples of TanStack's documents", () => {
  it.each([
    [
      "zod",
      z.object({
        location: z.string().describe("City name or coordinates"),
        unit: z.enum(["celsius", "fahrenheit"]).optional(),
      }),
    ],
    ["ArkType [N8]", type({ location: "string", unit: "'celsius' | 'fahrenheit'" })],
    [
      "plain JSON Schema",
      {
        type: "object" as const,
        properties: {
          location: { type: "string" as const, description: "City name or coordinates" },
          unit: { type: "string" as const, enum: ["celsius", "fahrenheit"] },
        },
        required: ["location"],
      },
    ],
  ])("the model is told of the schema, and arguments are checked by it: %s", async (_name, inputSchema) => {
    const base = { name: "get_weather", description: "Get the current weather in a given location." };
    const tool = toolDefinition({ ...base, inputSchema }).server(async (args) => args);
    const node = new AgenticToolsNode([tool]);
    const schema = JSON.parse(JSON.stringify(node.infos[0]?.toJsonSchema()));
    expect(schema).toMatchObject({ type: "object", properties: { location: { type: "string" } } });
    expect(schema.properties.unit.enum).toEqual(["celsius", "fahrenheit"]);
    const fitting = { location: "深圳", unit: "celsius" };
    expect(textsOf(await node.invoke(calls(call("get_weather", fitting))))).toEqual([JSON.stringify(fitting)]);
    const wrong = calls(call("get_weather", { ...fitting, unit: "kelvin" }));
    expect(await toolError(node.invoke(wrong))).toMatchObject({ kind: "validation" });
  });
});

describe("examples of the AI SDK format", () => {
  it("vercelWeatherTool, with parameters, stands in a record beside our own tools", async () => {
    const vercelWeatherTool = aiTool({
      description: "Fetches current weather using Vercel AI SDK format",
      parameters: z.object({ city: z.string().describe("The city to get weather for") }),
      execute: async ({ city }: { city: string }) => ({ city, weather: "sunny" }),
    } as never);
    const someTool = createTool({ id: "some-tool", description: "", execute: () => "ours" });
    const node = new AgenticToolsNode({ tools: { weatherVercel: vercelWeatherTool, someTool } });
    expect(node.infos.map(({ name }) => name)).toEqual(["weatherVercel", "someTool"]);
    expect(node.infos[0]?.toJsonSchema()).toMatchObject({
      properties: { city: { description: "The city to get weather for" } },
    });
    const results = await node.invoke(calls(call("weatherVercel", { city: "深圳" }), call("someTool")));
    expect(textsOf(results)).toEqual(['{"city":"深圳","weather":"sunny"}', "ours"]);
  });
});
