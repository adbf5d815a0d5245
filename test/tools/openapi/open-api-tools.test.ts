import { AgenticToolsNode, findCause, RequestContext, ToolCallError } from "kumiko";
import { type OpenApiToolsOptions, openApiTools } from "kumiko/openapi";
import { toolContext } from "kumiko/testing";
import { afterEach, describe, expect, it } from "vitest";
import { blocksOf, call, calls, rejection } from "../node/calls.js";
import { type Answer, json, type Received, startService } from "./service.js";

const closing: (() => void)[] = [];
afterEach(() => {
  for (const close of closing.splice(0)) close();
});

async function service(answer?: (request: Received) => Answer | Promise<Answer>) {
  const started = await startService(answer);
  closing.push(started.close);
  return started;
}

const documentOf = (paths: object, more: object = {}) => ({
  openapi: "3.1.0",
  info: { title: "Pets", version: "1" },
  paths,
  ...more,
});
const at = (path: string, operation: object, method = "get") => documentOf({ [path]: { [method]: operation } });
const parameter = (name: string, place: string, fields: object = {}) => ({ name, in: place, schema: {}, ...fields });

/** The only tool of a document. */
async function only(document: object, options: OpenApiToolsOptions = { baseUrl: "http://127.0.0.1" }) {
  const [tool, ...others] = await openApiTools(document, options);
  if (tool === undefined || others.length > 0) throw new Error(`${others.length + 1} tools`);
  return tool;
}

/** What a service gets from a call of the only tool of a document, and what the model reads. */
async function send(document: object, args: object, options: OpenApiToolsOptions = {}, answer?: () => Answer) {
  const { baseUrl, received } = await service(answer);
  const tool = await only(document, { baseUrl, ...options });
  const output = await tool.invoke(JSON.stringify(args), toolContext());
  const [request] = received;
  if (request === undefined) throw new Error("nothing was sent");
  return { ...request, output };
}

describe("a document", () => {
  it("gives one tool per operation, named by its operationId, else by method and path", async () => {
    const document = documentOf({
      "/pets": { get: { operationId: "listPets", summary: "Lists." }, post: {} },
      "/pets/{id}/toys-of-it": { parameters: [parameter("id", "path")], delete: {}, trace: {} },
      "x-note": { get: {} },
    });
    const tools = await openApiTools(document, { baseUrl: "http://a.example" });
    expect(tools.map(({ id }) => id)).toEqual(["listPets", "post_pets", "delete_pets_id_toys_of_it"]);
    expect(new AgenticToolsNode(tools).infos.map(({ name }) => name)).toEqual(tools.map(({ id }) => id));
  });

  it("numbers names that are there twice", async () => {
    const document = documentOf({
      "/a/b": { get: {} },
      "/a-b": { get: {} },
      "/c": { get: { operationId: "get_a_b" } },
    });
    const tools = await openApiTools(document, { baseUrl: "http://a.example" });
    expect(tools.map(({ id }) => id)).toEqual(["get_a_b", "get_a_b_2", "get_a_b_3"]);
  });

  it("gives only the tools that the filter keeps, and tells what each was made of", async () => {
    const document = documentOf({ "/a": { get: { tags: ["x"], deprecated: true }, put: {} } });
    const tools = await openApiTools(document, {
      baseUrl: "http://a.example",
      include: ({ method }) => method === "get",
    });
    expect(tools.map(({ metadata }) => metadata)).toEqual([
      { method: "get", path: "/a", operationId: undefined, tags: ["x"], deprecated: true },
    ]);
  });

  it("describes a tool by summary and description", async () => {
    const { description } = await only(at("/a", { summary: "Lists.", description: "All of them." }));
    expect(description).toBe("Lists.\n\nAll of them.");
    expect((await only(at("/a", { summary: "Same.", description: "Same." }))).description).toBe("Same.");
  });

  it("is refused when it is no OpenAPI document of these versions", async () => {
    for (const document of [{}, { swagger: "2.0", paths: {} }, [], null, "openapi: 3.1.0", { openapi: "3.2.0" }])
      expect(await rejection(openApiTools(document as object))).toMatchObject({ code: "SCHEMA_INVALID" });
  });

  it("is refused with a list of all operations that cannot be called", async () => {
    const document = documentOf(
      {
        "/upload": { post: { requestBody: { required: true, content: {} } } },
        "/a/{id}": { get: {} },
        "/lost": { get: { parameters: [{ $ref: "#/components/parameters/none" }] } },
        "/far": { $ref: "http://127.0.0.1:1/other.json#/far" },
        "/loop": { get: { parameters: [{ $ref: "#/components/parameters/loop" }] } },
        "/odd": { get: { parameters: [{ name: "q" }] } },
        "/good": { get: {} },
      },
      { components: { parameters: { loop: { $ref: "#/components/parameters/loop" } } } },
    );
    const error = await rejection(openApiTools(document, { baseUrl: "http://a.example" }));
    expect(error).toMatchObject({ code: "SCHEMA_INVALID" });
    const lines = String(error).split("\n- ").slice(1);
    expect(lines.map((line) => line.split(":")[0])).toEqual([
      "POST /upload",
      "GET /a/{id}",
      "GET /lost",
      "/far",
      "GET /loop",
      "GET /odd",
    ]);
  });

  it("is not changed", async () => {
    const document = documentOf(
      { "/a": { get: { parameters: [parameter("q", "query", { schema: { $ref: "#/components/schemas/Q" } })] } } },
      { components: { schemas: { Q: { type: "string" } } } },
    );
    const before = JSON.stringify(document);
    await openApiTools(document, { baseUrl: "http://a.example" });
    expect(JSON.stringify(document)).toBe(before);
  });
});

