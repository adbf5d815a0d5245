import { AgenticToolsNode, createTool, type ToolAliases } from "kumiko";
import { describe, expect, it } from "vitest";
import { z } from "zod";
import { renameArguments } from "../../../src/tools/node/aliases.js";
import { plain, thrownBy } from "../../compose/thrown-by.js";
import { blocksOf, call, calls, textsOf, tool } from "./calls.js";

const search = createTool({
  id: "search",
  description: "",
  inputSchema: z.object({ query: z.string(), limit: z.number().default(5) }),
  execute: ({ query, limit }, ctx) => `${query} ${limit} as ${ctx.toolName}`,
});
const nodeWith = (toolAliases: Record<string, ToolAliases>) =>
  new AgenticToolsNode({ tools: [search, tool("other", () => "other")], toolAliases });

describe("names", () => {
  it("find the tool; the result keeps the name as called", async () => {
    const node = nodeWith({ search: { nameAliases: ["find", "search"] } });
    const results = await node.invoke(calls(call("find", { query: "x" }), call("search", { query: "y" })));
    expect(blocksOf(results).map(({ name, result }) => [name, result])).toEqual([
      ["find", "x 5 as search"],
      ["search", "y 5 as search"],
    ]);
  });

  it("of tools that are not there are left alone", () => {
    expect(() => nodeWith({ nope: { nameAliases: ["", "search"] } })).not.toThrow();
  });

  it.each<[string, Record<string, ToolAliases>]>([
    ['tool "search" has empty name alias', { search: { nameAliases: [""] } }],
    ["conflicts with existing tool's canonical name", { search: { nameAliases: ["other"] } }],
    [
      'conflicts with an alias already registered for tool "search"',
      { search: { nameAliases: ["x"] }, other: { nameAliases: ["x"] } },
    ],
  ])("are refused when they are ambiguous: %s", (message, aliases) => {
    const error = thrownBy(() => nodeWith(aliases));
    expect(error.code).toBe("INVALID_ALIAS");
    expect(error.message).toContain(message);
  });
});

describe("argument names", () => {
  it("are renamed before the arguments handler and the check", async () => {
    const seen: string[] = [];
    const node = new AgenticToolsNode({
      tools: [search],
      toolAliases: { search: { nameAliases: ["find"], argumentsAliases: { query: ["q", "text"], limit: ["max"] } } },
      toolArgumentsHandler: (name, args) => {
        seen.push(name, args);
        return args;
      },
    });
    expect(textsOf(await node.invoke(calls(call("find", { q: "x", max: 2 }))))).toEqual(["x 2 as search"]);
    expect(seen).toEqual(["search", '{"query":"x","limit":2}']);
    expect(textsOf(await node.stream(calls(call("find", { text: "y" }))).concat())).toEqual(["y 5 as search"]);
  });

  it.each<[string, ToolAliases]>([
    ["an empty canonical argument key", { argumentsAliases: { "": ["q"] } }],
    ['an empty argument alias for "query"', { argumentsAliases: { query: [""] } }],
    ['conflicts with existing schema property "limit"', { argumentsAliases: { query: ["limit"] } }],
    ['conflicting arg alias: "q" means both "query" and "limit"', { argumentsAliases: { query: ["q"], limit: ["q"] } }],
    ["nested field matching is not yet supported", { argumentsAliases: { "query.text": ["q"] } }],
  ])("are refused: %s", (message, aliases) => {
    const error = thrownBy(() => nodeWith({ search: aliases }));
    expect(error.code).toBe("INVALID_ALIAS");
    expect(error.message).toContain(message);
  });

  it("may not be used to reach a prototype", () => {
    const aliases = { argumentsAliases: JSON.parse('{"__proto__":["p"]}') as Record<string, string[]> };
    expect(thrownBy(() => nodeWith({ search: aliases })).message).toContain("__proto__");
  });

  const aliases = new Map([
    ["q", "query"],
    ["text", "query"],
  ]);
  it.each([
    ["", ""],
    ["  ", "  "],
    ["not json", "not json"],
    ['{"q":', '{"q":'],
    ["[1]", "[1]"],
    ['"q"', '"q"'],
    ["null", "null"],
    ['{ "query" : 1 }', '{ "query" : 1 }'],
    ['{ "other" : {"q":1} }', '{ "other" : {"q":1} }'],
    ['{"q":1,"query":2}', '{"q":1,"query":2}'],
    ['{"a":0, "q" :1, "z":2}', '{"a":0, "query" :1, "z":2}'],
    ['{"z":[{"q":"\\""}],"q":12345678901234567890}', '{"z":[{"q":"\\""}],"query":12345678901234567890}'],
    ['{"q":1,"text":2}', '{"query":1,"text":2}'],
    ['{"q":{"q":1}}', '{"query":{"q":1}}'],
    ['{"__proto__":1,"q":2}', '{"__proto__":1,"query":2}'],
  ])("%s becomes %s", (given, wanted) => {
    expect(renameArguments(given, aliases)).toBe(wanted);
  });
});

it.each([3, [], { search: ["find"] }, { search: { nameAliases: "find" } }, { search: { names: ["find"] } }])(
  "refuses aliases of another shape: %j",
  (aliases) => {
    expect(thrownBy(() => nodeWith(plain(aliases))).code).toBe("INVALID_ALIAS");
  },
);
