import { AgenticToolsNode, createTool } from "kumiko";
import type { OutputValidation } from "kumiko/components";
import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import { z } from "zod";
import { blocksOf, call, calls, textsOf, toolError } from "./calls.js";

const standard = z.object({ celsius: z.number() });
const plain = { type: "object", properties: { celsius: { type: "number" } }, required: ["celsius"] } as const;
const wrong = { celsius: "warm", when: new Date(0) };

function weather(outputSchema: typeof standard | typeof plain, outputValidation?: OutputValidation) {
  return createTool({
    id: "weather",
    description: "",
    outputSchema,
    outputValidation,
    execute: async () => wrong as never,
  });
}

const message = calls(call("weather"));

describe("output that does not fit", () => {
  it("is an error that says that the tool ran, with the value", async () => {
    const error = await toolError(new AgenticToolsNode([weather(standard)]).invoke(message));
    expect(error).toMatchObject({ kind: "output_validation", output: wrong });
    expect(error.message).toContain('Tool "weather" (call "weather") ran, but its output does not fit');
    expect(error.message).toContain('celsius: Invalid input: expected number, received string (got "warm")');
    expect(error.message).toContain('{"celsius":"warm","when":"1970-01-01T00:00:00.000Z"}');
  });

  it("is in extra.output of the result, as plain JSON", async () => {
    const node = new AgenticToolsNode({ tools: [weather(standard)], onToolError: "result" });
    const [block] = blocksOf(await node.invoke(message));
    expect(block).toMatchObject({
      isError: true,
      errorKind: "output_validation",
      extra: { output: { celsius: "warm", when: "1970-01-01T00:00:00.000Z" } },
    });
    expect(blocksOf(await node.stream(message).concat())[0]).toEqual(block);
  });

  it("is fine with off", async () => {
    const text = '{"celsius":"warm","when":"1970-01-01T00:00:00.000Z"}';
    expect(textsOf(await new AgenticToolsNode([weather(standard, "off")]).invoke(message))).toEqual([text]);
    const node = new AgenticToolsNode({ tools: [weather(standard)], outputValidation: "off" });
    expect(textsOf(await node.invoke(message))).toEqual([text]);
  });

  it("is not looked for under a plain JSON Schema, unless the tool or the node says so", async () => {
    expect(textsOf(await new AgenticToolsNode([weather(plain)]).invoke(message))).toHaveLength(1);
    expect((await toolError(new AgenticToolsNode([weather(plain, "error")]).invoke(message))).kind).toBe(
      "output_validation",
    );
    const strict = new AgenticToolsNode({ tools: [weather(plain)], outputValidation: "error" });
    expect((await toolError(strict.invoke(message))).kind).toBe("output_validation");
    const tool = new AgenticToolsNode({ tools: [weather(plain, "off")], outputValidation: "error" });
    expect(textsOf(await tool.invoke(message))).toHaveLength(1);
  });
});

describe("a warning", () => {
  const warned: unknown[] = [];
  beforeEach(() => {
    warned.length = 0;
    vi.spyOn(console, "warn").mockImplementation((text) => warned.push(text));
  });
  afterEach(() => {
    vi.restoreAllMocks();
  });

  it("reaches handlers, and the console when nobody listens", async () => {
    const events: unknown[] = [];
    const node = new AgenticToolsNode([weather(standard, "warn")]);
    expect(
      textsOf(await node.invoke(message, { callbacks: [{ onEvent: (_info, event) => events.push(event) }] }))[0],
    ).toContain("warm");
    expect(events).toMatchObject([{ kind: "output_validation", toolName: "weather", callId: "weather" }]);
    expect(warned).toEqual([]);
    await node.invoke(message);
    expect(warned).toEqual([expect.stringContaining("does not fit its outputSchema")]);
  });
});

describe("output that fits", () => {
  it("is what the schema makes of it", async () => {
    const tool = createTool({
      id: "weather",
      description: "",
      outputSchema: z.object({ celsius: z.string().transform(Number) }),
      execute: () => ({ celsius: "20", more: true }),
    });
    expect(textsOf(await new AgenticToolsNode([tool]).invoke(message))).toEqual(['{"celsius":20}']);
  });

  it("may be checked later", async () => {
    const outputSchema = z.string().refine(async (text) => text.length > 2, "too short");
    const tool = (text: string) => createTool({ id: "weather", description: "", outputSchema, execute: () => text });
    expect(textsOf(await new AgenticToolsNode([tool("long enough")]).invoke(message))).toEqual(["long enough"]);
    expect((await toolError(new AgenticToolsNode([tool("x")]).invoke(message))).message).toContain("too short");
  });

  it("of a streaming tool is checked when all of it is there", async () => {
    const tool = (max: number) =>
      createTool({
        id: "weather",
        description: "",
        outputSchema: z.string().max(max),
        execute: async function* () {
          yield "sun";
          yield "ny";
        },
      });
    const node = (max: number) => new AgenticToolsNode({ tools: [tool(max)], onToolError: "result" });
    expect(textsOf(await node(5).invoke(message))).toEqual(["sunny"]);
    const results = await node(4).invoke(message);
    expect(textsOf(results)[0]).toMatch(/^sunny\nTool "weather" .* ran, but its output does not fit/);
    expect(blocksOf(results)[0]?.extra).toEqual({ output: "sunny" });
    expect(await node(4).stream(message).concat()).toEqual(results);
  });

  it("of chunks that are no text is the joined value", async () => {
    const tool = createTool({
      id: "weather",
      description: "",
      outputSchema: z.object({ days: z.array(z.number()) }),
      concat: (chunks: number[]) => ({ days: chunks }),
      execute: async function* () {
        yield 1;
        yield 2;
      },
    });
    expect(textsOf(await new AgenticToolsNode([tool]).invoke(message))).toEqual(['{"days":[1,2]}']);
  });

  it("may be shown to the model in another form", async () => {
    const tool = createTool({
      id: "weather",
      description: "",
      inputSchema: z.object({ city: z.string().default("深圳") }),
      outputSchema: standard,
      execute: () => ({ celsius: 20 }),
      toModelOutput: async ({ output, input, toolCallId }) => `${input.city}: ${output.celsius} °C (${toolCallId})`,
    });
    const streamed = createTool({
      id: "streamed",
      description: "",
      execute: async function* () {
        yield "a";
        yield "b";
      },
      toModelOutput: ({ output }) => [{ type: "text", text: `<${output}>` }],
    });
    const node = new AgenticToolsNode([tool, streamed]);
    const both = calls(call("weather"), call("streamed"));
    const results = await node.invoke(both);
    expect(textsOf(results)).toEqual(["深圳: 20 °C (weather)", "<ab>"]);
    expect(await node.stream(both).concat()).toEqual(results);
  });
});

it("reports an outputSchema that throws as output that could not be checked", async () => {
  const outputSchema = z.string().refine(() => {
    throw new Error("no database");
  });
  const tool = createTool({ id: "weather", description: "", outputSchema, execute: () => "x" });
  const error = await toolError(new AgenticToolsNode([tool]).invoke(message));
  expect(error.kind).toBe("output_validation");
  expect(error.message).toContain("no database");
});
