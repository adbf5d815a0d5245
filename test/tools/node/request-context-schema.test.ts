import {
  AgenticToolsNode,
  createTool,
  type Handler,
  type AgenticToolsNode as Node,
  RequestContext,
  type ToolContext,
} from "kumiko";
import { toolContext } from "kumiko/testing";
import { describe, expect, it } from "vitest";
import { z } from "zod";
import { blocksOf, call, calls, rejection, textsOf, tool, toolError } from "./calls.js";

const ran: string[] = [];

const mine = createTool({
  id: "mine",
  description: "What belongs to the user.",
  inputSchema: z.object({ what: z.string().default("all") }),
  requestContextSchema: z.object({ userId: z.string(), level: z.number().default(1) }),
  execute: ({ what }, { requestContext }) => {
    const userId: string | undefined = requestContext.get("userId");
    ran.push(`${what} of ${userId}`);
    return `${what} of ${userId}, ${requestContext.get("level")}`;
  },
});

const node = new AgenticToolsNode([mine, tool("other", () => "done")]);

describe("a tool with a requestContextSchema", () => {
  it("runs with the values of the request, which the schema only checks", async () => {
    const results = await node.invoke(calls(call("mine")), { requestContext: new RequestContext({ userId: "u-1" }) });
    expect(textsOf(results)).toEqual(["all of u-1, undefined"]);
    expect(textsOf(await node.invoke(calls(call("mine")), { requestContext: { userId: "u-2", level: 3 } }))).toEqual([
      "all of u-2, 3",
    ]);
  });

  it.each<[string, { requestContext?: Record<string, unknown> }]>([
    ["a value is wrong", { requestContext: { userId: 5 } }],
    ["a value is missing", { requestContext: {} }],
    ["there is no request context", {}],
  ])("gives an error as its result and does not run when %s", async (_when, options) => {
    ran.length = 0;
    const [refused, other] = blocksOf(await node.invoke(calls(call("mine"), call("other")), options));
    expect(refused).toMatchObject({ callId: "mine", isError: true, errorKind: "validation" });
    expect(refused?.result).toContain('Tool "mine" (call "mine") did not run');
    expect(refused?.result).toContain("userId");
    expect(other).toMatchObject({ result: "done" });
    expect(ran).toEqual([]);
  });

  it("is no failure when the node runs one call after another", async () => {
    const sequential: Node = new AgenticToolsNode({ tools: [mine, tool("b", () => "b")], executeSequentially: true });
    expect(textsOf(await sequential.invoke(calls(call("mine"), call("b"))))[1]).toBe("b");
  });

  it("streams the same error", async () => {
    const chunks: unknown[] = [];
    for await (const chunk of node.stream(calls(call("mine")))) chunks.push(...blocksOf(chunk));
    expect(chunks).toMatchObject([{ isError: true, errorKind: "validation" }]);
  });

  it("fails the node for wrong arguments, like any tool", async () => {
    expect(await toolError(node.invoke(calls(call("mine", { what: 5 }))))).toMatchObject({ kind: "validation" });
  });

  it("lets formatError say what the model reads, and never asks onToolError", async () => {
    const told = new AgenticToolsNode({
      tools: [mine],
      formatError: ({ kind }) => `wrong: ${kind}`,
      onToolError: () => "asked",
    });
    expect(textsOf(await told.invoke(calls(call("mine"))))).toEqual(["wrong: validation"]);
  });

  it("tells handlers of its start and its error", async () => {
    const log: string[] = [];
    const listening: Handler = {
      onStart: ({ component }) => log.push(`start ${component}`),
      onError: ({ component }) => log.push(`error ${component}`),
      onEnd: ({ component }) => log.push(`end ${component}`),
    };
    await node.invoke(calls(call("mine")), { callbacks: [listening] });
    expect(log).toEqual(["start tools_node", "start tool", "error tool", "end tools_node"]);
  });

  it("takes a plain JSON Schema, and schemas that answer later", async () => {
    const plain = createTool({
      id: "plain",
      description: "",
      requestContextSchema: { type: "object", required: ["tenant"] },
      execute: (_input, { requestContext }) => String(requestContext.get("tenant")),
    });
    const later = createTool({
      id: "later",
      description: "",
      requestContextSchema: z.object({ tenant: z.string() }).refine(async ({ tenant }) => tenant === "a"),
      execute: () => "ok",
    });
    const broken = createTool({
      id: "broken",
      description: "",
      requestContextSchema: z.object({}).refine(() => {
        throw new Error("no database");
      }),
      execute: () => "ok",
    });
    const node = new AgenticToolsNode([plain, later, broken]);
    const message = calls(call("plain"), call("later"), call("broken"));
    const kinds = async (requestContext: Record<string, unknown>) =>
      blocksOf(await node.invoke(message, { requestContext })).map(({ errorKind, result }) => errorKind ?? result);
    expect(await kinds({ tenant: "a" })).toEqual(["a", "ok", "validation"]);
    expect(await kinds({ tenant: "b" })).toEqual(["b", "validation", "validation"]);
    expect(await kinds({})).toEqual(["validation", "validation", "validation"]);
  });

  it("rejects when it is called without a node", async () => {
    const ctx = toolContext({ requestContext: new RequestContext({ userId: "u-3", level: 2 }) });
    expect(await mine.invoke("{}", ctx as ToolContext<never>)).toBe("all of u-3, 2");
    expect(await rejection(mine.invoke("{}", toolContext() as ToolContext<never>))).toMatchObject({
      kind: "validation",
    });
  });

  it("keeps its schema for everybody to read", () => {
    expect(mine.requestContextSchema.safeParse({ userId: "a" }).success).toBe(true);
  });
});
