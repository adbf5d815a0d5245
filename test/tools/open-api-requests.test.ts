import { AgenticToolsNode } from "kumiko";
import { openApiTools } from "kumiko/openapi";
import { afterEach, describe, expect, it, vi } from "vitest";
import { call, calls, textsOf } from "./node/calls.js";
import { oneOperation, toolOf } from "./openapi/sent.js";
import { type Answer, startService } from "./openapi/service.js";

afterEach(() => {
  vi.restoreAllMocks();
});

const int64 = { type: "integer", format: "int64" };
const big = "9007199254740993";
const body = (type: string, schema: object, required = true) => ({
  requestBody: { required, content: { [type]: { schema } } },
});

/** One call of an operation of a real service. */
async function exchange(operation: object, args: string, answer: Answer = {}, method = "post", path = "/a") {
  const { baseUrl, received, close } = await startService(() => answer);
  try {
    const document = {
      openapi: "3.1.0",
      info: {},
      paths: { [path]: { [method]: { operationId: "op", ...operation } } },
    };
    const tools = await openApiTools(document, { baseUrl });
    const results = await new AgenticToolsNode({ tools, onToolError: "result" }).invoke(calls(call("op", args)));
    return { request: received[0], result: textsOf(results)[0], tools };
  } finally {
    close();
  }
}

describe("64-bit integers", () => {
  it("are sent as the model wrote them: in path, query, header and body", async () => {
    const { request } = await exchange(
      {
        parameters: [
          { name: "id", in: "path", required: true, schema: int64 },
          { name: "ids", in: "query", schema: { type: "array", items: int64 } },
          { name: "x-id", in: "header", schema: int64 },
        ],
        ...body("application/json", { type: "object", properties: { id: int64, text: { type: "string" } } }),
      },
      `{"id":${big},"ids":[${big},1],"x-id":-${big},"body":{"id":${big},"text":"int:${big}","list":[{"n":${big}}]}}`,
      {},
      "post",
      "/a/{id}",
    );
    expect(request?.url).toBe(`/a/${big}?ids=${big}&ids=1`);
    expect(request?.headers["x-id"]).toBe(`-${big}`);
    expect(request?.body).toBe(`{"id":${big},"text":"int:${big}","list":[{"n":${big}}]}`);
  });

  it("are read as the service wrote them", async () => {
    const answered = `{"id":${big},"small":5,"list":[-${big}],"text":"${big}"}`;
    const answer = { headers: { "content-type": "application/json" }, body: answered };
    const { result } = await exchange({}, "{}", answer);
    expect(result).toBe(answered);
    const alone = await exchange({}, "{}", { headers: { "content-type": "application/json" }, body: big });
    expect(alone.result).toBe(big);
  });

  it("fit the schema of an answer that is checked", async () => {
    const schema = { type: "object", properties: { id: int64 } };
    const operation = { operationId: "op", responses: { 200: { content: { "application/json": { schema } } } } };
    const fetch = async () => new Response(`{"id":${big}}`, { headers: { "content-type": "application/json" } });
    const node = new AgenticToolsNode({
      tools: [await toolOf(oneOperation(operation), { fetch })],
      outputValidation: "error",
    });
    expect(textsOf(await node.invoke(calls(call("op"))))).toEqual([`{"id":${big}}`]);
  });
});

describe("required beside allOf, oneOf or anyOf", () => {
  const base = { type: "object", properties: { id: { type: "string", readOnly: true }, name: { type: "string" } } };
  const required = ["id", "name"];
  it.each([
    ["beside a reference", { allOf: [{ $ref: "#/components/schemas/Base" }], required }],
    ["beside a schema", { allOf: [base], required }],
    ["in another part", { allOf: [base, { required }] }],
    ["in a part that is a reference", { allOf: [base, { $ref: "#/components/schemas/Both" }] }],
    ["nested", { allOf: [{ allOf: [{ $ref: "#/components/schemas/Base" }] }], required }],
    ["in every alternative", { oneOf: [base, { required: ["title"], ...base }], required }],
    ["in alternatives of a reference", { allOf: [{ $ref: "#/components/schemas/Any" }], required }],
  ])("does not ask for what is read only: %s", async (_where, schema) => {
    const components = { schemas: { Base: base, Both: { required }, Any: { anyOf: [base, {}] } } };
    const document = oneOperation({ operationId: "op", ...body("application/json", schema) }, { components }, "post");
    const seen: unknown[] = [];
    const tool = await toolOf(document, {
      fetch: async (_url, init) => {
        seen.push(init?.body);
        return new Response("ok");
      },
    });
    const node = new AgenticToolsNode([tool]);
    expect(textsOf(await node.invoke(calls(call("op", { body: { name: "x" } }))))).toEqual(["ok"]);
    expect(seen).toEqual(['{"name":"x"}']);
    await expect(node.invoke(calls(call("op", { body: {} })))).rejects.toThrow("name");
  });
});

