import { z } from "zod";
import {
  AgenticToolsNode,
  assistantMessage,
  Chain,
  type CheckpointStore,
  type CompiledGraph,
  createTool,
  END,
  functionToolCall,
  Graph,
  Runtime,
  START,
  type textOf,
} from "../../../src/index.js";

/** An amount of money: kept in checkpoints by a codec. */
export class Money {
  readonly cents: number;

  constructor(cents: number) {
    this.cents = cents;
  }

  plus({ cents }: Money): Money {
    return new Money(this.cents + cents);
  }
}

const money = {
  name: "money",
  type: Money,
  encode: ({ cents }: Money) => ({ cents }),
  decode: ({ cents }: { cents: number }) => new Money(cents),
};

const convert = createTool({
  id: "convert",
  description: "Converts an amount.",
  inputSchema: z.object({ cents: z.number() }),
  execute: ({ cents }) => String(cents * 2),
});
const approve = createTool({
  id: "approve",
  description: "Asks the boss.",
  execute: async (_input: unknown, ctx) => `approved by ${await ctx.ask("boss", "Who approves?", z.string())}`,
});

/**
 * A graph that uses all that a checkpoint can hold: a state, values that JSON lacks, a class with a codec, parallel nodes,
 * a nested graph, a child run, `once`, questions in nodes and in tools, an interrupt with state. Documents of it are kept as
 * files: what it does must not change.
 */
export function expenseReport(store: CheckpointStore): CompiledGraph<string, Record<string, unknown>> {
  const receipts = new Chain<string>()
    .append((text) => ({ text, at: new Date("2026-11-21T12:00:00Z"), tags: new Set(["travel"]) }), { key: "read" })
    .append(
      async (receipt, ctx) => `${receipt.text} ${receipt.at.getUTCDay()} ${await ctx.ask("category", receipt.tags)}`,
      {
        key: "sort",
      },
    );
  const rate = new Chain<number>()
    .append((n) => n * 3, { key: "times" })
    .append(async (n, ctx) => n + (await ctx.ask<number>("fee", { n })), { key: "fee" })
    .compile({ name: "rate" });
  const calls = assistantMessage([
    functionToolCall({ callId: "c1", name: "convert", arguments: '{"cents":21}' }),
    functionToolCall({ callId: "c2", name: "approve", arguments: "" }),
  ]);
  const tools = new Chain<string>()
    .append(() => calls, { key: "calls" })
    .appendToolsNode(new AgenticToolsNode({ tools: [convert, approve] }), { key: "run" });
  return new Graph<string, Record<string, unknown>>()
    .withState(() => ({ seen: new Map([["start", 1n]]), total: new Money(5) }))
    .addNode("receipts", receipts, { outputKey: "receipt" })
    .addNode(
      "rate",
      async (text: string, ctx) => {
        const words = await ctx.once("words", () => text.split(" "));
        return rate.invoke(words.length, { parent: ctx });
      },
      { outputKey: "rate" },
    )
    .addNode(
      "sum",
      (_text: string, ctx) => {
        ctx.state.total = ctx.state.total.plus(new Money(ctx.resume.hasData ? Number(ctx.resume.data) : 0));
        if (!ctx.resume.wasInterrupted) ctx.interrupt("How much more?", { state: { asked: 1 } });
        return { total: ctx.state.total.cents, kept: ctx.resume.state };
      },
      { outputKey: "sum" },
    )
    .addNode("tools", tools, { outputKey: "tools" })
    .addNode("join", (all: Record<string, unknown>, ctx) => ({ ...all, seen: ctx.state.seen.get("start") }))
    .addEdge(START, "receipts")
    .addEdge(START, "rate")
    .addEdge(START, "sum")
    .addEdge(START, "tools")
    .addEdge("receipts", "join")
    .addEdge("rate", "join")
    .addEdge("sum", "join")
    .addEdge("tools", "join")
    .addEdge("join", END)
    .compile({ name: "expenses", store, triggerMode: "allPredecessor", runtime: new Runtime({ codecs: [money] }) });
}

/** The answers to all that it asks, by what it asks about. */
export function answerTo(info: unknown): unknown {
  if (info === "Who approves?") return "Ada";
  if (info === "How much more?") return 7;
  return info instanceof Set ? [...info].join() : 100;
}

export function plain(result: Record<string, unknown>): unknown {
  const tools = result.tools as readonly Parameters<typeof textOf>[0][];
  return {
    ...result,
    tools: tools.map(({ contentBlocks: [block] }) => (block && "result" in block ? block.result : "")),
  };
}
