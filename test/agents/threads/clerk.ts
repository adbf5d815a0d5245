import { createTool, functionToolCall } from "kumiko";
import { createAgent } from "kumiko/agents";
import type { CheckpointStore, Runtime } from "kumiko/compose";
import { scriptedModel } from "kumiko/testing";

export const asksToPay = functionToolCall({ callId: "c1", name: "pay", arguments: "{}" });

/** A tool that pays, and what it has paid. */
export function payTool(settings: { readonly requireApproval?: boolean } = {}) {
  const paid: string[] = [];
  const pay = createTool({
    id: "pay",
    description: "",
    inputSchema: { type: "object" },
    execute: () => void paid.push("paid"),
    ...settings,
  });
  return { pay, paid };
}

/** A clerk that pays once in each turn and says so. */
export function payingClerk(store: CheckpointStore, settings: { readonly runtime?: Runtime } = {}) {
  const { pay, paid } = payTool();
  const model = scriptedModel([asksToPay], "Paid.");
  return { clerk: createAgent({ name: "clerk", store, tools: [pay], model, retry: false, ...settings }), paid, model };
}
