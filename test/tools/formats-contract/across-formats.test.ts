import { toolDefinition } from "@tanstack/ai";
import { tool } from "ai";
import {
  type AgenticMessage,
  AgenticToolsNode,
  asTool,
  Chain,
  createTool,
  lambda,
  mcpTools,
  memoryStore,
  type ToolContext,
  ToolError,
  toolResultsOf,
} from "kumiko";
import type { AnyTool } from "kumiko/components";
import { describe, expect, it } from "vitest";
import { z } from "zod";
import { call, message, questionsOf, rejection, resultOf } from "./caller.js";

const inputSchema = z.object({ city: z.string() });
const description = "d";
const mastraMark = Symbol.for("mastra.core.tool.Tool");

/** What a body of any format can see of its call. */
interface Seen {
  readonly signal: AbortSignal | undefined;
  readonly requestValue: (name: string) => unknown;
}
type Body = (city: string, seen: Seen) => unknown;
type Approval = { readonly needsApproval?: true; readonly requireApproval?: true };

/** One tool of each format that does the same. */
const formats: Record<string, (body: Body, approval?: Approval) => AnyTool> = {
  createTool: (body, approval) =>
    createTool({
      id: "t",
      description,
      inputSchema,
      ...approval,
      execute: ({ city }, ctx) =>
        body(city, { signal: ctx.signal, requestValue: (name) => ctx.requestContext.get(name) }),
    }),
  plain: (body, approval) => ({
    name: "t",
    description,
    inputSchema,
    ...approval,
    execute: ({ city }: { city: string }, ctx: ToolContext<never>) =>
      body(city, { signal: ctx.signal, requestValue: (name) => ctx.requestContext.get(name) }),
  }),
  "AI SDK": (body, approval) =>
    tool({
      description,
      inputSchema,
      ...approval,
      execute: async ({ city }, { abortSignal, context }) =>
        body(city, { signal: abortSignal, requestValue: (name) => (context as Record<string, unknown>)[name] }),
    }),
  TanStack: (body, approval) => {
    const definition = toolDefinition({ name: "t", description, inputSchema });
    const tool = definition.server<Record<string, unknown>>(async ({ city }, context) =>
      body(city, { signal: context.abortSignal, requestValue: (name) => context.context[name] }),
    );
    return { ...tool, ...approval };
  },
  Mastra: (body, approval) => ({
    [mastraMark]: true,
    id: "t",
    description,
    inputSchema,
    ...approval,
    execute: async (
      { city }: { city: string },
      context: { abortSignal: AbortSignal; requestContext: { get: (name: string) => unknown } },
    ) => body(city, { signal: context.abortSignal, requestValue: (name) => context.requestContext.get(name) }),
  }),
  Eino: (body, approval) => ({
    ...approval,
    info: { name: "t", desc: description, parameters: inputSchema },
    invokableRun: async (args, ctx) =>
      body((JSON.parse(args) as { city: string }).city, {
        signal: ctx.signal,
        requestValue: (name) => ctx.requestContext.get(name),
      }),
  }),
  asTool: (body) =>
    asTool(
      lambda({
        invoke: async ({ city }: { city: string }, ctx) =>
          body(city, { signal: ctx.signal, requestValue: (name) => ctx.requestContext.get(name) }),
      }),
      { id: "t", description, inputSchema },
    ),
};
const bothNames = [{ needsApproval: true }, { requireApproval: true }] as const;
const withApproval = Object.keys(formats).filter((name) => name !== "asTool");

const nodeOf = (given: AnyTool, options: object = {}) => new AgenticToolsNode({ tools: { t: given }, ...options });

