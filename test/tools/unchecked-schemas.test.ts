import { execFileSync } from "node:child_process";
import { join } from "node:path";
import {
  type AgenticMessage,
  AgenticToolsNode,
  Chain,
  createTool,
  type JsonSchema,
  mcpTools,
  memoryStore,
} from "kumiko";
import { describe, expect, it } from "vitest";
import { JsonSchemaValidator, jsonSchemaValidator } from "../../src/schema/json-schema-validator.js";
import { questionOf } from "../checkpoint/interrupt-of.js";
import { usePrograms } from "../programs.js";
import { connect, tool as served } from "./mcp/servers.js";
import { call, calls, kindsOf, textsOf } from "./node/calls.js";

const child = join(import.meta.dirname, "unchecked-schemas-child.ts");
const programOf = usePrograms(child);

const object = (properties: object, more: object = {}) => ({ type: "object", properties, ...more });
const draft = (name: string) => ({ $schema: `http://json-schema.org/draft-${name}/schema#` });

interface Case {
  readonly schema: JsonSchema;
  readonly good: unknown;
  /** What is still refused. */
  readonly bad: unknown;
  readonly paths: readonly string[];
}

const cases: Readonly<Record<string, Case>> = {
  "nullable without type": {
    schema: object({ note: { nullable: true, enum: ["a"] }, n: { type: "integer" } }),
    good: { note: null, n: 1 },
    bad: { n: "x" },
    paths: ["/properties/note/nullable"],
  },
  "nullable beside a reference": {
    schema: object({ to: { $ref: "#/$defs/to", nullable: true } }, { $defs: { to: { type: "string" } } }),
    good: { to: null },
    bad: { to: 5 },
    paths: ["/properties/to/nullable"],
  },
  "a pattern of another language": {
    schema: object({ zip: { type: "string", pattern: "(?i)\\A[a-z]+\\z" } }),
    good: { zip: "ABC" },
    bad: { zip: 5 },
    paths: ["/properties/zip/pattern"],
  },
  "patternProperties of another language": {
    schema: object({ n: { type: "integer" } }, { patternProperties: { "(?i)^x-": {} }, additionalProperties: false }),
    good: { n: 1, "X-a": 5 },
    bad: { n: "x" },
    paths: ["/patternProperties/(?i)^x-"],
  },
  "such a pattern where it excludes": {
    schema: object({ zip: { not: { pattern: "(?i)a" } }, n: { type: "integer" } }),
    good: { zip: "b", n: 1 },
    bad: { zip: "b", n: "x" },
    paths: ["/properties/zip/not/pattern", "/properties/zip/not"],
  },
  "such a pattern in one of several": {
    schema: object({ at: { oneOf: [{ type: "string", pattern: "(?i)a" }, { type: "string" }, { type: "integer" }] } }),
    good: { at: "a" },
    bad: { at: true },
    paths: ["/properties/at/oneOf/0/pattern"],
  },
  "draft-04": {
    schema: { ...draft("04"), id: "x", ...object({ n: { type: "number", minimum: 1, exclusiveMinimum: true } }) },
    good: { n: 2 },
    bad: { n: 1 },
    paths: [],
  },
  "draft-06": {
    schema: { ...draft("06"), ...object({ n: { const: 1 } }) },
    good: { n: 1 },
    bad: { n: 2 },
    paths: [],
  },
  "draft 2019-09": {
    schema: {
      $schema: "https://json-schema.org/draft/2019-09/schema",
      ...object({ n: { $ref: "#/$defs/n", maximum: 5 } }, { $defs: { n: { type: "integer" } } }),
    },
    good: { n: 1 },
    bad: { n: 9 },
    paths: [],
  },
  "a draft that nobody knows": {
    schema: { $schema: "https://example.com/dialect", ...object({ n: { type: "integer" } }) },
    good: { n: 1 },
    bad: { n: "x" },
    paths: ["/$schema"],
  },
  "a reference that leads nowhere, and one that leads out": {
    schema: object({ a: { $ref: "#/$defs/none" }, b: { $ref: "https://example.com/b.json" }, n: { type: "integer" } }),
    good: { a: 1, b: 2, n: 3 },
    bad: { n: "x" },
    paths: ["/properties/a/$ref", "/properties/b/$ref"],
  },
  "keywords with values that they cannot have": {
    schema: object({ a: { type: "any" }, b: { type: "string", required: true }, n: { type: "integer" } }),
    good: { a: 1, b: "x", n: 3 },
    bad: { n: "x" },
    paths: ["/properties/a/type", "/properties/b/required"],
  },
  "names that are no part of a URI": {
    schema: object(
      { "100%": { type: "any" }, "%/~#": { $ref: "#/$defs/%" }, n: { $ref: "#/$defs/n%20%25" } },
      { $defs: { "n %": { type: "integer" } } },
    ),
    good: { "100%": 1, "%/~#": 2, n: 1 },
    bad: { n: "x" },
    paths: ["/properties/100%/type", "/properties/%~1~0#/$ref"],
  },
  "an empty enum": {
    schema: object({ a: { enum: [] }, n: { type: "integer" } }),
    good: { a: "x", n: 1 },
    bad: { n: "x" },
    paths: ["/properties/a/enum"],
  },
  "names that are listed twice": {
    schema: object({ a: { type: ["string", "string"] }, n: {} }, { required: ["n", "n"] }),
    good: { a: "x", n: 1 },
    bad: { a: "x" },
    paths: [],
  },
  "a list of items as drafts before 2020-12 have it": {
    schema: object({ a: { type: "array", items: [{ type: "string" }], additionalItems: false } }),
    good: { a: ["x"] },
    bad: { a: ["x", 1] },
    paths: [],
  },
  "an $id that is no URI": {
    schema: { $id: "not a uri", ...object({ n: { type: "integer" }, kid: { $ref: "not a uri" } }) },
    good: { n: 1, kid: 5 },
    bad: { n: "x" },
    paths: ["/$id", "/properties/kid/$ref"],
  },
  "an $id that is a short URN": {
    schema: { $id: "urn:a", ...object({ n: { type: "integer" }, kid: { $ref: "urn:a" } }) },
    good: { n: 1 },
    bad: { n: 1, kid: { n: "x" } },
    paths: [],
  },
  "two schemas of one name": {
    schema: object({
      a: { $anchor: "q" },
      b: { $anchor: "q", type: "string" },
      c: { $ref: "#q" },
      n: { type: "integer" },
    }),
    good: { a: 1, b: "x", c: true, n: 1 },
    bad: { b: 5 },
    paths: ["/properties/a/$anchor", "/properties/b/$anchor", "/properties/c/$ref"],
  },
  "many references that lead nowhere": {
    schema: object({ ...manyReferences(150), n: { type: "integer" } }),
    good: { r1: 1, n: 1 },
    bad: { n: "x" },
    paths: Array.from({ length: 150 }, (_, index) => `/properties/r${index}/$ref`),
  },
};

