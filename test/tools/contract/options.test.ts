import {
  type AgenticMessage,
  AgenticToolsNode,
  type AgenticToolsNodeConfig,
  Chain,
  createTool,
  END,
  Graph,
  lambda,
  START,
  type ToolInfo,
  toolOptions,
} from "kumiko";
import { describe, expect, it } from "vitest";
import { z } from "zod";
import { asking, joined, readAll, rejectionOf, textsOf } from "./asking.js";

const a = createTool({ id: "a", description: "", execute: () => "a" });
const b = createTool({ id: "b", description: "", execute: () => "b" });
const otherA = createTool({ id: "a", description: "", execute: () => "other a" });

const graphOf = (node: AgenticToolsNode) =>
  new Graph<AgenticMessage, AgenticMessage[]>()
    .addToolsNode("tools", node)
    .addEdge(START, "tools")
    .addEdge("tools", END)
    .compile();

describe("options of one call", () => {
  it("replace the tools for this call only, alone and in a graph, at the same time", async () => {
    const node = new AgenticToolsNode([a]);
    const graph = graphOf(node);
    for (const run of [node, graph]) {
      const options = { options: { toolsNode: { tools: [otherA, b] } } };
      const [replaced, usual] = await Promise.all([
        run.invoke(asking(["a"], ["b"]), options),
        run.invoke(asking(["a"])),
      ]);
      expect(textsOf(replaced)).toEqual(["other a", "b"]);
      expect(textsOf(usual)).toEqual(["a"]);
      expect(textsOf(await joined(run.stream(asking(["b"]), options)))).toEqual(["b"]);
      expect(await rejectionOf(run.invoke(asking(["b"])))).toMatchObject({ kind: "unknown_tool" });
    }
    expect(node.infos.map(({ name }) => name)).toEqual(["a"]);
  });

  it("may be no tools at all, or a record, and bad ones are errors", async () => {
    const node = new AgenticToolsNode([a]);
    const withTools = (tools: unknown) =>
      node.invoke(asking(["a"]), { options: { toolsNode: { tools: tools as never } } });
    expect(await rejectionOf(withTools([]))).toMatchObject({ kind: "unknown_tool" });
    expect(textsOf(await withTools({ a: { execute: () => "plain" } }))).toEqual(["plain"]);
    expect(textsOf(await withTools(undefined))).toEqual(["a"]);
    expect(await rejectionOf(withTools([a, otherA]))).toMatchObject({ name: "KumikoError" });
    expect(await rejectionOf(withTools([7]))).toMatchObject({ name: "KumikoError" });
  });

  it("replace aliases, and configured ones are narrowed to the tools that are there", async () => {
    const node = new AgenticToolsNode({
      tools: [a, b],
      toolAliases: { a: { nameAliases: ["alpha"] }, b: { nameAliases: ["beta"] } },
    });
    const withOptions = (toolsNode: object, ...names: string[]) =>
      node.invoke(asking(...names.map((name) => [name] as const)), { options: { toolsNode } });
    expect(textsOf(await withOptions({}, "alpha", "beta"))).toEqual(["a", "b"]);
    expect(textsOf(await withOptions({ tools: [otherA] }, "alpha"))).toEqual(["other a"]);
    expect(await rejectionOf(withOptions({ tools: [otherA] }, "beta"))).toMatchObject({ kind: "unknown_tool" });
    expect(textsOf(await withOptions({ toolAliases: { a: { nameAliases: ["x"] } } }, "x"))).toEqual(["a"]);
    expect(await rejectionOf(withOptions({ toolAliases: { a: { nameAliases: ["x"] } } }, "alpha"))).toMatchObject({
      kind: "unknown_tool",
    });
    expect(textsOf(await withOptions({ tools: [otherA], toolAliases: { a: { nameAliases: ["x"] } } }, "x"))).toEqual([
      "other a",
    ]);
  });

  it("may stand at the node, for the kind, and at the place: the nearest wins, field by field", async () => {
    const node = new AgenticToolsNode([a]);
    const graph = new Graph<AgenticMessage, AgenticMessage[]>()
      .addToolsNode("tools", node, { options: { tools: [otherA, b] } })
      .addEdge(START, "tools")
      .addEdge("tools", END)
      .compile();
    expect(textsOf(await graph.invoke(asking(["a"])))).toEqual(["other a"]);
    expect(textsOf(await graph.invoke(asking(["a"]), { options: { toolsNode: { tools: [a] } } }))).toEqual(["a"]);
    expect(
      textsOf(
        await graph.invoke(asking(["x"]), {
          options: { toolsNode: { tools: [a] } },
          nodes: { tools: { options: { tools: [b], toolAliases: { b: { nameAliases: ["x"] } } } } },
        } as never),
      ),
    ).toEqual(["b"]);
  });

  it("that nothing accepts are errors before anything runs", async () => {
    const graph = graphOf(new AgenticToolsNode([a]));
    expect(
      await rejectionOf(graph.invoke(asking(["a"]), { options: { toolsNode: { tolls: [] } } } as never)),
    ).toMatchObject({ name: "KumikoError" });
    expect(await rejectionOf(graph.invoke(asking(["a"]), { nodes: { nowhere: {} } } as never))).toMatchObject({
      name: "KumikoError",
    });
    const node = new AgenticToolsNode([a]);
    expect(
      await rejectionOf(node.invoke(asking(["a"]), { options: { toolsNode: { tolls: [] } } } as never)),
    ).toMatchObject({ name: "KumikoError" });
  });

  it("of a tool's own kind reach it, with its defaults, and no other", async () => {
    const mine = toolOptions<{ timeout: number; maxRetries: number }>("mine", { timeout: 1_000, maxRetries: 3 });
    const theirs = toolOptions<{ timeout: number }>("theirs", { timeout: 7 });
    const withTimeout = (timeout: number) => mine.with({ timeout });
    const tool = createTool({
      id: "t",
      description: "",
      options: mine,
      execute: (_input, ctx) => `${ctx.options.timeout}/${ctx.options.maxRetries}`,
    });
    const other = createTool({
      id: "o",
      description: "",
      options: theirs,
      execute: (_input, ctx) => `${ctx.options.timeout}`,
    });
    const graph = graphOf(new AgenticToolsNode([tool, other]));
    const message = asking(["t"], ["o"]);
    expect(textsOf(await graph.invoke(message))).toEqual(["1000/3", "7"]);
    expect(
      textsOf(await graph.invoke(message, { options: { tool: [withTimeout(5), mine.with({ maxRetries: 0 })] } })),
    ).toEqual(["5/0", "7"]);
    expect(textsOf(await joined(graph.stream(message, { options: { tool: [withTimeout(5)] } })))).toEqual(["5/3", "7"]);
  });
});

