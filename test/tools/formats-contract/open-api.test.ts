import { createServer, type IncomingMessage, type Server, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { AgenticToolsNode, findCause, ToolCallError, ToolError } from "kumiko";
import { openApiTools } from "kumiko/openapi";
import { afterAll, beforeAll, beforeEach, describe, expect, it } from "vitest";
import { call, message, parametersOf, rejection, resultOf } from "./caller.js";

interface Seen {
  readonly method: string;
  readonly url: string;
  readonly headers: IncomingMessage["headers"];
  readonly body: string;
}

const seen: Seen[] = [];
let answer: (request: Seen, response: ServerResponse, raw: IncomingMessage) => void;
let server: Server;
let base: string;

beforeAll(async () => {
  server = createServer((request, response) => {
    const pieces: Buffer[] = [];
    request.on("data", (piece: Buffer) => pieces.push(piece));
    request.on("end", () => {
      const { method = "", url = "", headers } = request;
      const one = { method, url, headers, body: Buffer.concat(pieces).toString("utf8") };
      seen.push(one);
      answer(one, response, request);
    });
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  base = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
});
afterAll(() => {
  server.closeAllConnections();
  server.close();
});
beforeEach(() => {
  seen.length = 0;
  answer = ({ method, url, body }, response) => json(response, 200, { method, url, body });
});

function json(response: ServerResponse, status: number, value: unknown): void {
  response.writeHead(status, { "content-type": "application/json" });
  response.end(JSON.stringify(value));
}

const text = { type: "string" } as const;

/** A document of one operation. */
function one(path: string, method: string, operation: object, more: object = {}): object {
  return {
    openapi: "3.1.0",
    info: { title: "t", version: "1" },
    servers: [{ url: `${base}/v1` }],
    paths: { [path]: { [method]: { operationId: "op", ...operation } } },
    ...more,
  };
}

const nodeOf = async (document: object, options?: Parameters<typeof openApiTools>[1]) =>
  new AgenticToolsNode({ tools: await openApiTools(document, options), onToolError: "result" });

const parameter = (name: string, where: string, schema: object, more: object = {}) => ({
  name,
  in: where,
  schema,
  ...more,
});

describe("requests of an operation", () => {
  it("path, query and header parameters are flat, a JSON body is under body", async () => {
    const document = one("/pets/{petId}", "post", {
      summary: "Changes a pet.",
      parameters: [
        parameter("petId", "path", { type: "integer" }, { required: true }),
        parameter("dry", "query", { type: "boolean" }),
        parameter("X-Tenant", "header", text),
      ],
      requestBody: {
        required: true,
        content: { "application/json": { schema: { type: "object", properties: { name: text }, required: ["name"] } } },
      },
    });
    const node = await nodeOf(document);
    expect(node.infos).toMatchObject([{ name: "op", description: expect.stringContaining("Changes a pet.") }]);
    const schema = parametersOf(node, "op");
    expect(schema).toMatchObject({ type: "object" });
    expect(Object.keys((schema as { properties: object }).properties).sort()).toEqual([
      "X-Tenant",
      "body",
      "dry",
      "petId",
    ]);
    expect([...(schema as { required: string[] }).required].sort()).toEqual(["body", "petId"]);
    await resultOf(node, "op", { petId: 7, dry: true, "X-Tenant": "acme", body: { name: "Ren 蓮" } });
    expect(seen).toMatchObject([
      {
        method: "POST",
        url: "/v1/pets/7?dry=true",
        headers: { "x-tenant": "acme", "content-type": expect.stringContaining("application/json") },
        body: '{"name":"Ren 蓮"}',
      },
    ]);
  });

  it("the answer's JSON is the result, and text stays text", async () => {
    const node = await nodeOf(one("/a", "get", {}));
    answer = (_request, response) => json(response, 200, { ok: [1, 2] });
    expect(await resultOf(node, "op")).toMatchObject({ result: '{"ok":[1,2]}', resultType: "json" });
    answer = (_request, response) => {
      response.writeHead(200, { "content-type": "text/plain; charset=utf-8" });
      response.end("123");
    };
    const plain = await resultOf(node, "op");
    expect(plain.result).toBe("123");
    expect(plain.resultType).toBeUndefined();
  });

  it("204 and an empty 200 are an empty result", async () => {
    const node = await nodeOf(one("/a", "delete", {}));
    for (const status of [204, 200]) {
      answer = (_request, response) => {
        response.writeHead(status, status === 204 ? {} : { "content-type": "application/json" });
        response.end();
      };
      const result = await resultOf(node, "op");
      expect(result.isError).toBeUndefined();
      expect(result.result).toBe("");
    }
  });

  it("JSON that is none is told as the text it is", async () => {
    const node = await nodeOf(one("/a", "get", {}));
    answer = (_request, response) => {
      response.writeHead(200, { "content-type": "application/json" });
      response.end("{broken");
    };
    expect((await resultOf(node, "op")).result).toContain("{broken");
  });

  it("path values are escaped: slashes, dots, question marks and percent signs stay in their segment", async () => {
    const node = await nodeOf(
      one("/files/{name}/meta", "get", { parameters: [parameter("name", "path", text, { required: true })] }),
    );
    const hostile = ["a/b", "a?b=c", "a#b", "100%", "ä 深", "a\\b", "a;b=c"];
    for (const name of hostile) {
      seen.length = 0;
      await resultOf(node, "op", { name });
      expect(seen).toHaveLength(1);
      const { pathname, search, hash } = new URL(seen[0]?.url ?? "", base);
      expect(search + hash).toBe("");
      const segments = pathname.split("/");
      expect(segments).toHaveLength(5);
      expect(decodeURIComponent(segments[3] ?? "")).toBe(name);
    }
  });

  it('a path value cannot climb: "..", ".", and their encoded forms never change the path', async () => {
    const node = await nodeOf(
      one("/files/{name}/meta", "get", { parameters: [parameter("name", "path", text, { required: true })] }),
    );
    for (const name of ["..", ".", "%2e%2e", "../../admin", "..%2f..%2fadmin", ""]) {
      seen.length = 0;
      const result = await resultOf(node, "op", { name });
      for (const { url } of seen) {
        expect(url.startsWith("/v1/files/")).toBe(true);
        expect(url.endsWith("/meta")).toBe(true);
        expect(url.split("/")).toHaveLength(5);
      }
      if (seen.length === 0) expect(result.isError).toBe(true);
    }
  });

  it("arrays in a query: form exploded by default, joined when not, space and pipe delimited", async () => {
    const list = { type: "array", items: text };
    const node = await nodeOf(
      one("/a", "get", {
        parameters: [
          parameter("plain", "query", list),
          parameter("joined", "query", list, { explode: false }),
          parameter("pipes", "query", list, { style: "pipeDelimited", explode: false }),
          parameter("spaces", "query", list, { style: "spaceDelimited", explode: false }),
        ],
      }),
    );
    await resultOf(node, "op", { plain: ["a", "b&c"], joined: ["x", "y"], pipes: ["p", "q"], spaces: ["s", "t"] });
    const query = new URL(seen[0]?.url ?? "", base).searchParams;
    expect(query.getAll("plain")).toEqual(["a", "b&c"]);
    expect(query.get("joined")).toBe("x,y");
    expect(query.get("pipes")).toBe("p|q");
    expect(query.get("spaces")).toBe("s t");
  });

  it("objects in a query: form, and deepObject", async () => {
    const object = { type: "object", properties: { a: text, b: text } };
    const node = await nodeOf(
      one("/a", "get", {
        parameters: [
          parameter("deep", "query", object, { style: "deepObject", explode: true }),
          parameter("flat", "query", object),
          parameter("packed", "query", object, { explode: false }),
        ],
      }),
    );
    await resultOf(node, "op", { deep: { a: "1", b: "2" }, flat: { a: "3", b: "4" }, packed: { a: "5", b: "6" } });
    const query = new URL(seen[0]?.url ?? "", base).searchParams;
    expect(query.get("deep[a]")).toBe("1");
    expect(query.get("deep[b]")).toBe("2");
    expect(query.get("a")).toBe("3");
    expect(query.get("packed")).toBe("a,5,b,6");
  });

  it("path styles: simple, label, matrix", async () => {
    const list = { type: "array", items: { type: "integer" } };
    const node = await nodeOf(
      one("/a/{simple}/{label}/{matrix}", "get", {
        parameters: [
          parameter("simple", "path", list, { required: true }),
          parameter("label", "path", list, { required: true, style: "label" }),
          parameter("matrix", "path", list, { required: true, style: "matrix" }),
        ],
      }),
    );
    await resultOf(node, "op", { simple: [1, 2], label: [3, 4], matrix: [5, 6] });
    expect(decodeURIComponent(seen[0]?.url ?? "")).toBe("/v1/a/1,2/.3,4/;matrix=5,6");
  });

  it("a parameter with content is sent as JSON", async () => {
    const node = await nodeOf(
      one("/a", "get", {
        parameters: [{ name: "filter", in: "query", content: { "application/json": { schema: { type: "object" } } } }],
      }),
    );
    await resultOf(node, "op", { filter: { a: [1] } });
    expect(new URL(seen[0]?.url ?? "", base).searchParams.get("filter")).toBe('{"a":[1]}');
  });

  it("parameters that are absent are not sent; false, 0 and the empty text are", async () => {
    const node = await nodeOf(
      one("/a", "get", {
        parameters: [
          parameter("no", "query", { type: "boolean" }),
          parameter("zero", "query", { type: "integer" }),
          parameter("empty", "query", text),
          parameter("absent", "query", text),
        ],
      }),
    );
    await resultOf(node, "op", { no: false, zero: 0, empty: "" });
    const query = new URL(seen[0]?.url ?? "", base).searchParams;
    expect([...query.entries()]).toEqual([
      ["no", "false"],
      ["zero", "0"],
      ["empty", ""],
    ]);
  });

  it("a header value cannot add a header or a line", async () => {
    const node = await nodeOf(one("/a", "get", { parameters: [parameter("X-Note", "header", text)] }));
    for (const value of ["a\r\nX-Admin: 1", "a\nb", "a\0b"]) {
      seen.length = 0;
      const result = await resultOf(node, "op", { "X-Note": value });
      expect(seen.every(({ headers }) => headers["x-admin"] === undefined)).toBe(true);
      if (seen.length === 0) expect(result).toMatchObject({ isError: true });
    }
  });

  it("two parameters of one name in different places both have an argument", async () => {
    const node = await nodeOf(
      one("/a/{id}", "get", {
        parameters: [parameter("id", "path", text, { required: true }), parameter("id", "query", text)],
      }),
    );
    const { properties } = parametersOf(node, "op") as { properties: Record<string, unknown> };
    expect(Object.keys(properties)).toHaveLength(2);
    const input = Object.fromEntries(Object.keys(properties).map((name, index) => [name, `v${index}`]));
    await resultOf(node, "op", input);
    const { pathname, searchParams } = new URL(seen[0]?.url ?? "", base);
    expect(new Set([pathname.split("/").at(-1), searchParams.get("id")])).toEqual(new Set(["v0", "v1"]));
  });

  it("a parameter named body beside a body, and parameters named like object members", async () => {
    const node = await nodeOf(
      one("/a", "post", {
        parameters: [
          parameter("body", "query", text),
          parameter("constructor", "query", text),
          parameter("toString", "query", text),
        ],
        requestBody: { content: { "application/json": { schema: { type: "object" } } } },
      }),
    );
    const { properties } = parametersOf(node, "op") as { properties: Record<string, { type?: string }> };
    expect(Object.keys(properties)).toHaveLength(4);
    await resultOf(node, "op", { constructor: "c" });
    const query = new URL(seen[0]?.url ?? "", base).searchParams;
    expect(query.get("constructor")).toBe("c");
    expect(query.get("toString")).toBeNull();
  });

  it("parameters of the path belong to its operations, which may replace them", async () => {
    const document = {
      ...one("/a/{id}", "get", {}),
      paths: {
        "/a/{id}": {
          parameters: [parameter("id", "path", text, { required: true }), parameter("page", "query", text)],
          get: { operationId: "op", parameters: [parameter("page", "query", { type: "integer" })] },
        },
      },
    };
    const node = await nodeOf(document);
    expect(parametersOf(node, "op")).toMatchObject({ properties: { page: { type: "integer" } }, required: ["id"] });
  });

  it("references to components are followed, cycles included", async () => {
    const document = one(
      "/tree",
      "post",
      {
        parameters: [{ $ref: "#/components/parameters/Page" }],
        requestBody: { $ref: "#/components/requestBodies/Tree" },
      },
      {
        components: {
          parameters: { Page: parameter("page", "query", { type: "integer" }) },
          requestBodies: {
            Tree: {
              required: true,
              content: { "application/json": { schema: { $ref: "#/components/schemas/Node" } } },
            },
          },
          schemas: {
            Node: {
              type: "object",
              properties: { name: text, children: { type: "array", items: { $ref: "#/components/schemas/Node" } } },
              required: ["name"],
            },
          },
        },
      },
    );
    const node = await nodeOf(document);
    expect(() => JSON.stringify(parametersOf(node, "op"))).not.toThrow();
    expect(
      (await resultOf(node, "op", { page: 1, body: { name: "a", children: [{ name: "b" }] } })).isError,
    ).toBeUndefined();
    const misfit = await resultOf(node, "op", { body: { name: "a", children: [{ name: 7 }] } });
    expect(misfit).toMatchObject({ errorKind: "validation" });
    expect(misfit.result).toContain("children");
  });

  it("OpenAPI 3.0: nullable takes null, exclusiveMinimum is a flag", async () => {
    const document = one(
      "/a",
      "post",
      {
        requestBody: {
          content: {
            "application/json": {
              schema: {
                type: "object",
                properties: {
                  note: { type: "string", nullable: true },
                  size: { type: "number", minimum: 0, exclusiveMinimum: true },
                },
              },
            },
          },
        },
      },
      { openapi: "3.0.3" },
    );
    const node = await nodeOf(document);
    expect((await resultOf(node, "op", { body: { note: null, size: 1 } })).isError).toBeUndefined();
    expect(await resultOf(node, "op", { body: { size: 0 } })).toMatchObject({ errorKind: "validation" });
    expect(await resultOf(node, "op", { body: { note: 7 } })).toMatchObject({ errorKind: "validation" });
  });

  it("form and text bodies", async () => {
    const form = await nodeOf(
      one("/a", "post", {
        requestBody: {
          content: {
            "application/x-www-form-urlencoded": { schema: { type: "object", properties: { a: text, b: text } } },
          },
        },
      }),
    );
    await resultOf(form, "op", { body: { a: "1 2", b: "x&y" } });
    expect(seen[0]?.headers["content-type"]).toContain("application/x-www-form-urlencoded");
    expect(Object.fromEntries(new URLSearchParams(seen[0]?.body))).toEqual({ a: "1 2", b: "x&y" });
    const plain = await nodeOf(one("/a", "post", { requestBody: { content: { "text/plain": { schema: text } } } }));
    await resultOf(plain, "op", { body: "just text" });
    expect(seen[1]).toMatchObject({ body: "just text" });
  });
});

describe("answers that are no success", () => {
  it("an execution error with status and body", async () => {
    const [tool] = await openApiTools(one("/a", "get", {}));
    if (!tool) throw new Error("no tool");
    answer = (_request, response) => json(response, 422, { problem: "too small" });
    const error = await rejection(new AgenticToolsNode([tool]).invoke(message(call("op"))));
    expect(error).toBeInstanceOf(ToolError);
    expect(error).toMatchObject({ kind: "execution" });
    const cause = findCause(error, ToolCallError);
    expect(cause).toMatchObject({ status: 422 });
    expect(JSON.stringify(cause?.details)).toContain("too small");
    expect((error as Error).message).toContain("422");
    expect((error as Error).message).toContain("too small");
  });

  it("a huge error body is told in part", async () => {
    const node = await nodeOf(one("/a", "get", {}));
    answer = (_request, response) => {
      response.writeHead(500, { "content-type": "text/plain" });
      response.end("x".repeat(200_000));
    };
    const { result } = await resultOf(node, "op");
    expect(result).toContain("500");
    expect(result.length).toBeLessThan(10_000);
  });

  it("a server that is not there is an execution error that names the operation, not the secret headers", async () => {
    const node = await nodeOf(one("/a", "get", {}), {
      baseUrl: "http://127.0.0.1:1",
      headers: { authorization: "Bearer top-secret" },
    });
    const result = await resultOf(node, "op");
    expect(result).toMatchObject({ isError: true, errorKind: "execution" });
    expect(result.result).not.toContain("top-secret");
  });

  it("an answer that breaks off is an execution error", async () => {
    const node = await nodeOf(one("/a", "get", {}));
    answer = (_request, response, raw) => {
      response.writeHead(200, { "content-type": "application/json", "content-length": "100" });
      response.write('{"a":');
      setImmediate(() => raw.socket.destroy());
    };
    expect(await resultOf(node, "op")).toMatchObject({ isError: true, errorKind: "execution" });
  });

  it("an abort of the run ends the request; the run rejects with its reason", async () => {
    const [tool] = await openApiTools(one("/a", "get", {}));
    if (!tool) throw new Error("no tool");
    const controller = new AbortController();
    const reason = new Error("enough");
    const closed = new Promise<void>((resolve) => {
      answer = (_request, _response, raw) => {
        raw.socket.once("close", () => resolve());
        controller.abort(reason);
      };
    });
    expect(
      await rejection(new AgenticToolsNode([tool]).invoke(message(call("op")), { signal: controller.signal })),
    ).toBe(reason);
    await closed;
  });

  it("a time-out ends the request", async () => {
    const tools = await openApiTools(one("/a", "get", {}));
    const closed = new Promise<void>((resolve) => {
      answer = (_request, _response, raw) => raw.socket.once("close", () => resolve());
    });
    const node = new AgenticToolsNode({ tools, timeoutMs: 25, onToolError: "result" });
    expect(await resultOf(node, "op")).toMatchObject({ errorKind: "timeout" });
    await closed;
  });
});

describe("where requests go", () => {
  it("baseUrl stands for the servers of the document, with and without a slash at its end", async () => {
    for (const baseUrl of [`${base}/x`, `${base}/x/`]) {
      seen.length = 0;
      await resultOf(await nodeOf(one("/a", "get", {}), { baseUrl }), "op");
      expect(seen[0]?.url).toBe("/x/a");
    }
  });

  it("servers of the operation come before those of the path and of the document; variables have defaults", async () => {
    const servers = [{ url: `${base}/{stage}`, variables: { stage: { default: "beta" } } }];
    await resultOf(await nodeOf(one("/a", "get", { servers })), "op");
    expect(seen[0]?.url).toBe("/beta/a");
  });

  it("a document without a usable server says that baseUrl is missing, before any call", async () => {
    for (const servers of [undefined, [], [{ url: "/relative" }]]) {
      const error = await rejection(openApiTools({ ...one("/a", "get", {}), servers }));
      expect(String(error)).toContain("baseUrl");
    }
  });

  it("only http and https are called", async () => {
    for (const url of ["file:///etc/passwd", "javascript:alert(1)", "data:text/plain,x"]) {
      const error = await rejection(
        openApiTools({ ...one("/a", "get", {}), servers: [{ url }] }).then((tools) =>
          new AgenticToolsNode(tools).invoke(message(call("op"))),
        ),
      );
      expect(error).toBeInstanceOf(Error);
    }
  });

  it("the credentials of `headers` are not carried to another origin by a redirect", async () => {
    const elsewhere: IncomingMessage["headers"][] = [];
    const other = createServer((request, response) => {
      elsewhere.push(request.headers);
      json(response, 200, "stolen");
    });
    await new Promise<void>((resolve) => other.listen(0, "127.0.0.1", resolve));
    try {
      const { port } = other.address() as AddressInfo;
      answer = (_request, response) => {
        response.writeHead(302, { location: `http://localhost:${port}/` });
        response.end();
      };
      const node = await nodeOf(one("/a", "get", {}), { headers: { authorization: "Bearer s", "x-api-key": "k" } });
      await resultOf(node, "op");
      for (const headers of elsewhere) {
        expect(headers.authorization).toBeUndefined();
        expect(headers["x-api-key"]).toBeUndefined();
      }
    } finally {
      other.close();
    }
  });

  it("a redirect at the same origin is followed, with its headers; a body that would go elsewhere is not sent", async () => {
    const node = await nodeOf(
      one("/a", "post", { requestBody: { content: { "application/json": { schema: { type: "object" } } } } }),
      { headers: { "x-api-key": "k" } },
    );
    answer = ({ url }, response) => {
      if (url === "/v1/a") {
        response.writeHead(307, { location: "/v1/b" });
        response.end();
      } else json(response, 200, "moved");
    };
    expect((await resultOf(node, "op", { body: { a: 1 } })).result).toBe("moved");
    expect(seen[1]).toMatchObject({ method: "POST", url: "/v1/b", body: '{"a":1}', headers: { "x-api-key": "k" } });
    seen.length = 0;
    answer = (_request, response) => {
      response.writeHead(307, { location: base.replace("127.0.0.1", "localhost") });
      response.end();
    };
    const result = await resultOf(node, "op", { body: { a: 1 } });
    expect(result).toMatchObject({ errorKind: "execution" });
    expect(result.result).toContain("307");
    expect(seen).toHaveLength(1);
  });

  it("redirects without an end, and to what is no address, are errors", async () => {
    const node = await nodeOf(one("/a", "get", {}));
    for (const location of ["/v1/a", "file:///etc/passwd", "http://"]) {
      answer = (_request, response) => {
        response.writeHead(302, { location });
        response.end();
      };
      expect(await resultOf(node, "op")).toMatchObject({ isError: true, errorKind: "execution" });
    }
  });

  it("a key that no header can hold is not told to the model; an address with a password is refused", async () => {
    const node = await nodeOf(one("/a", "get", {}), { headers: { authorization: "Bearer top\nsecret" } });
    const { isError, result } = await resultOf(node, "op");
    expect(isError).toBe(true);
    expect(result).toContain("authorization");
    expect(result).not.toContain("secret");
    const error = await rejection(nodeOf(one("/a", "get", {}), { baseUrl: "https://user:hunter2@x.example" }));
    expect(String(error)).toContain("header");
    expect(String(error)).not.toContain("hunter2");
  });

  it("keys in an address and in cookies are not replaced by what a model writes, not even as keys of an object", async () => {
    const anything = { type: "object", additionalProperties: text };
    const document = one(
      "/a",
      "get",
      {
        parameters: [parameter("filter", "query", anything), parameter("prefs", "cookie", anything)],
        security: [{}, { key: [], session: [] }],
      },
      {
        components: {
          securitySchemes: {
            key: { type: "apiKey", in: "query", name: "api_key" },
            session: { type: "apiKey", in: "cookie", name: "sid" },
          },
        },
      },
    );
    const node = await nodeOf(document, { auth: { key: "mine", session: "own" } });
    await resultOf(node, "op", {
      filter: { api_key: "theirs", "a&api_key": "theirs" },
      prefs: { sid: "theirs", "x=1; sid": "theirs" },
    });
    expect(new URL(seen[0]?.url ?? "", base).searchParams.getAll("api_key")).toEqual(["mine"]);
    const cookies = (seen[0]?.headers.cookie ?? "").split("; ").map((cookie) => cookie.split("=", 1)[0]);
    expect(cookies.filter((name) => name === "sid")).toHaveLength(1);
    expect(seen[0]?.headers.cookie).toContain("sid=own");
  });

  it("a header without a value is not sent, and Headers do as well as a record", async () => {
    const absent = await nodeOf(one("/a", "get", {}), { headers: () => ({ "x-token": undefined }) });
    await resultOf(absent, "op");
    expect(seen[0]?.headers["x-token"]).toBeUndefined();
    await resultOf(await nodeOf(one("/a", "get", {}), { headers: new Headers({ "x-token": "t" }) }), "op");
    expect(seen[1]?.headers["x-token"]).toBe("t");
  });

  it("headers win over what a model gives for them, and a function gets the context", async () => {
    const document = one("/a", "get", { parameters: [parameter("X-Tenant", "header", text)] });
    const node = await nodeOf(document, {
      headers: (ctx) => ({ "x-tenant": String(ctx.requestContext.get("tenant")) }),
    });
    await resultOf(node, "op", { "X-Tenant": "attacker" }, { requestContext: { tenant: "acme" } });
    expect(seen[0]?.headers["x-tenant"]).toBe("acme");
  });
});

describe("documents", () => {
  it("each operation is a tool; a missing operationId gives a name of method and path", async () => {
    const document = {
      openapi: "3.0.3",
      servers: [{ url: base }],
      paths: {
        "/pets": { get: { summary: "Lists." }, post: { operationId: "createPet" } },
        "/pets/{petId}": { get: { parameters: [parameter("petId", "path", text, { required: true })] } },
      },
    };
    const node = await nodeOf(document);
    expect(node.infos.map(({ name }) => name)).toEqual(["get_pets", "createPet", "get_pets_petId"]);
    await resultOf(node, "get_pets_petId", { petId: "7" });
    expect(seen[0]?.url).toBe("/pets/7");
  });

  it("operationIds that a model cannot take are made fit", async () => {
    const node = await nodeOf(one("/a", "get", { operationId: "pets.list/all v2" }));
    expect(node.infos[0]?.name).toMatch(/^[A-Za-z0-9_-]{1,64}$/);
    expect((await resultOf(node, node.infos[0]?.name ?? "")).isError).toBeUndefined();
  });

  it("a second operation of one operationId gets a number", async () => {
    const document = {
      ...one("/a", "get", {}),
      paths: { "/a": { get: { operationId: "same" } }, "/b": { get: { operationId: "same" } } },
    };
    expect((await nodeOf(document)).infos.map(({ name }) => name)).toEqual(["same", "same_2"]);
  });

  it("what is no OpenAPI 3 document is refused with a reason", async () => {
    for (const bad of [undefined, null, "text", {}, { swagger: "2.0", paths: {} }, { openapi: "4.0.0", paths: {} }])
      expect(String(await rejection((async () => openApiTools(bad as never))()))).toMatch(/OpenAPI|openapi|document/);
  });

  it("a $ref out of the document is never fetched, but an error", async () => {
    const document = one("/a", "post", {
      requestBody: { content: { "application/json": { schema: { $ref: `${base}/schema.json` } } } },
    });
    expect(String(await rejection(openApiTools(document)))).toContain("schema.json");
    const file = one("/a", "post", {
      requestBody: { content: { "application/json": { schema: { $ref: "file:///etc/passwd" } } } },
    });
    expect(await rejection(openApiTools(file))).toBeInstanceOf(Error);
    expect(seen).toEqual([]);
  });

  it("a frozen document works, and none is changed", async () => {
    const document = one("/a/{id}", "get", { parameters: [parameter("id", "path", text, { required: true })] });
    const copy = structuredClone(document);
    const frozen = deepFreeze(document);
    await resultOf(await nodeOf(frozen), "op", { id: "1" });
    expect(frozen).toEqual(copy);
  });

  it("deprecated, tagged and extended operations do no harm; filter leaves operations out", async () => {
    const document = {
      ...one("/a", "get", { deprecated: true, tags: ["x"], "x-internal": true }),
    };
    expect((await nodeOf(document)).infos).toHaveLength(1);
    expect(await openApiTools(document, { include: () => false })).toEqual([]);
  });

  it("a parameter named __proto__ changes no prototype", async () => {
    const node = await nodeOf(one("/a", "get", { parameters: [parameter("__proto__", "query", { type: "object" })] }));
    await resultOf(node, "op", '{"__proto__":{"polluted":true}}');
    expect(({} as Record<string, unknown>).polluted).toBeUndefined();
  });
});

function deepFreeze<T>(value: T): T {
  if (typeof value === "object" && value !== null) {
    for (const inner of Object.values(value)) deepFreeze(inner);
    Object.freeze(value);
  }
  return value;
}
