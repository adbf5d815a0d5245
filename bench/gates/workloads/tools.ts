import type { StandardSchemaV1 } from "kumiko";
import { type AgenticMessage, AgenticToolsNode, assistantMessage, createTool, functionToolCall } from "kumiko";
import type { Workloads } from "./workload.js";

const MANY = 100;

/** What calls of tools cost. */
export const toolWorkloads: Workloads = {
  "tools node, one call": { prepare: () => callsOf(1), expected: 1 },
  "tools node, 100 calls, per call": { prepare: () => callsOf(MANY), operations: MANY, expected: MANY },
  "tools node, one call of a sync tool": { prepare: () => callsOf(1, ({ city }) => city.length), expected: 1 },
};

interface Place {
  readonly city: string;
}

/** Written by hand: what a schema library allocates is not ours. */
const placeSchema: StandardSchemaV1<Place> = {
  "~standard": { version: 1, vendor: "bench", validate: (value) => (isPlace(value) ? { value } : { issues: wrong }) },
};
const wrong = [{ message: "not a place" }];

function isPlace(value: unknown): value is Place {
  return typeof value === "object" && value !== null && "city" in value && typeof value.city === "string";
}

function callsOf(count: number, execute: (place: Place) => unknown = async ({ city }) => city.length) {
  const tool = createTool({ id: "measure", description: "Measures a name.", inputSchema: placeSchema, execute });
  const node = new AgenticToolsNode({ tools: [tool] });
  const message = messageOf(count);
  return async () => (await node.invoke(message)).length;
}

function messageOf(count: number): AgenticMessage {
  const calls = Array.from({ length: count }, (_, n) =>
    functionToolCall({ callId: `call_${n}`, name: "measure", arguments: '{"city":"Shenzhen"}' }),
  );
  return assistantMessage(calls);
}
