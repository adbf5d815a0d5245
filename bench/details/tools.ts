// What calls cost in other settings: node bench/start.mjs bench/details/tools.ts
import { z } from "zod";
import type { AgenticMessage } from "../../src/schema/message/agentic-message.js";
import { functionToolCall } from "../../src/schema/message/construct-block.js";
import { assistantMessage } from "../../src/schema/message/construct-message.js";
import type { FunctionToolCall } from "../../src/schema/message/content-block.js";
import { createTool } from "../../src/tools/define/create-tool.js";
import { AgenticToolsNode } from "../../src/tools/node/agentic-tools-node.js";
import { compare, type Measured } from "./compare.js";

const inputSchema = z.object({ city: z.string(), days: z.number().int().optional() });
const readStation = async ({ city }: z.infer<typeof inputSchema>): Promise<{ celsius: number }> => ({
  celsius: city.length,
});
const lookUp = ({ city }: z.infer<typeof inputSchema>): { celsius: number } => ({ celsius: city.length });

/** What a careful user writes: parse, validate, call, stringify, one message per call. */
async function callByHand(block: FunctionToolCall, run: typeof readStation | typeof lookUp): Promise<AgenticMessage> {
  const checked = inputSchema["~standard"].validate(JSON.parse(block.arguments));
  const parsed = checked instanceof Promise ? await checked : checked;
  if (parsed.issues) throw new Error("invalid arguments");
  const output = run(parsed.value);
  const result = JSON.stringify(output instanceof Promise ? await output : output);
  const { callId, name } = block;
  return { role: "user", contentBlocks: [{ type: "function_tool_result", callId, name, result, resultType: "json" }] };
}

function byHand(message: AgenticMessage, run: typeof readStation | typeof lookUp): Promise<AgenticMessage[]> {
  const calls = message.contentBlocks.filter((block) => block.type === "function_tool_call");
  return Promise.all(calls.map((block) => callByHand(block, run)));
}

function messageOf(count: number): AgenticMessage {
  return assistantMessage(
    Array.from({ length: count }, (_, index) =>
      functionToolCall({ callId: `call_${index}`, name: "weather", arguments: `{"city":"Shenzhen","days":${index}}` }),
    ),
  );
}

function nodeOf(execute: typeof readStation | typeof lookUp, options: object = {}): AgenticToolsNode {
  const weather = createTool({ id: "weather", description: "Current weather.", inputSchema, execute });
  return new AgenticToolsNode({ tools: [weather], ...options });
}

/** The calls of a message, against the same work by hand. */
async function measureTools(): Promise<Measured[]> {
  const one = messageOf(1);
  const many = messageOf(100);
  const asyncNode = nodeOf(readStation);
  const syncNode = nodeOf(lookUp);
  const timedNode = nodeOf(readStation, { timeoutMs: 30_000 });
  const chunk = (): void => {};
  const drain = async (node: AgenticToolsNode, message: AgenticMessage): Promise<void> => {
    for await (const _ of node.stream(message)) chunk();
  };
  return [
    await compare({
      name: "tools node, one call of an async tool",
      baseline: () => byHand(one, readStation),
      variants: { node: () => asyncNode.invoke(one) },
      budgets: { node: 1.5 },
    }),
    await compare({
      name: "tools node, one call of a sync tool",
      baseline: () => byHand(one, lookUp),
      variants: { node: () => syncNode.invoke(one) },
      budgets: { node: 1.5 },
    }),
    await compare({
      name: "tools node, 100 calls side by side, per call",
      baseline: () => byHand(many, readStation),
      variants: { node: () => asyncNode.invoke(many) },
      operations: 100,
      budgets: { node: 1.3 },
    }),
    await compare({
      name: "tools node with a time limit, 100 calls side by side, per call",
      baseline: () => byHand(many, readStation),
      variants: { node: () => timedNode.invoke(many) },
      operations: 100,
      budgets: { node: 1.3 },
    }),
    await compare({
      name: "tools node, streamed, 100 calls side by side, per call",
      baseline: () => byHand(many, readStation),
      variants: { node: () => drain(asyncNode, many) },
      operations: 100,
    }),
  ];
}

await measureTools();
