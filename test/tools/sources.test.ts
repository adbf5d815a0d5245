import grpc from "@grpc/grpc-js";
import { AgenticToolsNode, assistantMessage, functionToolCall, isInterrupt, KumikoError, mcpTools } from "kumiko";
import type { ClosableTools, ToolSourceOptions } from "kumiko/components";
import { type GrpcSource, grpcTools } from "kumiko/grpc";
import { openApiTools } from "kumiko/openapi";
import { type ThriftConnection, type ThriftSource, thriftTools } from "kumiko/thrift";
import { describe, expect, it } from "vitest";

type Options = ToolSourceOptions<never>;
type Tools = ClosableTools<{ readonly id: string; readonly metadata?: unknown }>;

/** Three operations: `find`, `list` and `drop`. */
interface Source {
  open(options?: Options): Promise<Tools>;
  openWrong(source: unknown): Promise<unknown>;
  /** The id of the tool of an operation, without a prefix. */
  id(operation: string): string;
  /** What a function in `include` sees. */
  nameIn(operation: never): string;
}

const operation = (operationId: string) => ({ operationId, responses: {} });
const document = {
  openapi: "3.1.0",
  servers: [{ url: "http://127.0.0.1:1" }],
  paths: { "/pets": { get: operation("list"), delete: operation("drop") }, "/pet": { get: operation("find") } },
};
const proto = {
  "pets.proto": `syntax = "proto3"; message Id { int64 id = 1; }
    service Pets { rpc list(Id) returns (Id); rpc drop(Id) returns (Id); rpc find(Id) returns (Id); }`,
};
const idl = "service Pets { void list() void drop() void find() }";
const client = {
  listTools: async () => ({
    tools: ["list", "drop", "find"].map((name) => ({ name, inputSchema: { type: "object" } })),
  }),
  callTool: async () => ({ content: [] }),
};
const connection: ThriftConnection = { protocol: "binary", address: "here", exchange: async () => new Uint8Array() };

const sources: Record<string, Source> = {
  openApiTools: {
    open: (options) => openApiTools(document, options as never),
    openWrong: (source) => openApiTools(source as never),
    id: (name) => name,
    nameIn: ({ operationId }: { operationId: string }) => operationId,
  },
  grpcTools: {
    open: (options) => grpcTools({ address: "127.0.0.1:1", proto }, options as never),
    openWrong: (source) => grpcTools(source as never),
    id: (name) => `Pets_${name}`,
    nameIn: ({ method }: { method: string }) => method,
  },
  thriftTools: {
    open: (options) => thriftTools({ idl, connection }, options as never),
    openWrong: (source) => thriftTools(source as never),
    id: (name) => name,
    nameIn: ({ method }: { method: string }) => method,
  },
  mcpTools: {
    open: (options) => mcpTools(client, options as never),
    openWrong: (source) => mcpTools(source as never),
    id: (name) => name,
    nameIn: ({ name }: { name: string }) => name,
  },
};

const errorOf = (promise: Promise<unknown>): Promise<unknown> =>
  promise.then(
    () => "no error",
    (error) => error,
  );
const idsOf = async (tools: Promise<Tools>): Promise<string[]> => (await tools).map(({ id }) => id);

