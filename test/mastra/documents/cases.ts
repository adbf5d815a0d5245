import { expect } from "vitest";
import * as preamble from "./preamble.js";
import type { BlockRun } from "./run-block.js";
import type { Case } from "./table.js";

/** A case that runs, and what is looked at when it has. */
export interface RunCase extends Case {
  /** Before: what models will say. */
  prepare?(): void | Promise<void>;
  check(run: BlockRun): void | Promise<void>;
}

type Names = Readonly<Record<string, never>>;
const named = <T>(names: Names, name: string): T => names[name] as T;

const graphTool = (shown: string, check: (tool: { id: string; description: string }) => void): RunCase => ({
  state: "runs",
  shown,
  needs: ["createGraphRAGTool", "openai"],
  shows: ["graphTool"],
  check: ({ names }) => check(named(names, "graphTool")),
});

const mapped = (_id: string, result: unknown): RunCase => ({
  state: "runs",
  shown: "the result of the workflow",
  shows: ["res"],
  check: ({ names }) => expect(names.res).toMatchObject({ status: "success", result }),
});

const temperature = async (names: Names, country: string): Promise<unknown> => {
  preamble.script.push(preamble.calls("weather", { location: "Kyoto" }), "It is sunny.");
  const mastra = named<{ fetch(request: Request): Promise<Response> }>(names, "mastra");
  const request = new Request("http://localhost/api/agents/weather/generate", {
    method: "POST",
    headers: { "CF-IPCountry": country },
    body: JSON.stringify({ messages: "What is the weather?" }),
  });
  const { messages } = await (await mastra.fetch(request)).json();
  return preamble.resultsShown(messages);
};

const middleware: RunCase = {
  state: "runs",
  shown: "an agent called over HTTP, from two countries",
  check: async ({ names }) => {
    expect(await temperature(names, "US")).toEqual(["Kyoto: 20 fahrenheit"]);
    expect(await temperature(names, "JP")).toEqual(["Kyoto: 20 celsius"]);
  },
};

const generates: RunCase = {
  state: "runs",
  shown: "a tool of the agent reads the value; the text is printed",
  needs: ["agent"],
  prepare: () => void preamble.script.push(preamble.calls("weather", { location: "Kyoto" }), "It is sunny."),
  check: ({ printed }) => {
    expect(printed).toEqual(["It is sunny."]);
    expect(preamble.resultsShown(preamble.asked.at(-1)?.messages ?? [])).toEqual(["Kyoto: 20 celsius"]);
  },
};

interface RunnableTool {
  readonly id: string;
  readonly mcp?: unknown;
  execute(input: unknown, ctx?: object): Promise<unknown>;
}

const listens = async (port: number, path: string): Promise<Response> =>
  fetch(`http://localhost:${port}${path}`, {
    headers: { accept: "text/event-stream" },
    signal: AbortSignal.timeout(20_000),
  });

const served = (path: string): RunCase => ({
  state: "runs",
  shown: `a request to ${path} is answered`,
  needs: ["server", "PORT"],
  shows: ["httpServer"],
  check: async ({ names }) => {
    const httpServer = named<import("node:http").Server>(names, "httpServer");
    const address = httpServer.address();
    const port = typeof address === "object" && address !== null ? address.port : 0;
    try {
      const response = await listens(port, path);
      expect(response.status).toBeLessThan(500);
      expect(response.status).not.toBe(404);
      await response.body?.cancel();
      expect((await listens(port, "/elsewhere")).status).toBe(404);
    } finally {
      httpServer.closeAllConnections();
      httpServer.close();
    }
  },
});

const fits = (shown: string): Case => ({ state: "types fit", shown });

