import { AgenticToolsNode, createTool } from "kumiko";
import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import { z } from "zod";
import { call, calls, textsOf, tool, toolError } from "./calls.js";

const unfit = (id: string) =>
  createTool({
    id,
    description: "",
    inputSchema: z.object({ when: z.map(z.string(), z.string()) }),
    execute: () => "",
  });
const fits = tool("fits", () => "ok");

const warnings: unknown[] = [];

beforeEach(() => {
  warnings.length = 0;
  vi.spyOn(console, "warn").mockImplementation((text) => warnings.push(text));
});
afterEach(() => vi.restoreAllMocks());

describe("tools whose schemas have no JSON form", () => {
  it("are all named by the constructor, with their places", () => {
    const open = () => new AgenticToolsNode({ tools: [unfit("a"), fits, unfit("b")], onSchemaError: "throw" });
    expect(open).toThrow(/tools\[0\]: Tool "a".*\n.*tools\[2\]: Tool "b"/);
    expect(() => new AgenticToolsNode([unfit("a")])).toThrow("tools[0]");
    expect(warnings).toEqual([]);
  });

  it("are left out with onSchemaError: skip, and reported", async () => {
    const node = new AgenticToolsNode({ tools: { a: unfit("x"), fits, b: unfit("y") }, onSchemaError: "skip" });
    expect(node.infos.map(({ name }) => name)).toEqual(["fits"]);
    expect(node.skippedTools).toMatchObject([
      { name: "a", where: 'tools["a"]', error: { code: "SCHEMA_UNSUPPORTED" } },
      { name: "b", where: 'tools["b"]' },
    ]);
    expect(warnings).toEqual([expect.stringMatching(/tools\["a"\].*\n.*tools\["b"\]/)]);
    expect(textsOf(await node.invoke(calls(call("fits"))))).toEqual(["ok"]);
    expect(await toolError(node.invoke(calls(call("a"))))).toMatchObject({ kind: "unknown_tool" });
  });

  it("are left out of the tools of one call as well", async () => {
    const node = new AgenticToolsNode({ tools: [], onSchemaError: "skip" });
    const options = { options: { toolsNode: { tools: [unfit("a"), fits] } } };
    expect(textsOf(await node.invoke(calls(call("fits")), options))).toEqual(["ok"]);
    expect(warnings).toHaveLength(1);
  });

  it("are none when all schemas convert", () => {
    expect(new AgenticToolsNode({ tools: [fits], onSchemaError: "skip" }).skippedTools).toEqual([]);
    expect(warnings).toEqual([]);
  });

  it("are left out, or an error: there is nothing else", () => {
    expect(() => new AgenticToolsNode({ tools: [], onSchemaError: "ignore" as never })).toThrow("onSchemaError");
  });
});