describe("the context of a tool", () => {
  it("has what the contract names", async () => {
    let seen: Record<string, unknown> = {};
    const tool = createTool({
      id: "t",
      description: "",
      execute: (_input, ctx) => {
        const {
          signal,
          abortSignal,
          requestContext,
          address,
          taskKey,
          runInfo,
          toolCallId,
          toolName,
          messages,
          resumeData,
          rawArguments,
          options,
        } = ctx;
        seen = {
          signal,
          abortSignal,
          requestContext,
          address,
          taskKey,
          runInfo,
          toolCallId,
          toolName,
          messages,
          resumeData,
          rawArguments,
          options,
        };
        for (const name of ["progress", "processState", "interrupt", "ask", "once", "suspend"] as const)
          expect(typeof ctx[name]).toBe("function");
        expect(ctx.resume).toMatchObject({ wasInterrupted: false });
        return "x";
      },
    });
    await graphOf(new AgenticToolsNode([tool])).invoke(asking(["t", {}, "c"]));
    expect(seen).toMatchObject({
      address: expect.stringMatching(/node:tools;tool:t:c$/),
      taskKey: expect.any(String),
      runInfo: { name: "t", component: "tool", toolCallId: "c" },
      toolCallId: "c",
      toolName: "t",
      resumeData: undefined,
      rawArguments: "{}",
    });
    expect(seen.signal).toBeInstanceOf(AbortSignal);
    expect(seen.abortSignal).toBe(seen.signal);
  });

  it("is the same request context in every tool of a call; state of the graph can be reached", async () => {
    const add = createTool({
      id: "add",
      description: "",
      execute: (_input, ctx) => {
        const list = ctx.requestContext.get("list") as string[];
        list.push(ctx.toolCallId);
        (ctx.state as { calls: number }).calls += 1;
        return `${list.length} ${(ctx.state as { calls: number }).calls}`;
      },
    });
    const list: string[] = [];
    const graph = new Graph<AgenticMessage, AgenticMessage[]>()
      .withState(() => ({ calls: 0 }))
      .addToolsNode("tools", new AgenticToolsNode({ tools: [add], executeSequentially: true }))
      .addEdge(START, "tools")
      .addEdge("tools", END)
      .compile();
    expect(textsOf(await graph.invoke(asking(["add"], ["add"]), { requestContext: { list } }))).toEqual(["1 1", "2 2"]);
    expect(list).toEqual(["1", "2"]);
  });

  it("has a task key of its own for every call, and the same for ctx.once within it", async () => {
    const keys: string[] = [];
    const tool = createTool({
      id: "t",
      description: "",
      execute: async (_input, ctx) => {
        keys.push(ctx.taskKey);
        return `${await ctx.once("k", () => ctx.toolCallId)}`;
      },
    });
    const node = new AgenticToolsNode([tool]);
    expect(textsOf(await node.invoke(asking(["t"], ["t"], ["t", {}, "1"])))).toHaveLength(3);
    await node.invoke(asking(["t"]));
    expect(new Set(keys).size).toBe(4);
  });
});

