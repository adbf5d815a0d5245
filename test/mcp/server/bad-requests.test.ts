import { createServer, request } from "node:http";
import type { AddressInfo } from "node:net";
import { MCPServer, type MCPServerOptions } from "kumiko/mcp";
import { afterEach, describe, expect, it } from "vitest";
import { rejection } from "../../tools/node/calls.js";

const open: MCPServer[] = [];
afterEach(async () => {
  for (const server of open.splice(0)) await server.close();
});

function make(options: Partial<MCPServerOptions> = {}): MCPServer {
  const server = new MCPServer({ name: "test", version: "1.0.0", ...options });
  open.push(server);
  return server;
}

const url = "http://localhost/mcp";
const envelope = {
  "io.modelcontextprotocol/protocolVersion": "2026-07-28",
  "io.modelcontextprotocol/clientInfo": { name: "raw", version: "1" },
  "io.modelcontextprotocol/clientCapabilities": {},
};
const list = JSON.stringify({ jsonrpc: "2.0", id: 1, method: "tools/list", params: { _meta: envelope } });

function post(body: string, headers: Record<string, string> = {}): Request {
  const common = { "content-type": "application/json", accept: "application/json, text/event-stream" };
  const modern = { "mcp-protocol-version": "2026-07-28", "mcp-method": "tools/list" };
  return new Request(url, { method: "POST", body, headers: { ...common, ...modern, ...headers } });
}

describe("a request to an MCPServer", () => {
  it.each([
    ["an unknown Host", { host: "evil.example" }],
    ["an unknown Origin", { origin: "https://evil.example" }],
  ])("is refused with %s, before its body is read", async (_what, headers) => {
    const posted = post(list, headers);
    const response = await make().fetch(posted);
    expect(response.status).toBe(403);
    expect(posted.bodyUsed).toBe(false);
  });

  it("is refused with a Host that is no name, and harms nobody, also in a server of its own", async () => {
    const server = make();
    const failed: unknown[] = [];
    const http = createServer((req, res) => {
      server.startHTTP({ url: req.url ?? "", httpPath: "/mcp", req, res }).catch((error) => void failed.push(error));
    });
    await new Promise<void>((resolve) => http.listen(0, "127.0.0.1", resolve));
    const { port } = http.address() as AddressInfo;
    const status = await new Promise((resolve, reject) => {
      const options = { port, path: "/mcp", method: "POST", headers: { host: "a b" } };
      request(options, (response) => resolve(response.resume().statusCode))
        .on("error", reject)
        .end("{}");
    });
    http.closeAllConnections();
    http.close();
    expect([status, failed]).toEqual([403, []]);
  });

  it("is answered under the names that are allowed", async () => {
    const server = make({ allowedHosts: ["api.example"], allowedOrigins: ["https://app.example"] });
    const fine = await server.fetch(post(list, { host: "api.example", origin: "https://app.example" }));
    expect([fine.status, await fine.json()]).toMatchObject([200, { result: { tools: [] } }]);
    expect((await server.fetch(post(list, { host: "localhost" }))).status).toBe(403);
  });

  it.each<[string, MCPServerOptions["auth"], number, string | null]>([
    ["nobody", () => undefined, 401, "Bearer"],
    ["somebody", () => ({ token: "t", clientId: "c", scopes: [] }), 200, null],
    ["an answer of its own", () => new Response("", { status: 418 }), 418, null],
    [
      "an error",
      () => {
        throw new Error("secret");
      },
      401,
      null,
    ],
  ])("is admitted by auth: %s", async (_who, auth, status, challenge) => {
    const response = await make({ auth }).fetch(post(list));
    expect(response.status).toBe(status);
    expect(response.headers.get("www-authenticate")).toBe(challenge);
    expect(await response.text()).not.toContain("secret");
  });

  it("may have a body of a limited size", async () => {
    const server = make({ maxBodyBytes: 1_000 });
    const long = JSON.stringify({
      jsonrpc: "2.0",
      id: 1,
      method: "tools/list",
      params: { _meta: envelope, x: "x".repeat(2_000) },
    });
    expect((await server.fetch(post(long))).status).toBe(413);
    expect((await server.fetch(post(long, { "content-length": "5000" }))).status).toBe(413);
  });

  it("needs a session that is known, where there are sessions", async () => {
    const server = make();
    const headers = { "content-type": "application/json", accept: "application/json, text/event-stream" };
    const body = JSON.stringify({ jsonrpc: "2.0", id: 1, method: "tools/list" });
    const unknown = { ...headers, "mcp-session-id": "nobody" };
    expect((await server.fetch(new Request(url, { method: "POST", body, headers: unknown }))).status).toBe(404);
    expect((await server.fetch(new Request(url, { method: "POST", body, headers }))).status).toBe(400);
    expect((await server.fetch(new Request(url, { headers }))).status).toBe(400);
    const off = make({ legacy: "off" });
    expect((await off.fetch(new Request(url, { method: "POST", body, headers }))).status).toBe(400);
  });

  it("gets an error without a stack for whatever is in its body", async () => {
    const server = make();
    const junk: unknown[] = [
      null,
      1,
      "x",
      [],
      {},
      { id: 1 },
      { jsonrpc: "1.0" },
      { method: 5 },
      [[]],
      { params: [] },
      "\u0000",
    ];
    const methods = ["tools/list", "tools/call", "prompts/get", "resources/read", "nothing", "__proto__", ""];
    for (let index = 0; index < 10_000; index++) {
      const method = methods[index % methods.length];
      const params = {
        ...(junk[index % junk.length] as object),
        name: junk[(index * 7) % junk.length],
        _meta: index % 3 === 0 ? envelope : junk[index % 5],
      };
      const whole = JSON.stringify({ jsonrpc: "2.0", id: junk[(index * 3) % junk.length], method, params });
      const body = index % 4 === 0 ? whole.slice(0, (index * 13) % whole.length) : whole;
      const response = await server.fetch(post(body, { "mcp-method": method ?? "" }));
      const text = await response.text();
      if (/\bat .+:\d+:\d+/.test(text) || response.status >= 500)
        throw new Error(`${response.status} ${body}: ${text}`);
    }
  }, 120_000);

  it("opens a stream of a session anew whose client has gone", async () => {
    const { url: address } = await make().listen({ port: 0 });
    const params = { protocolVersion: "2025-11-25", capabilities: {}, clientInfo: { name: "c", version: "1" } };
    const body = JSON.stringify({ jsonrpc: "2.0", id: 1, method: "initialize", params });
    const accept = "application/json, text/event-stream";
    const begun = await fetch(address, {
      method: "POST",
      headers: { "content-type": "application/json", accept },
      body,
    });
    const headers = { accept, "mcp-session-id": begun.headers.get("mcp-session-id") ?? "" };
    for (let visit = 1; visit <= 3; visit++) {
      const controller = new AbortController();
      const openStream = async () => (await fetch(address, { headers, signal: controller.signal })).status;
      await expect.poll(openStream).toBe(200);
      controller.abort();
    }
  });

  it("is not answered after close, which may be called twice", async () => {
    const server = make();
    await server.fetch(post(list));
    await server.close();
    await server.close();
    expect((await server.fetch(post(list))).status).toBe(503);
    expect(await rejection(server.startStdio())).toMatchObject({ code: "MCP_DISCONNECTED" });
    expect(await rejection(server.listen({ port: 0 }))).toMatchObject({ code: "MCP_DISCONNECTED" });
    expect(await rejection(server.executeTool("any", {}))).toMatchObject({ code: "MCP_DISCONNECTED" });
  });
});

