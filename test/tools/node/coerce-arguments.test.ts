import { AgenticToolsNode, createTool, type Handler } from "kumiko";
import { describe, expect, it } from "vitest";
import { z } from "zod";
import { call, calls, textsOf, tool, toolError } from "./calls.js";

const search = createTool({
  id: "search",
  description: "Searches.",
  inputSchema: z.object({
    query: z.string(),
    tags: z.array(z.string()).optional(),
    filter: z.object({ year: z.number() }).optional(),
    limit: z.number().default(10),
  }),
  execute: (input) => input,
});

const plain = createTool({
  id: "plain",
  description: "The same with a plain JSON Schema.",
  inputSchema: {
    type: "object",
    properties: { tags: { type: "array", items: { type: "string" } }, note: { type: "string" } },
    required: ["tags"],
  },
  execute: (input) => input,
});

const node = new AgenticToolsNode({ tools: [search, plain, tool("free", (input) => input)], coerceArguments: true });

async function inputOf(name: string, args: unknown): Promise<unknown> {
  return JSON.parse(textsOf(await node.invoke(calls(call(name, args))))[0] ?? "");
}

describe("coerceArguments", () => {
  it.each([
    ["a list that was encoded twice", "search", { query: "a", tags: '["x"]' }, { query: "a", tags: ["x"], limit: 10 }],
    [
      "an object that was encoded twice, and what is in it",
      "search",
      { query: "a", filter: '{"year":"2024"}' },
      { query: "a", filter: { year: 2024 }, limit: 10 },
    ],
    ["null for what may be absent", "search", { query: "a", tags: null, limit: null }, { query: "a", limit: 10 }],
    ["text behind the object", "search", '{"query":"a"}</tool_call>', { query: "a", limit: 10 }],
    ["all arguments encoded twice", "search", '"{\\"query\\":\\"a\\"}"', { query: "a", limit: 10 }],
    ["both at once", "search", '{"query":"a","tags":"[]"}}', { query: "a", tags: [], limit: 10 }],
    ["arguments for a plain JSON Schema", "plain", { tags: '["x"]', note: null }, { tags: ["x"] }],
    ["the text of a tool without a schema", "free", '{"a":1}}', { a: 1 }],
  ])("repairs %s", async (_what, name, given, wanted) => expect(await inputOf(name, given)).toEqual(wanted));

  it("is off by default", async () => {
    const strict = new AgenticToolsNode([search]);
    expect(await toolError(strict.invoke(calls(call("search", { query: "a", tags: "[]" }))))).toMatchObject({
      kind: "validation",
    });
    expect(await toolError(strict.invoke(calls(call("search", '{"query":"a"}}'))))).toMatchObject({ kind: "parse" });
  });

  it("leaves valid arguments alone, whatever they look like", async () => {
    expect(await inputOf("search", { query: "[1]" })).toEqual({ query: "[1]", limit: 10 });
    const loose = createTool({
      id: "loose",
      description: "",
      inputSchema: z.object({ n: z.coerce.boolean() }),
      execute: ({ n }) => String(n),
    });
    const node = new AgenticToolsNode({ tools: [loose], coerceArguments: true });
    expect(textsOf(await node.invoke(calls(call("loose", { n: "false" }))))).toEqual(["true"]);
  });

  it("keeps the first error when the repaired arguments do not fit either", async () => {
    const error = await toolError(node.invoke(calls(call("search", { query: 5, tags: '["x"]' }))));
    expect(error).toMatchObject({ kind: "validation", callId: "search" });
    expect(error.message).toContain('(got "[\\"x\\"]")');
    expect(error.issues?.map(({ path }) => path)).toEqual([["query"], ["tags"]]);
  });

  it("does not guess which of two objects was meant", async () => {
    expect(await toolError(node.invoke(calls(call("search", '{"query":"a"}{"query":"b"}'))))).toMatchObject({
      kind: "parse",
    });
  });

  it("tells handlers what it repaired, and gives the tool the text as it was", async () => {
    const events: unknown[] = [];
    const seen: string[] = [];
    const listening: Handler = { onEvent: (info, event) => events.push([info.component, event]) };
    const noting = createTool({
      id: "note",
      description: "",
      inputSchema: z.object({ tags: z.array(z.string()) }),
      execute: (_input, ctx) => {
        seen.push(ctx.rawArguments);
        return "";
      },
    });
    const node = new AgenticToolsNode({ tools: [noting], coerceArguments: true });
    await node.invoke(calls(call("note", '{"tags":"[]"}', "c1"), call("note", '{"tags":[]}', "c2")), {
      callbacks: [listening],
    });
    expect(events).toEqual([
      [
        "tools_node",
        {
          kind: "repaired_arguments",
          toolName: "note",
          callId: "c1",
          arguments: '{"tags":"[]"}',
          repaired: { tags: [] },
          repairs: [{ path: ["tags"], repair: "decoded_text" }],
        },
      ],
    ]);
    expect(seen).toEqual(['{"tags":"[]"}', '{"tags":[]}']);
  });

  it("repairs for schemas that answer later", async () => {
    const later = createTool({
      id: "later",
      description: "",
      inputSchema: z.object({ tags: z.array(z.string()).refine(async (tags) => tags.length > 0) }),
      execute: ({ tags }) => tags.join(),
    });
    const node = new AgenticToolsNode({ tools: [later], coerceArguments: true });
    expect(textsOf(await node.invoke(calls(call("later", { tags: '["x","y"]' }))))).toEqual(["x,y"]);
    expect(await toolError(node.invoke(calls(call("later", { tags: "[]" }))))).toMatchObject({ kind: "validation" });
  });

  it("must be a boolean", () => {
    expect(() => new AgenticToolsNode({ tools: [], coerceArguments: "yes" as never })).toThrow(
      "coerceArguments must be true or false",
    );
  });
});