describe("an address", () => {
  it("is baseUrl, else the nearest server with the defaults of its variables", async () => {
    const { baseUrl, received } = await service();
    const { port } = new URL(baseUrl);
    const servers = [{ url: "http://{host}:{port}/v{n}/", variables: vars({ host: "127.0.0.1", port, n: "2" }) }];
    const far = [{ url: "http://127.0.0.1:1" }];
    const run = async (document: object, options: OpenApiToolsOptions) =>
      (await only(document, options)).invoke("{}", toolContext());
    await run({ ...at("/a", {}), servers }, {});
    await run({ ...at("/b", { servers }), servers: far }, {});
    await run({ ...documentOf({ "/c": { servers, get: {} } }), servers: far }, {});
    await run({ ...at("/d", {}), servers: far }, { baseUrl: `${baseUrl}/base/?key=1` });
    expect(received.map(({ url }) => url)).toEqual(["/v2/a", "/v2/b", "/v2/c", "/base/d?key=1"]);
  });

  const vars = (defaults: Record<string, string>) =>
    Object.fromEntries(Object.entries(defaults).map(([name, value]) => [name, { default: value }]));

  it("is asked for when the document has none, or only a relative one", async () => {
    for (const servers of [undefined, [{ url: "/v1" }], [{ url: "ftp://a.example" }]]) {
      const error = await rejection(openApiTools({ ...at("/a", {}), servers }));
      expect(String(error)).toContain("Set baseUrl");
    }
  });
});