for (const [format, make] of Object.entries(formats)) {
  describe(`a tool of format ${format}`, () => {
    it("gives text, values and nothing like every other", async () => {
      for (const [value, result] of [
        ["text", "text"],
        ["123", "123"],
        [{ a: [1] }, '{"a":[1]}'],
        [0, "0"],
        [null, "null"],
        [undefined, ""],
      ] as const)
        expect((await resultOf(nodeOf(make(() => value)), "t", { city: "x" })).result).toBe(result);
    });

    it("reads its arguments, its request and its signal", async () => {
      const node = nodeOf(
        make((city, { signal, requestValue }) => `${city} ${signal?.aborted} ${requestValue("user")}`),
      );
      expect((await resultOf(node, "t", { city: "深圳" }, { requestContext: { user: "u" } })).result).toBe(
        "深圳 false u",
      );
    });

    it("what it throws is an execution error with that cause", async () => {
      const cause = new RangeError("thrown inside");
      const throwing = make(() => {
        throw cause;
      });
      const error = await rejection(nodeOf(throwing).invoke(message(call("t", { city: "x" }))));
      expect(error).toBeInstanceOf(ToolError);
      expect(error).toMatchObject({ kind: "execution", toolName: "t", callId: "call-1" });
      const causes: unknown[] = [];
      for (let at: unknown = error; at instanceof Error; at = at.cause) causes.push(at);
      expect(causes).toContain(cause);
      const result = await resultOf(nodeOf(throwing, { onToolError: "result" }), "t", { city: "x" });
      expect(result).toMatchObject({ isError: true, errorKind: "execution" });
      expect(result.result).toContain("thrown inside");
    });

    it("an abort of the run reaches its signal, and the run ends though it is deaf", async () => {
      const controller = new AbortController();
      const reason = new DOMException("stop", "AbortError");
      let signal: AbortSignal | undefined;
      const deaf = make((_city, seen) => {
        signal = seen.signal;
        controller.abort(reason);
        return new Promise(() => {});
      });
      expect(
        await rejection(nodeOf(deaf).invoke(message(call("t", { city: "x" })), { signal: controller.signal })),
      ).toBe(reason);
      expect(signal?.aborted).toBe(true);
      expect(signal?.reason).toBe(reason);
    });

    it("a time-out reaches its signal, and settles the call", async () => {
      let signal: AbortSignal | undefined;
      const deaf = make((_city, seen) => {
        signal = seen.signal;
        void signal?.aborted;
        return new Promise(() => {});
      });
      const result = await resultOf(nodeOf(deaf, { timeoutMs: 15, onToolError: "result" }), "t", { city: "x" });
      expect(result).toMatchObject({ isError: true, errorKind: "timeout" });
      expect(signal?.aborted).toBe(true);
      expect(signal?.reason).toMatchObject({ name: "TimeoutError" });
    });

    it("middlewares, handlers and aliases stand around it like around every other", async () => {
      const order: string[] = [];
      const node = nodeOf(
        make((city) => {
          order.push(`tool ${city}`);
          return city;
        }),
        {
          toolAliases: { t: { nameAliases: ["alias"], argumentsAliases: { city: ["town"] } } },
          toolCallMiddlewares: [
            {
              invokable: (next: (given: unknown, ctx: unknown) => unknown) => async (given: unknown, ctx: unknown) => {
                order.push("before");
                const output = await next(given, ctx);
                order.push(`after ${output}`);
                return output;
              },
            },
          ],
        },
      );
      const { name, result } = await resultOf(
        node,
        "alias",
        { town: "x" },
        {
          callbacks: [
            {
              onStart: (info) => void (info.component === "tool" && order.push(`start ${info.name}`)),
              onEnd: (info) => void (info.component === "tool" && order.push("end")),
            },
          ],
        },
      );
      expect(name).toBe("alias");
      expect(result).toBe("x");
      expect(order).toEqual(["before", "start alias", "tool x", "end", "after x"]);
    });
  });
}