describe("what cannot be sent is refused when the tools are made", () => {
  it.each([
    ["XML of fields", body("application/xml", { type: "object", properties: { a: {} } }), "post", "application/xml"],
    ["XML of a reference to fields", body("text/xml", { $ref: "#/components/schemas/Row" }), "post", "text/xml"],
    ["several parts that are no form", body("multipart/mixed", { type: "object" }), "post", "multipart/mixed"],
    ["a form that is a string", body("multipart/form-data", { type: "string" }), "post", "multipart/form-data"],
    ["a body of GET", body("application/json", { type: "object" }), "get", "GET"],
    ["a body of HEAD", body("application/json", { type: "object" }), "head", "HEAD"],
  ])("%s", async (_what, operation, method, named) => {
    const components = { schemas: { Row: { type: "object", properties: { a: {} } } } };
    const making = openApiTools(oneOperation(operation, { components }, method), {
      baseUrl: "https://api.example.com",
    });
    await expect(making).rejects.toMatchObject({ code: "SCHEMA_INVALID", message: expect.stringContaining(named) });
  });

  it("or left out where it may be absent", async () => {
    const operation = body("application/json", { type: "object" }, false);
    const { request, tools } = await exchange(operation, "{}", {}, "get");
    expect(request).toMatchObject({ method: "GET", body: "" });
    expect(tools[0]?.inputSchema).toMatchObject({ properties: {} });
  });
});

it("XML is sent as the text that the model wrote", async () => {
  const { request } = await exchange(body("application/xml", { type: "string" }), '{"body":"<a>1</a>"}');
  expect(request).toMatchObject({ body: "<a>1</a>", headers: { "content-type": "application/xml" } });
});

it("a form keeps the boundary that it is sent with, whatever headers are given", async () => {
  const { baseUrl, received, close } = await startService();
  const document = oneOperation(
    { operationId: "op", ...body("multipart/form-data", { type: "object", properties: { a: { type: "string" } } }) },
    {},
    "post",
  );
  const tools = await openApiTools(document, { baseUrl, headers: { "content-type": "multipart/form-data" } });
  await new AgenticToolsNode(tools).invoke(calls(call("op", { body: { a: "1" } })));
  close();
  const [, boundary] = /boundary=(.+)$/.exec(received[0]?.headers["content-type"] ?? "") ?? [];
  expect(received[0]?.body).toContain(`--${boundary}`);
});

it("the length of a body is never what a model or a header says", async () => {
  const { baseUrl, received, close } = await startService();
  const parameters = [{ name: "Content-Length", in: "header", required: true, schema: { type: "integer" } }];
  const document = oneOperation(
    { operationId: "op", parameters, ...body("application/json", { type: "object" }) },
    {},
    "post",
  );
  const tools = await openApiTools(document, { baseUrl, headers: { "Content-Length": "3" } });
  expect(Object.keys(tools[0]?.inputSchema.properties as object)).toEqual(["body"]);
  await new AgenticToolsNode(tools).invoke(calls(call("op", { body: { a: 1 } })));
  close();
  expect(received[0]).toMatchObject({ body: '{"a":1}', headers: { "content-length": "7" } });
});

it("a response that refers to nothing is reported, and its tool works", async () => {
  const warned = vi.spyOn(console, "warn").mockImplementation(() => undefined);
  const schema = { $ref: "#/components/schemas/None" };
  const operation = { operationId: "op", responses: { 200: { content: { "application/json": { schema } } } } };
  const tool = await toolOf(oneOperation(operation), { fetch: async () => new Response("ok") });
  expect(warned.mock.calls.join()).toMatch(/GET \/a .*#\/components\/schemas\/None/);
  expect(textsOf(await new AgenticToolsNode([tool]).invoke(calls(call("op"))))).toEqual(["ok"]);
});
