import { type ChildProcess, spawn } from "node:child_process";
import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { Client, StreamableHTTPClientTransport } from "@modelcontextprotocol/client";
import { Chain, createTool, END, Graph, memoryStore, type NodeContext, START } from "kumiko";
import type { AnyTool } from "kumiko/components";
import { MCPServer, type MCPServerOptions } from "kumiko/mcp";
import { afterEach, describe, expect, it } from "vitest";
import { z } from "zod";
import { usePrograms } from "../../programs.js";
import { rejection } from "../../tools/node/calls.js";

const durableServer = join(import.meta.dirname, "../fixtures/durable-server.ts");
const programOf = usePrograms(durableServer);

const open: (() => unknown)[] = [];
afterEach(async () => {
  for (const close of open.splice(0).reverse()) await close();
});

const key = "0123456789abcdef0123456789abcdef";

function make(done: string[], options: Partial<MCPServerOptions> = {}, more: readonly AnyTool[] = []): MCPServer {
  const order = createTool({
    id: "order",
    description: "Orders.",
    execute: async (_input, ctx) => {
      const sure = await ctx.ask<string>("sure", "Sure?");
      done.push(`ordered ${sure}`);
      await new Promise((resolve) => setTimeout(resolve, 20));
      return `ordered ${sure}`;
    },
  });
  const server = new MCPServer({
    name: "shop",
    version: "1.0.0",
    tools: [order, ...more],
    requestStateKey: key,
    ...options,
  });
  open.push(() => server.close());
  return server;
}

/** A client that answers by hand. */
async function clientOf(url: string, token?: string): Promise<Client> {
  const client = new Client(
    { name: "tester", version: "1.0.0" },
    {
      capabilities: { elicitation: { form: {} } },
      versionNegotiation: { mode: "auto" },
      inputRequired: { autoFulfill: false },
    },
  );
  const headers = token === undefined ? {} : { authorization: `Bearer ${token}` };
  await client.connect(new StreamableHTTPClientTransport(new URL(url), { requestInit: { headers } }));
  open.push(() => client.close());
  return client;
}

const asked = z.object({
  resultType: z.literal("input_required"),
  requestState: z.string(),
  inputRequests: z.object({ sure: z.unknown() }),
});

async function ask(client: Client): Promise<string> {
  const result = await client.callTool({ name: "order", arguments: {} }, { allowInputRequired: true });
  return asked.parse(result).requestState;
}

function answer(client: Client, requestState: string, sure = "yes", name = "order") {
  const inputResponses = { sure: { action: "accept", content: { answer: sure } } };
  return client.callTool({ name, arguments: {}, inputResponses, requestState } as never, {
    allowInputRequired: true,
  });
}

const yes = { content: [{ type: "text", text: "ordered yes" }] };