describe.each(Object.entries(sources))("%s", (where, { open, openWrong, id, nameIn }) => {
  const ids = (...names: string[]): string[] => names.map((name) => id(name));

  it("returns an array of tools that can be closed", async () => {
    const tools = await open();
    expect(Array.isArray(tools)).toBe(true);
    expect(tools.map((tool) => tool.id)).toEqual(ids("list", "drop", "find"));
    expect(Object.keys(tools)).toEqual(["0", "1", "2"]);
    expect(Reflect.get(tools, Symbol.asyncDispose)).toBe(tools.close);
    expect(await tools.close()).toBeUndefined();
    expect(await tools.close()).toBeUndefined();
  });

  it("chooses operations by name or by a function", async () => {
    const isList = (given: never): boolean => nameIn(given) === "list";
    expect(await idsOf(open({ include: ["find", "list"] }))).toEqual(ids("list", "find"));
    expect(await idsOf(open({ include: isList }))).toEqual(ids("list"));
    expect(await idsOf(open({ exclude: ["drop"] }))).toEqual(ids("list", "find"));
    expect(await idsOf(open({ exclude: isList }))).toEqual(ids("drop", "find"));
    expect(await idsOf(open({ include: [] }))).toEqual([]);
  });

  it("lets exclude win over include", async () => {
    expect(await idsOf(open({ include: ["list", "drop"], exclude: ["drop"] }))).toEqual(ids("list"));
    expect(await idsOf(open({ include: () => true, exclude: () => true }))).toEqual([]);
    expect(await idsOf(open({ include: ["drop"], exclude: ["no such operation", "drop"] }))).toEqual([]);
  });

  it("puts the prefix before each name, and asks for approval by the whole name", async () => {
    const tools = await open({ prefix: "pets_", include: ["drop"], requireApproval: { [`pets_${id("drop")}`]: true } });
    expect(tools.map((tool) => tool.id)).toEqual([`pets_${id("drop")}`]);
    const call = functionToolCall({ callId: "1", name: `pets_${id("drop")}`, arguments: "{}" });
    const node = new AgenticToolsNode(tools as never);
    expect(isInterrupt(await errorOf(node.invoke(assistantMessage(call))))).toBe(true);
  });

  it("takes undefined options as the defaults", async () => {
    const options = { include: undefined, exclude: undefined, prefix: undefined, requireApproval: undefined };
    expect(await idsOf(open(options))).toEqual(ids("list", "drop", "find"));
  });

  it.each<[string, unknown, RegExp]>([
    ["an unknown name in include", { include: ["lst"] }, /include of \w+ names "lst".*"?\w*list"?/],
    ["a name in include that has the prefix", { include: ["pets_list"], prefix: "pets_" }, /names "pets_list"/],
    ["an empty name in include", { include: [""] }, /include of \w+ names ""/],
    ["a name of Object.prototype in include", { include: ["toString"] }, /names "toString"/],
    ["an include that is a string", { include: "list" }, /include of \w+ must be an array of names/],
    ["an include of numbers", { include: [5] }, /include of \w+ must be/],
    ["an include that is null", { include: null }, /include of \w+ must be/],
    ["an exclude that is an object", { exclude: { list: true } }, /exclude of \w+ must be/],
    ["an asynchronous include", { include: async () => false }, /include of \w+ must return true or false/],
    ["an exclude without a result", { exclude: () => undefined }, /exclude of \w+ must return true or false/],
    ["a prefix that is no string", { prefix: 5 }, /prefix of \w+ must be a string/],
    ["an approval of no tool", { requireApproval: { lst: true } }, /names "lst", which is not a tool/],
    ["an approval of a tool that is excluded", { exclude: ["drop"], requireApproval: { [id("drop")]: true } }, /names/],
    ["an approval without the prefix", { prefix: "p_", requireApproval: { [id("drop")]: true } }, /names/],
    ["an approval that is a string", { requireApproval: "drop" }, /requireApproval of \w+ must be/],
    ["an unknown option", { includes: ["list"] }, /Unknown option "includes" of \w+\. Did you mean "include"/],
    ["options that are null", null, /The options of \w+ must be an object/],
    ["options that are an array", ["list"], /The options of \w+ must be an object/],
  ])("rejects %s", async (_what, options, text) => {
    const error = await errorOf(open(options as Options));
    expect(error).toMatchObject({ code: "INVALID_OPTION" });
    expect(String(error)).toMatch(text);
    expect(String(error)).toContain(where);
  });

  it("passes on what a function in include throws", async () => {
    const failure = new Error("no list");
    const include = (): never => {
      throw failure;
    };
    expect(await errorOf(open({ include }))).toBe(failure);
  });

  it.each([undefined, null, "pets", 5, [], {}, () => undefined])("rejects a source that is %s", async (source) => {
    expect(KumikoError.is(await errorOf(openWrong(source)))).toBe(true);
  });
});

describe("close", () => {
  /** Counts the calls of `close`. */
  const counting = () => {
    const counted = { ...connection, closed: 0, close: async () => void counted.closed++ };
    return counted;
  };

  it("leaves a Thrift connection open that was passed in", async () => {
    const given = counting();
    await (await thriftTools({ idl, connection: given })).close();
    expect(given.closed).toBe(0);
    await errorOf(thriftTools({ idl, connection: given }, { include: ["no"] }));
    expect(given.closed).toBe(0);
  });

  it("ends a Thrift connection that was made from options, so that later calls fail", async () => {
    const fetch = async (): Promise<Response> => new Response("");
    const source: ThriftSource = { idl, connection: { url: "http://127.0.0.1:1", fetch } };
    const tools = await thriftTools(source);
    await Promise.all([tools.close(), tools.close()]);
    const [list] = tools;
    expect(String(await errorOf(new AgenticToolsNode([list as never]).invoke(callOf("list"))))).toContain("close");
  });

  it("ends a gRPC connection of an address, and leaves a client open that was passed in", async () => {
    const given = new grpc.Client("127.0.0.1:1", grpc.credentials.createInsecure());
    let closed = 0;
    const close = given.close.bind(given);
    given.close = () => {
      closed++;
      close();
    };
    const source: GrpcSource = { client: given, proto };
    await (await grpcTools(source)).close();
    await errorOf(grpcTools(source, { include: ["no"] }));
    expect(closed).toBe(0);
    given.close();
    const tools = await grpcTools({ address: "127.0.0.1:1", proto });
    await Promise.all([tools.close(), tools.close()]);
    const error = await errorOf(new AgenticToolsNode(tools).invoke(callOf("Pets_list")));
    expect(String(error)).toContain("these tools have been closed");
  });

  it("does not touch an MCP client", async () => {
    let closed = 0;
    const tools = await mcpTools({ ...client, close: () => closed++ } as never);
    await tools.close();
    expect(closed).toBe(0);
  });

  const callOf = (name: string) => assistantMessage(functionToolCall({ callId: "1", name, arguments: "{}" }));
});
