import { toolDefinition } from "@tanstack/ai";
import { tool } from "ai";
import { AgenticToolsNode, createTool } from "kumiko";
import type { AnyTool, CreatedTool } from "kumiko/components";
import { expect, it } from "vitest";
import { z } from "zod";
import { adaptTool } from "../../../src/tools/formats/adapt-tool.js";
import { mastraTool } from "./mastra-shape.js";

const inputSchema = z.object({ city: z.string() });
const execute = ({ city }: { city: string }) => city;
const providerOptions = { anthropic: { cacheControl: { type: "ephemeral" } } };

const adapted = (given: AnyTool) => adaptTool(given, undefined, "tools[0]") as unknown as CreatedTool;

it("what a tool tells the providers of models is in the infos of the node", () => {
  const inputExamples = [{ input: { city: "Kyoto" } }];
  const { infos } = new AgenticToolsNode({
    tools: {
      aiSdk: tool({ inputSchema, execute, strict: true, providerOptions, inputExamples }),
      own: createTool({ id: "own", description: "", inputSchema, execute, extra: { providerOptions } }),
      plain: { inputSchema, execute },
    },
  });
  expect(infos.map(({ extra }) => extra)).toEqual([
    { strict: true, providerOptions, inputExamples },
    { providerOptions },
    undefined,
  ]);
});

it("what is for people, MCP clients and extensions is carried, and no model is told", () => {
  const annotations = { title: "Weather", readOnlyHint: true };
  const mcp = { annotations, _meta: { version: "1.0.0" } };
  const base = { id: "weather", name: "weather", description: "", inputSchema };
  const tools = [
    mastraTool({ ...base, execute, title: "Weather", mcp }),
    toolDefinition({ ...base, metadata: { owner: "ada" } }).server(execute),
    { ...base, execute, title: "Weather", metadata: { owner: "ada" }, mcp },
    // read as one of the AI SDK
    { inputSchema, execute, title: "Weather", metadata: { source: "x" } },
  ];
  expect(
    tools
      .slice(0, 3)
      .map((given) => adapted(given))
      .map(({ metadata, mcp }) => ({ metadata, mcp })),
  ).toEqual([
    { metadata: { title: "Weather" }, mcp },
    { metadata: { owner: "ada" }, mcp: undefined },
    { metadata: { title: "Weather", owner: "ada" }, mcp },
  ]);
  const { infos } = new AgenticToolsNode({ tools: Object.fromEntries(tools.map((given, n) => [`tool${n}`, given])) });
  expect(JSON.stringify(infos)).not.toMatch(/Weather|ada/);
});