describe("a call that waits", () => {
  it("gives the same to the same answer, at once and later, and runs once", async () => {
    const done: string[] = [];
    const client = await clientOf((await make(done).listen({ port: 0 })).url);
    const state = await ask(client);
    const both = await Promise.all([answer(client, state), answer(client, state)]);
    expect(both).toMatchObject([yes, yes]);
    expect(await answer(client, state, "no, really")).toMatchObject(yes);
    expect(done).toEqual(["ordered yes"]);
  });

  it("goes on at another instance that has the same store and key", async () => {
    const done: string[] = [];
    const store = memoryStore();
    const first = await clientOf((await make(done, { store }).listen({ port: 0 })).url);
    const state = await ask(first);
    const second = await clientOf((await make(done, { store }).listen({ port: 0 })).url);
    expect(await answer(second, state)).toMatchObject(yes);
    expect(await answer(first, state)).toMatchObject(yes);
    expect(done).toEqual(["ordered yes"]);
  });

  it("refuses a state that is forged, expired, of somebody else or of another server", async () => {
    const done: string[] = [];
    const auth = (request: Request) => {
      const token = request.headers.get("authorization")?.replace("Bearer ", "");
      return token === undefined ? undefined : { token, clientId: token, scopes: [] };
    };
    const { url } = await make(done, { auth }).listen({ port: 0 });
    const [ada, bob] = [await clientOf(url, "ada"), await clientOf(url, "bob")];
    const state = await ask(ada);
    const refused = { code: -32602, message: "Invalid or expired requestState" };
    expect(await rejection(answer(ada, `${state.slice(0, -4)}AAAA`))).toMatchObject(refused);
    expect(await rejection(answer(ada, "nonsense"))).toMatchObject(refused);
    expect(await rejection(answer(bob, state))).toMatchObject(refused);
    const other = await clientOf((await make(done, { auth }).listen({ port: 0 })).url, "ada");
    expect(await rejection(answer(other, state))).toMatchObject(refused);
    const hasty = await clientOf((await make(done, { requestStateTtlMs: 1 }).listen({ port: 0 })).url);
    const late = await ask(hasty);
    await new Promise((resolve) => setTimeout(resolve, 10));
    expect(await rejection(answer(hasty, late))).toMatchObject(refused);
    expect(done).toEqual([]);
    expect(await answer(ada, state)).toMatchObject(yes);
  });

  it("is answered only under the name of the tool that asked", async () => {
    const done: string[] = [];
    const other = createTool({ id: "other", description: "Does.", execute: () => void done.push("other") });
    const server = make(done, {}, [other]);
    const client = await clientOf((await server.listen({ port: 0 })).url);
    const state = await ask(client);
    expect(await rejection(answer(client, state, "yes", "other"))).toMatchObject({ code: -32602 });
    expect(done).toEqual([]);
    expect(await answer(client, state)).toMatchObject(yes);
  });

  it("asks under the keys of its questions, also of those inside graphs and of two in a row", async () => {
    const both = new Chain<object>()
      .append(async (_input, ctx) => `${await ctx.ask("color", "Which?")} ${await ctx.ask("size", "How big?")}`)
      .compile({ name: "inner" });
    const shirt = { runnable: both, description: "Asks twice.", inputSchema: z.object({}) };
    const same = async (_input: object, ctx: NodeContext) => ctx.ask<string>("k", "Same?");
    const twins = new Graph<object, Record<string, unknown>>()
      .addNode("a", same, { outputKey: "a" })
      .addNode("b", same, { outputKey: "b" })
      .addEdge(START, "a")
      .addEdge(START, "b")
      .addEdge("a", END)
      .addEdge("b", END)
      .compile();
    const server = make([], {
      graphs: { shirt, twins: { runnable: twins, description: "Ask the same.", inputSchema: z.object({}) } },
    });
    const client = await clientOf((await server.listen({ port: 0 })).url);
    const keysOf = async (name: string, more: object = {}) => {
      const result = await client.callTool({ name, arguments: {}, ...more } as never, { allowInputRequired: true });
      return z.object({ inputRequests: z.record(z.string(), z.unknown()), requestState: z.string() }).parse(result);
    };
    const first = await keysOf("run_shirt");
    expect(Object.keys(first.inputRequests)).toEqual(["color"]);
    const inputResponses = { color: { action: "accept", content: { answer: "red" } } };
    const second = await keysOf("run_shirt", { inputResponses, requestState: first.requestState });
    expect(Object.keys(second.inputRequests)).toEqual(["size"]);
    const [left, right, ...rest] = Object.keys((await keysOf("run_twins")).inputRequests);
    expect([rest, left === right, left === "k", right === "k"]).toEqual([[], false, false, false]);
  });

  it("leaves nothing in the store when it has expired", async () => {
    const store = memoryStore();
    const client = await clientOf((await make([], { store, requestStateTtlMs: 50 }).listen({ port: 0 })).url);
    await ask(client);
    const ids = async () => {
      const found: string[] = [];
      for (const prefix of ["", "~"]) for await (const id of store.list(prefix)) found.push(id);
      return found;
    };
    await expect.poll(ids).toEqual([]);
  });

  it("leaves nothing of a server that has gone, nor of one whose calls go on elsewhere", async () => {
    const store = memoryStore();
    const twice = createTool({
      id: "twice",
      description: "Asks twice.",
      execute: async (_input, ctx) => `${await ctx.ask("sure", "Sure?")} ${await ctx.ask("sure2", "Really?")}`,
    });
    const options = { store, requestStateTtlMs: 1_000, maxPending: 1 };
    const gone = make([], options);
    await ask(await clientOf((await gone.listen({ port: 0 })).url));
    await gone.close();
    const [first, second] = [make([], options, [twice]), make([], options, [twice])];
    const [here, there] = [
      await clientOf((await first.listen({ port: 0 })).url),
      await clientOf((await second.listen({ port: 0 })).url),
    ];
    const asks = await here.callTool({ name: "twice", arguments: {} }, { allowInputRequired: true });
    await new Promise((resolve) => setTimeout(resolve, 300));
    const again = await answer(there, asked.parse(asks).requestState, "yes", "twice");
    expect(again).toMatchObject({ resultType: "input_required" });
    const ids = async () => {
      const found: string[] = [];
      for (const prefix of ["", "~"]) for await (const id of store.list(prefix)) found.push(id);
      return found;
    };
    await expect.poll(ids, { timeout: 5_000 }).toEqual([]);
    // and the place of that call is free
    expect(await ask(here)).toEqual(expect.any(String));
  });

  it("is refused when too many wait", async () => {
    const client = await clientOf((await make([], { maxPending: 1 }).listen({ port: 0 })).url);
    const state = await ask(client);
    expect(await rejection(ask(client))).toMatchObject({ code: -32603 });
    await answer(client, state);
    await ask(client);
  });

  it.each<[string, z.ZodType, unknown[], RegExp]>([
    ["a field that does not fit", z.object({ n: z.number().min(5) }), [{ n: 1 }, { n: 7 }], /n: must be >= 5/],
    [
      "a rule that JSON Schema cannot say",
      z.object({ n: z.number().refine((n) => n % 2 === 0, "must be even") }),
      [{ n: 1 }, { n: 2 }],
      /n: must be even/,
    ],
    ["a value", z.number().max(3), [{ value: 9 }, { value: 3 }], /must be <= 3/],
    ["JSON that is none", z.object({ a: z.object({}) }), [{ json: "{" }, { json: '{"a":{}}' }], /not valid JSON/],
    ["a missing content", z.object({ n: z.number() }), [undefined, { n: 1 }], /content is missing/],
  ])("asks again with the reason in its message: %s", async (_what, schema, contents, reason) => {
    const count = createTool({
      id: "count",
      description: "Counts.",
      execute: async (_input, ctx) => JSON.stringify(await ctx.ask("sure", "How many?", schema)),
    });
    const client = await clientOf((await make([], {}, [count]).listen({ port: 0 })).url);
    const call = { name: "count", arguments: {} };
    const messages: string[] = [];
    let result: unknown = await client.callTool(call, { allowInputRequired: true });
    for (const content of contents) {
      const { requestState, inputRequests } = asked.parse(result);
      messages.push(Object(inputRequests.sure).params.message);
      const inputResponses = { sure: { action: "accept", ...(content !== undefined && { content }) } };
      const params = { ...call, requestState, inputResponses };
      result = await client.callTool(params as never, { allowInputRequired: true });
    }
    expect(result).not.toHaveProperty("isError");
    expect(messages).toEqual(["How many?", expect.stringMatching(/^How many\?\n\nThe last answer was not accepted: /)]);
    expect(messages[1]).toMatch(reason);
  });

  it("tells the reason for the question that it is about, and ends with it after the third time", async () => {
    const both = createTool({
      id: "both",
      description: "Asks two things.",
      execute: async (_input, ctx) => {
        const age = ctx.ask("age", "How old?", z.number().min(18));
        return JSON.stringify([await ctx.ask("sure", "Who?"), await age]);
      },
    });
    const client = await clientOf((await make([], {}, [both]).listen({ port: 0 })).url);
    const call = { name: "both", arguments: {} };
    const answer = (requestState: string, inputResponses: object) =>
      client.callTool({ ...call, requestState, inputResponses } as never, { allowInputRequired: true });
    const messagesOf = ({ inputRequests }: { inputRequests: object }) =>
      Object.values(inputRequests).map(({ params }) => params.message);
    const open = z.object({ requestState: z.string(), inputRequests: z.record(z.string(), z.unknown()) });
    const first = open.parse(await client.callTool(call, { allowInputRequired: true }));
    expect(messagesOf(first).sort()).toEqual(["How old?", "Who?"]);
    const young = { action: "accept", content: { value: 5 } };
    const replies = { sure: { action: "accept", content: { answer: "Ada" } }, age: young };
    const second = open.parse(await answer(first.requestState, replies));
    const again = "How old?\n\nThe last answer was not accepted: must be >= 18. Please answer again.";
    expect(messagesOf(second)).toEqual([again]);
    const third = open.parse(await answer(second.requestState, { age: young }));
    expect(messagesOf(third)).toEqual([again]);
    const text = 'The answer to "How old?" (must be >= 18) was not accepted 3 times, so the call has ended.';
    expect(await answer(third.requestState, { age: young })).toMatchObject({ isError: true, content: [{ text }] });
  });

  it("asks again for what is missing, without counting it", async () => {
    const client = await clientOf((await make([]).listen({ port: 0 })).url);
    let state = await ask(client);
    for (let round = 0; round < 5; round++) {
      const params = {
        name: "order",
        arguments: {},
        inputResponses: { other: { action: "cancel" } },
        requestState: state,
      };
      state = asked.parse(await client.callTool(params as never, { allowInputRequired: true })).requestState;
    }
    expect(await answer(client, state)).toMatchObject(yes);
  });
});