const docs: Readonly<Record<number, Case | RunCase>> = {
  1: {
    ...graphTool("the tool and its default id and description", ({ id, description }) => {
      expect(id).toBe("GraphRAG pinecone docs Tool");
      expect(description).toMatch(/^Access and analyze relationships between information/);
    }),
    needs: [],
  },
  2: fits("the fields of a source"),
  3: graphTool("the tool", ({ id }) => expect(id).toBe("GraphRAG pinecone docs Tool")),
  4: graphTool("its description", ({ description }) => expect(description).toMatch(/^Analyze document relationships/)),
  5: graphTool("the tool", ({ id }) => expect(id).toBe("GraphRAG pinecone docs Tool")),
  6: {
    state: "runs",
    shown: "the agent's tool queries the store and index from the request",
    needs: ["RuntimeContext", "agent"],
    prepare: async () => {
      const store = preamble.myStore;
      await store.createIndex({ indexName: "my_index", dimension: 1536 });
      const vector = Array.from({ length: 1536 }, () => 0.1);
      await store.upsert({
        indexName: "my_index",
        ids: ["a", "b"],
        vectors: [vector, vector],
        documents: ["Joints need no nails.", "Tea is served hot."],
        metadata: [{ category: "docs" }, { category: "other" }],
      });
      preamble.script.push(preamble.calls("graph", { queryText: "nails", topK: 5 }), "No nails.");
    },
    shows: ["response"],
    check: ({ names }) => {
      expect(names.response).toMatchObject({ text: "No nails." });
      const [shown = ""] = preamble.resultsShown(preamble.asked.at(-1)?.messages ?? []);
      expect(shown).toContain("Joints need no nails.");
      expect(shown).not.toContain("Tea");
    },
  } satisfies RunCase,
  7: {
    state: "runs",
    shown: "the text of the chunks, their headings, summaries and keywords",
    needs: ["summarizer"],
    patches: [
      {
        from: "  extract: {\n",
        to: "  extract: {\n    model: summarizer,\n",
        reason: "the extraction does not name a model, and there is no default",
      },
    ],
    shows: ["chunks", "chunksWithMetadata"],
    check: ({ names }) => {
      const texts = named<readonly { text: string }[]>(names, "chunks").map(({ text }) => text);
      expect(texts.join("\n")).toContain("## Section 1\nHere is the first section");
      const sections = named<readonly { metadata: Record<string, unknown> }[]>(names, "chunksWithMetadata");
      expect(sections.map(({ metadata }) => metadata.section)).toContain("Section 1");
    },
  } satisfies RunCase,
  8: {
    state: "runs",
    shown: "the chunks of three strategies",
    needs: ["doc"],
    patches: [
      {
        from: "// Markdown strategy example\nconst chunks",
        to: "// Markdown strategy example\nconst chunksOfMarkdown",
        reason: "the same name is declared three times",
      },
      {
        from: "// Token strategy example\nconst chunks",
        to: "// Token strategy example\nconst chunksOfTokens",
        reason: "a further duplicate declaration",
      },
    ],
    shows: ["chunks", "chunksOfMarkdown", "chunksOfTokens"],
    check: ({ names }) => {
      for (const list of Object.values(names))
        expect(named<readonly unknown[]>({ list }, "list").length).toBeGreaterThan(0);
    },
  } satisfies RunCase,
  9: fits("a chunk of a document"),
  10: generates,
  11: {
    state: "runs",
    shown: "the tool, called with its input and with the older single object",
    check: async ({ names }) => {
      const tool = named<RunnableTool>(names, "weatherTool");
      const runtimeContext = new preamble.RuntimeContext([["temperature-scale", "fahrenheit"]]);
      const result = { result: "The temperature is 68°F" };
      expect(await tool.execute({ location: "Kyoto" }, { runtimeContext })).toEqual(result);
      expect(await tool.execute({ context: { location: "Kyoto" }, runtimeContext })).toEqual(result);
    },
  } satisfies RunCase,
  12: middleware,
  13: {
    state: "runs",
    shown: "model, instructions and tools for a free and an enterprise user",
    needs: ["Agent", "openai", "knowledgeBase", "ticketSystem", "advancedAnalytics", "customIntegration"],
    shows: ["supportAgent"],
    check: async ({ names }) => {
      const agent = named<InstanceType<typeof preamble.Agent>>(names, "supportAgent");
      const call = async (tier: string) => {
        const runtimeContext = new preamble.RuntimeContext({ "user-tier": tier, language: "French" });
        await agent.generate("Help!", { runtimeContext });
        return preamble.asked.at(-1);
      };
      const free = await call("free");
      expect(free).toMatchObject({ model: "gpt-3.5-turbo", tools: ["knowledgeBase", "ticketSystem"] });
      expect(JSON.stringify(free?.messages)).toContain("Always respond in French language.");
      const enterprise = await call("enterprise");
      expect(enterprise?.model).toBe("gpt-4");
      expect(enterprise?.tools).toEqual(["knowledgeBase", "ticketSystem", "advancedAnalytics", "customIntegration"]);
    },
  } satisfies RunCase,
  14: { ...generates, needs: ["mastra", "RuntimeContext"], patches: [] },
  15: middleware,
  16: {
    state: "runs",
    shown: "the tool, called with a value of the request",
    needs: ["weatherApi"],
    check: async ({ names }) => {
      const runtimeContext = new preamble.RuntimeContext([["temperature-scale", "celsius"]]);
      const tool = named<RunnableTool>(names, "weatherTool");
      expect(await tool.execute({ location: "Kyoto" }, { runtimeContext })).toMatchObject({
        result: { location: "Kyoto", unit: "celsius" },
      });
    },
  } satisfies RunCase,
  17: {
    state: "runs",
    shown: "the prompt that the agent received, and the answer",
    shows: ["res"],
    prepare: () => void preamble.script.push("Machines that learn."),
    check: ({ names, printed }) => {
      expect(names.res).toMatchObject({ status: "success", result: { text: "Machines that learn." } });
      expect(JSON.stringify(preamble.asked.at(-1)?.messages)).toContain(
        "Answer this question briefly: What is machine learning?",
      );
      expect(printed[0]).toMatch(/^Answer:/);
    },
  } satisfies RunCase,
  18: {
    state: "runs",
    shown: "what it prints",
    check: ({ printed }) => expect(printed).toEqual(["Current weather: 22°C and Sunny"]),
  } satisfies RunCase,
  19: {
    state: "runs",
    shown: "the agent calls the tool, the tool runs the workflow",
    prepare: () =>
      void preamble.script.push(preamble.calls("activityPlannerTool", { city: "Tokyo" }), "Visit the park!"),
    check: ({ printed }) => {
      expect(printed).toEqual(["\nAgent response:", "Visit the park!"]);
      expect(preamble.resultsShown(preamble.asked.at(-1)?.messages ?? [])).toEqual([
        '{"activities":["Visit the park","Go hiking","Have a picnic"]}',
      ]);
    },
  } satisfies RunCase,
  20: {
    state: "runs",
    shown: "the tool `run_weatherWorkflow` of the server",
    shows: ["server"],
    patches: [
      {
        from: "server.startStdio().catch(console.error);",
        to: "",
        reason: "a test cannot pass its own standard input to a server",
      },
    ],
    check: async ({ names }) => {
      const server = named<InstanceType<typeof preamble.MCPServer>>(names, "server");
      expect(server.getToolListInfo().tools.map(({ name }) => name)).toEqual(["run_weatherWorkflow"]);
      expect(await server.executeTool("run_weatherWorkflow", { city: "Paris" })).toEqual({ report: "sunny in Paris" });
    },
  } satisfies RunCase,
  21: {
    state: "runs",
    shown: "a run: all four sources of the mapping",
    needs: ["myWorkflow", "step1", "step2", "z"],
    shows: ["myWorkflow"],
    check: async ({ names }) => {
      const workflow = named<{ createRun(): { start(options: object): Promise<unknown> } }>(names, "myWorkflow");
      const runtimeContext = new preamble.RuntimeContext([["runtimeContextValue", 7]]);
      const started = workflow.createRun().start({ inputData: { startValue: "a" }, runtimeContext });
      expect(await started).toMatchObject({
        status: "success",
        result: { transformedValue: "nested a", runtimeContextValue: 7, constantValue: 42, initDataValue: "a" },
      });
    },
  } satisfies RunCase,
  22: mapped("my-workflow", "Hello world"),
  23: mapped("my-workflow", { result: "Combined: Processed: Original input (original: Original input)" }),
  24: mapped("my-workflow", {
    result: `Combined result:
      - Initial input: Starting data
      - Step 1 output: Step 1: Starting data
      - Step 2 output: Step 2: Step 1: Starting data`,
  }),
  25: {
    state: "runs",
    shown: "the tool passes its signal to the call that it awaits",
    patches: [
      { from: "  },\\n});", to: "  },\n});", reason: "a line break is written as the two characters \\n" },
      {
        from: 'await fetch("https://api.example.com/data", {\n      signal: abortSignal, // Pass the signal here\n    });',
        to: "await fetch(`data:application/json,{}`, {\n      signal: abortSignal,\n    });",
        reason: "the address is an example, and no server answers there",
      },
    ],
    check: async ({ names }) => {
      const tool = named<RunnableTool>(names, "longRunningTool");
      expect(await tool.execute({}, {})).toEqual({ result: {} });
      await expect(tool.execute({}, { abortSignal: AbortSignal.abort() })).rejects.toMatchObject({
        name: "AbortError",
      });
    },
  } satisfies RunCase,
  26: {
    state: "runs",
    shown: "the call ends with a text; when aborted, with an AbortError",
    needs: ["agent"],
    patches: [],
    check: async ({ printed }) => {
      expect(printed).toEqual(["Done."]);
      const controller = new AbortController();
      const promise = preamble.agent.generate("Long", { abortSignal: controller.signal });
      controller.abort();
      await expect(promise).rejects.toMatchObject({ name: "AbortError" });
    },
  } satisfies RunCase,
  27: {
    state: "runs",
    shown: "the tool together with others in an agent",
    patches: [
      {
        from: "fetch(`https://api.example.com/weather?city=",
        to: 'fetch(`data:application/json,"',
        reason: "the address is an example, and no server answers there",
      },
      { from: "{city}`);", to: '{city}"`);', reason: "the same; the response is a JSON string" },
    ],
    check: async ({ names }) => {
      preamble.script.push(preamble.calls("weatherVercel", { city: "Kyoto" }), "Sunny.");
      const tools = { weatherVercel: named<never>(names, "vercelWeatherTool"), other: preamble.weather };
      const agent = new preamble.Agent({ name: "mixed", model: preamble.openai("test"), tools });
      expect((await agent.generate("Weather?")).text).toBe("Sunny.");
      expect(preamble.resultsShown(preamble.asked.at(-1)?.messages ?? [])).toEqual(["Kyoto"]);
    },
  } satisfies RunCase,
  28: {
    state: "runs",
    shown: "an agent with tools of two formats calls both",
    check: async ({ names }) => {
      preamble.script.push(
        preamble.calls("weatherVercel", { city: "Kyoto" }),
        preamble.calls("someMastraTool", { location: "Nara" }),
        "Done.",
      );
      await named<typeof preamble.agent>(names, "mixedToolsAgent").generate("Weather?");
      const shown = preamble.resultsShown(preamble.asked.at(-1)?.messages ?? []);
      expect(shown).toEqual(['{"name":"Kyoto"}', "Nara: 20 undefined"]);
    },
  } satisfies RunCase,
  29: {
    state: "runs",
    shown: "the three tools of the server, and a call of each",
    shows: ["server"],
    patches: [
      {
        from: 'description: "A generalist to help with basic questions."',
        to: 'description: "A generalist to help with basic questions.",',
        reason: "a comma is missing",
      },
    ],
    check: async ({ names }) => {
      const server = named<InstanceType<typeof preamble.MCPServer>>(names, "server");
      const tools = server.getToolListInfo().tools.map(({ name }) => name);
      expect(tools).toEqual(["weatherTool", "ask_myAgent", "run_dataProcessingWorkflow"]);
      expect(await server.executeTool("weatherTool", { location: "Nara" })).toBe("Weather in Nara is sunny.");
      expect(await server.executeTool("ask_myAgent", { message: "Hello?" })).toBe("Done.");
      expect(await server.executeTool("run_dataProcessingWorkflow", { city: "Nara" })).toEqual({
        report: "sunny in Nara",
      });
    },
  } satisfies RunCase,
  30: fits("agents of a server"),
  31: fits("workflows of a server"),
  32: fits("`startStdio`"),
  33: {
    state: "runs",
    shown: "the server exists, and can be started",
    needs: ["MCPServer"],
    shows: ["server"],
    patches: [
      {
        from: "  // example configuration above\n",
        to: '  name: "Example",\n  version: "1.0.0",\n  tools: {},\n',
        reason: "the configuration is empty, but a server needs a name and a version",
      },
      {
        from: "await server.startStdio();",
        to: "",
        reason: "a test cannot pass its own standard input to a server",
      },
    ],
    check: ({ names }) => {
      const server = named<InstanceType<typeof preamble.MCPServer>>(names, "server");
      expect(server.startStdio).toBeTypeOf("function");
      expect(server.getServerInfo()).toMatchObject({ name: "Example", version: "1.0.0" });
    },
  } satisfies RunCase,
  34: fits("`startSSE`"),
  35: served("/sse"),
  36: fits("`startHonoSSE`"),
  37: served("/hono-sse"),
  38: fits("`startHTTP`"),
  39: served("/http"),
  40: fits("`close`"),
  41: fits("`getServerInfo`"),
  42: fits("`getServerDetail`"),
  43: fits("`getToolListInfo`"),
  44: fits("`getToolInfo`"),
  45: fits("`executeTool`"),
  46: fits("`getStdioTransport`"),
  47: fits("`getSseTransport`"),
  48: fits("`getSseHonoTransport`"),
  49: fits("`getStreamableHTTPTransport`"),
  50: fits("`executeTool` with a context"),
  51: fits("`MCPServerResources`"),
  52: {
    state: "runs",
    shown: "the server lists its resources; the address that the block misspells causes an error",
    shows: ["serverWithResources", "myResourceHandlers"],
    check: async ({ names }) => {
      const handlers = named<{
        listResources(): Promise<readonly { uri: string }[]>;
        getResourceContent(request: { uri: string }): Promise<unknown>;
      }>(names, "myResourceHandlers");
      expect(await handlers.listResources()).toMatchObject([{ uri: "file://data/123.txt" }]);
      await expect(handlers.getResourceContent({ uri: "file://data/123.txt" })).rejects.toThrow("not found");
      expect(names.serverWithResources).toBeInstanceOf(preamble.MCPServer);
    },
  } satisfies RunCase,
  53: fits("`resources.notifyUpdated`"),
  54: {
    state: "runs",
    shown: "it resolves if no client is listening",
    needs: ["serverWithResources"],
    check: () => undefined,
  } satisfies RunCase,
  55: fits("`resources.notifyListChanged`"),
  56: {
    state: "runs",
    shown: "it resolves if no client is listening",
    needs: ["serverWithResources"],
    check: () => undefined,
  } satisfies RunCase,
};