function manyReferences(count: number): Record<string, { readonly $ref: string }> {
  return Object.fromEntries(Array.from({ length: count }, (_, index) => [`r${index}`, { $ref: `#/$defs/x${index}` }]));
}

describe.each(Object.entries(cases))("a schema with %s", (_name, { schema, good, bad, paths }) => {
  it("checks what can be checked, and tells once, at the first call, what cannot", async () => {
    const plain = createTool({ id: "plain", description: "", inputSchema: schema, execute: () => "ran" });
    const client = await connect([[served("served", { inputSchema: schema as never })]], () => ({
      content: [{ type: "text", text: "ran" }],
    }));
    const node = new AgenticToolsNode({ tools: [plain, ...(await mcpTools(client))], onToolError: "result" });
    const events: Record<string, unknown>[] = [];
    const options = { callbacks: [{ onEvent: (_info: unknown, event: never) => void events.push(event) }] };
    const message = (input: unknown) => calls(call("plain", input), call("served", input), call("plain", input, "2"));
    expect(textsOf(await node.invoke(message(good), options))).toEqual(["ran", "ran", "ran"]);
    for (const toolName of ["plain", "served"]) {
      const told = events.filter((event) => event.toolName === toolName);
      expect(told.map(({ kind, path }) => [kind, path]).sort()).toEqual(
        paths.map((path) => ["unchecked_schema", path]).sort(),
      );
      expect(told.every(({ schema: name, reason }) => name === "inputSchema" && typeof reason === "string")).toBe(true);
    }
    events.length = 0;
    expect(kindsOf(await node.invoke(message(bad), options))).toEqual(["validation", "validation", "validation"]);
    expect(textsOf(await node.stream(message(good), options).concat())).toEqual(["ran", "ran", "ran"]);
    expect(events).toEqual([]);
  });
});

