import { createServer, type RequestListener } from "node:http";
import type { AddressInfo } from "node:net";
import { getRequestListener, type HttpBindings } from "@hono/node-server";
import { RESPONSE_ALREADY_SENT } from "@hono/node-server/utils/response";
import { Client, SSEClientTransport } from "@modelcontextprotocol/client";
import { Hono } from "hono";
import { createTool } from "kumiko";
import { MCPServer, type MCPServerOptions } from "kumiko/mcp";
import { afterEach, describe, expect, it } from "vitest";
import { rejection } from "../../tools/node/calls.js";

const open: (() => unknown)[] = [];
afterEach(async () => {
  for (const close of open.splice(0).reverse()) await close();
});

const done: string[] = [];
const pay = createTool({
  id: "pay",
  description: "Pays.",
  requireApproval: true,
  execute: (_input, ctx) => {
    done.push("paid");
    return `paid by ${String(Reflect.get(ctx.requestContext.get("headers") as object, "x-who"))}`;
  },
});

function make(options: Partial<MCPServerOptions> = {}): MCPServer {
  const server = new MCPServer({ name: "shop", version: "1.0.0", tools: [pay], ...options });
  open.push(() => server.close());
  return server;
}

async function listen(listener: RequestListener): Promise<string> {
  const http = createServer(listener);
  await new Promise<void>((resolve) => http.listen(0, "127.0.0.1", resolve));
  open.push(() => {
    http.closeAllConnections();
    http.close();
  });
  return `http://127.0.0.1:${(http.address() as AddressInfo).port}`;
}

const ways: Record<string, (server: MCPServer) => RequestListener> = {
  "with the context of Hono": (server) => {
    const app = new Hono();
    app.all("*", async (context) => {
      const response = await server.startHonoSSE({ url: context.req.url, context });
      return response ?? context.notFound();
    });
    return getRequestListener(app.fetch);
  },
  "with what @hono/node-server has below it": (server) => {
    const app = new Hono<{ Bindings: HttpBindings }>();
    app.all("*", async ({ req, env: { incoming, outgoing } }) => {
      await server.startHonoSSE({ url: new URL(req.url), req: incoming, res: outgoing });
      return RESPONSE_ALREADY_SENT;
    });
    return getRequestListener(app.fetch as never);
  },
  "with the request and response of Node.js": (server) => (req, res) =>
    void server.startHonoSSE({ url: new URL(req.url ?? "", "http://localhost:1234"), req, res }),
};

describe.each(Object.entries(ways))("startHonoSSE %s", (_way, listener) => {
  it("serves a client of 2024-11-05, which is asked during its call", async () => {
    done.length = 0;
    const server = make();
    const base = await listen(listener(server));
    const headers = { "x-who": "Ada" };
    const client = new Client({ name: "tester", version: "1" }, { capabilities: { elicitation: {} } });
    client.setRequestHandler("elicitation/create", () => ({ action: "accept", content: { approved: true } }));
    await client.connect(new SSEClientTransport(new URL(`${base}/hono-sse`), { requestInit: { headers } }));
    open.push(() => client.close());
    expect(await client.callTool({ name: "pay", arguments: {} })).toMatchObject({ content: [{ text: "paid by Ada" }] });
    expect(done).toEqual(["paid"]);
    expect(server.getSseHonoTransport()).toBeDefined();
    expect(server.getSseTransport()).toBeUndefined();
    await client.close();
    await expect.poll(() => server.getSseHonoTransport()).toBeUndefined();
  });

  it("answers an unknown session and other paths with 404, and a wrong method with 405", async () => {
    const base = await listen(listener(make()));
    const post = { method: "POST", body: "{}", headers: { "content-type": "application/json" } };
    expect((await fetch(`${base}/hono-messages?sessionId=nobody`, post)).status).toBe(404);
    expect((await fetch(`${base}/sse`)).status).toBe(404);
    expect((await fetch(`${base}/hono-sse`, post)).status).toBe(405);
  });

  it("admits whom the server admits", async () => {
    const base = await listen(listener(make({ auth: () => undefined })));
    expect((await fetch(`${base}/hono-sse`)).status).toBe(401);
    expect((await fetch(`${base}/hono-sse`, { headers: { origin: "https://evil.example" } })).status).toBe(403);
  });
});

it("startHonoSSE needs a context, or a request and a response", async () => {
  const error = await rejection(make().startHonoSSE({ url: "http://localhost/hono-sse" } as never));
  expect(error).toMatchObject({ code: "INVALID_OPTION", message: expect.stringContaining("context") });
});
