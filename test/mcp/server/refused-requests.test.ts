import { createServer, type IncomingMessage, request } from "node:http";
import type { AddressInfo } from "node:net";
import { MCPServer, type MCPServerOptions } from "kumiko/mcp";
import { afterEach, describe, expect, it } from "vitest";
import { rejection } from "../../tools/node/calls.js";

const open: (() => unknown)[] = [];
afterEach(async () => {
  for (const close of open.splice(0).reverse()) await close();
});

function make(options: Partial<MCPServerOptions> = {}): MCPServer {
  const server = new MCPServer({ name: "test", version: "1.0.0", ...options });
  open.push(() => server.close());
  return server;
}

type Route = (server: MCPServer, req: IncomingMessage, res: Parameters<MCPServer["startHTTP"]>[0]["res"]) => unknown;

async function portOf(server: MCPServer, route: Route | undefined): Promise<number> {
  if (route === undefined) return (await server.listen({ port: 0 })).port;
  const http = createServer((req, res) => void route(server, req, res));
  await new Promise<void>((resolve) => http.listen(0, "127.0.0.1", resolve));
  open.push(() => {
    http.closeAllConnections();
    http.close();
  });
  return (http.address() as AddressInfo).port;
}

/** The status of the answer to a POST whose body never comes. */
function statusOf(port: number, path: string, headers: Record<string, string>): Promise<number | undefined> {
  const sent = request({ host: "127.0.0.1", port, path, method: "POST", headers });
  sent.flushHeaders();
  return new Promise((resolve, reject) => {
    sent.on("error", reject);
    sent.on("response", (response) => {
      resolve(response.resume().statusCode);
      sent.destroy();
    });
  });
}

const routes: [string, string, Route | undefined][] = [
  ["listen", "/mcp", undefined],
  ["the messages of listen", "/messages?sessionId=1", undefined],
  ["startHTTP", "/mcp", (server, req, res) => server.startHTTP({ url: req.url ?? "", httpPath: "/mcp", req, res })],
  ["startSSE", "/messages", (server, req, res) => server.startSSE({ url: req.url ?? "", req, res })],
  ["startHonoSSE", "/hono-messages", (server, req, res) => server.startHonoSSE({ url: req.url ?? "", req, res })],
];
const bodies: Record<string, Record<string, string>> = {
  short: { "content-length": "1000" },
  "of 100 MB": { "content-length": String(100 << 20) },
  "of unknown length": { "transfer-encoding": "chunked" },
};
const json = { "content-type": "application/json" };

describe.each(routes)("a request to %s whose body does not come", (_where, path, route) => {
  it.each(Object.entries(bodies))("is refused for its host, origin or caller at once: body %s", async (_size, body) => {
    const auth: MCPServerOptions["auth"] = ({ headers }) =>
      headers.has("authorization") ? { token: "t", clientId: "c", scopes: [] } : undefined;
    const port = await portOf(make({ auth }), route);
    const headers = { ...json, ...body };
    expect(await statusOf(port, path, { ...headers, host: "evil.example" })).toBe(403);
    expect(await statusOf(port, path, { ...headers, origin: "https://evil.example" })).toBe(403);
    expect(await statusOf(port, path, headers)).toBe(401);
  });

  it("is refused for the size that it announces, its type or its session", async () => {
    const port = await portOf(make(), route);
    expect(await statusOf(port, path, { ...json, ...bodies["of 100 MB"] })).toBe(413);
    if (path === "/mcp")
      expect(await statusOf(port, path, { "content-type": "text/plain", ...bodies.short })).toBe(415);
    else expect(await statusOf(port, path, { ...json, ...bodies.short })).toBe(404);
  });
});

it("a client reads why it was refused, although it sent a body", async () => {
  const { url } = await make({ auth: () => undefined }).listen({ port: 0 });
  for (let visit = 1; visit <= 3; visit++) {
    const response = await fetch(url, { method: "POST", headers: json, body: "x".repeat(500_000) });
    expect([response.status, response.headers.get("www-authenticate")]).toEqual([401, "Bearer"]);
  }
});

it("a request with a method that no web request has is answered, and harms nobody", async () => {
  const { port } = await make().listen({ port: 0 });
  const status = await new Promise((resolve, reject) => {
    request({ host: "127.0.0.1", port, path: "/mcp", method: "TRACE" }, (response) =>
      resolve(response.resume().statusCode),
    )
      .on("error", reject)
      .end();
  });
  expect(status).toBe(400);
});

it("startHTTP takes the body that a middleware has parsed", async () => {
  const server = make();
  const port = await portOf(server, async (_server, req, res) => {
    let text = "";
    for await (const chunk of req) text += String(chunk);
    const options = { parsedBody: JSON.parse(text) };
    await server.startHTTP({ url: req.url ?? "", httpPath: "/mcp", req, res, options });
  });
  const params = { protocolVersion: "2025-11-25", capabilities: {}, clientInfo: { name: "c", version: "1" } };
  const response = await fetch(`http://127.0.0.1:${port}/mcp`, {
    method: "POST",
    headers: { ...json, accept: "application/json, text/event-stream" },
    body: JSON.stringify({ jsonrpc: "2.0", id: 1, method: "initialize", params }),
  });
  expect(response.status).toBe(200);
  expect(await response.text()).toContain("2025-11-25");
});

it("a server may take bodies of any size", async () => {
  const { url } = await make({ maxBodyBytes: Infinity }).listen({ port: 0 });
  const response = await fetch(url, { method: "POST", headers: json, body: " ".repeat(5 << 20) });
  expect(response.status).toBe(400);
});

describe("a caller whom auth does not describe", () => {
  it.each<[unknown, string]>([
    [true, "a boolean"],
    ["ada", "a string"],
    [{ clientId: "ada" }, "an object"],
  ])("is refused, and the logger is told what to return: %o", async (returned, kind) => {
    const logged: unknown[] = [];
    const logger = { warn: () => undefined, error: (...given: unknown[]) => void logged.push(given) };
    const server = make({ auth: (() => returned) as never, logger });
    const response = await server.fetch(
      new Request("http://localhost/mcp", { method: "POST", headers: json, body: "{}" }),
    );
    expect(response.status).toBe(500);
    expect(await response.text()).not.toContain("clientId");
    const message = expect.stringMatching(`result of auth.*token, clientId and scopes.*got ${kind}`);
    expect(logged).toMatchObject([[expect.any(String), { code: "INVALID_OPTION", message }]]);
  });

  it("is refused where a middleware passes it", async () => {
    const logged: unknown[] = [];
    const logger = { warn: (message: string) => void logged.push(message) };
    const server = make({ logger });
    const asked = new Request("http://localhost/mcp", { method: "POST", headers: json, body: "{}" });
    expect((await server.fetch(asked, { authInfo: { sub: "ada" } as never })).status).toBe(500);
    expect(logged).toEqual([expect.stringContaining("authInfo passed to a request")]);
  });
});

it("startHTTP rejects without the request and response", async () => {
  expect(await rejection(make().startHTTP({ url: "/http" } as never))).toMatchObject({
    code: "INVALID_OPTION",
    message: expect.stringContaining("needs req and res"),
  });
});
