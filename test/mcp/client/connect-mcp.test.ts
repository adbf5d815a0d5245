import { join } from "node:path";
import { type AgenticMessage, AgenticToolsNode, Chain, memoryStore, textOf } from "kumiko";
import { connectMcp, MCPServer, type McpConnection, type McpOptions, type McpServerConfig } from "kumiko/mcp";
import { afterEach, describe, expect, it } from "vitest";
import { interruptOf } from "../../checkpoint/interrupt-of.js";
import { usePrograms } from "../../programs.js";
import { blocksOf, call, calls, rejection, textsOf } from "../../tools/node/calls.js";
import { type Done, type Served, sdkServer, serveHttp } from "../fixtures/sdk-server.js";

const open: (() => Promise<unknown>)[] = [];
afterEach(async () => {
  for (const close of open.splice(0).reverse()) await close();
});

async function serve(done?: Done, port?: number): Promise<Served> {
  const served = await serveHttp(sdkServer(done), port);
  open.push(served.close);
  return served;
}

async function connect(servers: Record<string, McpServerConfig>, options?: McpOptions): Promise<McpConnection> {
  const connection = await connectMcp(servers, options);
  open.push(() => connection.close());
  return connection;
}

const stdioServer = join(import.meta.dirname, "../fixtures/stdio-server.ts");
const programOf = usePrograms(stdioServer);
const stdio = (...args: string[]): McpServerConfig => ({
  command: process.execPath,
  args: [programOf(stdioServer), ...args],
  connectTimeoutMs: 40_000,
});

function node(connection: McpConnection) {
  return new AgenticToolsNode({ tools: connection.tools(), onToolError: "result" });
}

function app(connection: McpConnection, store = memoryStore()) {
  return new Chain<AgenticMessage>().appendToolsNode(node(connection)).compile({ store });
}

describe.each<[string, () => Promise<McpServerConfig>, string]>([
  ["streamable HTTP, newest revision", async () => ({ url: (await serve()).url }), "2026-07-28"],
  ["streamable HTTP, with a handshake", async () => ({ url: (await serve()).url, revision: "legacy" }), "2025-11-25"],
  ["stdio, newest revision", async () => stdio(), "2026-07-28"],
  ["stdio, with a handshake", async () => ({ ...stdio(), revision: { pin: "2025-06-18" } }), "2025-06-18"],
])("connectMcp over %s", (_way, config, revision) => {
  it("gives the tools, and calls them", async () => {
    const connection = await connect({ s: await config() });
    expect(connection.status()).toMatchObject({ s: { state: "connected", revision, tools: 8 } });
    const [echo] = connection.tools("s");
    expect(echo).toMatchObject({
      id: "s_echo",
      mcp: { server: "s", name: "echo", annotations: { readOnlyHint: true } },
    });
    const progress: unknown[] = [];
    const results = await node(connection).invoke(
      calls(
        call("s_echo", { text: "hi" }),
        call("s_add", { a: 1, b: 2 }),
        call("s_fail"),
        call("s_count", { to: 3 }),
        call("s_add", { a: "x" }, "bad"),
      ),
      { callbacks: [{ onEvent: (_info, value) => void progress.push(value) }] },
    );
    expect(textsOf(results).slice(0, 4)).toEqual(["hi", "3", expect.stringContaining("out of paper"), "counted to 3"]);
    expect(blocksOf(results).map(({ errorKind }) => errorKind)).toEqual([
      undefined,
      undefined,
      "execution",
      undefined,
      "validation",
    ]);
    expect(progress).toEqual([1, 2, 3].map((done) => ({ kind: "progress", event: { progress: done, total: 3 } })));
  });

  it("gives resources as documents and prompts as messages", async () => {
    const connection = await connect({ s: await config() });
    expect(await connection.resources("s")).toMatchObject([{ uri: "note://one" }]);
    expect(await connection.resourceTemplates("s")).toMatchObject([{ uriTemplate: "note://any/{id}" }]);
    expect(await connection.read("s", "note://one")).toMatchObject([{ text: "first note" }]);
    const load = new Chain<{ uri: string }>().append(connection.loader("s")).compile();
    expect(await load.invoke({ uri: "note://any/7" })).toMatchObject([
      { id: "note://any/7", content: Buffer.from("note 7").toString("base64"), metadata: { encoding: "base64" } },
    ]);
    expect(await connection.prompts("s")).toMatchObject([
      { name: "greet", arguments: [{ name: "name", required: true }] },
    ]);
    const greet = new Chain<Record<string, unknown>>().append(connection.template("s", "greet")).compile();
    const messages = await greet.invoke({ name: "Ada" });
    expect(messages.map((message) => `${message.role}: ${textOf(message)}`)).toEqual([
      "user: Greet Ada.",
      "assistant: How?",
    ]);
    const ref = { type: "ref/prompt" as const, name: "greet" };
    expect(await connection.complete("s", ref, { name: "name", value: "Al" })).toEqual(["Alan"]);
  });

  it("stops a call at once when the run is stopped, and tells the server", async () => {
    const connection = await connect({ s: await config() });
    const controller = new AbortController();
    const hanging = node(connection).invoke(calls(call("s_hang")), { signal: controller.signal });
    setTimeout(() => controller.abort(new Error("enough")), 50);
    expect(await rejection(hanging)).toMatchObject({ message: "enough" });
    expect(textsOf(await node(connection).invoke(calls(call("s_echo", { text: "still there" }))))).toEqual([
      "still there",
    ]);
  });
});

