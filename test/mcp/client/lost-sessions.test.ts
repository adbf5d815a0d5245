import { AgenticToolsNode } from "kumiko";
import { connectMcp, type McpConnection, type McpOptions } from "kumiko/mcp";
import { afterEach, describe, expect, it } from "vitest";
import { blocksOf, call, calls, textsOf } from "../../tools/node/calls.js";
import {
  type Handmade,
  type HandmadeOptions,
  handmadeServer,
  listedTool,
  textResult,
} from "../fixtures/handmade-server.js";

const open: (() => unknown)[] = [];
afterEach(async () => {
  for (const close of open.splice(0).reverse()) await close();
});

/** A server with a tool that must not be repeated. */
async function serve(options: HandmadeOptions = {}): Promise<Handmade> {
  const server = await handmadeServer(
    (method) => (method === "tools/list" ? { tools: [listedTool("pay")] } : textResult("paid")),
    options,
  );
  open.push(server.close);
  return server;
}

async function connect(url: string, options?: McpOptions): Promise<McpConnection> {
  const connection = await connectMcp({ s: { url } }, options);
  open.push(() => connection.close());
  return connection;
}

const nodeOf = (connection: McpConnection) =>
  new AgenticToolsNode({ tools: connection.tools(), onToolError: "result" });
const paymentsOf = (server: Handmade) => server.handled.filter((method) => method === "tools/call");

describe("a call in a session that the server has forgotten", () => {
  it.each<[string, HandmadeOptions]>([
    ["with 404", {}],
    [
      "with 400 that names the session",
      { refuse: (response) => void response.writeHead(400).end("No valid session ID provided") },
    ],
  ])("is made once in a new session: refused %s", async (_how, options) => {
    const server = await serve(options);
    const connection = await connect(server.url);
    const node = nodeOf(connection);
    expect(textsOf(await node.invoke(calls(call("s_pay"))))).toEqual(["paid"]);
    server.sessions.clear();
    expect(textsOf(await node.invoke(calls(call("s_pay"), call("s_pay", {}, "2"))))).toEqual(["paid", "paid"]);
    expect(paymentsOf(server)).toHaveLength(3);
    expect(connection.status()).toMatchObject({ s: { state: "connected" } });
  });

  it("does not wait before it opens a new session, since the server is there", async () => {
    const server = await serve();
    const reconnect = { delayMs: 1_000_000, maxDelayMs: 1_000_000 };
    const node = nodeOf(await connect(server.url, { reconnect }));
    server.sessions.clear();
    expect(textsOf(await node.invoke(calls(call("s_pay"))))).toEqual(["paid"]);
  });

  it("fails as a call that did not run, where every session is forgotten", async () => {
    const server = await serve({ knows: (method) => method !== "tools/call" });
    const node = nodeOf(await connect(server.url));
    const [block] = blocksOf(await node.invoke(calls(call("s_pay"))));
    expect(block).toMatchObject({ isError: true, result: expect.not.stringContaining("may have run") });
    expect(paymentsOf(server)).toHaveLength(0);
  });

  it("is not made again if the request was refused for another reason", async () => {
    const server = await serve({ refuse: (response) => void response.writeHead(400).end("Bad Request") });
    const node = nodeOf(await connect(server.url));
    server.sessions.clear();
    const [block] = blocksOf(await node.invoke(calls(call("s_pay"))));
    expect(block).toMatchObject({ isError: true, result: expect.stringContaining("Bad Request") });
  });
});

it("a call that could not be sent, because nothing listened, is made once when the server is back", async () => {
  const server = await serve();
  let isDown = false;
  const refused = () => new TypeError("fetch failed", { cause: Object.assign(new Error(), { code: "ECONNREFUSED" }) });
  const connection = await connectMcp(
    {
      s: {
        url: server.url,
        fetch: async (url, init) => {
          if (!isDown) return fetch(url, init);
          isDown = false;
          throw refused();
        },
      },
    },
    { reconnect: { delayMs: 1, maxDelayMs: 1 } },
  );
  open.push(() => connection.close());
  isDown = true;
  expect(textsOf(await nodeOf(connection).invoke(calls(call("s_pay"))))).toEqual(["paid"]);
  expect(paymentsOf(server)).toHaveLength(1);
});
