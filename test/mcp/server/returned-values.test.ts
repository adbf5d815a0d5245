import { Client, StreamableHTTPClientTransport } from "@modelcontextprotocol/client";
import { Chain, createTool, userMessage } from "kumiko";
import { MCPServer, type MCPServerOptions } from "kumiko/mcp";
import { afterEach, describe, expect, it } from "vitest";
import { rejection } from "../../tools/node/calls.js";

const open: (() => unknown)[] = [];
afterEach(async () => {
  for (const close of open.splice(0).reverse()) await close();
});

/** A client of a new server. The options are what plain JavaScript could pass. */
async function clientOf(options: object): Promise<Client> {
  const server = new MCPServer({ name: "test", version: "1.0.0", ...options } as MCPServerOptions);
  open.push(() => server.close());
  const client = new Client({ name: "tester", version: "1" }, { versionNegotiation: { mode: "auto" } });
  await client.connect(new StreamableHTTPClientTransport(new URL((await server.listen({ port: 0 })).url)));
  open.push(() => client.close());
  return client;
}

const error = (message: RegExp) => ({ code: -32603, message: expect.stringMatching(message) });

describe("completions of an MCPServer", () => {
  const complete = async (returned: unknown) => {
    const prompts = { hello: { arguments: [{ name: "who" }], template: () => [userMessage("hi")] } };
    const client = await clientOf({ prompts, completions: async () => returned });
    const ref = { type: "ref/prompt" as const, name: "hello" };
    return client.complete({ ref, argument: { name: "who", value: "A" } });
  };

  it.each<[unknown, object]>([
    [["Ann"], { values: ["Ann"], total: 1, hasMore: false }],
    [{ values: ["Ann"] }, { values: ["Ann"], total: 1, hasMore: false }],
    [
      { values: ["Ann"], total: 7, hasMore: true },
      { values: ["Ann"], total: 7, hasMore: true },
    ],
  ])("may be a list, or as MCP defines them: %o", async (returned, completion) => {
    expect((await complete(returned)).completion).toEqual(completion);
  });

  it.each<[unknown, string]>([
    [undefined, "got undefined"],
    ["Ann", "got a string"],
    [{ completion: { values: [] } }, "got undefined"],
    [{ values: "Ann" }, "got a string"],
    [[5], "got an array"],
  ])("say what to return in place of %o", async (returned, got) => {
    expect(await rejection(complete(returned))).toMatchObject(
      error(new RegExp(`completions of MCPServer must return an array of strings.*${got}`)),
    );
  });
});

describe("resources of an MCPServer", () => {
  it("that MCP does not allow are left out, with a warning", async () => {
    const warnings: string[] = [];
    const client = await clientOf({
      resources: {
        listResources: () => [{ uri: "note://1", name: "one" }, { uri: "note://2" }, null],
        resourceTemplates: () => [
          { uriTemplate: "note://{id}", name: "any" },
          { uriTemplate: 5, name: "odd" },
        ],
        getResourceContent: () => ({ text: "note" }),
      },
      logger: { warn: (message: string) => void warnings.push(message) },
    });
    for (let visit = 1; visit <= 2; visit++) {
      expect((await client.listResources()).resources).toEqual([{ uri: "note://1", name: "one" }]);
      expect((await client.listResourceTemplates()).resourceTemplates).toEqual([
        { uriTemplate: "note://{id}", name: "any" },
      ]);
    }
    expect(await client.readResource({ uri: "note://1" })).toMatchObject({ contents: [{ text: "note" }] });
    expect(warnings).toEqual([
      expect.stringMatching(/resource "note:\/\/2" of MCPServer is not listed.*name/),
      expect.stringMatching(/resource "\(unnamed\)"/),
      expect.stringMatching(/resource template "odd".*uriTemplate/),
    ]);
  });

  it("are a list", async () => {
    const client = await clientOf({
      resources: { listResources: () => ({ resources: [] }), getResourceContent: () => ({ text: "" }) },
    });
    expect(await rejection(client.listResources())).toMatchObject(
      error(/listResources of the resources of MCPServer must return an array \(got an object\)/),
    );
  });

  it.each<[unknown, string]>([
    ["note", "got a string"],
    [{}, "text: undefined, blob: undefined"],
    [{ text: 5 }, "text: a number"],
    [{ text: "a", blob: "b" }, "text: a string, blob: a string"],
    [{ blob: new Uint8Array() }, "blob: an instance of Uint8Array"],
    [[{ text: "fine" }, 5], "got a number"],
  ])("have a text or a blob, and not %o", async (returned, got) => {
    const resources = { listResources: () => [], getResourceContent: () => returned };
    const client = await clientOf({ resources });
    expect(await rejection(client.readResource({ uri: "note://1" }))).toMatchObject(
      error(new RegExp(`getResourceContent of MCPServer must return \\{ text \\}.*${got}`)),
    );
  });
});