describe("a server that asks", () => {
  it("makes the run wait, and goes on with the same state in another connection", async () => {
    const done: Done = { calls: [] };
    const { url } = await serve(done);
    const store = memoryStore();
    const first = await connect({ shop: { url } });
    const message = calls(call("shop_order", { item: "tea" }), call("shop_echo", { text: "meanwhile" }));
    const { interrupts } = await interruptOf(app(first, store).invoke(message, { checkpointId: "run" }));
    expect(interrupts.map(({ info }) => info)).toEqual([
      {
        ...{ kind: "mcp_elicitation", server: "shop", toolName: "order", toolCallId: "shop_order", mode: "form" },
        message: "Who gets the tea?",
      },
      {
        ...{ kind: "mcp_elicitation", server: "shop", toolName: "order", toolCallId: "shop_order", mode: "url" },
        ...{ message: "Where to?", url: "https://example.com/map" },
      },
    ]);
    await first.close();
    const [who, where] = interrupts.map(({ id }) => id);
    const second = await connect({ shop: { url } });
    const resume = (answer: unknown) =>
      app(second, store).resume("run", { [String(who)]: answer, [String(where)]: { action: "accept" } });
    expect(await rejection(resume({ action: "accept", content: { name: 5 } }))).toMatchObject({
      code: "ANSWER_MISMATCH",
    });
    expect(await rejection(resume({ action: "accept" }))).toMatchObject({ code: "ANSWER_MISMATCH" });
    const results = await resume({ action: "accept", content: { name: "Ada" } });
    expect(textsOf(results)).toEqual(['tea for {"gift":false,"name":"Ada"}', "meanwhile"]);
    expect(done.calls).toEqual(["asked for tea", "echo meanwhile", "ordered tea"]);
  });

  it.each([
    [
      "a function",
      (() => ({ action: "accept", content: { name: "Bob" } })) as never,
      'tea for {"gift":false,"name":"Bob"}',
    ],
    ["nobody", "decline" as const, "no tea for nobody"],
  ])("is answered by %s", async (_who, elicitation, expected) => {
    for (const revision of ["auto", "legacy"] as const) {
      const connection = await connect({ s: { ...stdio(), revision } }, { elicitation });
      expect(textsOf(await node(connection).invoke(calls(call("s_order", { item: "tea" }))))).toEqual([expected]);
    }
  });

  it("is told that nobody can be asked, where it would ask during the call", async () => {
    const connection = await connect({ s: { ...stdio(), revision: "legacy" } });
    const [block] = blocksOf(await node(connection).invoke(calls(call("s_order", { item: "tea" }))));
    expect(block).toMatchObject({ isError: true, result: expect.stringContaining("elicitation") });
  });

  it("may ask ten times", async () => {
    const { url } = await serve();
    const connection = await connect({ s: { url } }, { elicitation: () => ({ action: "accept" }) });
    const [block] = blocksOf(await node(connection).invoke(calls(call("s_nag"))));
    expect(block).toMatchObject({ isError: true, result: expect.stringContaining("asked for input 10 times") });
  });
});

it("close ends the session at a server of an older revision", async () => {
  const server = new MCPServer({ name: "old", version: "1.0.0" });
  open.push(() => server.close());
  const sent: string[] = [];
  const { url } = await server.listen({ port: 0 });
  const watched: typeof fetch = async (address, init) => {
    const response = await fetch(address, init);
    sent.push(`${init?.method} ${response.status}`);
    return response;
  };
  const connection = await connectMcp({ s: { url, revision: "legacy", fetch: watched } });
  await connection.close();
  expect(sent.at(-1)).toBe("DELETE 200");
});
