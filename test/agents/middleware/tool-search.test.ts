import {
  type AgenticMessage,
  assistantMessage,
  type CheckpointStore,
  createTool,
  memoryStore,
  textOf,
  toolResultsOf,
} from "kumiko";
import { createAgent, createMiddleware, threads, toolSearch } from "kumiko/agents";
import { sqliteStore } from "kumiko/sqlite";
import { scriptedModel } from "kumiko/testing";
import { describe, expect, it } from "vitest";
import { z } from "zod";
import { call, eventsOf, failureOf } from "../agents.js";

const tool = (id: string, description: string, shape: z.ZodRawShape = {}) =>
  createTool({ id, description, inputSchema: z.object(shape), execute: () => `did ${id}` });

const office = [
  tool("create_invoice", "Makes an invoice for a customer.", { cents: z.number().describe("The amount.") }),
  tool("sendMail", "Sends an electronic letter.", {
    to: z.string(),
    attachments: z.array(z.object({ filename: z.string() })).optional(),
  }),
  tool("list_customers", "Every customer."),
  tool("archive", "Puts a ticket away."),
];
const search = (callId: string, query: string) => call(callId, "search_tools", { query });
const offered = (model: ReturnType<typeof scriptedModel>) =>
  model.calls.map(({ options }) => options.tools?.map(({ name }) => name));
const textsOf = (messages: readonly AgenticMessage[]) => messages.flatMap(toolResultsOf).map(({ result }) => result);

async function found(query: string, options: { readonly limit?: number } = {}): Promise<string[]> {
  const model = scriptedModel(assistantMessage([search("1", query)]), "Done.");
  const agent = createAgent({ model, middleware: [toolSearch({ tools: office, ...options })] });
  const [result = ""] = textsOf((await agent.generate("Go")).messages);
  return result.startsWith("[") ? JSON.parse(result).map(({ name }: { name: string }) => name) : [];
}

describe("toolSearch", () => {
  it("hides its tools until they are found, and offers them from the next step on", async () => {
    const model = scriptedModel(
      assistantMessage([call("0", "create_invoice", { cents: 1 }), call("00", "now")]),
      assistantMessage([search("1", "invoice"), call("2", "create_invoice", { cents: 1 })]),
      assistantMessage([call("3", "create_invoice", { cents: 1 })]),
      "Done.",
    );
    const agent = createAgent({
      model,
      tools: [tool("now", "The time.")],
      middleware: [toolSearch({ tools: office })],
    });
    const { messages } = await agent.generate("Go");
    expect(offered(model)).toEqual([
      ["now", "search_tools"],
      ["now", "search_tools"],
      ["now", "create_invoice", "search_tools"],
      ["now", "create_invoice", "search_tools"],
    ]);
    expect(textsOf(messages)).toEqual([
      'Tool "create_invoice" (call "0") not found. Tools of this node: "now", "search_tools".',
      "did now",
      '[{"name":"create_invoice","description":"Makes an invoice for a customer."}]',
      expect.not.stringContaining("did"),
      "did create_invoice",
    ]);
  });

  it("finds by names, descriptions and parameters, the best first", async () => {
    expect(await found("customer")).toEqual(["list_customers", "create_invoice"]);
    expect(await found("send mail")).toEqual(["sendMail"]);
    expect(await found("the amount in cents")).toContain("create_invoice");
    expect(await found("filename")).toEqual(["sendMail"]);
    expect(await found("Ticket")).toEqual(["archive"]);
    expect(await found("nothing like it")).toEqual([]);
    expect(await found("customer letter ticket", { limit: 2 })).toHaveLength(2);
  });

  it("takes a record, and tools of other formats", async () => {
    const foreign = {
      description: "Weather of a city.",
      inputSchema: z.object({ city: z.string() }),
      execute: async () => "21 °C",
    };
    const model = scriptedModel(
      assistantMessage([search("1", "city")]),
      assistantMessage([call("2", "weather", { city: "Kyoto" })]),
      "Done.",
    );
    const agent = createAgent({
      model,
      middleware: [toolSearch({ tools: { weather: foreign as never, archive: office[3] as never } })],
    });
    expect(textsOf((await agent.generate("Go")).messages)).toEqual([expect.stringContaining("weather"), "21 °C"]);
  });

  it("stands beside other middlewares that choose tools", async () => {
    const model = scriptedModel(assistantMessage([search("1", "invoice")]), "Done.");
    const without = createMiddleware({ name: "without", beforeStep: () => ({ hideTools: ["now"] }) });
    const agent = createAgent({
      model,
      tools: [tool("now", "The time.")],
      middleware: [without, toolSearch({ tools: office })],
    });
    await agent.generate("Go");
    expect(offered(model)).toEqual([["search_tools"], ["create_invoice", "search_tools"]]);
  });

  it("streams what it finds", async () => {
    const model = scriptedModel(
      assistantMessage([search("1", "invoice")]),
      assistantMessage([call("2", "create_invoice", { cents: 5 })]),
      "Done.",
    );
    const events = await eventsOf(createAgent({ model, middleware: [toolSearch({ tools: office })] }).stream("Go"));
    expect(events.flatMap((event) => (event.type === "tool_result" ? textsOf([event.message]) : []))).toEqual([
      expect.stringContaining("create_invoice"),
      "did create_invoice",
    ]);
  });

  it("is quick with 3,000 tools", async () => {
    const many = Array.from({ length: 3_000 }, (_, index) => tool(`tool_${index}`, `Does thing ${index}.`));
    const model = scriptedModel(
      assistantMessage([search("1", "thing 2718")]),
      assistantMessage([call("2", "tool_2718")]),
      "Done.",
    );
    const agent = createAgent({ model, middleware: [toolSearch({ tools: many })] });
    expect(textsOf((await agent.generate("Go")).messages).at(-1)).toBe("did tool_2718");
    expect(offered(model).map((names) => names?.length)).toEqual([1, 6, 6]);
  });

  it.each([
    [undefined, /options of toolSearch/],
    [{}, /tools of toolSearch must be/],
    [{ tools: "a" }, /tools of toolSearch must be/],
    [{ tools: [5] }, /tools\[0\] of toolSearch is not a tool/],
    [{ tools: [office[0], office[0]] }, /Two tools of toolSearch are named "create_invoice"/],
    [{ tools: { other: office[0] } }, /named "create_invoice"/],
    [{ tools: [], limit: 0 }, /limit of toolSearch/],
    [{ tools: [], limit: 1.5 }, /limit of toolSearch/],
    [{ tools: [], max: 1 }, /Unknown option "max"/],
  ])("refuses %#", (options, message) => {
    expect(() => toolSearch(options as never)).toThrow(message);
  });
});

