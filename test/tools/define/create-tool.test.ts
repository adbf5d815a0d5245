import { createTool, type StreamReader, type ToolContext, toolOptions } from "kumiko";
import { describe, expect, it } from "vitest";
import { z } from "zod";
import { plain, thrownBy } from "../../compose/thrown-by.js";
import { rejection } from "../node/calls.js";

const alone = { toolCallId: "c1" } as ToolContext<never>;

async function piecesOf<T>(stream: StreamReader<T>): Promise<T[]> {
  const pieces: T[] = [];
  for await (const piece of stream) pieces.push(piece);
  return pieces;
}

describe("a tool alone", () => {
  const weather = createTool({
    id: "get_weather",
    description: "Current weather of a city.",
    inputSchema: z.object({ city: z.string() }),
    outputSchema: z.object({ celsius: z.number() }),
    execute: async ({ city }) => ({ celsius: city.length }),
  });

  it("goes from the text of its arguments to what a model reads", async () => {
    expect(await weather.invoke('{"city":"深圳"}', alone)).toBe('{"celsius":2}');
    expect(await piecesOf(weather.stream('{"city":"深圳"}', alone))).toEqual(['{"celsius":2}']);
  });

  it("rejects arguments and outputs like a node does", async () => {
    expect(await rejection(weather.invoke("{", alone))).toMatchObject({
      kind: "parse",
      toolName: "get_weather",
      callId: "c1",
    });
    expect(await rejection(weather.invoke("{}", alone))).toMatchObject({ kind: "validation" });
    const wrong = createTool({ id: "a", description: "", outputSchema: z.string(), execute: () => 1 as never });
    expect(await rejection(wrong.invoke("", alone))).toMatchObject({ kind: "output_validation" });
  });

  it("rejects with what execute throws", async () => {
    const error = new Error("mine");
    const broken = createTool({
      id: "a",
      description: "",
      execute: () => {
        throw error;
      },
    });
    expect(await rejection(broken.invoke("", alone))).toBe(error);
  });

  it("streams, and joins what it streams", async () => {
    const count = createTool({
      id: "count",
      description: "",
      execute: async function* () {
        yield "1";
        yield "2";
      },
    });
    expect(await count.invoke("", alone)).toBe("12");
    expect(await piecesOf(count.stream("", alone))).toEqual(["1", "2"]);
  });

  it("sees the defaults of its options", async () => {
    const options = toolOptions<{ depth: number }>("deep", { depth: 3 });
    const deep = createTool({
      id: "deep",
      description: "",
      options,
      execute: (_input, ctx) => `${ctx.options.depth} ${ctx.toolCallId}`,
    });
    expect(await deep.invoke("", alone as never)).toBe("3 c1");
    expect(await deep.invoke("", undefined as never)).toBe("3 undefined");
  });

  it("can be called as a function", async () => {
    expect(await weather.execute({ city: "Rome" }, alone as never)).toEqual({ celsius: 4 });
  });
});

describe("what a tool carries", () => {
  it("is what it was made of, and what a model needs to know", () => {
    const inputSchema = z.object({ city: z.string().describe("Its name") });
    const metadata = { owner: "team-a" };
    const mcp = { annotations: { title: "Weather", readOnlyHint: true }, _meta: { version: "1" } };
    const tool = createTool({ id: "a", description: "d", inputSchema, metadata, mcp, execute: () => "" });
    expect(tool).toMatchObject({ component: "tool", id: "a", description: "d", inputSchema, metadata, mcp });
    expect(JSON.parse(JSON.stringify(tool.info))).toEqual({
      name: "a",
      description: "d",
      parameters: {
        $schema: "https://json-schema.org/draft/2020-12/schema",
        type: "object",
        properties: { city: { type: "string", description: "Its name" } },
        required: ["city"],
      },
    });
    expect(Object.isFrozen(tool)).toBe(true);
  });
});

describe("what is no tool", () => {
  const execute = () => "";
  it.each([
    ["expected an object of options", undefined],
    ["id must be a non-empty string", { id: "", description: "", execute }],
    ["id must be a non-empty string", { description: "", execute }],
    ["description must be a string", { id: "a", execute }],
    ["execute must be a function", { id: "a", description: "", execute: "x" }],
    [
      "requireApproval must be true, false or a function",
      { id: "a", description: "", execute, requireApproval: "yes" },
    ],
    ['Unknown option "needsRetry" of createTool (id "a")', { id: "a", description: "", execute, needsRetry: true }],
    [
      'timeoutMs of tool "a" must be a number of milliseconds above 0',
      { id: "a", description: "", execute, timeoutMs: 0 },
    ],
    ['outputValidation of tool "a"', { id: "a", description: "", execute, outputValidation: "strict" }],
    ["neither a schema nor a map of parameters", { id: "a", description: "", execute, inputSchema: "text" }],
  ])("is refused at once: %s", (message, options) => {
    expect(thrownBy(() => createTool(plain(options))).message).toContain(message);
  });
});
