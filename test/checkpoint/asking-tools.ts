import {
  type AgenticMessage,
  AgenticToolsNode,
  type AgenticToolsNodeConfig,
  Chain,
  createTool,
  memoryStore,
  type ToolContext,
} from "kumiko";
import type { Effects } from "./interrupt-of.js";

/** A tool that asks, and says what it was told. */
export const asks = (id: string, ran: Effects) =>
  createTool({
    id,
    description: `Asks as ${id}.`,
    execute: async (_input, ctx) => {
      ran.did(ctx.toolCallId);
      return `${ctx.toolCallId}: ${await ctx.ask("q", `${ctx.toolCallId}?`)}`;
    },
  });

/** A tool that just works. */
export const works = (
  id: string,
  ran: Effects,
  work: (ctx: ToolContext) => unknown = (ctx) => `${ctx.toolCallId} done`,
) =>
  createTool({
    id,
    description: `Does ${id}.`,
    execute: (_input, ctx) => {
      ran.did(ctx.toolCallId);
      return work(ctx);
    },
  });

export const streams = (id: string, ran: Effects, chunks: readonly string[]) =>
  createTool({
    id,
    description: `Streams as ${id}.`,
    async *execute(_input, ctx) {
      ran.did(ctx.toolCallId);
      for (const chunk of chunks) yield chunk;
    },
  });

/** A run of one tools node. */
export const chainOf = (config: AgenticToolsNodeConfig) =>
  new Chain<AgenticMessage>()
    .appendToolsNode(new AgenticToolsNode(config), { key: "tools" })
    .compile({ name: "app", store: memoryStore() });