const stores: Readonly<Record<string, () => CheckpointStore>> = {
  memory: memoryStore,
  sqlite: () => sqliteStore(":memory:"),
};

describe.each(Object.entries(stores))("what toolSearch has found, in %s", (_name, makeStore) => {
  it("stays for the thread, for other agents with its store too, and for no other thread", async () => {
    const store = makeStore();
    const first = createAgent({
      model: scriptedModel(assistantMessage([search("1", "invoice")]), "Done."),
      middleware: [toolSearch({ tools: office })],
      store,
    });
    await first.generate("Go", { threadId: "t" });
    const model = scriptedModel("One.", assistantMessage([search("2", "ticket")]), "Two.", "Three.");
    const second = createAgent({ model, middleware: [toolSearch({ tools: office.slice().reverse() })], store });
    await second.generate("Go", { threadId: "t" });
    await second.generate("Go", { threadId: "t" });
    await second.generate("Go", { threadId: "u" });
    expect(offered(model)).toEqual([
      ["create_invoice", "search_tools"],
      ["create_invoice", "search_tools"],
      ["archive", "create_invoice", "search_tools"],
      ["search_tools"],
    ]);
  });

  it("is there after a question in the same round, and a found tool may ask too", async () => {
    const store = makeStore();
    const asking = createTool({
      id: "refund",
      description: "Pays back.",
      inputSchema: z.object({}),
      requireApproval: true,
      execute: () => "paid",
    });
    const make = (model: ReturnType<typeof scriptedModel>) =>
      createAgent({
        model,
        tools: [tool("now", "The time.")],
        middleware: [toolSearch({ tools: [asking, ...office] })],
        store,
      });
    const held = await make(
      scriptedModel(
        assistantMessage([search("1", "pays back")]),
        assistantMessage([call("2", "refund"), search("3", "invoice")]),
      ),
    ).generate("Go", { threadId: "t" });
    expect(held.finishReason).toBe("waiting");
    const model = scriptedModel("Done.");
    const result = await make(model).resume({ threadId: "t" }, { [held.interrupts[0]?.id ?? ""]: { approved: true } });
    expect(textsOf(result.messages)).toEqual([
      expect.stringContaining("refund"),
      "paid",
      expect.stringContaining("create_invoice"),
    ]);
    expect(offered(model)).toEqual([["now", "refund", "create_invoice", "search_tools"]]);
  });

  it("is not lost when the run breaks off in the middle of the round", async () => {
    const store = makeStore();
    let fails = true;
    const breaking = createTool({
      id: "breaking",
      description: "",
      inputSchema: z.object({}),
      execute: async () => {
        await new Promise((resolve) => setTimeout(resolve, 30));
        if (fails) throw new Error("The process is gone.");
        return "went well";
      },
    });
    const make = (model: ReturnType<typeof scriptedModel>) =>
      createAgent({
        model,
        tools: [breaking],
        onToolError: "throw",
        middleware: [toolSearch({ tools: office })],
        store,
      });
    const first = make(scriptedModel(assistantMessage([search("1", "invoice"), call("2", "breaking")])));
    await failureOf(first.generate("Go", { threadId: "t" }));
    fails = false;
    const model = scriptedModel("Done.");
    const result = await make(model).resume({ threadId: "t" });
    expect(textsOf(result.messages)).toEqual([expect.stringContaining("create_invoice"), "went well"]);
    expect(offered(model)).toEqual([["breaking", "create_invoice", "search_tools"]]);
    expect((await threads(store).messages("t")).map(textOf).at(-1)).toBe("Done.");
  });
});
