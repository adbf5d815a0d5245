import { AgenticToolsNode, createTool, type RequestContext, type Tool, type ToolContext } from "kumiko";
import { expectTypeOf, it } from "vitest";
import { z } from "zod";

it("types what hooks hear by the schemas", () => {
  createTool({
    id: "a",
    description: "",
    inputSchema: z.object({ city: z.string().default("x") }),
    outputSchema: z.object({ celsius: z.string().transform(Number) }),
    execute: () => ({ celsius: "20" }),
    onInputStart: (call) => {
      expectTypeOf(call.toolCallId).toEqualTypeOf<string>();
      expectTypeOf(call.abortSignal).toEqualTypeOf<AbortSignal>();
    },
    onInputDelta: ({ inputTextDelta }) => expectTypeOf(inputTextDelta).toEqualTypeOf<string>(),
    onInputAvailable: async ({ input }) => {
      expectTypeOf(input).toEqualTypeOf<{ city: string }>();
    },
    onOutput: ({ output }) => expectTypeOf(output).toEqualTypeOf<{ celsius: number }>(),
  });
  createTool({
    id: "raw",
    description: "",
    rawArguments: true,
    execute: (text) => text,
    onInputAvailable: ({ input }) => expectTypeOf(input).toEqualTypeOf<string>(),
    onOutput: ({ output }) => expectTypeOf(output).toEqualTypeOf<unknown>(),
  });
  createTool({
    id: "a",
    description: "",
    execute: () => "",
    // @ts-expect-error there is no such thing to hear of
    onInputDelta: ({ input }) => input,
  });
});

it("types the request context by its schema, as it is before defaults and transforms", () => {
  const typed = createTool({
    id: "a",
    description: "",
    requestContextSchema: z.object({ userId: z.string(), level: z.string().transform(Number).optional() }),
    execute: (_input, ctx) => {
      expectTypeOf(ctx.requestContext).toEqualTypeOf<RequestContext<{ userId: string; level?: string | undefined }>>();
      expectTypeOf(ctx.requestContext.get("userId")).toEqualTypeOf<string | undefined>();
      expectTypeOf(ctx.requestContext.get("level")).toEqualTypeOf<string | undefined>();
      expectTypeOf(ctx.signal).toEqualTypeOf<AbortSignal>();
      expectTypeOf(ctx).toExtend<ToolContext>();
      // @ts-expect-error the schema has no such value
      ctx.requestContext.get("other");
    },
  });
  expectTypeOf(typed).toExtend<Tool>();
  new AgenticToolsNode([typed]);
  createTool({
    id: "plain",
    description: "",
    requestContextSchema: { type: "object" },
    execute: (_input, ctx) => expectTypeOf(ctx).toEqualTypeOf<ToolContext<Record<never, never>>>(),
  });
});
