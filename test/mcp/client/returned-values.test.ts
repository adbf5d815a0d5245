import { AgenticToolsNode, createTool } from "kumiko";
import { connectMcp, MCPServer, type McpOptions, type McpServerConfig } from "kumiko/mcp";
import { scriptedModel } from "kumiko/testing";
import { afterEach, describe, expect, it } from "vitest";
import { blocksOf, call, calls, rejection } from "../../tools/node/calls.js";
import { handmadeServer, listedTool } from "../fixtures/handmade-server.js";
import { sdkServer, serveHttp } from "../fixtures/sdk-server.js";

const open: (() => unknown)[] = [];
afterEach(async () => {
  for (const close of open.splice(0).reverse()) await close();
});

/** The result of a tool of the official server, with a function that returns what it should not. */
async function resultOf(tool: string, args: object, options: object) {
  const { url, close } = await serveHttp(sdkServer());
  open.push(close);
  const connection = await connectMcp({ s: { url } }, options as McpOptions);
  open.push(() => connection.close());
  const node = new AgenticToolsNode({ tools: connection.tools(), onToolError: "result" });
  const [block] = blocksOf(await node.invoke(calls(call(`s_${tool}`, args))));
  return block;
}

const model = () => scriptedModel("because");

describe("a function of connectMcp that returns something else says what to return:", () => {
  it.each<[string, string, object, RegExp]>([
    [
      "elicitation, nothing",
      "order",
      { elicitation: () => undefined },
      /must return \{ action: "accept".*got undefined/,
    ],
    ["elicitation, true", "order", { elicitation: () => true }, /must return \{ action.*got a boolean/],
    ["elicitation, another action", "order", { elicitation: () => ({ action: "yes" }) }, /got action: "yes"/],
    [
      "elicitation, content that is no object",
      "order",
      { elicitation: () => ({ action: "accept", content: "Ada" }) },
      /content: a string/,
    ],
    [
      "approve, an object that says no",
      "ponder",
      { sampling: { model: model(), approve: () => ({ approved: false }) }, roots: [] },
      /approve of sampling.*true or false \(got an object\)/,
    ],
    [
      "roots, no array",
      "ponder",
      { sampling: model(), roots: () => ({ uri: "file:///a" }) },
      /roots of connectMcp must be an array of \{ uri/,
    ],
    [
      "roots, an entry without a URI",
      "ponder",
      { sampling: model(), roots: () => [{ name: "work" }] },
      /roots of connectMcp must be an array of \{ uri/,
    ],
  ])("%s", async (_what, tool, options, expected) => {
    const block = await resultOf(tool, { item: "tea" }, options);
    expect(block).toMatchObject({ isError: true, result: expect.stringMatching(expected) });
  });

  it("fetch, no response", async () => {
    const fetch = (async () => ({ ok: true })) as never;
    const error = await rejection(connectMcp({ s: { url: "http://127.0.0.1:9/mcp", fetch } }));
    expect(error).toMatchObject({ message: expect.stringContaining("fetch of an MCP server must return a Response") });
  });

  it.each([
    [{ model: model(), approve: "yes" }, "sampling.approve of connectMcp"],
    [{ model: model(), aprove: true }, 'Unknown option "aprove" of sampling'],
  ])("sampling is checked when connecting: %o", async (sampling, expected) => {
    const error = await rejection(connectMcp({}, { sampling } as never));
    expect(error).toMatchObject({ code: "INVALID_OPTION", message: expect.stringContaining(expected) });
  });
});

describe("a page that a server asks the user to open", () => {
  const ask = async (url: string): Promise<{ asked: string[]; result: string | undefined }> => {
    const server = new MCPServer({
      ...{ name: "s", version: "1" },
      tools: [
        createTool({
          id: "login",
          description: "Logs in.",
          execute: async (_input, ctx) =>
            JSON.stringify(await ctx.ask("page", { kind: "mcp_elicitation", mode: "url", message: "Log in.", url })),
        }),
      ],
    });
    open.push(() => server.close());
    const asked: string[] = [];
    const config: McpServerConfig = { url: (await server.listen({ port: 0 })).url };
    const connection = await connectMcp(
      { s: config },
      {
        elicitation: (question) => {
          asked.push(question.url ?? "");
          return { action: "accept" };
        },
      },
    );
    open.push(() => connection.close());
    const node = new AgenticToolsNode({ tools: connection.tools(), onToolError: "result" });
    return { asked, result: blocksOf(await node.invoke(calls(call("s_login"))))[0]?.result };
  };

  it("has a web address", async () => {
    expect((await ask("https://example.com/login")).asked).toEqual(["https://example.com/login"]);
  });

  it.each(["javascript:alert(1)", "file:///etc/passwd"])("is not shown with the address %s", async (url) => {
    const { asked, result } = await ask(url);
    expect(asked).toEqual([]);
    expect(result).toContain("not an http or https address");
  });
});

it("a link to a resource never becomes an address for a model provider: in results, prompts and sampling", async () => {
  const link = { type: "resource_link", uri: "https://intranet.example/7", name: "seven", description: "seventh day" };
  const server = await handmadeServer((method) => {
    if (method === "tools/list") return { tools: [listedTool("links")] };
    if (method === "prompts/get") return { messages: [{ role: "user", content: link }] };
    return { content: [{ type: "text", text: "one" }, link] };
  });
  open.push(server.close);
  const connection = await connectMcp({ s: { url: server.url } });
  open.push(() => connection.close());
  const node = new AgenticToolsNode({ tools: connection.tools() });
  const [block] = blocksOf(await node.invoke(calls(call("s_links"))));
  expect(block?.content).toEqual([
    { type: "text", text: "one" },
    { type: "text", text: expect.stringMatching(/https:\/\/intranet\.example\/7.*seventh day/) },
  ]);
  const [message] = await connection.template("s", "any").format({}, {} as never);
  expect(message?.contentBlocks).toEqual([
    { type: "user_input_text", text: expect.stringMatching(/https:\/\/intranet\.example\/7.*seventh day/) },
  ]);
});