const hook = (
  shown: string,
  needs: readonly string[],
  run: (agent: typeof preamble.agent) => Promise<unknown>,
  printed: unknown[],
): RunCase => ({
  state: "runs",
  shown,
  needs,
  check: async (block) => {
    const tool = named<never>(block.names, "tool");
    const { log } = console;
    const lines: string[] = [];
    console.log = (...parts: unknown[]) => void lines.push(parts.map(String).join(" "));
    try {
      const agent = new preamble.Agent({ name: "hooks", model: preamble.openai("test"), tools: { tool } });
      await run(agent as never);
    } finally {
      console.log = log;
    }
    expect(lines).toEqual(printed);
  },
});

const streamed = (input: object) => async (agent: typeof preamble.agent) => {
  preamble.script.push(preamble.streamedCall("tool", JSON.stringify(input)), "Done.");
  for await (const event of (await agent.stream("Go")).fullStream) expect(event.type).toBeTypeOf("string");
};

const tools: Readonly<Record<number, Case | RunCase>> = {
  1: {
    state: "runs",
    shown: "the tool reverses its input when called directly",
    check: async ({ names }) => {
      const tool = named<RunnableTool>(names, "tool");
      expect(await tool.execute({ input: "abc" })).toEqual({ output: "cba" });
    },
  } satisfies RunCase,
  2: {
    state: "runs",
    shown: "the tool, and its description for an MCP client",
    needs: ["fetchWeather"],
    check: async ({ names }) => {
      const tool = named<RunnableTool>(names, "weatherTool");
      expect(await tool.execute({ location: "Kyoto" })).toEqual({ weather: "sunny in Kyoto" });
      const server = new preamble.MCPServer({ name: "Tools", version: "1.0.0", tools: [tool as never] });
      expect(server.getToolInfo("get-weather")).toMatchObject({
        annotations: { title: "Weather Lookup", readOnlyHint: true, destructiveHint: false },
        _meta: { version: "1.0.0", category: "weather" },
        inputSchema: { properties: { location: { description: "City name or coordinates" } } },
      });
    },
  } satisfies RunCase,
  3: hook("the hook, in a streamed call", ["createTool"], streamed({}), ["Tool call-1 input streaming started"]),
  4: hook("the hook, in a streamed call", ["createTool"], streamed({ a: 1 }), ['Received input chunk: {"a":1}']),
  5: hook("the hook, in a call", ["createTool", "z"], streamed({ city: "Kyoto" }), [
    "Tool received complete input: [object Object]",
  ]),
  6: hook("the hook, in a call", ["createTool", "z"], streamed({}), ["tool execution completed: [object Object]"]),
  7: fits("`mcp` of a tool"),
};

/** What is done with each block. The page that was copied as text has the blocks of the other one. */
export const cases: Readonly<Record<string, Readonly<Record<number, Case | RunCase>>>> = {
  "mastra-docs.md": docs,
  "mastra-create-tool.md": tools,
  "mastra-create-tool.zh.txt": tools,
};