describe("an MCPServer that is made wrongly", () => {
  it.each<[string, object, string]>([
    ["an unknown option", { nmae: "x" }, 'Unknown option "nmae"'],
    ["no name", { name: "" }, "name of MCPServer"],
    ["a short key", { requestStateKey: "short" }, "at least 32 bytes"],
    ["an unknown mode", { legacy: "yes" }, "legacy of MCPServer"],
    ["a limit of nothing", { maxPending: 0 }, "maxPending of MCPServer"],
    ["half a call", { maxPending: 1.5 }, "a whole number above 0"],
    ["tools that are none", { tools: 5 }, "tools of MCPServer must be an array or a record"],
    ["an agent that cannot answer", { agents: { a: { description: "x" } } }, 'agents["a"] of MCPServer'],
    ["a key that is no name", { agents: { "a b": { description: "x", generate: async () => "" } } }, "keys of agents"],
    ["a workflow without runs", { workflows: { a: { description: "x" } } }, 'workflows["a"] of MCPServer'],
    ["a graph without a schema", { graphs: { a: { runnable: {}, description: "x" } } }, 'graphs["a"] of MCPServer'],
    ["resources without content", { resources: { listResources: () => [] } }, "resources of MCPServer"],
    ["a prompt without a template", { prompts: { a: { template: 5 } } }, 'prompts["a"] of MCPServer'],
    ["a store that is none", { store: {} }, "store of MCPServer"],
    ["a logger that is none", { logger: {} }, "logger of MCPServer"],
    ["values that are none", { requestContext: 5 }, "requestContext of MCPServer"],
    ["a handler that is not in a list", { callbacks: {} }, "callbacks of MCPServer"],
    ["a runtime that is none", { runtime: 5 }, "runtime of MCPServer"],
    ["a day that is none", { releaseDate: "soon" }, "releaseDate of MCPServer"],
    ["a number as a text", { instructions: 5 }, "instructions of MCPServer"],
    ["a text as a truth", { isLatest: "yes" }, "isLatest of MCPServer"],
  ])("throws for %s", (_what, options, message) => {
    expect(() => new MCPServer({ name: "test", version: "1.0.0", ...options } as never)).toThrow(message);
  });

  it.each([[-1], [70_000], ["x"], [undefined]])("does not listen on the port %s", async (port) => {
    expect(await rejection(make().listen({ port } as never))).toMatchObject({ code: "INVALID_OPTION" });
  });

  it.each<[string, (server: MCPServer) => Promise<unknown>]>([
    ["listen", (server) => server.listen({ port: 0, hostname: "0.0.0.0" } as never)],
    ["startHTTP", (server) => server.startHTTP({ url: "/", req: {}, res: {}, path: "/mcp" } as never)],
    ["startSSE", (server) => server.startSSE({ url: "/", req: {}, res: {}, path: "/sse" } as never)],
    ["startHonoSSE", (server) => server.startHonoSSE({ url: "/", context: {}, path: "/sse" } as never)],
    ["executeTool", (server) => server.executeTool("a", {}, { callId: "1" } as never)],
  ])("throws for an unknown option of %s", async (where, use) => {
    const message = expect.stringMatching(`Unknown option ".+" of ${where}`);
    expect(await rejection(use(make()))).toMatchObject({ code: "INVALID_OPTION", message });
  });

  it("does not listen for others without the names that it is called by", async () => {
    expect(await rejection(make().listen({ port: 0, host: "0.0.0.0" }))).toMatchObject({ code: "INVALID_OPTION" });
  });
});
