import { AgenticToolsNode, createTool } from "kumiko";
import { describe, expect, it } from "vitest";
import { z } from "zod";
import { blocksOf, call, calls, toolError } from "./node/calls.js";

const wrongItems = (count: number) => ({ items: Array.from({ length: count }, (_, index) => `wrong ${index}`) });
const plain = { type: "object", properties: { items: { type: "array", items: { type: "integer" } } } };
const withDates = z.object({ items: z.array(z.date()) });

/** How often the issues of a value are compared with its places, found without a clock: by counting looks at their paths. */
function countingSchema() {
  let looks = 0;
  const validate = (value: unknown) => ({
    issues: (value as { items: unknown[] }).items.map((_item, index) => ({
      message: "must be a date",
      get path() {
        looks++;
        return ["items", index];
      },
    })),
  });
  const form = () => ({
    type: "object",
    properties: { items: { type: "array", items: { type: "string", format: "date-time" } } },
  });
  const schema = { "~standard": { version: 1, vendor: "own", validate, jsonSchema: { input: form, output: form } } };
  return { schema: schema as never, looks: () => looks };
}

describe("a call with many wrong arguments", () => {
  it.each([
    ["a plain JSON Schema", plain, false],
    ["a plain JSON Schema, to be repaired", plain, true],
    ["a schema that wants dates", withDates, false],
    ["a schema that wants dates, to be repaired", withDates, true],
  ])(
    "is refused in time that grows with them: %s",
    { timeout: 10_000 },
    async (_name, inputSchema, coerceArguments) => {
      const list = createTool({ id: "list", description: "", inputSchema, execute: () => "ran" });
      const node = new AgenticToolsNode({ tools: [list], coerceArguments });
      // quadratic, this took minutes
      const error = await toolError(node.invoke(calls(call("list", wrongItems(60_000)))));
      expect(error.kind).toBe("validation");
      expect(error.issues).toHaveLength(100);
      expect(error.message).toContain("and 59980 more");
      expect(error.message.length).toBeLessThan(10_000);
    },
  );

  it("looks at each issue a fixed number of times", async () => {
    const looksAt = async (count: number) => {
      const { schema, looks } = countingSchema();
      const list = createTool({ id: "list", description: "", inputSchema: schema, execute: () => "ran" });
      await toolError(new AgenticToolsNode([list]).invoke(calls(call("list", wrongItems(count)))));
      return looks();
    };
    const few = await looksAt(500);
    expect(await looksAt(5_000)).toBeLessThanOrEqual(few * 11);
  });

  it("lists at most 100 issues of an output, too", async () => {
    const list = createTool({
      id: "list",
      description: "",
      outputSchema: z.array(z.number()),
      execute: () => wrongItems(300).items as never,
    });
    const error = await toolError(new AgenticToolsNode([list]).invoke(calls(call("list"))));
    expect(error.issues).toHaveLength(100);
  });

  it("is repaired wherever a repair is clear, however many there are", async () => {
    const count = 20_000;
    const list = createTool({
      id: "list",
      description: "",
      inputSchema: plain,
      execute: ({ items }) => (items as unknown[]).filter((item) => Number.isInteger(item)).length,
    });
    const node = new AgenticToolsNode({ tools: [list], coerceArguments: true });
    const items = Array.from({ length: count }, (_, index) => String(index));
    expect(blocksOf(await node.invoke(calls(call("list", { items }))))[0]?.result).toBe(String(count));
  });
});
