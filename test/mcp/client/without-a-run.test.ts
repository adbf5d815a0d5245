import { mcpTools, textOf } from "kumiko";
import { connectMcp } from "kumiko/mcp";
import { afterEach, describe, expect, it } from "vitest";
import { rejection } from "../../tools/node/calls.js";
import { handmadeServer, listedTool, textResult } from "../fixtures/handmade-server.js";
import { sdkServer, serveHttp } from "../fixtures/sdk-server.js";

const open: (() => unknown)[] = [];
afterEach(async () => {
  for (const close of open.splice(0).reverse()) await close();
});

const { signal } = new AbortController();

describe.each<[string, unknown[]]>([
  ["without a context", []],
  ["with a signal only", [{ signal }]],
  ["with an empty context", [{}]],
])("outside of a run, %s", (_how, context) => {
  /** Calls a method of a component as plain JavaScript may. */
  const alone = (component: object, method: string, input: unknown): Promise<unknown> =>
    Reflect.apply(Reflect.get(component, method), component, [input, ...context]);

  it("templates, loaders and tools of a connection work", async () => {
    const { url, close } = await serveHttp(sdkServer());
    open.push(close);
    const connection = await connectMcp({ s: { url } });
    open.push(() => connection.close());
    const messages = (await alone(connection.template("s", "greet"), "format", { name: "Ada" })) as never[];
    expect(messages.map(textOf)).toEqual(["Greet Ada.", "How?"]);
    expect(await alone(connection.loader("s"), "load", { uri: "note://one" })).toMatchObject([
      { content: "first note" },
    ]);
    const [echo] = connection.tools();
    expect(await alone(echo ?? {}, "execute", { text: "hi" })).toBe("hi");
  });

  it("a question of the server is an error that says so", async () => {
    const { url, close } = await serveHttp(sdkServer());
    open.push(close);
    const connection = await connectMcp({ s: { url } });
    open.push(() => connection.close());
    const order = connection.tools().find(({ id }) => id === "s_order");
    const error = await rejection(alone(order ?? {}, "execute", { item: "tea" }));
    expect(error).toMatchObject({ code: "MCP_PROTOCOL", message: expect.stringContaining("outside a run") });
  });

  it("tools of mcpTools work", async () => {
    const client = {
      listTools: async () => ({ tools: [listedTool("echo")] }),
      callTool: async (_params: object, _schema?: undefined, options?: { onprogress?: (event: never) => void }) => {
        options?.onprogress?.({ progress: 1 } as never);
        return textResult("hi");
      },
    };
    const [echo] = await mcpTools(client);
    expect(await alone(echo ?? {}, "execute", {})).toBe("hi");
  });
});

it("a template that is called alone is stopped with its signal", async () => {
  const server = await handmadeServer((method) => (method === "tools/list" ? { tools: [] } : undefined));
  open.push(server.close);
  const connection = await connectMcp({ s: { url: server.url } });
  open.push(() => connection.close());
  const stopped = AbortSignal.abort(new Error("enough"));
  const format = connection.template("s", "hello").format({}, { signal: stopped } as never);
  expect(await rejection(format)).toMatchObject({ message: "enough" });
});