for (const format of withApproval) {
  const make = formats[format];
  if (make === undefined) throw new Error(format);
  describe(`approval of a tool of format ${format}`, () => {
    // people see what the tool gets
    const inputOf = (city: string) => (format === "Eino" ? JSON.stringify({ city }) : { city });
    const runs = (counter: { ran: string[] }, approval: Approval) =>
      new Chain<AgenticMessage>()
        .appendToolsNode(
          new AgenticToolsNode({
            tools: {
              t: make((city) => {
                counter.ran.push(city);
                return `ran ${city}`;
              }, approval),
              sibling: { execute: () => "sibling" },
            },
          }),
          { key: "tools" },
        )
        .compile({ name: "app", store: memoryStore() });

    it("approval stops the call, and only it; an approved call runs once, a declined one never", async () => {
      const isOurs = format === "createTool" || format === "Eino";
      for (const approval of isOurs ? [{ requireApproval: true } as const] : bothNames) {
        const counter = { ran: [] as string[] };
        const app = runs(counter, approval);
        const calls = message(call("t", { city: "a" }, "1"), call("sibling", {}, "2"), call("t", { city: "b" }, "3"));
        const questions = await questionsOf(app.invoke(calls, { checkpointId: "x" }));
        expect(questions.map(({ info }) => info)).toMatchObject([
          { kind: "tool_approval", toolName: "t", toolCallId: "1", input: inputOf("a") },
          { kind: "tool_approval", toolName: "t", toolCallId: "3", input: inputOf("b") },
        ]);
        expect(counter.ran).toEqual([]);
        const [first, second] = questions;
        const results = await app.resume("x", {
          [first?.id ?? ""]: { approved: true },
          [second?.id ?? ""]: { approved: false, reason: "too far" },
        });
        expect(counter.ran).toEqual(["a"]);
        const read = results.flatMap(toolResultsOf);
        expect(read).toMatchObject([
          { result: "ran a" },
          { result: "sibling" },
          { isError: true, errorKind: "denied" },
        ]);
        expect(read[2]?.result).toContain("too far");
      }
    });

    it("edited arguments are validated, and are what runs", async () => {
      const counter = { ran: [] as string[] };
      const app = runs(counter, { requireApproval: true });
      const [question] = await questionsOf(app.invoke(message(call("t", { city: "a" })), { checkpointId: "x" }));
      const id = question?.id ?? "";
      expect(await rejection(app.resume("x", { [id]: { approved: true, arguments: { city: 7 } } }))).toBeInstanceOf(
        Error,
      );
      expect(counter.ran).toEqual([]);
      const results = await app.resume("x", { [id]: { approved: true, arguments: { city: "edited" } } });
      expect(counter.ran).toEqual(["edited"]);
      expect(results.flatMap(toolResultsOf)[0]?.result).toBe("ran edited");
    });
  });
}

describe("all formats in one node", () => {
  it("a record of every format runs them side by side, results in call order", async () => {
    const tools: Record<string, AnyTool> = {};
    let position = 0;
    for (const [format, make] of Object.entries(formats)) tools[`t${position++}`] = make((city) => `${format} ${city}`);
    const [server] = await mcpTools({
      listTools: async () => ({ tools: [{ name: "remote", inputSchema: { type: "object" } }] }),
      callTool: async () => ({ content: [{ type: "text", text: "remote" }] }),
    });
    if (server) tools.remote = server;
    const node = new AgenticToolsNode({ tools });
    expect(node.infos.map(({ name }) => name)).toEqual(Object.keys(tools));
    const calls = Object.keys(tools)
      .reverse()
      .map((name, index) => call(name, { city: "x" }, `c${index}`));
    const results = (await node.invoke(message(...calls))).flatMap(toolResultsOf);
    expect(results.map(({ result }) => result)).toEqual([
      "remote",
      ...Object.keys(formats)
        .map((name) => `${name} x`)
        .reverse(),
    ]);
  });

  it("an array takes all that have a name", () => {
    const named = ["createTool", "plain", "TanStack", "Mastra", "Eino"].map((format) => formats[format]?.(() => ""));
    for (const given of named) expect(new AgenticToolsNode([given as AnyTool]).infos[0]?.name).toBe("t");
  });
});
