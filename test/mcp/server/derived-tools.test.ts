import { Client, StreamableHTTPClientTransport } from "@modelcontextprotocol/client";
import { assistantMessage, createTool, functionToolCall, memoryStore } from "kumiko";
import { createAgent } from "kumiko/agents";
import { Agent, createStep, createWorkflow } from "kumiko/mastra";
import { MCPServer, type MCPServerOptions } from "kumiko/mcp";
import { assistantGenText } from "kumiko/schema";
import { scriptedModel } from "kumiko/testing";
import { afterEach, describe, expect, it } from "vitest";
import { z } from "zod";

const open: (() => Promise<unknown>)[] = [];
afterEach(async () => {
  for (const close of open.splice(0).reverse()) await close();
});

const say = (text: string) => assistantMessage([assistantGenText(text)]);

/** Calls a tool of a new server; the client accepts every form with the content. Gives the result and the forms. */
async function called(options: Partial<MCPServerOptions>, name: string, args: object, content: object = {}) {
  const server = new MCPServer({ name: "test", version: "1.0.0", ...options });
  open.push(() => server.close());
  const { url } = await server.listen({ port: 0 });
  const info = { name: "tester", version: "1.0.0" };
  const client = new Client(info, {
    capabilities: { elicitation: { form: {} } },
    versionNegotiation: { mode: "auto" },
  });
  const forms: unknown[] = [];
  client.setRequestHandler("elicitation/create", ({ params }) => {
    forms.push(params);
    return { action: "accept", content } as never;
  });
  await client.connect(new StreamableHTTPClientTransport(new URL(url)));
  open.push(() => client.close());
  return { result: await client.callTool({ name, arguments: { ...args } }), forms };
}

const text = (value: string) => ({ content: [{ type: "text", text: value }] });

describe("an agent of an MCPServer", () => {
  it.each([
    [
      "one of createAgent",
      (model: ReturnType<typeof scriptedModel>) => createAgent({ name: "poet", description: "Writes.", model }),
    ],
    [
      "one in the words of Mastra",
      (model: ReturnType<typeof scriptedModel>) => new Agent({ name: "poet", description: "Writes.", model }),
    ],
  ])("answers: %s", async (_what, make) => {
    const poet = make(scriptedModel(say("an ode")));
    const { result } = await called({ agents: { poet } }, "ask_poet", { message: "Write." });
    expect(result).toMatchObject(text("an ode"));
  });

  it.each([true, false])(
    "asks the client for what it waits for, and goes on (with a store of its own: %s)",
    async (hasStore) => {
      const paid: string[] = [];
      const pay = createTool({
        id: "pay",
        description: "Pays.",
        requireApproval: true,
        execute: () => paid.push("paid"),
      });
      const model = scriptedModel(
        assistantMessage([functionToolCall({ callId: "1", name: "pay", arguments: "{}" })]),
        say("all done"),
      );
      const store = hasStore ? { store: memoryStore() } : {};
      const clerk = createAgent({ name: "clerk", description: "Pays.", model, tools: [pay], ...store });
      const { result, forms } = await called(
        { agents: { clerk } },
        "ask_clerk",
        { message: "Pay." },
        { approved: true },
      );
      expect(result).toMatchObject(text("all done"));
      expect(forms).toMatchObject([{ message: expect.stringContaining('"pay"') }]);
      expect([paid, model.calls.length]).toEqual([["paid"], 2]);
    },
  );

  it("is stopped with the call, under the names that agents have for it", async () => {
    const seen: unknown[] = [];
    const generate = async (_message: string, options?: never) => void seen.push(options);
    await called({ agents: { other: { description: "Elsewhere.", generate } } }, "ask_other", { message: "Go." });
    const signal = expect.any(AbortSignal);
    expect(seen).toEqual([expect.objectContaining({ signal, abortSignal: signal })]);
  });
});

it("a suspended workflow asks in the form of its step, also inside of another workflow", async () => {
  const confirm = createStep({
    id: "confirm",
    inputSchema: z.object({ n: z.number() }),
    outputSchema: z.object({ sure: z.boolean() }),
    suspendSchema: z.object({ message: z.string() }),
    resumeSchema: z.object({ sure: z.boolean() }),
    execute: async ({ inputData, resumeData, suspend }) => resumeData ?? suspend({ message: `${inputData.n}?` }),
  });
  const ends = { inputSchema: z.object({ n: z.number() }), outputSchema: z.object({ sure: z.boolean() }) };
  const flat = createWorkflow({ id: "flat", description: "Asks.", ...ends })
    .then(confirm)
    .commit();
  const nested = createWorkflow({ id: "nested", description: "Asks inside.", ...ends })
    .then(flat)
    .commit();
  for (const [key, workflow] of Object.entries({ flat, nested })) {
    const { result, forms } = await called({ workflows: { [key]: workflow } }, `run_${key}`, { n: 3 }, { sure: true });
    const requestedSchema = { type: "object", properties: { sure: { type: "boolean" } }, required: ["sure"] };
    expect(forms).toMatchObject([{ message: "3?", requestedSchema }]);
    expect(result).toMatchObject({ structuredContent: { sure: true } });
  }
});
