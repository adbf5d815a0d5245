import { toolDefinition } from "@tanstack/ai";
import { type } from "arktype";
import { AgenticToolsNode, ToolError } from "kumiko";
import { describe, expect, it } from "vitest";
import { z } from "zod";
import { call, message, parametersOf, rejection, resultOf, thrown } from "./caller.js";

const definition = toolDefinition({
  name: "get_weather",
  description: "Current weather.",
  inputSchema: z.object({ city: z.string() }),
  outputSchema: z.object({ celsius: z.number() }),
});

describe("tools of TanStack AI", () => {
  it(".server() runs as it is, under its own name", async () => {
    const node = new AgenticToolsNode([definition.server(async ({ city }) => ({ celsius: city.length }))]);
    expect(node.infos).toMatchObject([{ name: "get_weather", description: "Current weather." }]);
    expect(parametersOf(node, "get_weather")).toMatchObject({ type: "object", required: ["city"] });
    expect((await resultOf(node, "get_weather", { city: "深圳" })).result).toBe('{"celsius":2}');
  });

  it("in a record the key is its name", async () => {
    const node = new AgenticToolsNode({ tools: { weather: definition.server(async () => ({ celsius: 1 })) } });
    expect(node.infos.map(({ name }) => name)).toEqual(["weather"]);
    expect((await resultOf(node, "weather", { city: "x" })).result).toBe('{"celsius":1}');
  });

  it("a bare definition and .client() are done outside, and the answer is checked by outputSchema", async () => {
    for (const tool of [definition, definition.client()]) {
      const error = await rejection(new AgenticToolsNode([tool]).invoke(message(call("get_weather", { city: "x" }))));
      expect(error).toMatchObject({
        interrupts: [
          { info: { kind: "client_tool", toolName: "get_weather", toolCallId: "call-1", input: { city: "x" } } },
        ],
      });
      const [{ schema } = { schema: undefined }] = (error as { interrupts: readonly { schema?: object }[] }).interrupts;
      expect(schema).toMatchObject({ properties: { celsius: { type: "number" } } });
    }
  });

  it("a .client(execute) runs where it has its function", async () => {
    const node = new AgenticToolsNode([definition.client(async () => ({ celsius: 4 }))]);
    const outcome = await resultOf(node, "get_weather", { city: "x" }).then(({ result }) => result, rejectionKind);
    expect(["client_tool", '{"celsius":4}']).toContain(outcome);
  });

  it('a text passes as it is: "123" stays the text 123', async () => {
    for (const text of ["123", "true", "null", '{"a":1}', '"quoted"', ""]) {
      const tool = { __toolSide: "server" as const, name: "t", description: "d", execute: async () => text };
      const result = await resultOf(new AgenticToolsNode([tool]), "t");
      expect(result.result).toBe(text);
      expect(result.resultType).toBeUndefined();
    }
  });

  it("bare ServerTool objects with an ArkType schema and with a plain one", async () => {
    const node = new AgenticToolsNode({
      tools: [
        {
          __toolSide: "server",
          name: "ark",
          description: "d",
          inputSchema: type({ location: "string", "unit?": "'celsius' | 'fahrenheit'" }),
          execute: async (args: unknown) => args,
        },
        {
          __toolSide: "server",
          name: "plain",
          description: "d",
          inputSchema: { type: "object", properties: { location: { type: "string" } }, required: ["location"] },
          execute: async (args: unknown) => args,
        },
      ],
      onToolError: "result",
    });
    for (const name of ["ark", "plain"]) {
      expect(parametersOf(node, name)).toMatchObject({ type: "object", required: ["location"] });
      expect((await resultOf(node, name, { location: "x" })).result).toBe('{"location":"x"}');
      expect(await resultOf(node, name, { location: 1 })).toMatchObject({ errorKind: "validation" });
    }
  });

  it("a result that does not fit its outputSchema is an error that quotes it", async () => {
    const node = new AgenticToolsNode({
      tools: [definition.server(async () => ({ celsius: "warm" }) as never)],
      onToolError: "result",
    });
    const result = await resultOf(node, "get_weather", { city: "x" });
    expect(result).toMatchObject({ errorKind: "output_validation" });
    expect(result.result).toContain("warm");
  });

  it("a plain outputSchema is not enforced unless asked for", async () => {
    const tool = {
      __toolSide: "server" as const,
      name: "t",
      description: "d",
      outputSchema: { type: "object", properties: { n: { type: "number" } } },
      execute: async () => ({ n: "one" }),
    };
    expect((await resultOf(new AgenticToolsNode([tool]), "t")).result).toBe('{"n":"one"}');
    const strict = new AgenticToolsNode({ tools: [tool], outputValidation: "error", onToolError: "result" });
    expect(await resultOf(strict, "t")).toMatchObject({ errorKind: "output_validation" });
  });

  it("needsApproval holds for server and client tools", async () => {
    const careful = toolDefinition({ name: "pay", description: "Pays.", needsApproval: true });
    for (const tool of [careful.server(async () => ({})), careful.client(), careful]) {
      const error = await rejection(new AgenticToolsNode([tool]).invoke(message(call("pay"))));
      expect(error).toMatchObject({ interrupts: [{ info: { kind: "tool_approval", toolName: "pay" } }] });
    }
  });

  it("its context has toolCallId, abortSignal, context and emitCustomEvent", async () => {
    let seen: Record<string, unknown> = {};
    const spy = toolDefinition({ name: "spy", description: "d" }).server(async (_args, context) => {
      seen = { ...context };
      context?.emitCustomEvent("step", { done: 1 });
      return {};
    });
    const events: unknown[] = [];
    await resultOf(
      new AgenticToolsNode([spy]),
      "spy",
      {},
      {
        requestContext: { tenant: "t-1" },
        callbacks: [{ onEvent: (_info, event) => void events.push(event) }],
      },
    );
    expect(seen.toolCallId).toBe("call-1");
    expect(seen.abortSignal).toBeInstanceOf(AbortSignal);
    expect(seen.context).toMatchObject({ tenant: "t-1" });
    expect(JSON.stringify(events)).toContain('"step"');
    expect(JSON.stringify(events)).toContain('"done":1');
  });

  it("two tools of one name are an error of construction", () => {
    const one = definition.server(async () => ({ celsius: 1 }));
    expect(
      String(thrown(() => new AgenticToolsNode([one, definition.server(async () => ({ celsius: 2 }))]))),
    ).toContain("get_weather");
  });

  it("a throw keeps its cause", async () => {
    const cause = new RangeError("too far");
    const tool = definition.server(async () => {
      throw cause;
    });
    const error = await rejection(new AgenticToolsNode([tool]).invoke(message(call("get_weather", { city: "x" }))));
    expect(error).toBeInstanceOf(ToolError);
    expect((error as Error).cause).toBe(cause);
  });

  it("scalar arguments are an error, never an empty object", async () => {
    const node = new AgenticToolsNode({
      tools: [definition.server(async () => ({ celsius: 1 }))],
      onToolError: "result",
    });
    for (const text of ["7", '"x"', "null", "[1]", "true"])
      expect(await resultOf(node, "get_weather", text)).toMatchObject({ errorKind: "validation" });
  });

  it("metadata is carried", () => {
    const tool = toolDefinition({ name: "m", description: "d", metadata: { source: "x" } }).server(async () => ({}));
    expect(() => new AgenticToolsNode([tool])).not.toThrow();
  });
});

function rejectionKind(error: unknown): unknown {
  return (error as { interrupts?: readonly { info: { kind: string } }[] }).interrupts?.[0]?.info.kind;
}
