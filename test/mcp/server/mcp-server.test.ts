import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { join } from "node:path";
import { Client, SSEClientTransport, StreamableHTTPClientTransport } from "@modelcontextprotocol/client";
import { StdioClientTransport } from "@modelcontextprotocol/client/stdio";
import { Chain, type CheckpointStore, createTool, memoryStore } from "kumiko";
import { MCPServer, type MCPServerOptions } from "kumiko/mcp";
import { afterEach, describe, expect, it } from "vitest";
import { z } from "zod";
import { usePrograms } from "../../programs.js";
import { rejection } from "../../tools/node/calls.js";

const askServer = join(import.meta.dirname, "../fixtures/ask-server.ts");
const programOf = usePrograms(askServer);

const open: (() => Promise<unknown>)[] = [];
afterEach(async () => {
  for (const close of open.splice(0).reverse()) await close();
});

const done: string[] = [];

async function idsIn(store: CheckpointStore, prefix: string): Promise<string[]> {
  const ids: string[] = [];
  for await (const id of store.list(prefix)) ids.push(id);
  return ids;
}

function tools() {
  return [
    createTool({
      id: "weather",
      description: "The weather of a city.",
      inputSchema: z.object({ city: z.string() }),
      outputSchema: z.object({ celsius: z.number() }),
      mcp: { annotations: { title: "Weather", readOnlyHint: true }, _meta: { version: "2" } },
      execute: ({ city }) => ({ celsius: city.length }),
    }),
    createTool({
      id: "pay",
      description: "Pays.",
      inputSchema: z.object({ amount: z.number() }),
      requireApproval: true,
      execute: ({ amount }) => {
        done.push(`paid ${amount}`);
        return `paid ${amount}`;
      },
    }),
    createTool({
      id: "tail",
      description: "Follows a log.",
      execute: async function* () {
        for (const line of ["one\n", "two\n", "three\n"]) {
          yield line;
          await new Promise((resolve) => setTimeout(resolve, 60));
        }
      },
    }),
    createTool({
      id: "trip",
      description: "Plans a trip.",
      execute: async (_input, ctx) => {
        const days = await ctx.ask("days", "How many days?", z.number().int().min(1));
        const deep = await ctx.ask(
          "people",
          "Who comes?",
          z.object({ people: z.array(z.object({ name: z.string() })) }),
        );
        const free = await ctx.ask<string>("wish", "Any wishes?");
        return `${days} days with ${deep.people.map(({ name }) => name).join("+")}, ${free}`;
      },
    }),
    createTool({
      id: "broken",
      description: "Fails.",
      execute: () => {
        throw new Error("out of paper");
      },
    }),
  ];
}

function make(options: Partial<MCPServerOptions> = {}): MCPServer {
  const server = new MCPServer({ name: "test", version: "1.0.0", tools: tools(), ...options });
  open.push(() => server.close());
  return server;
}

type Ask = (params: { message: string }) => {
  action: "accept" | "decline" | "cancel";
  content?: Record<string, unknown>;
};

async function clientOf(
  transport:
    | ConstructorParameters<typeof StreamableHTTPClientTransport>[0]
    | { connect: (client: Client) => Promise<void> },
  mode: "auto" | "legacy",
  ask?: Ask,
): Promise<Client> {
  const client = new Client(
    { name: "tester", version: "1.0.0" },
    { capabilities: ask === undefined ? {} : { elicitation: { form: {} } }, versionNegotiation: { mode } },
  );
  if (ask !== undefined) client.setRequestHandler("elicitation/create", ({ params }) => ask(params) as never);
  if ("connect" in transport) await transport.connect(client);
  else await client.connect(new StreamableHTTPClientTransport(transport));
  open.push(() => client.close());
  return client;
}

const textOf = (result: { content?: unknown }): string =>
  z
    .array(z.object({ text: z.string() }))
    .parse(result.content)
    .map(({ text }) => text)
    .join("");

async function httpServer(server: MCPServer): Promise<URL> {
  return new URL((await server.listen({ port: 0 })).url);
}

