import { type } from "arktype";
import { asTool, createTool, lambda, type ToolContext, toolOptions } from "kumiko";
import type { AnyTool } from "kumiko/components";
import * as v from "valibot";
import { expectTypeOf, it } from "vitest";
import { z } from "zod";

it("gives execute what the inputSchema gives back, and takes what the outputSchema accepts", () => {
  createTool({
    id: "a",
    description: "",
    inputSchema: z.object({ city: z.string().transform(Number), unit: z.string().default("c") }),
    outputSchema: z.object({ celsius: z.string().transform(Number) }),
    execute: ({ city, unit }, ctx) => {
      expectTypeOf(city).toEqualTypeOf<number>();
      expectTypeOf(unit).toEqualTypeOf<string>();
      expectTypeOf(ctx.signal).toEqualTypeOf<AbortSignal>();
      return { celsius: "1" };
    },
    toModelOutput: ({ output, input }) => {
      expectTypeOf(output.celsius).toEqualTypeOf<number>();
      expectTypeOf(input.city).toEqualTypeOf<number>();
      return `${output.celsius}`;
    },
  });
});

it("infers from ArkType and Valibot too", () => {
  createTool({
    id: "a",
    description: "",
    inputSchema: type({ city: "string", "days?": "number" }),
    execute: async (input) => {
      expectTypeOf(input.city).toEqualTypeOf<string>();
      expectTypeOf(input.days).toEqualTypeOf<number | undefined>();
      return 1;
    },
  });
  createTool({
    id: "a",
    description: "",
    inputSchema: v.object({ city: v.optional(v.string(), "x") }),
    execute: async ({ city }) => {
      expectTypeOf(city).toEqualTypeOf<string>();
    },
  });
});

it("gives an object of unknown values for a plain JSON Schema, a map of parameters, or no schema", () => {
  createTool({
    id: "a",
    description: "",
    inputSchema: { type: "object", properties: { city: { type: "string" } } },
    execute: (input) => expectTypeOf(input).toEqualTypeOf<Record<string, unknown>>(),
  });
  createTool({
    id: "a",
    description: "",
    inputSchema: { city: { type: "string", required: true } },
    execute: ({ city }) => String(city),
  });
  createTool({
    id: "a",
    description: "",
    execute: (input) => expectTypeOf(input).toEqualTypeOf<Record<string, unknown>>(),
  });
  createTool({
    id: "a",
    description: "",
    inputSchema: { type: "object", properties: { city: { type: "string" } } },
    execute: async ({ city }: { city: string }) => city.length,
  });
});

it("gives the text with rawArguments", () => {
  createTool({
    id: "a",
    description: "",
    rawArguments: true,
    inputSchema: z.object({ city: z.string() }),
    execute: (text) => expectTypeOf(text).toEqualTypeOf<string>(),
  });
});

it("types ctx.options", () => {
  const options = toolOptions<{ timeout: number; maxRetries: number }>("my_tool", { timeout: 1, maxRetries: 2 });
  createTool({
    id: "a",
    description: "",
    inputSchema: z.object({}),
    options,
    execute: (_input, ctx) => {
      expectTypeOf(ctx).toEqualTypeOf<ToolContext<{ timeout: number; maxRetries: number }>>();
      return ctx.options.timeout;
    },
  });
});

it("takes generators, whose chunks need not be whole outputs", () => {
  createTool({
    id: "a",
    description: "",
    inputSchema: z.object({ path: z.string() }),
    outputSchema: z.object({ lines: z.array(z.string()) }),
    concat: "record",
    execute: async function* ({ path }) {
      expectTypeOf(path).toEqualTypeOf<string>();
      yield { lines: [path] };
    },
  });
});

it("refuses wrong outputs, wrong inputs and unknown options", () => {
  createTool({
    id: "a",
    description: "",
    outputSchema: z.object({ celsius: z.number() }),
    // @ts-expect-error a text is no number
    execute: () => ({ celsius: "warm" }),
  });
  createTool({
    id: "a",
    description: "",
    inputSchema: z.object({ city: z.string() }),
    // @ts-expect-error the schema gives a text
    execute: ({ city }: { city: number }) => city,
  });
  createTool({
    id: "a",
    description: "",
    // @ts-expect-error a time limit is a number
    timeoutMs: "5s",
    execute: () => 1,
  });
});

it("fits into lists of tools, whatever its types", () => {
  const one = createTool({
    id: "a",
    description: "",
    inputSchema: z.object({ city: z.string() }),
    execute: ({ city }) => city,
  });
  const two = createTool({
    id: "b",
    description: "",
    options: toolOptions<{ depth: number }>("b", { depth: 1 }),
    execute: async function* () {
      yield "x";
    },
  });
  const tools: AnyTool[] = [one, two];
  expectTypeOf(tools).toBeArray();
  expectTypeOf(one.execute).parameter(0).toEqualTypeOf<{ city: string }>();
  expectTypeOf(one.id).toEqualTypeOf<string>();
});

it("takes no record of schemas for a schema", () => {
  const tool = { id: "a", description: "", execute: () => 1 };
  // @ts-expect-error wrap it: z.object({ city: z.string() })
  createTool({ ...tool, inputSchema: { city: z.string() } });
  // @ts-expect-error one schema is enough
  createTool({ ...tool, inputSchema: { type: z.string(), unit: { type: "string" } } });
  // @ts-expect-error the schemas of Valibot too
  createTool({ ...tool, inputSchema: { celsius: v.number() } });
  // @ts-expect-error and those of ArkType
  createTool({ ...tool, inputSchema: { ok: type("boolean") } });
  const anything = JSON.parse("{}");
  createTool({ ...tool, inputSchema: anything });
  const loose: Record<string, ReturnType<typeof JSON.parse>> = {};
  createTool({ ...tool, inputSchema: loose, outputSchema: loose });
  const either = [z.object({ a: z.string() }), { type: "object" }][0];
  createTool({ ...tool, inputSchema: either });
  const run = lambda({ invoke: (_input: Record<string, unknown>) => "" });
  // @ts-expect-error asTool
  asTool(run, { id: "a", description: "", inputSchema: { city: z.string() } });
  asTool(run, { id: "a", description: "", inputSchema: { type: "object" } });
});
