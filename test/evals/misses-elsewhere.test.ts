import { Client, StreamableHTTPClientTransport } from "@modelcontextprotocol/client";
import { createTool } from "kumiko";
import { createAgent } from "kumiko/agents";
import { cassette } from "kumiko/evals";
import { Agent } from "kumiko/mastra";
import { MCPServer } from "kumiko/mcp";
import { describe, expect, onTestFinished, test } from "vitest";
import { z } from "zod";
import { add, registered, step, workflow } from "../mastra/workflows.js";
import { newFolder, untouchable } from "./temporary-folder.js";

const emptyTape = () => cassette(newFolder(), { mode: "replay" });
const failed = { status: "failed", error: { code: "TAPE_MISS" } };

describe("a miss of a tape in a workflow of Mastra", () => {
  test("is the failure of its step, without another try, and of the run", async () => {
    const search = emptyTape().wrap("search", async (text: string) => text);
    let tries = 0;
    const asking = step(
      "asking",
      async () => {
        tries += 1;
        return search("nails");
      },
      { retries: 3 },
    );
    const flow = registered(workflow().then(asking).then(add("never")));
    const result = await flow.createRun().start({ inputData: 1 });
    expect(result).toMatchObject(failed);
    expect(result.steps).not.toHaveProperty("never");
    expect(tries).toBe(1);
  });

  test("is not a condition that does not hold", async () => {
    const search = emptyTape().wrap("search", async (text: string) => text);
    const flow = registered(
      workflow().branch([
        [async () => (await search("nails")) === "nails", add("a")],
        [async () => true, add("b")],
      ]),
    );
    expect(await flow.createRun().start({ inputData: 1 })).toMatchObject(failed);
  });

  test("ends an agent", async () => {
    const model = untouchable();
    const agent = new Agent({ name: "clerk", model: emptyTape().model(model) });
    await expect(agent.generate("Hi")).rejects.toMatchObject({ code: "TAPE_MISS" });
    expect(model.asked()).toBe(0);
  });
});

describe("a miss of a tape in a server for MCP", () => {
  async function clientOf(server: MCPServer): Promise<Client> {
    const { url } = await server.listen({ port: 0 });
    onTestFinished(() => server.close());
    const capabilities = { elicitation: { form: {} } };
    const client = new Client(
      { name: "tester", version: "1" },
      { capabilities, versionNegotiation: { mode: "auto" }, inputRequired: { autoFulfill: false } },
    );
    await client.connect(new StreamableHTTPClientTransport(new URL(url)));
    onTestFinished(() => client.close());
    return client;
  }

  test("is an error of the request, and no result that a model would read", async () => {
    const tape = emptyTape();
    const price = createTool({
      id: "price",
      description: "Finds a price.",
      inputSchema: z.object({ item: z.string() }),
      execute: async () => 3,
    });
    const helper = createAgent({ name: "helper", description: "Helps.", model: tape.model(untouchable()) });
    const server = new MCPServer({ name: "shop", version: "1", tools: [...tape.tools([price]), helper.asTool()] });
    const client = await clientOf(server);
    await expect(client.callTool({ name: "price", arguments: { item: "nail" } })).rejects.toThrow(/has no answer for/);
    await expect(client.callTool({ name: "helper", arguments: { prompt: "Hi" } })).rejects.toThrow(/has no answer for/);
  });

  test("is one after an answer of a person too", async () => {
    const search = emptyTape().wrap("search", async () => "found");
    const order = createTool({
      id: "order",
      description: "Orders.",
      execute: async (_input, ctx) => `${await ctx.ask<string>("sure", "Sure?")} ${await search()}`,
    });
    const client = await clientOf(new MCPServer({ name: "shop", version: "1", tools: [order] }));
    const asked = await client.callTool({ name: "order", arguments: {} }, { allowInputRequired: true });
    const answer = {
      ...{ name: "order", arguments: {}, requestState: Reflect.get(asked, "requestState") },
      inputResponses: { sure: { action: "accept", content: { answer: "yes" } } },
    };
    await expect(client.callTool(answer as never, { allowInputRequired: true })).rejects.toThrow(/has no answer for/);
  });
});