describe("arguments", () => {
  it("are flat: path, query, header and cookie parameters, those of the operation before those of the path", async () => {
    const document = documentOf({
      "/pets/{id}": {
        parameters: [parameter("id", "path"), parameter("limit", "query", { schema: { type: "string" } })],
        get: {
          parameters: [
            parameter("limit", "query", { schema: { type: "integer" }, description: "How many.", required: true }),
            parameter("X-Trace", "header"),
            parameter("session", "cookie"),
            parameter("Authorization", "header"),
          ],
        },
      },
    });
    const tool = await only(document);
    expect(tool.info.toJsonSchema()).toEqual({
      type: "object",
      properties: { id: {}, limit: { type: "integer", description: "How many." }, "X-Trace": {}, session: {} },
      required: ["id", "limit"],
      additionalProperties: false,
    });
    const request = await send(document, { id: "a/b c", limit: 3, "X-Trace": "t1" });
    expect(request).toMatchObject({ method: "GET", url: "/pets/a%2Fb%20c?limit=3", headers: { "x-trace": "t1" } });
  });

  it("of the same name, or named like the body, say where they go", async () => {
    const document = at(
      "/a/{id}",
      {
        parameters: [parameter("id", "path"), parameter("id", "query"), parameter("body", "query")],
        requestBody: { content: { "application/json": {} } },
      },
      "post",
    );
    const request = await send(document, { id: 1, query_id: 2, query_body: 3, body: [4] });
    expect(request).toMatchObject({ url: "/a/1?id=2&body=3", body: "[4]" });
  });

  it("that do not fit are not sent", async () => {
    const { baseUrl, received } = await service();
    const tool = await only(at("/a", { parameters: [parameter("n", "query", { schema: { type: "integer" } })] }), {
      baseUrl,
    });
    expect(await rejection(tool.invoke('{"n":"x"}', toolContext()))).toMatchObject({ kind: "validation" });
    expect(await rejection(tool.invoke('{"other":1}', toolContext()))).toMatchObject({ kind: "validation" });
    expect(received).toEqual([]);
  });

  it("cannot lead out of the path", async () => {
    const { baseUrl, received } = await service();
    const tool = await only(at("/users/{id}/keys", { parameters: [parameter("id", "path")] }), { baseUrl });
    for (const id of ["..", ".", "", "%2e%2e"]) {
      const output = tool.invoke(JSON.stringify({ id }), toolContext());
      if (id === "%2e%2e") await output;
      else expect(await rejection(output)).toMatchObject({ message: expect.stringContaining("Nothing was sent") });
    }
    await tool.invoke(JSON.stringify({ id: "../admin?x#y" }), toolContext());
    expect(received.map(({ url }) => url)).toEqual(["/users/%252e%252e/keys", "/users/..%2Fadmin%3Fx%23y/keys"]);
  });

  const list = ["a", "b c"];
  const record = { k: "v", l: 1 };
  it.each([
    ["query", { style: "form" }, list, "/x?p=a&p=b%20c"],
    ["query", { explode: false }, list, "/x?p=a,b%20c"],
    ["query", { style: "spaceDelimited", explode: false }, list, "/x?p=a%20b%20c"],
    ["query", { style: "pipeDelimited", explode: false }, list, "/x?p=a%7Cb%20c"],
    ["query", {}, record, "/x?k=v&l=1"],
    ["query", { explode: false }, record, "/x?p=k,v,l,1"],
    ["query", { style: "deepObject" }, { k: { m: [1, 2] } }, "/x?p%5Bk%5D%5Bm%5D=1&p%5Bk%5D%5Bm%5D=2"],
    ["query", { allowReserved: true }, "a/b:c&d=e", "/x?p=a/b:c%26d%3De"],
    [
      "query",
      { content: { "application/json": { schema: {} } } },
      record,
      "/x?p=%7B%22k%22%3A%22v%22%2C%22l%22%3A1%7D",
    ],
    ["query", {}, [], "/x"],
    ["query", {}, true, "/x?p=true"],
    ["path", {}, list, "/x/a,b%20c"],
    ["path", {}, record, "/x/k,v,l,1"],
    ["path", { explode: true }, record, "/x/k=v,l=1"],
    ["path", { style: "label" }, "a", "/x/.a"],
    ["path", { style: "label", explode: true }, list, "/x/.a.b%20c"],
    ["path", { style: "matrix" }, "a", "/x/;p=a"],
    ["path", { style: "matrix" }, list, "/x/;p=a,b%20c"],
    ["path", { style: "matrix", explode: true }, list, "/x/;p=a;p=b%20c"],
    ["path", { style: "matrix", explode: true }, record, "/x/;k=v;l=1"],
  ])("in the %s with %j write %j as %s", async (place, fields, value, url) => {
    const path = place === "path" ? "/x/{p}" : "/x";
    const request = await send(at(path, { parameters: [parameter("p", place, fields)] }), { p: value });
    expect(request.url).toBe(url);
  });

  it("in headers write lists and records with commas", async () => {
    const parameters = [parameter("X-List", "header"), parameter("X-Record", "header", { explode: true })];
    const { headers } = await send(at("/x", { parameters }), { "X-List": list, "X-Record": record });
    expect(headers).toMatchObject({ "x-list": "a,b c", "x-record": "k=v,l=1" });
  });
});

describe("a body", () => {
  const post = (content: object, fields: object = {}) => at("/a", { requestBody: { content, ...fields } }, "post");

  it("is sent as JSON under its own media type", async () => {
    const schema = { type: "object", properties: { name: { type: "string" } }, required: ["name"] };
    const document = post({ "application/vnd.api+json": { schema } }, { required: true, description: "A pet." });
    const tool = await only(document);
    expect(tool.info.toJsonSchema()).toMatchObject({
      properties: { body: { ...schema, description: "A pet." } },
      required: ["body"],
    });
    const request = await send(document, { body: { name: "Tama" } });
    expect(request.body).toBe('{"name":"Tama"}');
    expect(request.headers["content-type"]).toBe("application/vnd.api+json");
  });

  it("that is not required may be missing", async () => {
    const { body, headers } = await send(post({ "application/json": {} }), {});
    expect({ body, type: headers["content-type"] }).toEqual({ body: "", type: undefined });
    expect((await send(post({ x: {} }), {})).body).toBe("");
  });

  it("can be a form or a text", async () => {
    const form = {
      "application/x-www-form-urlencoded": { encoding: { deep: { style: "deepObject", explode: true } } },
    };
    const value = { a: "1 &", list: [1, 2], nested: { b: 1 }, deep: { c: 2 } };
    const request = await send(post(form), { body: value });
    expect([...new URLSearchParams(request.body)]).toEqual([
      ["a", "1 &"],
      ["list", "1"],
      ["list", "2"],
      ["nested", '{"b":1}'],
      ["deep[c]", "2"],
    ]);
    expect(request.headers["content-type"]).toBe("application/x-www-form-urlencoded");
    expect((await send(post({ "text/plain": {} }), { body: "hello" })).body).toBe("hello");
  });
});