describe.each(["auto", "legacy"] as const)("an SDK client over HTTP (%s)", (mode) => {
  it("lists and calls tools, with their schemas, annotations and structured output", async () => {
    const client = await clientOf(await httpServer(make()), mode);
    const { tools: listed } = await client.listTools();
    expect(listed.map(({ name }) => name)).toEqual(["weather", "pay", "tail", "trip", "broken"]);
    expect(listed[0]).toMatchObject({
      ...{ annotations: { title: "Weather", readOnlyHint: true }, _meta: { version: "2" } },
      inputSchema: { type: "object", required: ["city"] },
      outputSchema: { type: "object", required: ["celsius"] },
    });
    expect(listed[1]).not.toHaveProperty("annotations");
    const result = await client.callTool({ name: "weather", arguments: { city: "Rome" } });
    expect(result).toMatchObject({
      structuredContent: { celsius: 4 },
      content: [{ type: "text", text: '{"celsius":4}' }],
    });
  });

  it("makes bad arguments and failures results, and an unknown tool an error of the protocol", async () => {
    const client = await clientOf(await httpServer(make()), mode);
    const bad = await client.callTool({ name: "weather", arguments: { city: 5 } });
    expect(bad).toMatchObject({ isError: true });
    expect(bad).not.toHaveProperty("structuredContent");
    expect(textOf(bad)).toContain("city");
    const broken = await client.callTool({ name: "broken", arguments: {} });
    expect(textOf(broken)).toContain("out of paper");
    expect(JSON.stringify(broken)).not.toContain("at ");
    expect(await rejection(client.callTool({ name: "nothing", arguments: {} }))).toMatchObject({ code: -32602 });
  });

  it("asks for approval, and runs once", async () => {
    done.length = 0;
    const asked: string[] = [];
    const client = await clientOf(await httpServer(make()), mode, ({ message }) => {
      asked.push(message);
      return { action: "accept", content: { approved: asked.length === 1 } };
    });
    expect(textOf(await client.callTool({ name: "pay", arguments: { amount: 3 } }))).toBe("paid 3");
    const denied = await client.callTool({ name: "pay", arguments: { amount: 4 } });
    expect(denied).toMatchObject({ isError: true });
    expect(asked).toEqual(['May "pay" run? Arguments: {"amount":3}', 'May "pay" run? Arguments: {"amount":4}']);
    expect(done).toEqual(["paid 3"]);
  });

  it("asks again for what does not fit, in a form that clients know", async () => {
    const answers = [
      { value: 0 },
      { value: 2 },
      { json: "[" },
      { json: '{"people":[{"name":"Ada"}]}' },
      { answer: "sun" },
    ];
    let next = 0;
    const client = await clientOf(await httpServer(make()), mode, () => ({
      action: "accept",
      content: answers[next++] ?? {},
    }));
    const result = await client.callTool({ name: "trip", arguments: {} });
    expect(textOf(result)).toBe("2 days with Ada, sun");
    expect(next).toBe(5);
  });

  it("ends a call with an error at the third answer that does not fit, and at a refusal", async () => {
    const store = memoryStore();
    const url = await httpServer(make({ store }));
    let asked = 0;
    const wrong = await clientOf(url, mode, () => {
      asked += 1;
      return { action: "accept", content: { value: -1 } };
    });
    expect(await wrong.callTool({ name: "trip", arguments: {} })).toMatchObject({ isError: true });
    expect(asked).toBe(3);
    const unwilling = await clientOf(url, mode, () => ({ action: "decline" }));
    expect(textOf(await unwilling.callTool({ name: "trip", arguments: {} }))).toContain("declined");
    expect(await idsIn(store, "")).toEqual([]);
  });

  it("says which capability is missing, and keeps nothing", async () => {
    const store = memoryStore();
    const client = await clientOf(await httpServer(make({ store })), mode);
    const result = await client.callTool({ name: "pay", arguments: { amount: 1 } });
    expect(result).toMatchObject({ isError: true });
    expect(textOf(result)).toContain('"elicitation"');
    expect([...(await idsIn(store, "")), ...(await idsIn(store, "~"))]).toEqual([]);
  });

  it("tells what a streaming tool yields as progress, and gives all of it", async () => {
    const client = await clientOf(await httpServer(make()), mode);
    const told: unknown[] = [];
    const onprogress = (progress: { message?: string | undefined }) => void told.push(progress.message);
    const result = await client.callTool({ name: "tail", arguments: {} }, { onprogress });
    expect(textOf(result)).toBe("one\ntwo\nthree\n");
    expect(told.join("")).toBe("one\ntwo\nthree\n");
  });
});

