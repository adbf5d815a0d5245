import { AgenticToolsNode } from "kumiko";
import { describe, expect, it } from "vitest";
import { call, calls, textsOf, toolError } from "../node/calls.js";
import { oneOperation, toolOf } from "./sent.js";

const answer = (schema: object, type = "application/json") => ({ description: "", content: { [type]: { schema } } });
const text = { type: "string" };

async function outputSchemaOf(responses: object, more: object = {}) {
  return (await toolOf(oneOperation({ responses }, more))).outputSchema;
}

describe("the outputSchema of a tool", () => {
  it("is that of the JSON with which the operation answers when all goes well", async () => {
    const responses = { 200: answer(text), 404: answer({ type: "object" }), default: answer({}) };
    expect(await outputSchemaOf(responses)).toEqual(text);
    expect(await outputSchemaOf({ "2XX": answer(text, "application/problem+json") })).toEqual(text);
    expect(await outputSchemaOf({ 200: answer(text), 201: answer({ type: "null" }) })).toEqual({
      anyOf: [text, { type: "null" }],
    });
  });

  it("stands on its own, with what only the service sets, and without what is only sent to it", async () => {
    const Pet = {
      type: "object",
      properties: {
        id: { type: "integer", readOnly: true },
        password: { type: "string", writeOnly: true },
        parent: { $ref: "#/components/schemas/Pet" },
        name: { type: "string", nullable: true },
      },
      required: ["id", "password"],
    };
    const responses = { 200: { $ref: "#/components/responses/Found" } };
    const components = {
      schemas: { Pet },
      responses: { Found: answer({ type: "array", items: { $ref: "#/components/schemas/Pet" } }) },
    };
    expect(await outputSchemaOf(responses, { openapi: "3.0.3", components })).toEqual({
      type: "array",
      items: { $ref: "#/$defs/Pet" },
      $defs: {
        Pet: {
          type: "object",
          properties: {
            id: { type: "integer", readOnly: true },
            parent: { $ref: "#/$defs/Pet" },
            name: { type: ["string", "null"] },
          },
          required: ["id"],
        },
      },
    });
  });

  it.each([
    ["it may answer with nothing", { 200: answer(text), 204: { description: "" } }],
    ["it may answer with something else than JSON", { 200: answer(text, "text/plain") }],
    ["it says nothing of its answers", {}],
    ["a reference leads nowhere", { 200: answer({ $ref: "#/components/schemas/None" }) }],
  ])("is missing where %s", async (_where, responses) => {
    expect(await outputSchemaOf(responses)).toBeUndefined();
  });

  it("checks answers only where somebody says so", async () => {
    const document = oneOperation({ operationId: "count", responses: { 200: answer({ type: "integer" }) } });
    const fetch = async () => Response.json("many");
    const tools = [await toolOf(document, { fetch })];
    expect(textsOf(await new AgenticToolsNode(tools).invoke(calls(call("count"))))).toEqual(["many"]);
    const strict = new AgenticToolsNode({ tools, outputValidation: "error" });
    expect(await toolError(strict.invoke(calls(call("count"))))).toMatchObject({ kind: "output_validation" });
  });
});

describe("what a tool says of its operation", () => {
  it.each([
    ["get", { readOnlyHint: true, idempotentHint: true }],
    ["put", { readOnlyHint: false, idempotentHint: true }],
    ["delete", { readOnlyHint: false, idempotentHint: true }],
    ["post", { readOnlyHint: false, idempotentHint: false }],
  ])("follows from the method: %s", async (method, hints) => {
    const tool = await toolOf(oneOperation({ summary: "Does it." }, {}, method));
    expect(tool.mcp).toEqual({ annotations: { title: "Does it.", ...hints } });
  });
});
