import { toolDefinition } from "@tanstack/ai";
import { AgenticToolsNode, RequestContext } from "kumiko";
import { expect, it } from "vitest";
import { z } from "zod";
import { call, calls, textsOf, toolError } from "../node/calls.js";

const definition = toolDefinition({
  name: "get_weather",
  description: "Weather of a place.",
  inputSchema: z.object({ location: z.string().describe("City"), unit: z.enum(["celsius", "fahrenheit"]).optional() }),
  outputSchema: z.object({ degrees: z.number() }),
  metadata: { team: "weather" },
});

it("a server tool works as it is, under its own name", async () => {
  const node = new AgenticToolsNode([definition.server(async ({ location }) => ({ degrees: location.length }))]);
  const [info] = node.infos;
  expect(info).toMatchObject({ name: "get_weather", description: "Weather of a place." });
  expect(info?.toJsonSchema()).toMatchObject({ properties: { location: { description: "City" } } });
  expect(textsOf(await node.invoke(calls(call("get_weather", { location: "abc" }))))).toEqual(['{"degrees":3}']);
});

it("its arguments are validated, and so is its output", async () => {
  const node = new AgenticToolsNode([definition.server(async () => ({ degrees: "hot" }) as never)]);
  expect(await toolError(node.invoke(calls(call("get_weather", {}))))).toMatchObject({ kind: "validation" });
  const error = await toolError(node.invoke(calls(call("get_weather", { location: "a" }))));
  expect(error).toMatchObject({ kind: "output_validation", output: { degrees: "hot" } });
});

it("its outputSchema is not told to the model", () => {
  const node = new AgenticToolsNode([definition.server(async () => ({ degrees: 1 }))]);
  expect(JSON.stringify(node.infos)).not.toContain("degrees");
});

it("texts pass as they are, also those that look like JSON", async () => {
  const text = toolDefinition({ name: "text", description: "" }).server(() => "123");
  expect(textsOf(await new AgenticToolsNode([text]).invoke(calls(call("text"))))).toEqual(["123"]);
});

it("a client tool with a function is executed", async () => {
  const client = definition.client(async () => ({ degrees: 1 }));
  const node = new AgenticToolsNode({ tools: { here: client } });
  expect(textsOf(await node.invoke(calls(call("here", { location: "a" }))))).toEqual(['{"degrees":1}']);
});

it("a bare ServerTool object with plain JSON Schemas works, and its output is not checked", async () => {
  const bare = {
    __toolSide: "server" as const,
    name: "bare",
    description: "",
    inputSchema: { type: "object", properties: { a: { type: "number" } }, required: ["a"] },
    outputSchema: { type: "object" },
    execute: ({ a }: { a: number }) => a,
  };
  const node = new AgenticToolsNode([bare]);
  expect(textsOf(await node.invoke(calls(call("bare", { a: 1 }))))).toEqual(["1"]);
  expect(await toolError(node.invoke(calls(call("bare", { a: "1" }))))).toMatchObject({ kind: "validation" });
});

it("it gets the context that TanStack documents, as a plain object", async () => {
  const events: unknown[] = [];
  let seen: Record<string, unknown> = {};
  const spy = toolDefinition({ name: "spy", description: "" }).server((_input, context) => {
    seen = { ...context };
    context?.emitCustomEvent("half", { percent: 50 });
  });
  const handler = { onEvent: (...given: unknown[]) => void events.push(given) };
  await new AgenticToolsNode([spy]).invoke(calls(call("spy", {}, "c-1")), {
    requestContext: new RequestContext([["user", "u-1"]]),
    callbacks: [handler as never],
  });
  expect(seen).toMatchObject({ toolCallId: "c-1", context: { user: "u-1" } });
  expect(seen.abortSignal).toBeInstanceOf(AbortSignal);
  expect(JSON.stringify(events)).toContain('"percent":50');
});
