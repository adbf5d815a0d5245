import { expect, expectTypeOf, it } from "vitest";
import { z } from "zod";
import { RequestContext } from "../../../src/components/request-context.js";
import { legacyTool } from "../../../src/tools/formats/legacy-tool.js";
import { AgenticToolsNode } from "../../../src/tools/node/agentic-tools-node.js";
import { call, calls, textsOf, toolError } from "../node/calls.js";

it("a tool whose execute takes one object gets its arguments under context, and the request as runtimeContext", async () => {
  const weather = legacyTool({
    id: "getWeather",
    description: "Weather of a place.",
    inputSchema: z.object({ location: z.string() }),
    outputSchema: z.object({ result: z.string() }),
    execute: async ({ context, runtimeContext }, { toolCallId }) => {
      expectTypeOf(context).toEqualTypeOf<{ location: string }>();
      return { result: `${context.location} ${runtimeContext.get("scale")} ${toolCallId}` };
    },
  });
  const node = new AgenticToolsNode([weather]);
  const requestContext = new RequestContext([["scale", "celsius"]]);
  const results = await node.invoke(calls(call("getWeather", { location: "here" }, "c-1")), { requestContext });
  expect(textsOf(results)).toEqual(['{"result":"here celsius c-1"}']);
  expect(await toolError(node.invoke(calls(call("getWeather", {}))))).toMatchObject({ kind: "validation" });
});

it("its output is checked", async () => {
  const wrong = legacyTool({ id: "wrong", description: "", outputSchema: z.number(), execute: () => "one" });
  const error = await toolError(new AgenticToolsNode([wrong]).invoke(calls(call("wrong"))));
  expect(error.kind).toBe("output_validation");
});

it("a tool that is an object of a class keeps its own fields", async () => {
  class Counter {
    readonly id = "count";
    readonly description = "";
    count = 0;
    execute(): number {
      this.count++;
      return this.count;
    }
  }
  const node = new AgenticToolsNode([legacyTool(new Counter())]);
  expect(textsOf(await node.invoke(calls(call("count", {}, "1"), call("count", {}, "2"))))).toEqual(["1", "2"]);
});
