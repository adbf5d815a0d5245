import { AgenticToolsNode, Chain, memoryStore } from "kumiko";
import { type OpenApiToolsOptions, openApiTools } from "kumiko/openapi";
import { expect, it } from "vitest";
import { interruptOf } from "../../checkpoint/interrupt-of.js";
import { call, calls, rejection, textsOf } from "../node/calls.js";

const pet = { name: "id", in: "path", required: true, schema: { type: "integer" } };
const document = {
  openapi: "3.1.0",
  servers: [{ url: "https://pets.example.com" }],
  paths: {
    "/pets/{id}": {
      parameters: [pet],
      get: { operationId: "getPet" },
      delete: { operationId: "deletePet", tags: ["danger"] },
    },
  },
};

const both = calls(call("getPet", { id: 1 }), call("deletePet", { id: 1 }));

it.each<[string, OpenApiToolsOptions, string[]]>([
  ["for all operations", { requireApproval: true }, ["getPet", "deletePet"]],
  ["by the operation", { requireApproval: (_input, _ctx, { method }) => method !== "get" }, ["deletePet"]],
  ["by its tags", { requireApproval: (_i, _c, { tags }) => tags.includes("danger") }, ["deletePet"]],
  ["by name", { requireApproval: { getPet: ({ id }) => id === 1 } }, ["getPet"]],
])("openApiTools asks before a request is sent: %s", async (_how, options, expected) => {
  const asked: string[] = [];
  const fetch: OpenApiToolsOptions["fetch"] = async (url, init) => {
    asked.push(`${init?.method} ${new URL(String(url)).pathname}`);
    return new Response("done");
  };
  const node = new AgenticToolsNode(await openApiTools(document, { fetch, ...options }));
  const app = new Chain<typeof both>().appendToolsNode(node).compile({ store: memoryStore() });
  const { interrupts } = await interruptOf(app.invoke(both, { checkpointId: "run" }));
  expect(interrupts.map(({ info }) => (info as { toolName: string }).toolName)).toEqual(expected);
  expect(asked).toHaveLength(2 - expected.length);
  const answers = Object.fromEntries(interrupts.map(({ id }) => [id, { approved: true }]));
  expect(textsOf(await app.resume("run", answers))).toEqual(["done", "done"]);
  expect(asked.sort()).toEqual(["DELETE /pets/1", "GET /pets/1"]);
});

it("openApiTools refuses the name of an operation that is no tool", async () => {
  const options: OpenApiToolsOptions = {
    requireApproval: { deletePet: true },
    include: ({ method }) => method === "get",
  };
  expect(String(await rejection(openApiTools(document, options)))).toContain('names "deletePet", which is not a tool');
});
