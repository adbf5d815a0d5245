import { Client as ClientV2, InMemoryTransport as MemoryV2 } from "@modelcontextprotocol/client";
import { Client as ClientV1 } from "@modelcontextprotocol/sdk/client/index.js";
import { InMemoryTransport as MemoryV1 } from "@modelcontextprotocol/sdk/inMemory.js";
import { McpServer as McpServerV1 } from "@modelcontextprotocol/sdk/server/mcp.js";
import { McpServer as McpServerV2 } from "@modelcontextprotocol/server";
import { AgenticToolsNode, type McpClient, mcpTools, ToolCallError, ToolError, toolResultsOf } from "kumiko";
import { afterAll, describe, expect, it } from "vitest";
import { z } from "zod";
import { aborted, call, message, parametersOf, rejection, resultOf, thrown } from "./caller.js";

const closers: (() => Promise<void>)[] = [];
afterAll(async () => {
  for (const close of closers) await close();
});

interface ToolCallExtra {
  readonly signal: AbortSignal;
  readonly report: (progress: number, total: number) => Promise<void>;
}

type Registration = (
  name: string,
  config: Record<string, unknown>,
  handler: (args: Record<string, unknown>, extra: ToolCallExtra) => Promise<unknown>,
) => void;

const forget = new AbortController();

/** The same tools on a server of either SDK. */
function register(tool: Registration, seen: { signal?: AbortSignal; started?: () => void }): void {
  const inputSchema = z.object({ city: z.string() });
  tool("add", { description: "Adds.", inputSchema: z.object({ a: z.number(), b: z.number() }) }, async ({ a, b }) => ({
    content: [{ type: "text", text: String(Number(a) + Number(b)) }],
  }));
  tool("fails", { description: "d", inputSchema }, async () => ({
    isError: true,
    content: [{ type: "text", text: "no such city" }],
    structuredContent: { ignored: true },
  }));
  tool("throws", { description: "d", inputSchema }, async () => {
    throw new Error("handler broke");
  });
  tool("structured", { description: "d", inputSchema, outputSchema: z.object({ celsius: z.number() }) }, async () => ({
    content: [{ type: "text", text: '{"celsius":21}' }],
    structuredContent: { celsius: 21 },
  }));
  tool("picture", { description: "d", inputSchema }, async () => ({
    content: [
      { type: "text", text: "Look:" },
      { type: "image", data: "aGk=", mimeType: "image/png" },
      { type: "audio", data: "aGk=", mimeType: "audio/wav" },
      { type: "resource", resource: { uri: "file:///a.txt", mimeType: "text/plain", text: "inside" } },
      { type: "resource", resource: { uri: "file:///b.bin", mimeType: "application/pdf", blob: "aGk=" } },
      { type: "resource_link", uri: "https://x.example/doc", name: "doc", mimeType: "text/html" },
    ],
  }));
  tool("slow", { description: "d", inputSchema }, async (_args, extra) => {
    seen.signal = extra.signal;
    seen.started?.();
    await aborted(extra.signal);
    return { content: [{ type: "text", text: "late" }] };
  });
  tool("reports", { description: "d", inputSchema }, async (_args, { report }) => {
    await report(1, 2);
    await report(2, 2);
    return { content: [{ type: "text", text: "done" }] };
  });
  tool(
    "annotated",
    {
      title: "Annotated",
      description: "d",
      inputSchema,
      annotations: { readOnlyHint: true, title: "Shown" },
      _meta: { category: "x" },
    },
    async () => ({ content: [] }),
  );
}

async function v1(seen: { signal?: AbortSignal; started?: () => void } = {}): Promise<McpClient> {
  const server = new McpServerV1({ name: "v1", version: "1.0.0" });
  register((name, config, handler) => {
    server.registerTool(
      name,
      config as never,
      (async (args: Record<string, unknown>, extra: Extra1) => {
        const report = async (progress: number, total: number) => {
          const progressToken = extra._meta?.progressToken;
          if (progressToken !== undefined)
            await extra.sendNotification({
              method: "notifications/progress",
              params: { progressToken, progress, total },
            });
        };
        return handler(args, { signal: extra.signal, report });
      }) as never,
    );
  }, seen);
  const [near, far] = MemoryV1.createLinkedPair();
  const client = new ClientV1({ name: "test", version: "1.0.0" });
  await Promise.all([server.connect(far), client.connect(near)]);
  closers.push(() => client.close());
  return client;
}

