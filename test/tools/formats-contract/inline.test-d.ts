import { AgenticToolsNode, asTool, Chain, createTool } from "kumiko";
import type { AnyTool } from "kumiko/components";
import { expectTypeOf, it } from "vitest";
import { z } from "zod";

const place = z.object({ city: z.string() });
const base = { id: "t", description: "d" };

it("a tool that is made where the node takes it has the types it would have elsewhere", () => {
  new AgenticToolsNode([
    createTool({
      ...base,
      inputSchema: place,
      execute: ({ city }, ctx) => {
        expectTypeOf(city).toEqualTypeOf<string>();
        return ctx.requestContext.get("user");
      },
    }),
    createTool({ ...base, execute: (input) => expectTypeOf(input).toEqualTypeOf<Record<string, unknown>>() }),
  ]);
  new AgenticToolsNode({
    tools: {
      one: createTool({
        ...base,
        requestContextSchema: z.object({ user: z.string() }),
        execute: (_input, ctx) => expectTypeOf(ctx.requestContext.get("user")).toEqualTypeOf<string | undefined>(),
      }),
      two: createTool({
        ...base,
        resumeSchema: place,
        execute: (_input, { resumeData }) => expectTypeOf(resumeData?.city).toEqualTypeOf<string | undefined>(),
      }),
    },
  });
});

it("its output is held against its outputSchema there too", () => {
  new AgenticToolsNode([
    // @ts-expect-error a number is no city
    createTool({ ...base, outputSchema: place, execute: () => ({ city: 1 }) }),
  ]);
});

it("a function that gives any tool can make one", () => {
  const named = (name: string): AnyTool =>
    createTool({ ...base, inputSchema: place, execute: ({ city }, ctx) => [city, ctx.requestContext.get(name)] });
  const runnable = new Chain<{ city: string }>().append(({ city }) => city).compile();
  const given: AnyTool[] = [named("user"), asTool(runnable, { ...base, inputSchema: place })];
  new AgenticToolsNode(given);
});
