import { mcpPackageMissing } from "../errors.js";

export type { Client, ClientOptions, Transport } from "@modelcontextprotocol/client";
export type { StdioServerParameters } from "@modelcontextprotocol/client/stdio";

/** The official client: an optional peer, loaded by the first connection. */
export async function loadClient() {
  try {
    return await import("@modelcontextprotocol/client");
  } catch (cause) {
    throw mcpPackageMissing("@modelcontextprotocol/client", "connectMcp", cause);
  }
}

/** Its part that needs Node.js. */
export async function loadStdioClient() {
  try {
    return await import("@modelcontextprotocol/client/stdio");
  } catch (cause) {
    throw mcpPackageMissing("@modelcontextprotocol/client", "An MCP server with a command", cause);
  }
}