interface Extra1 {
  readonly signal: AbortSignal;
  readonly _meta?: { readonly progressToken?: string | number };
  readonly sendNotification: (notification: unknown) => Promise<void>;
}

interface Extra2 {
  readonly mcpReq: {
    readonly signal: AbortSignal;
    readonly _meta?: { readonly progressToken?: string | number };
    readonly notify: (notification: unknown) => Promise<void>;
  };
}

async function v2(seen: { signal?: AbortSignal; started?: () => void } = {}): Promise<McpClient> {
  const server = new McpServerV2({ name: "v2", version: "1.0.0" });
  register((name, config, handler) => {
    server.registerTool(
      name,
      config as never,
      (async (args: Record<string, unknown>, { mcpReq }: Extra2) => {
        const report = async (progress: number, total: number) => {
          const progressToken = mcpReq._meta?.progressToken;
          if (progressToken !== undefined)
            await mcpReq.notify({ method: "notifications/progress", params: { progressToken, progress, total } });
        };
        return handler(args, { signal: mcpReq.signal, report });
      }) as never,
    );
  }, seen);
  const [near, far] = MemoryV2.createLinkedPair();
  const client = new ClientV2({ name: "test", version: "1.0.0" });
  await Promise.all([server.connect(far as never), client.connect(near)]);
  closers.push(() => client.close());
  return client;
}

