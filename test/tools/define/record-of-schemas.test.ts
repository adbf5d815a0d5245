import { tool as sdkTool } from "ai";
import { type } from "arktype";
import { AgenticToolsNode, asTool, Chain, createTool, lambda, memoryStore } from "kumiko";
import { createAgent } from "kumiko/agents";
import { toolInfo } from "kumiko/components";
import * as mastra from "kumiko/mastra";
import { structured } from "kumiko/models";
import { scriptedModel } from "kumiko/testing";
import * as v from "valibot";
import { describe, expect, it } from "vitest";
import { z } from "zod";

const shape = { to: z.string().min(3), cents: z.number().int().max(1_000) };
const named = /a record of schemas, not a schema\. Wrap it: z\.object\(\{ to: …, cents: … \}\)/;
const options = { id: "t", description: "", execute: () => "ran" };

/** Options as plain JavaScript gives them: the editor refuses them. */
const untyped = (given: object): never => given as never;

describe("a record of schemas in place of a schema is an error that says how to wrap it", () => {
  it.each(["inputSchema", "outputSchema", "suspendSchema", "resumeSchema", "requestContextSchema"])(
    "as %s of createTool",
    (name) => {
      expect(() => createTool(untyped({ ...options, [name]: shape }))).toThrow(named);
      expect(() => mastra.createTool(untyped({ ...options, [name]: shape }))).toThrow(named);
    },
  );

  it("in a tools node, for tools of other formats", () => {
    const plain = { description: "", inputSchema: shape, execute: () => "ran" };
    expect(() => new AgenticToolsNode({ tools: { plain: plain as never } })).toThrow(named);
    expect(() => new AgenticToolsNode({ tools: { sdk: sdkTool(untyped(plain)) } })).toThrow(named);
    const tanStack = { __toolSide: "server", name: "a", description: "", execute: () => 1, approvalSchema: shape };
    expect(() => new AgenticToolsNode({ tools: [tanStack as never] })).toThrow(named);
  });

  it("for asTool, toolInfo and the output of a model or an agent", () => {
    const run = lambda({ invoke: () => "" });
    expect(() =>
      asTool(run, untyped({ id: options.id, description: options.description, inputSchema: shape })),
    ).toThrow(named);
    expect(() => toolInfo({ name: "t", parameters: shape as never })).toThrow(named);
    const model = scriptedModel("{}");
    expect(() => structured(model, shape as never)).toThrow(named);
    expect(() => createAgent({ model, output: shape as never })).toThrow(named);
  });

  it("for the steps and workflows of kumiko/mastra", () => {
    for (const name of ["inputSchema", "outputSchema", "resumeSchema", "suspendSchema", "stateSchema"]) {
      expect(() => mastra.createStep(untyped({ id: "s", execute: () => 1, [name]: shape }))).toThrow(named);
    }
    for (const name of ["inputSchema", "outputSchema", "stateSchema"]) {
      expect(() => mastra.createWorkflow(untyped({ id: "w", [name]: shape }))).toThrow(named);
    }
    const workflow = mastra.createWorkflow({ id: "w" });
    expect(() => workflow.map({ to: { value: 1, schema: shape as never } })).toThrow(named);
  });

  it("for a question, before it is asked", async () => {
    const app = new Chain<string>()
      .append(async (_, ctx) => ctx.ask("to", "To whom?", shape as never))
      .compile({ store: memoryStore() });
    await expect(app.invoke("x", { checkpointId: "a" })).rejects.toThrow(named);
  });

  it("whichever library made the schemas", () => {
    const of = (inputSchema: object) => () => createTool(untyped({ ...options, inputSchema }));
    expect(of({ city: v.string() })).toThrow("v.object({ city: … })");
    expect(of({ city: type("string") })).toThrow("type({ city: … })");
    expect(of({ type: z.string(), properties: z.string() })).toThrow("z.object({ type: …, properties: … })");
    expect(of({ city: z.string(), unit: { type: "string" } })).toThrow("z.object({ city: …, … })");
  });
});

describe("an object that is no schema does not pass as a JSON Schema", () => {
  const of = (outputSchema: unknown) => () => createTool(untyped({ ...options, outputSchema }));

  it.each<[unknown, RegExp]>([
    [{ type: "object", properties: { city: z.string() } }, /schema of zod inside it, at "properties\.city"/],
    [{ type: "object", parse: () => 1 }, /has a function as "parse"/],
    [{ type: "object", later: Promise.resolve() }, /has a promise as "later"/],
    [{ city: "string" }, /without a keyword of JSON Schema \(fields: city\)/],
    [new Date(), /is an instance of Date, not a schema/],
    [() => 1, /is a function, not a schema/],
    ["string", /is a string, not a schema/],
    [[z.string()], /is an array, not a schema/],
    [null, /is null, not a schema/],
  ])("%#", (given, message) => expect(of(given)).toThrow(message));

  it("but JSON Schemas with odd keywords, made by zod, or with data that looks like anything, do", () => {
    const cyclic: Record<string, unknown> = { type: "object", properties: {} };
    Object.assign(cyclic.properties as object, { self: cyclic });
    for (const given of [
      {},
      { "x-note": 1 },
      { $comment: "anything" },
      { example: { city: "x" } },
      z.toJSONSchema(z.object({ city: z.string() })),
      { type: "object", properties: { city: z.toJSONSchema(z.string()) } },
      { type: "object", default: { city: { type: "string" } } },
      cyclic,
    ]) {
      expect(of(given)).not.toThrow();
    }
  });
});

describe("a map of parameters", () => {
  const of = (inputSchema: unknown) => () => createTool(untyped({ ...options, inputSchema }));

  it("refuses a limit that it would drop", () => {
    expect(of({ city: { type: "string", minLength: 3 } })).toThrow('Parameter "city" has minLength');
    expect(of({ at: { type: "object", properties: { zip: { type: "string", pattern: "x" } } } })).toThrow(
      'Parameter "at.zip" has pattern',
    );
  });

  it("refuses schemas that another library marks", () => {
    expect(of({ city: { type: "string", [Symbol("kind")]: "String" } })).toThrow("schema of another library");
  });
});