async function start(database: string, log: string): Promise<{ process: ChildProcess; url: string }> {
  const child = spawn(process.execPath, [programOf(durableServer), database, log], {
    stdio: ["ignore", "pipe", "inherit"],
  });
  open.push(() => child.kill("SIGKILL"));
  const url = await new Promise<string>((resolve) => child.stdout.once("data", (data) => resolve(String(data).trim())));
  return { process: child, url };
}

it("runs once although the server is killed between the question and the answer", async () => {
  const folder = mkdtempSync(join(tmpdir(), "kumiko-mcp-"));
  open.push(() => rmSync(folder, { recursive: true, force: true }));
  const [database, log] = [join(folder, "runs.db"), join(folder, "log")];
  const first = await start(database, log);
  const state = await ask(await clientOf(first.url));
  first.process.kill("SIGKILL");
  await new Promise((resolve) => first.process.once("exit", resolve));
  const second = await start(database, log);
  expect(await answer(await clientOf(second.url), state)).toMatchObject(yes);
  second.process.kill("SIGKILL");
  await new Promise((resolve) => second.process.once("exit", resolve));
  const third = await start(database, log);
  expect(await answer(await clientOf(third.url), state)).toMatchObject(yes);
  expect(readFileSync(log, "utf8")).toBe("reserved\nordered yes\n");
});