for (const [version, connect] of [
  ["SDK v1", v1],
  ["SDK v2", v2],
] as const) {
  describe(`tools of an MCP server, ${version}`, () => {
    it("mcpTools gives an array of tools that run", async () => {
      const tools = await mcpTools(await connect());
      const node = new AgenticToolsNode(tools);
      expect(node.infos.map(({ name }) => name)).toContain("add");
      expect(parametersOf(node, "add")).toMatchObject({ type: "object", required: ["a", "b"] });
      expect((await resultOf(node, "add", { a: 1, b: 2 })).result).toBe("3");
    });

    it("arguments are validated before anything is sent", async () => {
      const node = new AgenticToolsNode({ tools: await mcpTools(await connect()), onToolError: "result" });
      expect(await resultOf(node, "add", { a: "one", b: 2 })).toMatchObject({ errorKind: "validation" });
    });

    it("a result with isError is an error of kind execution, its cause has the whole result", async () => {
      const tools = await mcpTools(await connect());
      const error = await rejection(new AgenticToolsNode(tools).invoke(message(call("fails", { city: "x" }))));
      expect(error).toBeInstanceOf(ToolError);
      expect(error).toMatchObject({ kind: "execution", toolName: "fails" });
      expect((error as Error).cause).toBeInstanceOf(ToolCallError);
      const node = new AgenticToolsNode({ tools, onToolError: "result" });
      const result = await resultOf(node, "fails", { city: "x" });
      expect(result).toMatchObject({ isError: true, errorKind: "execution" });
      expect(result.result).toContain("no such city");
    });

    it("a handler that throws is an execution error with its message", async () => {
      const node = new AgenticToolsNode({ tools: await mcpTools(await connect()), onToolError: "result" });
      const result = await resultOf(node, "throws", { city: "x" });
      expect(result).toMatchObject({ isError: true, errorKind: "execution" });
      expect(result.result).toContain("handler broke");
    });

    it("structuredContent is what the model reads", async () => {
      const node = new AgenticToolsNode(await mcpTools(await connect()));
      expect((await resultOf(node, "structured", { city: "x" })).result).toBe('{"celsius":21}');
    });

    it("content of every kind is kept, in order", async () => {
      const node = new AgenticToolsNode(await mcpTools(await connect()));
      const { content } = await resultOf(node, "picture", { city: "x" });
      expect(content?.map(({ type }) => type)).toEqual(["text", "image", "audio", "text", "file", expect.any(String)]);
      expect(content).toMatchObject([
        { text: "Look:" },
        { base64Data: "aGk=", mimeType: "image/png" },
        { base64Data: "aGk=", mimeType: "audio/wav" },
        { text: expect.stringContaining("inside") },
        { base64Data: "aGk=", mimeType: "application/pdf" },
        {},
      ]);
      expect(JSON.stringify(content?.[5])).toContain("https://x.example/doc");
    });

    it("annotations and _meta come through unchanged", async () => {
      const tools = await mcpTools(await connect());
      const annotated = tools.find(({ info }) => info.name === "annotated");
      expect(annotated?.mcp?.annotations).toEqual({ readOnlyHint: true, title: "Shown" });
      expect(annotated?.mcp?._meta).toMatchObject({ category: "x" });
    });

    it("progress reaches handlers, and never the model", async () => {
      const node = new AgenticToolsNode(await mcpTools(await connect()));
      const events: unknown[] = [];
      const { result } = await resultOf(
        node,
        "reports",
        { city: "x" },
        {
          callbacks: [{ onEvent: (_info, event) => void events.push(event) }],
        },
      );
      expect(result).toBe("done");
      expect(events).toHaveLength(2);
      expect(events[1]).toMatchObject({ kind: "progress" });
      expect(JSON.stringify(events[1])).toContain('"progress":2');
    });

    it("an abort of the run reaches the server, and the run rejects with its reason", async () => {
      const seen: { signal?: AbortSignal; started?: () => void } = {};
      const started = new Promise<void>((resolve) => {
        seen.started = resolve;
      });
      const node = new AgenticToolsNode(await mcpTools(await connect(seen)));
      const controller = new AbortController();
      const run = rejection(node.invoke(message(call("slow", { city: "x" })), { signal: controller.signal }));
      await started;
      const reason = new Error("enough");
      controller.abort(reason);
      expect(await run).toBe(reason);
      await aborted(seen.signal);
    });

    it("a time-out cancels the call at the server", async () => {
      const seen: { signal?: AbortSignal } = {};
      const node = new AgenticToolsNode({
        tools: await mcpTools(await connect(seen)),
        timeoutMs: 25,
        onToolError: "result",
      });
      expect(await resultOf(node, "slow", { city: "x" })).toMatchObject({ errorKind: "timeout" });
      await aborted(seen.signal);
    });

    it("a connection that is gone is an error of each call, never a hang", async () => {
      const client = await connect();
      const node = new AgenticToolsNode({ tools: await mcpTools(client), onToolError: "result" });
      await closers.at(-1)?.();
      expect(await resultOf(node, "add", { a: 1, b: 2 })).toMatchObject({ isError: true, errorKind: "execution" });
    });

    it("approval by requireApproval on the node's own wrapping: a server's tool in a record keeps its name for the server", async () => {
      const [add] = await mcpTools(await connect());
      if (!add) throw new Error("no tool");
      const node = new AgenticToolsNode({ tools: { "math.add": add } });
      const [info] = node.infos;
      expect((await resultOf(node, info?.name ?? "", { a: 2, b: 2 })).result).toBe("4");
    });
  });
}