describe("the template of a prompt", () => {
  it.each<[string, unknown, RegExp]>([
    ["a text", "hi", /must return an array of messages \(got a string\)/],
    ["messages that are texts", ["hi"], /returned a string in place of a message/],
    ["content that is a text", [{ role: "user", content: "hi" }], /must return messages such as.*content: a string/],
    ["a role that prompts do not have", [{ role: "system", content: { type: "text", text: "" } }], /role: "system"/],
    ["content without its text", [{ role: "user", content: { type: "text" } }], /type: "text" \} with missing/],
    ["blocks that are none", [{ role: "user", contentBlocks: "hi" }], /content: undefined/],
  ])("that returns %s is told what to return", async (_what, returned, message) => {
    const client = await clientOf({ prompts: { hello: { template: () => returned } } });
    expect(await rejection(client.getPrompt({ name: "hello" }))).toMatchObject(error(message));
  });

  it("that fails is told by its own message", async () => {
    const template = () => {
      throw new Error("no such customer");
    };
    const client = await clientOf({ prompts: { hello: { template } } });
    expect(await rejection(client.getPrompt({ name: "hello" }))).toMatchObject(
      error(/^(MCP error -32603: )?no such customer$/),
    );
  });

  it.each<[object, string]>([
    [{ arguments: { name: "who" } }, 'arguments of prompts["hello"] of MCPServer'],
    [{ arguments: [{}] }, 'arguments of prompts["hello"] of MCPServer'],
    [{ description: 5 }, 'description of prompts["hello"] of MCPServer'],
  ])("must be described as MCP allows it: %o", (more, message) => {
    const prompts = { hello: { template: () => [], ...more } };
    expect(() => new MCPServer({ name: "s", version: "1", prompts } as never)).toThrow(message);
  });
});

describe("a call of a tool", () => {
  const callOf = async (options: object, name: string, args = {}) => {
    const result = await (await clientOf(options)).callTool({ name, arguments: args });
    return { isError: result.isError, text: Object(result.content[0]).text };
  };

  it.each<[string, object, string, RegExp]>([
    ["an agent", { agents: { a: { description: "d", generate: () => undefined } } }, "ask_a", /generate of agent "a"/],
    ["a run", { workflows: { w: { description: "d", createRun: () => ({}) } } }, "run_w", /createRun of workflow "w"/],
    [
      "an outcome",
      { workflows: { w: { description: "d", createRun: () => ({ start: async () => "done" }) } } },
      "run_w",
      /workflow "w" must return an object with a status \(got a string\)/,
    ],
  ])("says what to return where %s is none", async (_what, options, name, message) => {
    const { isError, text } = await callOf(options, name, name === "ask_a" ? { message: "hi" } : {});
    expect([isError, text]).toEqual([true, expect.stringMatching(message)]);
  });

  it("says what the option requestContext must return", async () => {
    const client = await clientOf({ tools: [], requestContext: () => "ada", prompts: { p: { template: () => [] } } });
    const problem = /requestContext of MCPServer must return a record of values \(got a string\)/;
    expect(await rejection(client.getPrompt({ name: "p" }))).toMatchObject(error(problem));
  });

  it.each<[string, string]>([
    ["fails", "no order nope"],
    ["slow", 'Tool "slow" did not finish within its timeoutMs of 20 ms.'],
    ["wrong", 'Tool "wrong" ran, but its output does not fit its outputSchema'],
    ["run_graph", "no stock"],
  ])("that fails is told once, and without what only the server knows: %s", async (name, expected) => {
    const settings = { description: "Does." };
    const tools = [
      createTool({
        ...{ id: "fails", ...settings },
        execute: () => {
          throw new Error("no order nope");
        },
      }),
      createTool({ id: "slow", ...settings, timeoutMs: 20, execute: () => new Promise(() => undefined) }),
      createTool({
        ...{ id: "wrong", ...settings, outputValidation: "error", outputSchema: { type: "object" } },
        execute: () => 5 as never,
      }),
    ];
    const runnable = new Chain<object>()
      .append(
        () => {
          throw new Error("no stock");
        },
        { key: "secret-node" },
      )
      .compile();
    const graphs = { graph: { runnable, description: "Does.", inputSchema: { type: "object" } } };
    const { isError, text } = await callOf({ tools, graphs }, name);
    expect([isError, text.slice(0, expected.length)]).toEqual([true, expected]);
    expect(text).not.toMatch(/mcp_call_|secret-node|\(call /);
  });
});
