import { createTool } from "kumiko";
import { MCPServer } from "kumiko/mcp";
import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";

beforeEach(() => void vi.useFakeTimers({ toFake: ["setInterval", "clearInterval", "Date"] }));
const open: MCPServer[] = [];
afterEach(async () => {
  for (const server of open.splice(0)) await server.close();
  vi.useRealTimers();
});

/** A client of 2024-11-05, by hand. */
async function connect(server: MCPServer) {
  const visit = async (path: string, init?: RequestInit) => {
    const url = `http://localhost${path}`;
    const response = await server.startHonoSSE({ url, context: { req: { raw: new Request(url, init) } } });
    if (response === undefined) throw new Error("no response");
    return response;
  };
  const stream = (await visit("/hono-sse")).body?.pipeThrough(new TextDecoderStream()).getReader();
  const path = (await stream?.read())?.value?.match(/data: (.*)/)?.[1] ?? "";
  const post = async (message: object) => {
    const body = JSON.stringify({ jsonrpc: "2.0", ...message });
    return (await visit(path, { method: "POST", body, headers: { "content-type": "application/json" } })).status;
  };
  const params = { protocolVersion: "2024-11-05", capabilities: {}, clientInfo: { name: "c", version: "1" } };
  await post({ id: 0, method: "initialize", params });
  await stream?.read();
  await post({ method: "notifications/initialized" });
  return { post, read: async () => (await stream?.read())?.value };
}

const minutes = (count: number) => vi.advanceTimersByTimeAsync(count * 60_000);

describe("a session of the transport of 2024-11-05", () => {
  it("ends when nothing has come for half an hour, and not while a call runs", async () => {
    let begin: () => void = () => undefined;
    let finish: (text: string) => void = () => undefined;
    const begun = new Promise<void>((resolve) => (begin = resolve));
    const execute = () => {
      begin();
      return new Promise<string>((resolve) => (finish = resolve));
    };
    const tools = [createTool({ id: "slow", description: "Takes its time.", execute })];
    const server = new MCPServer({ name: "test", version: "1.0.0", tools });
    open.push(server);
    const { post, read } = await connect(server);
    await post({ id: 1, method: "tools/call", params: { name: "slow", arguments: {} } });
    await begun;
    await minutes(40);
    expect(await post({ method: "notifications/nothing" })).toBe(202);
    finish("done");
    let said = await read();
    while (said?.startsWith(":")) said = await read(); // only tells that the server is there
    expect(said).toContain("done");
    await minutes(29);
    expect(await post({ method: "notifications/nothing" })).toBe(202);
    await minutes(32);
    expect(await post({ method: "notifications/nothing" })).toBe(404);
  });

  it("is not held by a call that was cancelled", async () => {
    const tools = [createTool({ id: "hang", description: "Hangs.", execute: () => new Promise<string>(() => {}) })];
    const server = new MCPServer({ name: "test", version: "1.0.0", tools });
    open.push(server);
    const { post } = await connect(server);
    await post({ id: 1, method: "tools/call", params: { name: "hang", arguments: {} } });
    await post({ method: "notifications/cancelled", params: { requestId: 1 } });
    await minutes(32);
    expect(await post({ method: "notifications/nothing" })).toBe(404);
  });
});

it("legacy: off serves no transport of 2024-11-05 where it listens", async () => {
  vi.useRealTimers();
  const server = new MCPServer({ name: "test", version: "1.0.0", legacy: "off" });
  open.push(server);
  const { url } = await server.listen({ port: 0 });
  expect((await fetch(new URL("/sse", url))).status).toBe(404);
  expect((await fetch(url, { method: "PUT" })).status).toBe(405);
});

it("a method that nothing is made for is a 405", async () => {
  vi.useRealTimers();
  const server = new MCPServer({ name: "test", version: "1.0.0" });
  open.push(server);
  expect((await server.fetch(new Request("http://localhost/mcp", { method: "PUT" }))).status).toBe(405);
});