describe("an MCPServer", () => {
  it("tells subscribers, and nobody else, that a resource has changed", async () => {
    const resources = {
      listResources: () => [{ uri: "note://1", name: "one", mimeType: "text/plain" }],
      getResourceContent: ({ uri }: { uri: string }) => {
        if (uri !== "note://1") throw new Error("not mine");
        return { text: "first" };
      },
    };
    const server = make({ resources });
    const url = await httpServer(server);
    const heard: string[] = [];
    const [subscriber, other] = [await clientOf(url, "legacy"), await clientOf(url, "legacy")];
    for (const [name, client] of Object.entries({ subscriber, other })) {
      client.setNotificationHandler(
        "notifications/resources/updated",
        ({ params }) => void heard.push(`${name} ${params.uri}`),
      );
      client.setNotificationHandler("notifications/resources/list_changed", () => void heard.push(`${name} list`));
    }
    await subscriber.subscribeResource({ uri: "note://1" });
    expect(await subscriber.readResource({ uri: "note://1" })).toMatchObject({
      contents: [{ uri: "note://1", text: "first", mimeType: "text/plain" }],
    });
    expect(await rejection(subscriber.readResource({ uri: "note://2" }))).toMatchObject({ code: -32602 });
    await expect
      .poll(async () => {
        await server.resources.notifyUpdated({ uri: "note://1" });
        await server.resources.notifyListChanged();
        return new Set(heard);
      })
      .toEqual(new Set(["subscriber note://1", "subscriber list", "other list"]));
  });

  it("serves graphs and agents as tools, whose questions reach the client", async () => {
    const graph = new Chain<{ name: string }>()
      .append(async ({ name }, ctx) => `${name} likes ${await ctx.ask<string>("color", "Which color?")}`)
      .compile({ name: "likes" });
    const warnings: string[] = [];
    const server = make({
      tools: { ask_helper: tools()[0] as never },
      agents: {
        helper: { name: "Helper", description: "Helps.", generate: async () => "never" },
        poet: { name: "Poet", description: "Writes.", generate: async (message) => ({ text: `ode to ${message}` }) },
      },
      graphs: { likes: { runnable: graph, description: "Asks.", inputSchema: z.object({ name: z.string() }) } },
      logger: { warn: (message) => void warnings.push(message) },
    });
    expect(server.getToolListInfo().tools.map(({ name, toolType }) => `${name} ${toolType}`)).toEqual([
      "ask_helper tool",
      "ask_poet agent",
      "run_likes graph",
    ]);
    expect(warnings).toEqual([expect.stringContaining('The agent "helper" is not served')]);
    const client = await clientOf(await httpServer(server), "auto", () => ({
      action: "accept",
      content: { answer: "red" },
    }));
    expect(textOf(await client.callTool({ name: "ask_poet", arguments: { message: "tea" } }))).toBe("ode to tea");
    expect(textOf(await client.callTool({ name: "run_likes", arguments: { name: "Ada" } }))).toBe("Ada likes red");
    expect(await server.executeTool("ask_poet", { message: "rain" })).toBe("ode to rain");
    expect(await server.executeTool("ask_helper", { city: "Oslo" })).toEqual({ celsius: 4 });
  });

  it.each([
    ["agents", { agents: { a: { name: "A", description: " ", generate: async () => "" } } }],
    ["workflows", { workflows: { a: { createRun: () => ({}) } } }],
    [
      "graphs",
      { graphs: { a: { runnable: new Chain<string>().append((x) => x).compile(), description: "", inputSchema: {} } } },
    ],
  ])("needs a description of its %s", (kind, options) => {
    expect(() => make(options as never)).toThrow(`${kind}["a"]`);
  });

  it("runs a workflow in the words of Mastra, and goes on when it is suspended", async () => {
    const runs: unknown[] = [];
    const workflow = {
      description: "Suspends once.",
      inputSchema: z.object({ n: z.number() }),
      createRun: ({ runId }: { runId: string } = { runId: "" }) => ({
        start: async ({ inputData }: { inputData: unknown }) => {
          runs.push(inputData);
          return { status: "suspended", suspended: [["step"]], suspendPayload: { step: "Really?" } };
        },
        resume: async ({ step, resumeData }: { step: unknown; resumeData: unknown }) => {
          runs.push([step, resumeData]);
          return { status: "success", result: { runId: runId.length > 0 } };
        },
      }),
    };
    const server = make({ workflows: { slow: workflow as never } });
    const client = await clientOf(await httpServer(server), "auto", ({ message }) => ({
      action: "accept",
      content: { answer: `${message} yes` },
    }));
    expect(textOf(await client.callTool({ name: "run_slow", arguments: { n: 1 } }))).toBe('{"runId":true}');
    expect(runs).toEqual([{ n: 1 }, [["step"], "Really? yes"]]);
  });

  it("speaks the transport of 2024-11-05, asking included", async () => {
    done.length = 0;
    const server = make();
    const http = createServer((req, res) => void server.startSSE({ url: req.url ?? "", req, res }));
    await new Promise<void>((resolve) => http.listen(0, "127.0.0.1", resolve));
    open.push(async () => http.closeAllConnections());
    const base = `http://127.0.0.1:${(http.address() as AddressInfo).port}`;
    const transport = new SSEClientTransport(new URL(`${base}/sse`));
    const client = await clientOf({ connect: (it) => it.connect(transport) }, "legacy", () => ({
      action: "accept",
      content: { approved: true },
    }));
    expect(textOf(await client.callTool({ name: "pay", arguments: { amount: 9 } }))).toBe("paid 9");
    expect(server.getSseTransport()).toBeDefined();
    expect(server.getStdioTransport()).toBeUndefined();
    const post = (query: string, body: string) =>
      fetch(`${base}/messages${query}`, { method: "POST", body, headers: { "content-type": "application/json" } });
    expect((await post("?sessionId=nobody", "{}")).status).toBe(404);
    expect((await fetch(`${base}/elsewhere`)).status).toBe(404);
  });

  it.each(["auto", "legacy"] as const)("speaks over standard input and output (%s)", async (mode) => {
    const transport = new StdioClientTransport({ command: process.execPath, args: [programOf(askServer)] });
    const client = await clientOf({ connect: (it) => it.connect(transport, { timeout: 40_000 }) }, mode, () => ({
      action: "accept",
      content: { approved: true },
    }));
    expect(textOf(await client.callTool({ name: "pay", arguments: { amount: 2 } }))).toBe("paid 2");
  });

  it("says that a client of an older revision cannot be asked where there are no sessions", async () => {
    const client = await clientOf(await httpServer(make({ legacy: "stateless" })), "legacy", () => ({
      action: "cancel",
    }));
    const result = await client.callTool({ name: "pay", arguments: { amount: 1 } });
    expect(textOf(result)).toContain("no sessions");
  });
});

