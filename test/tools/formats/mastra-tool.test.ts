import { AgenticToolsNode, RequestContext } from "kumiko";
import { expect, it } from "vitest";
import { z } from "zod";
import { blocksOf, call, calls, textsOf, toolError } from "../node/calls.js";
import { mastraTool } from "./mastra-shape.js";

const reverse = mastraTool({
  id: "test-tool",
  description: "Reverses a text.",
  inputSchema: z.object({ input: z.string() }),
  outputSchema: z.object({ output: z.string() }),
  execute: async ({ input }) => ({ output: input.split("").reverse().join("") }),
});

it("a tool works as it is, under its id or the key of a record", async () => {
  const list = new AgenticToolsNode([reverse]);
  expect(list.infos[0]).toMatchObject({ name: "test-tool", description: "Reverses a text." });
  expect(textsOf(await list.invoke(calls(call("test-tool", { input: "abc" }))))).toEqual(['{"output":"cba"}']);
  const record = new AgenticToolsNode({ tools: { other: reverse } });
  expect(textsOf(await record.invoke(calls(call("other", { input: "ab" }))))).toEqual(['{"output":"ba"}']);
});

it("arguments that do not fit are an error, and no result", async () => {
  const node = new AgenticToolsNode([reverse]);
  const error = await toolError(node.invoke(calls(call("test-tool", { input: 1 }))));
  expect(error).toMatchObject({ kind: "validation", toolName: "test-tool" });
  expect(error.message).toContain("input: ");
});

it("defaults and transforms of its schema are made once", async () => {
  const times = mastraTool({
    id: "times",
    description: "",
    inputSchema: z.object({ text: z.string().transform((text) => text.length), by: z.number().default(2) }),
    execute: async ({ text, by }) => text * by,
  });
  expect(textsOf(await new AgenticToolsNode([times]).invoke(calls(call("times", { text: "abc" }))))).toEqual(["6"]);
});

it("output that it refuses itself is an error of that kind", async () => {
  const wrong = mastraTool({
    id: "wrong",
    description: "",
    inputSchema: z.object({}),
    outputSchema: z.object({ n: z.number() }),
    execute: async () => ({ n: "one" }),
  });
  const [block] = blocksOf(
    await new AgenticToolsNode({ tools: [wrong], onToolError: "result" }).invoke(calls(call("wrong"))),
  );
  expect(block).toMatchObject({ isError: true, errorKind: "output_validation" });
  expect(block?.result).toContain("Tool output validation failed");
});

it("it gets the context that Mastra documents", async () => {
  const events: unknown[] = [];
  let seen: Record<string, unknown> = {};
  const spy = mastraTool({
    id: "spy",
    description: "",
    inputSchema: z.object({}),
    execute: async (_input, context) => {
      seen = context;
      const { requestContext, writer } = context as {
        requestContext: Map<string, unknown> & { all: unknown };
        writer: { write(chunk: unknown): Promise<void> };
      };
      await writer.write({ percent: 50 });
      requestContext.set("seen", true);
      return [requestContext.get("user"), requestContext.has("none"), requestContext.all, [...requestContext.keys()]];
    },
  });
  const requestContext = new RequestContext<{ user: string; seen: boolean }>([["user", "u-1"]]);
  const message = calls(call("spy", {}, "c-1"));
  const handler = { onEvent: (...given: unknown[]) => void events.push(given) };
  const results = await new AgenticToolsNode([spy]).invoke(message, { requestContext, callbacks: [handler as never] });
  expect(textsOf(results)).toEqual(['["u-1",false,{"user":"u-1","seen":true},["user","seen"]]']);
  expect(requestContext.get("seen")).toBe(true);
  expect(seen.agent).toMatchObject({ toolCallId: "c-1", messages: [message] });
  expect(seen.abortSignal).toBeInstanceOf(AbortSignal);
  expect(JSON.stringify(events)).toContain('"percent":50');
});

it("its toModelOutput gets the output alone", async () => {
  const shown = mastraTool({
    id: "shown",
    description: "",
    inputSchema: z.object({}),
    execute: async () => ({ secret: 1, text: "hello" }),
    toModelOutput: ({ text }: { text: string }) => ({ type: "text", value: text }),
  });
  expect(textsOf(await new AgenticToolsNode([shown]).invoke(calls(call("shown"))))).toEqual(["hello"]);
});