describe("the configuration", () => {
  const tools = [a];

  it("is a list, a record, or an object; undefined means the default", async () => {
    for (const config of [
      tools,
      { tools },
      { tools: { a } },
      {
        tools,
        executeSequentially: undefined,
        maxConcurrency: undefined,
        unknownToolsHandler: undefined,
        toolArgumentsHandler: undefined,
        toolCallMiddlewares: undefined,
        toolAliases: undefined,
        onToolError: undefined,
        timeoutMs: undefined,
        outputValidation: undefined,
        coerceArguments: undefined,
        formatError: undefined,
        maxResultLength: undefined,
        onSchemaError: undefined,
      },
    ] satisfies (AgenticToolsNodeConfig | readonly unknown[])[]) {
      expect(textsOf(await new AgenticToolsNode(config as AgenticToolsNodeConfig).invoke(asking(["a"])))).toEqual([
        "a",
      ]);
    }
  });

  it("may hold no tool: every call is unknown", async () => {
    expect(await rejectionOf(new AgenticToolsNode([]).invoke(asking(["a"])))).toMatchObject({ kind: "unknown_tool" });
    expect(new AgenticToolsNode([]).infos).toEqual([]);
  });

  it.each<[string, unknown]>([
    ["nothing", undefined],
    ["null", null],
    ["a text", "tools"],
    ["no tools", {}],
    ["tools that are a text", { tools: "a" }],
    ["a tool that is undefined", [undefined]],
    ["a tool that is null", { tools: [a, null] }],
    ["a tool that is a number", [7]],
    ["a tool that is an empty object", [{}]],
    ["a promise of tools, as of mcpTools without await", Promise.resolve([a])],
    ["a tool without a name", [{ execute: () => "x" }]],
    ["maxConcurrency 0", { tools, maxConcurrency: 0 }],
    ["maxConcurrency -1", { tools, maxConcurrency: -1 }],
    ["maxConcurrency 1.5", { tools, maxConcurrency: 1.5 }],
    ["maxConcurrency NaN", { tools, maxConcurrency: Number.NaN }],
    ["maxConcurrency text", { tools, maxConcurrency: "3" }],
    ["timeoutMs -1", { tools, timeoutMs: -1 }],
    ["timeoutMs NaN", { tools, timeoutMs: Number.NaN }],
    ["timeoutMs text", { tools, timeoutMs: "3" }],
    ["maxResultLength -1", { tools, maxResultLength: -1 }],
    ["maxResultLength NaN", { tools, maxResultLength: Number.NaN }],
    ["onToolError", { tools, onToolError: "ignore" }],
    ["outputValidation", { tools, outputValidation: "loud" }],
    ["onSchemaError", { tools, onSchemaError: "hide" }],
    ["executeSequentially", { tools, executeSequentially: "yes" }],
    ["unknownToolsHandler", { tools, unknownToolsHandler: "no" }],
    ["toolArgumentsHandler", { tools, toolArgumentsHandler: {} }],
    ["formatError", { tools, formatError: "short" }],
    ["toolCallMiddlewares", { tools, toolCallMiddlewares: {} }],
    ["a middleware that is a function", { tools, toolCallMiddlewares: [() => {}] }],
    ["a middleware of another kind", { tools, toolCallMiddlewares: [{ invokeable: () => () => "x" }] }],
    ["a middleware whose half is no function", { tools, toolCallMiddlewares: [{ invokable: true }] }],
    ["an option that does not exist", { tools, timeout: 5 }],
  ])("is refused with a KumikoError: %s", (_what, config) => {
    expect(() => new AgenticToolsNode(config as AgenticToolsNodeConfig)).toThrow(
      expect.objectContaining({ name: "KumikoError" }),
    );
  });

  it("is refused when a tool cannot run or its info fails, naming it", () => {
    const info = { name: "bare", description: "", toJsonSchema: () => ({}) } as ToolInfo;
    expect(() => new AgenticToolsNode([{ component: "tool", info }])).toThrow(/bare/);
    expect(
      () =>
        new AgenticToolsNode([
          a,
          {
            info: () => {
              throw new Error("no info today");
            },
            invokableRun: async () => "x",
          },
        ] as never),
    ).toThrow(/1.*no info today/s);
  });

  it.each<[string, object]>([
    ["no id", { description: "", execute: () => "x" }],
    ["an empty id", { id: "", description: "", execute: () => "x" }],
    ["execute that is no function", { id: "t", description: "", execute: "run" }],
    ["a timeoutMs of -1", { id: "t", description: "", timeoutMs: -1, execute: () => "x" }],
    ["an inputSchema that is none", { id: "t", description: "", inputSchema: 7, execute: () => "x" }],
    ["a hook that is no function", { id: "t", description: "", onOutput: 7, execute: () => "x" }],
    ["outputValidation", { id: "t", description: "", outputValidation: "loud", execute: () => "x" }],
    ["requireApproval", { id: "t", description: "", requireApproval: "yes", execute: () => "x" }],
  ])("of a tool is refused, at the latest by the node: %s", (_what, options) => {
    expect(() => new AgenticToolsNode([createTool(options as never)])).toThrow();
  });

  it("is read once: a list of tools that changes later changes nothing", async () => {
    const list = [a];
    const node = new AgenticToolsNode({ tools: list });
    list.push(b);
    list[0] = otherA;
    expect(textsOf(await node.invoke(asking(["a"])))).toEqual(["a"]);
    expect(await rejectionOf(node.invoke(asking(["b"])))).toMatchObject({ kind: "unknown_tool" });
  });

  it("gives infos that a model can be told", () => {
    const tool = createTool({
      id: "t",
      description: "Does t.",
      inputSchema: z.object({ city: z.string().describe("where") }),
      execute: () => "x",
    });
    const [info] = new AgenticToolsNode([tool]).infos;
    expect(info).toMatchObject({ name: "t", description: "Does t." });
    expect(info?.toJsonSchema()).toMatchObject({
      type: "object",
      properties: { city: { type: "string", description: "where" } },
      required: ["city"],
    });
  });
});