describe("anything with listTools and callTool", () => {
  const client = (over: Partial<McpClient> = {}): McpClient => ({
    listTools: async () => ({ tools: [{ name: "t", inputSchema: { type: "object" } }] }),
    callTool: async () => ({ content: [{ type: "text", text: "ok" }] }),
    ...over,
  });

  it("all pages are read", async () => {
    const cursors: unknown[] = [];
    const tools = await mcpTools(
      client({
        listTools: async (params) => {
          const cursor = params?.cursor;
          cursors.push(cursor);
          const page = cursor === undefined ? 0 : Number(cursor);
          return {
            tools: [{ name: `t${page}`, inputSchema: { type: "object" } }],
            ...(page < 3 && { nextCursor: String(page + 1) }),
          };
        },
      }),
    );
    expect(tools.map(({ info }) => info.name)).toEqual(["t0", "t1", "t2", "t3"]);
    expect(cursors).toEqual([undefined, "1", "2", "3"]);
  });

  it("an empty cursor is a cursor, and one that comes again is an error, not an endless loop", async () => {
    let pages = 0;
    const looping = client({
      listTools: async () => {
        pages++;
        return { tools: [], nextCursor: "again" };
      },
    });
    expect(await rejection(mcpTools(looping))).toBeInstanceOf(Error);
    expect(pages).toBeLessThan(5);
  });

  it("methods keep their this", async () => {
    class Custom {
      readonly #text = "private";
      async listTools() {
        return { tools: [{ name: this.#text, inputSchema: { type: "object" as const } }] };
      }
      async callTool() {
        return { content: [{ type: "text" as const, text: this.#text }] };
      }
    }
    const node = new AgenticToolsNode(await mcpTools(new Custom()));
    expect((await resultOf(node, "private")).result).toBe("private");
  });

  it("what is no client is refused with a clear error", async () => {
    for (const bad of [undefined, null, {}, { listTools: () => ({ tools: [] }) }, "client"])
      expect(String(await rejection((async () => mcpTools(bad as never))()))).toMatch(/listTools|callTool/);
  });

  it("a server whose listTools fails rejects with that cause", async () => {
    const failing = client({ listTools: () => Promise.reject(new Error("gone")) });
    expect(String(await rejection(mcpTools(failing)))).toContain("gone");
  });

  it("callTool gets name and arguments as the model wrote them, validated but unchanged", async () => {
    let seen: unknown;
    const tools = await mcpTools(
      client({
        callTool: async (params) => {
          seen = params;
          return { content: [] };
        },
      }),
    );
    const result = await resultOf(new AgenticToolsNode(tools), "t", { a: [1], "b c": null });
    expect(seen).toMatchObject({ name: "t", arguments: { a: [1], "b c": null } });
    expect(result.result).toBe("");
  });

  it("names of a server that a model cannot take are made fit; the server gets its own", async () => {
    const seen: unknown[] = [];
    const long = "x".repeat(80);
    const tools = await mcpTools(
      client({
        listTools: async () => ({
          tools: ["files/read.all", long, "constructor"].map((name) => ({ name, inputSchema: { type: "object" } })),
        }),
        callTool: async ({ name }) => {
          seen.push(name);
          return { content: [] };
        },
      }),
    );
    const node = new AgenticToolsNode(tools);
    for (const { name } of node.infos) {
      expect(name).toMatch(/^[A-Za-z0-9_-]{1,64}$/);
      await resultOf(node, name);
    }
    expect(seen).toEqual(["files/read.all", long, "constructor"]);
  });

  it("two servers with one tool name: an error that says what to do; a record renames", async () => {
    const [a] = await mcpTools(client());
    const [b] = await mcpTools(client());
    if (!a || !b) throw new Error("no tools");
    expect(String(thrown(() => new AgenticToolsNode([a, b])))).toContain('"t"');
    expect(new AgenticToolsNode({ tools: { "a.t": a, "b.t": b } }).infos).toHaveLength(2);
  });

  it("odd results are read without a crash: no content, null content, unknown types, the older toolResult", async () => {
    const odd: [unknown, string | RegExp][] = [
      [{}, ""],
      [{ content: [] }, ""],
      [{ content: [{ type: "hologram", depth: 3 }] }, /hologram/],
      [{ toolResult: { a: 1 } }, /./],
      [
        {
          content: [
            { type: "text", text: "a" },
            { type: "text", text: "b" },
          ],
        },
        /a.*b/s,
      ],
      [{ structuredContent: { a: 1 }, content: [] }, '{"a":1}'],
      [{ structuredContent: [1, 2], content: [{ type: "text", text: "x" }] }, /./],
    ];
    for (const [given, expected] of odd) {
      const node = new AgenticToolsNode({ tools: await mcpTools(client({ callTool: async () => given as never })) });
      const { result, isError } = await resultOf(node, "t");
      expect(isError).toBeUndefined();
      if (typeof expected === "string") expect(result).toBe(expected);
      else expect(result).toMatch(expected);
    }
  });

  it("a result that is none at all is an error of the call", async () => {
    for (const given of [undefined, null, "text", 7]) {
      const node = new AgenticToolsNode({
        tools: await mcpTools(client({ callTool: async () => given as never })),
        onToolError: "result",
      });
      const result = await resultOf(node, "t");
      expect(result).toMatchObject({ isError: true, errorKind: "execution" });
    }
  });

  it("isError skips the check of its output, and structuredContent of an error does not hide its text", async () => {
    const tools = await mcpTools(
      client({
        listTools: async () => ({
          tools: [
            {
              name: "t",
              inputSchema: { type: "object" },
              outputSchema: { type: "object", properties: { n: { type: "number" } }, required: ["n"] },
            },
          ],
        }),
        callTool: async () => ({
          isError: true,
          content: [{ type: "text", text: "real error" }],
          structuredContent: {},
        }),
      }),
    );
    const node = new AgenticToolsNode({ tools, outputValidation: "error", onToolError: "result" });
    const result = await resultOf(node, "t");
    expect(result.errorKind).toBe("execution");
    expect(result.result).toContain("real error");
  });

  it("with outputValidation, structuredContent is checked against outputSchema", async () => {
    const outputSchema = { type: "object", properties: { n: { type: "number" } }, required: ["n"] };
    const tools = await mcpTools(
      client({
        listTools: async () => ({ tools: [{ name: "t", inputSchema: { type: "object" }, outputSchema }] }),
        callTool: async () => ({ content: [], structuredContent: { n: "one" } }),
      }),
    );
    const node = new AgenticToolsNode({ tools, outputValidation: "error", onToolError: "result" });
    expect(await resultOf(node, "t")).toMatchObject({ errorKind: "output_validation" });
  });

  it("a server that dies while it is called fails that call, its siblings live", async () => {
    const tools = await mcpTools(
      client({ callTool: () => Promise.reject(new Error("MCP error -32000: Connection closed")) }),
    );
    const node = new AgenticToolsNode({
      tools: [...tools, { name: "fine", execute: () => "fine" }],
      onToolError: "result",
    });
    const results = (await node.invoke(message(call("t", {}, "1"), call("fine", {}, "2")))).flatMap(toolResultsOf);
    expect(results[0]?.result).toContain("Connection closed");
    expect(results[1]?.result).toBe("fine");
  });

  it("a server that never answers is left at the time-out", async () => {
    const tools = await mcpTools(client({ callTool: () => new Promise(() => {}) }));
    const node = new AgenticToolsNode({ tools, timeoutMs: 20, onToolError: "result" });
    expect(await resultOf(node, "t")).toMatchObject({ errorKind: "timeout" });
  });

  it("the list changed: the tools that were read still work, and mcpTools gives the new ones", async () => {
    let names = ["old"];
    const changing = client({
      listTools: async () => ({ tools: names.map((name) => ({ name, inputSchema: { type: "object" } })) }),
      callTool: async ({ name }) =>
        names.includes(name)
          ? { content: [{ type: "text", text: "ok" }] }
          : Promise.reject(new Error(`MCP error -32602: Tool ${name} not found`)),
    });
    const before = await mcpTools(changing);
    names = ["new"];
    expect((await mcpTools(changing)).map(({ info }) => info.name)).toEqual(["new"]);
    const node = new AgenticToolsNode({ tools: before, onToolError: "result" });
    expect((await resultOf(node, "old")).result).toContain("not found");
  });

  it("a server that sends no inputSchema, or one without a type, is told as an object", async () => {
    const tools = await mcpTools(
      client({
        listTools: async () =>
          ({
            tools: [
              { name: "a" },
              { name: "b", inputSchema: {} },
              { name: "c", inputSchema: { properties: { x: { type: "string" } } } },
            ],
          }) as never,
      }),
    );
    const node = new AgenticToolsNode(tools);
    for (const { name } of node.infos) expect(parametersOf(node, name)?.type ?? "object").toBe("object");
    expect((await resultOf(node, "a", { any: 1 })).result).toBe("ok");
  });
});

forget.abort();
