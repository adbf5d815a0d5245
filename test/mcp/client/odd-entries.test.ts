import { InMemoryTransport, McpServer } from "@modelcontextprotocol/server";
import { connectMcp, type McpConnection, type McpEvent, type McpServerConfig } from "kumiko/mcp";
import { afterEach, describe, expect, it } from "vitest";
import { rejection } from "../../tools/node/calls.js";
import { handmadeServer, listedTool } from "../fixtures/handmade-server.js";

const open: (() => unknown)[] = [];
afterEach(async () => {
  for (const close of open.splice(0).reverse()) await close();
});

async function serve(lists: Record<string, object>): Promise<string> {
  const server = await handmadeServer((method) => lists[method]);
  open.push(server.close);
  return server.url;
}

async function connect(server: McpServerConfig, onEvent?: (event: McpEvent) => void): Promise<McpConnection> {
  const connection = await connectMcp({ s: server }, { onEvent });
  open.push(() => connection.close());
  return connection;
}

const idsOf = (connection: McpConnection) => connection.tools().map(({ id }) => id);

describe("a tool that MCP does not allow", () => {
  it.each<[string, unknown, string, RegExp]>([
    ["no type in its inputSchema", { name: "odd", inputSchema: { properties: {} } }, "odd", /^inputSchema\.type: /],
    ["no inputSchema", { name: "odd" }, "odd", /^inputSchema: /],
    ["an empty name", listedTool(""), "(unnamed)", /^name: /],
    ["annotations that are no object", listedTool("odd", { annotations: "none" }), "odd", /^annotations: /],
    [
      "a structured output that is no object",
      listedTool("odd", { outputSchema: { type: "string" } }),
      "odd",
      /^output/,
    ],
    ["nothing at all", null, "(unnamed)", /object/],
    ["the name of another", listedTool("good", { description: "again" }), "good", /another tool with this name/],
  ])("because it has %s, is left out, and the others are used", async (_what, odd, name, reason) => {
    const url = await serve({ "tools/list": { tools: [listedTool("good"), odd, listedTool("fine")] } });
    const events: McpEvent[] = [];
    const connection = await connect({ url }, (event) => void events.push(event));
    expect(idsOf(connection)).toEqual(["s_good", "s_fine"]);
    const entry = { list: "tools", name, reason: expect.stringMatching(reason) };
    expect(connection.status().s?.skipped).toEqual([entry]);
    await connection.refresh();
    const skipped = events.filter(({ kind }) => kind === "skipped_entry");
    expect(skipped).toEqual([{ kind: "skipped_entry", server: "s", ...entry }]);
  });

  it("is used as soon as its server lists it correctly", async () => {
    const tools: object[] = [listedTool("good"), { name: "odd", inputSchema: {} }];
    const connection = await connect({ url: await serve({ "tools/list": { tools } }) });
    tools[1] = listedTool("odd");
    await connection.refresh();
    expect(idsOf(connection)).toEqual(["s_good", "s_odd"]);
    expect(connection.status().s).not.toHaveProperty("skipped");
  });

  it("is named with the reason, where include asks for it", async () => {
    const url = await serve({ "tools/list": { tools: [listedTool("good"), { name: "odd", inputSchema: {} }] } });
    const error = await rejection(connectMcp({ s: { url, include: ["odd"] } }));
    expect(error).toMatchObject({
      code: "INVALID_OPTION",
      message: expect.stringMatching(/"odd" \(left out: inputSchema\.type/),
    });
  });

  it("is left out over a transport that the program made itself", async () => {
    const server = new McpServer({ name: "s", version: "1" }, { capabilities: { tools: {} } });
    server.server.setRequestHandler("tools/list", () => ({ tools: [listedTool("good"), { name: "odd" }] }) as never);
    const [here, there] = InMemoryTransport.createLinkedPair();
    await server.connect(there);
    open.push(() => server.close());
    const connection = await connect({ transport: here });
    expect(idsOf(connection)).toEqual(["s_good"]);
  });
});

it("prompts, resources and templates that MCP does not allow are left out of their lists", async () => {
  const url = await serve({
    "tools/list": { tools: [] },
    "prompts/list": { prompts: [{ name: "hello" }, { name: 5 }, { name: "odd", arguments: [{}] }] },
    "resources/list": { resources: [{ uri: "note://1", name: "one" }, { uri: "note://2" }] },
    "resources/templates/list": { resourceTemplates: [{ uriTemplate: "note://{id}", name: "any" }, { name: "odd" }] },
  });
  const connection = await connect({ url });
  expect(await connection.prompts("s")).toMatchObject([{ name: "hello" }]);
  expect(await connection.resources("s")).toMatchObject([{ uri: "note://1" }]);
  expect(await connection.resourceTemplates("s")).toMatchObject([{ uriTemplate: "note://{id}" }]);
  const skipped = connection.status().s?.skipped?.map(({ list, name }) => `${list} ${name}`);
  expect(skipped).toEqual(["prompts (unnamed)", "prompts odd", "resources note://2", "resourceTemplates odd"]);
});

it("a list that is none is told as a wrong response, and not as a server that cannot be reached", async () => {
  const url = await serve({ "tools/list": { tools: "none" } });
  const { code, message } = Object(await rejection(connectMcp({ s: { url } })));
  expect(code).toBe("MCP_CONNECT_FAILED");
  expect(message).toMatch(/"s" was reached, but its response is not valid MCP/);
});