describe("security", () => {
  it("is sent with each request, and a model cannot replace it", async () => {
    const document = at("/a", { parameters: [parameter("X-Api-Key", "header")] });
    const request = await send(document, { "X-Api-Key": "model" }, { headers: { "x-api-key": "secret" } });
    expect(request.headers["x-api-key"]).toBe("secret");
  });

  it("can be made for each call, from its context", async () => {
    const { baseUrl, received } = await service();
    const headers: OpenApiToolsOptions["headers"] = async ({ requestContext }) => ({
      authorization: `Bearer ${requestContext.get("token")}`,
    });
    const tool = await only(at("/a", {}), { baseUrl, headers });
    const requestContext = new RequestContext<Record<string, unknown>>([["token", "t1"]]);
    await tool.invoke("", toolContext({ requestContext }));
    expect(received[0]?.headers.authorization).toBe("Bearer t1");
  });
});

describe("an answer", () => {
  const answered = async (answer: Answer) => (await send(at("/a", {}), {}, {}, () => answer)).output;

  it("is its JSON, its text, or a part for everything else", async () => {
    const typed = (type: string, body: string | Uint8Array) => ({ headers: { "content-type": type }, body });
    expect(await answered(json({ a: [1] }))).toBe('{"a":[1]}');
    expect(await answered(typed("application/problem+json", "{ "))).toBe("{ ");
    expect(await answered(typed("text/html", "<b>"))).toBe("<b>");
    expect(await answered({ status: 204 })).toBe("");
    expect(await answered(typed("image/png", new Uint8Array([1, 2, 255])))).toEqual([
      { type: "image", base64Data: "AQL/", mimeType: "image/png" },
    ]);
    expect(await answered(typed("application/pdf", ""))).toBe("");
  });

  it("that is no success is an execution error with status and body", async () => {
    const { baseUrl } = await service(() => json({ error: "no such pet" }, 404));
    const node = new AgenticToolsNode(await openApiTools(at("/pets", { operationId: "pets" }), { baseUrl }));
    const error = await rejection(node.invoke(calls(call("pets"))));
    expect(error).toMatchObject({ kind: "execution", toolName: "pets" });
    expect(findCause(error, ToolCallError)).toMatchObject({
      source: "openapi",
      status: 404,
      details: { body: { error: "no such pet" } },
    });
    expect(ToolCallError.is(findCause(error, ToolCallError))).toBe(true);
    const lenient = new AgenticToolsNode({
      tools: await openApiTools(at("/pets", { operationId: "pets" }), { baseUrl }),
      onToolError: "result",
    });
    const [result] = blocksOf(await lenient.invoke(calls(call("pets"))));
    expect(result).toMatchObject({ isError: true, errorKind: "execution" });
    expect(result?.result).toContain('GET /pets was answered with 404 Not Found: {"error":"no such pet"}');
  });

  it("that does not come says so, with the reason", async () => {
    const { baseUrl, close } = await service();
    close();
    const tool = await only(at("/a", {}), { baseUrl });
    const error = await rejection(tool.invoke("", toolContext()));
    expect(error).toMatchObject({ code: "TOOL_FAILED", message: expect.stringContaining("GET /a was not answered") });
  });

  it("is not waited for when the run is stopped", async () => {
    const controller = new AbortController();
    const reason = new Error("enough");
    const { baseUrl } = await service(() => {
      controller.abort(reason);
      return new Promise<Answer>(() => undefined);
    });
    const node = new AgenticToolsNode(await openApiTools(at("/a", { operationId: "a" }), { baseUrl }));
    expect(await rejection(node.invoke(calls(call("a")), { signal: controller.signal }))).toBe(reason);
  });

  it("comes from the fetch that was given", async () => {
    const asked: string[] = [];
    const fetch: OpenApiToolsOptions["fetch"] = async (url) => {
      asked.push(String(url));
      return Response.json({ ok: true });
    };
    const tool = await only(at("/a", {}), { baseUrl: "https://pets.example.com/v1", fetch });
    expect(await tool.invoke("", toolContext())).toBe('{"ok":true}');
    expect(asked).toEqual(["https://pets.example.com/v1/a"]);
  });
});