describe("an output that is not an object", () => {
  const outputs = [
    createTool({ id: "list", description: "Lists.", outputSchema: z.array(z.number()), execute: () => [1, 2] }),
    createTool({ id: "name", description: "Names.", outputSchema: z.string(), execute: () => "Ada" }),
    createTool({
      ...{ id: "either", description: "Finds.", outputSchema: z.union([z.number(), z.literal("none")]) },
      execute: () => 5 as const,
    }),
    createTool({
      ...{ id: "shape", description: "Draws." },
      outputSchema: z.union([z.object({ radius: z.number() }), z.object({ side: z.number() })]),
      execute: () => ({ side: 2 }),
    }),
    createTool({ id: "any", description: "Gives.", outputSchema: z.any(), execute: () => undefined }),
  ];

  it.each<["auto" | "legacy", (value: unknown) => unknown]>([
    ["auto", (value) => value],
    ["legacy", (result) => ({ result })],
  ])("is structured too, in the form that the revision has (%s)", async (mode, form) => {
    const server = new MCPServer({ name: "outputs", version: "1.0.0", tools: outputs });
    open.push(() => server.close());
    const client = new Client({ name: "tester", version: "1.0.0" }, { versionNegotiation: { mode } });
    await client.connect(new StreamableHTTPClientTransport(new URL((await server.listen({ port: 0 })).url)));
    open.push(() => client.close());
    const { tools } = await client.listTools();
    const given = await Promise.all(tools.map(({ name }) => client.callTool({ name, arguments: {} })));
    expect(given.map(({ structuredContent }) => structuredContent)).toEqual([
      form([1, 2]),
      form("Ada"),
      form(5),
      { side: 2 },
      undefined,
    ]);
    expect(given.map(({ content }) => content)).toEqual(
      ["[1,2]", "Ada", "5", '{"side":2}', ""].map((text) => [{ type: "text", text }]),
    );
    const types = tools.map(({ outputSchema }) => outputSchema?.type);
    expect(types).toEqual(
      mode === "auto" ? ["array", "string", undefined, "object", undefined] : [...Array(4).fill("object"), undefined],
    );
  });
});

it("close ends what executeTool runs", async () => {
  const server = new MCPServer({
    ...{ name: "slow", version: "1.0.0" },
    tools: [createTool({ id: "hang", description: "Hangs.", execute: (_input, ctx) => untilAborted(ctx.signal) })],
  });
  const hanging = rejection(server.executeTool("hang", {}));
  await new Promise((resolve) => setTimeout(resolve, 10));
  await server.close();
  expect(await hanging).toMatchObject({ message: expect.stringContaining("The MCPServer was closed.") });
});

function untilAborted(signal: AbortSignal): Promise<never> {
  return new Promise((_resolve, reject) => signal.addEventListener("abort", () => reject(signal.reason)));
}

it("has an id that nobody changes", () => {
  const server = new MCPServer({ name: "fixed", version: "1.0.0", id: "mine" });
  expect(() => Object.assign(server, { id: "yours" })).toThrow(TypeError);
  expect([server.id, server.getServerInfo().id]).toEqual(["mine", "mine"]);
});
