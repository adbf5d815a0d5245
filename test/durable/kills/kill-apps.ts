import { writeSync } from "node:fs";
import {
  assistantMessage,
  Chain,
  type CheckpointStore,
  createTool,
  END,
  each,
  functionToolCall,
  Graph,
  type NodeContext,
  START,
  toolResultsOf,
} from "kumiko";
import { createAgent } from "kumiko/agents";

/** What each task notes when it begins. */
export interface Effect {
  readonly pid: number;
  /** The same for every repetition of a task. */
  readonly task: string;
}

/** Apps of every kind; each task notes that it has begun, takes a moment, and tells what it did. */
export function killApps(store: CheckpointStore, log: number) {
  const work = async (ctx: NodeContext, name = ""): Promise<void> => {
    const effect: Effect = { pid: process.pid, task: `${ctx.taskKey}${name}` };
    writeSync(log, `${JSON.stringify(effect)}\n`);
    await new Promise((resolve) => setTimeout(resolve, 1 + Math.random() * 8));
  };
  const step = (name: string) => async (text: string, ctx: NodeContext) => {
    await work(ctx);
    return `${text}${name}`;
  };
  const line = new Chain<string>()
    .append(step("a"))
    .append(step("b"))
    .append(step("c"))
    .compile({ name: "line", store });
  const loop = new Graph<string, string>()
    .addNode("turn", step("."))
    .addEdge(START, "turn")
    .addBranch("turn", ["turn", END], (text) => (text.length < 6 ? "turn" : END))
    .compile({ name: "loop", store, maxSteps: 20 });
  const fan = new Chain<string>()
    .append((text) => [`${text}1`, `${text}2`, `${text}3`, `${text}4`])
    .append(each(step("!"), { concurrency: 2 }))
    .append(async (parts, ctx) => {
      const total = await ctx.once("total", async () => {
        await work(ctx, "once");
        return parts.length;
      });
      return `${total}:${parts.join("")}`;
    })
    .compile({ name: "fan", store });
  const asks = new Chain<string>()
    .append(step("?"), { key: "before" })
    .append(async (text, ctx) => `${text}${await ctx.ask<string>("go", text)}`, { key: "ask" })
    .append(step("."), { key: "after" })
    .compile({ name: "asks", store });
  const look = createTool({
    id: "look",
    description: "Looks.",
    inputSchema: { type: "object" },
    execute: async (_input, ctx) => {
      await ctx.once("look", () => work(ctx as unknown as NodeContext, ctx.toolCallId));
      return "seen";
    },
  });
  const call = (callId: string) => functionToolCall({ callId, name: "look", arguments: "{}" });
  const clerk = createAgent({
    name: "clerk",
    store,
    tools: [look],
    model: {
      component: "model",
      type: "deterministic",
      generate: async (messages) =>
        messages.some((message) => toolResultsOf(message).length > 0)
          ? assistantMessage("It is there.")
          : assistantMessage([call("c1"), call("c2")]),
    },
  });
  return { line, loop, fan, asks, clerk };
}

/** What the run of an app with an input ends with. */
export const outputs: Readonly<Record<string, (input: string) => string>> = {
  line: (input) => `${input}abc`,
  loop: (input) => input.padEnd(6, "."),
  fan: (input) => `4:${["1", "2", "3", "4"].map((n) => `${input}${n}!`).join("")}`,
  asks: (input) => `${input}?yes.`,
};