it("leaves out the same parts where code may not be made from strings", async () => {
  const program = ["--disallow-code-generation-from-strings", programOf(child)];
  const input = JSON.stringify(Object.values(cases).map(({ schema, good, bad }) => ({ schema, good, bad })));
  const output: unknown = JSON.parse(execFileSync(process.execPath, program, { encoding: "utf8", input }));
  expect(output).toEqual(
    Object.values(cases).map(({ paths }) => ({ paths: [...paths].sort(), good: "fits", bad: "does not fit" })),
  );
});

it("an approval of such a tool can be answered, with edited arguments too", async () => {
  const inputSchema = object({ zip: { type: "string", pattern: "(?i)a" } });
  const tool = createTool({
    id: "t",
    description: "",
    inputSchema,
    requireApproval: true,
    execute: ({ zip }) => `ran ${zip}`,
  });
  const app = new Chain<AgenticMessage>()
    .appendToolsNode(new AgenticToolsNode([tool]))
    .compile({ name: "app", store: memoryStore() });
  const { id } = await questionOf(app.invoke(calls(call("t", { zip: "A" })), { checkpointId: "run" }));
  expect(textsOf(await app.resume("run", { [id]: { approved: true, arguments: { zip: "B" } } }))).toEqual(["ran B"]);
});

it("outputs, payloads and answers of such schemas pass as well", async () => {
  const wrong = object({ zip: { type: "string", pattern: "(?i)a" } });
  const tool = createTool({
    id: "t",
    description: "",
    outputSchema: wrong,
    outputValidation: "error",
    suspendSchema: wrong,
    resumeSchema: wrong,
    execute: async (_input, ctx) => (ctx.resumeData === undefined ? ctx.suspend({ zip: "a" }) : ctx.resumeData),
  });
  const app = new Chain<AgenticMessage>()
    .appendToolsNode(new AgenticToolsNode([tool]))
    .compile({ name: "app", store: memoryStore() });
  const { id } = await questionOf(app.invoke(calls(call("t")), { checkpointId: "run" }));
  expect(textsOf(await app.resume("run", { [id]: { zip: "B" } }))).toEqual(['{"zip":"B"}']);
});

it("a part that is no schema at all accepts anything", async () => {
  const { check, unchecked } = await new JsonSchemaValidator().compileLoosely(object({ c: 5, n: { type: "integer" } }));
  expect(unchecked.map(({ path }) => path)).toEqual(["/properties/c"]);
  expect([check({ c: 1, n: 1 }), check({ n: "x" })?.length]).toEqual([undefined, 1]);
});

it("compile still refuses what it cannot check as a whole", async () => {
  await expect(jsonSchemaValidator.compile({ pattern: "(?i)a" })).rejects.toMatchObject({ code: "SCHEMA_INVALID" });
});