describe("the node among other nodes", () => {
  it("may be in one graph twice, in a parallel, and in a branch", async () => {
    const node = new AgenticToolsNode([a, b]);
    const parallel = new Chain<AgenticMessage>().appendParallel({ x: node, y: node }).compile();
    const both = await parallel.invoke(asking(["a"], ["b"]));
    expect([textsOf(both.x), textsOf(both.y)]).toEqual([
      ["a", "b"],
      ["a", "b"],
    ]);
    const streamed = await parallel.stream(asking(["a"], ["b"])).concat();
    expect(streamed).toEqual(both);
    const twice = new Chain<AgenticMessage>()
      .appendToolsNode(node)
      .append((results) => asking(["b", {}, `${results.length}`]))
      .appendToolsNode(node)
      .compile();
    expect(textsOf(await twice.invoke(asking(["a"], ["a"])))).toEqual(["b"]);
    const branch = new Chain<AgenticMessage>()
      .appendBranch(() => "x", { x: node, y: lambda({ invoke: async () => [] as AgenticMessage[] }) })
      .compile();
    expect(textsOf(await branch.invoke(asking(["a"])))).toEqual(["a"]);
  });

  it("takes outputKey and inputKey like any node", async () => {
    const run = new Graph<{ m: AgenticMessage }, { r: AgenticMessage[] }>()
      .addToolsNode("tools", new AgenticToolsNode([a, b]), { inputKey: "m", outputKey: "r" })
      .addEdge(START, "tools")
      .addEdge("tools", END)
      .compile();
    const message = asking(["a"], ["b"]);
    expect(textsOf((await run.invoke({ m: message })).r)).toEqual(["a", "b"]);
    expect(await run.stream({ m: message }).concat()).toEqual(await run.invoke({ m: message }));
    expect(await readAll(run.stream({ m: message }))).toHaveLength(2);
  });
});
