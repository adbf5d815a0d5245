import {
  type AgenticMessage,
  AgenticToolsNode,
  Chain,
  createTool,
  type Runnable,
  type Tool,
  type ToolCallMiddleware,
  type ToolContext,
  type ToolInfo,
  type ToolOutput,
  toolOptions,
} from "kumiko";
import { expectTypeOf, it } from "vitest";
import { z } from "zod";

const one = createTool({ id: "one", description: "", inputSchema: z.object({ n: z.number() }), execute: ({ n }) => n });
const options = toolOptions<{ depth: number }>("two", { depth: 1 });
const two = createTool({
  id: "two",
  description: "",
  options,
  execute: async function* () {
    yield "x";
  },
});
declare const byHand: Tool<{ retries: number }>;

it("takes lists and records of any tools", () => {
  expectTypeOf(new AgenticToolsNode([one, two, byHand])).toExtend<Runnable<AgenticMessage, AgenticMessage[]>>();
  new AgenticToolsNode({ tools: [one, two, byHand] });
  new AgenticToolsNode({ tools: { one, two, byHand } });
  expectTypeOf(new AgenticToolsNode([]).infos).toEqualTypeOf<readonly ToolInfo[]>();
  // @ts-expect-error a function is no tool
  new AgenticToolsNode([() => "x"]);
  // @ts-expect-error there is no such option
  new AgenticToolsNode({ tools: [one], executeSequential: true });
  // @ts-expect-error there is no such way to handle errors
  new AgenticToolsNode({ tools: [one], onToolError: "ignore" });
});

it("types its handlers", () => {
  new AgenticToolsNode({
    tools: [one],
    unknownToolsHandler: (name, args, ctx) => {
      expectTypeOf(name).toEqualTypeOf<string>();
      expectTypeOf(args).toEqualTypeOf<string>();
      expectTypeOf(ctx).toEqualTypeOf<ToolContext>();
      return "none";
    },
    // @ts-expect-error the arguments are a text
    toolArgumentsHandler: () => ({ n: 1 }),
    onToolError: (error, call) => `${error.kind} ${error.toolName} ${call.arguments}`,
  });
});

it("types its middlewares", () => {
  const middleware: ToolCallMiddleware = {
    invokable: (next) => async (call, ctx) => {
      const output = await next({ ...call, arguments: "{}" }, ctx);
      expectTypeOf(output).toEqualTypeOf<ToolOutput>();
      return typeof output === "string" ? output.toUpperCase() : output;
    },
    streamable: (next) => (call, ctx) => next(call, ctx).map((piece) => piece),
  };
  new AgenticToolsNode({ tools: [one], toolCallMiddlewares: [middleware] });
});

it("is a step of a chain, with options per call", async () => {
  const chain = new Chain<AgenticMessage>().appendToolsNode(new AgenticToolsNode([one])).compile();
  expectTypeOf(chain).toExtend<Runnable<AgenticMessage, AgenticMessage[]>>();
  const message = {} as AgenticMessage;
  const toolsNode = { tools: [two], messages: [message] };
  void chain.invoke(message, { options: { tool: [options.with({ depth: 2 })], toolsNode } });
  // @ts-expect-error depth is a number
  options.with({ depth: "2" });
});
