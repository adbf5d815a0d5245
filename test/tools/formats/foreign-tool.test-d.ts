import { toolDefinition } from "@tanstack/ai";
import { dynamicTool, jsonSchema, type ToolSet, tool } from "ai";
import { AgenticToolsNode, createTool, type ToolContext } from "kumiko";
import type { AnyTool } from "kumiko/components";
import { expectTypeOf, it } from "vitest";
import { z } from "zod";

const inputSchema = z.object({ city: z.string() });
const execute = async ({ city }: { city: string }) => city;
const definition = toolDefinition({ name: "place", description: "", inputSchema });

it("tools of every format stand side by side, without a cast", () => {
  const tools = {
    native: createTool({ id: "native", description: "", inputSchema, execute }),
    plain: { inputSchema, execute },
    aiSdk: tool({ inputSchema, execute }),
    json: tool({ inputSchema: jsonSchema<{ city: string }>({ type: "object" }), execute }),
    outside: tool({ inputSchema, outputSchema: z.string() }),
    dynamic: dynamicTool({ inputSchema, execute: async () => 1 }),
    server: definition.server(execute),
    client: definition.client(),
    definition,
    eino: { info: { name: "eino" }, invokableRun: async (args: string, ctx: ToolContext) => args + ctx.toolCallId },
  };
  expectTypeOf(tools).toExtend<Readonly<Record<string, AnyTool>>>();
  expectTypeOf<ToolSet>().toExtend<Readonly<Record<string, AnyTool>>>();
  new AgenticToolsNode({ tools });
  new AgenticToolsNode([tools.native, tools.server, { name: "named", execute }]);
});

it("what is none is refused", () => {
  // @ts-expect-error a function has no schema
  new AgenticToolsNode({ tools: { execute } });
  // @ts-expect-error execute is a function
  new AgenticToolsNode({ tools: { a: { execute: "run" } } });
  // @ts-expect-error a name alone does nothing
  new AgenticToolsNode([{ name: "a" }]);
});
