import { mcpPackageMissing } from "../errors.js";

export type { Client, ClientOptions, Transport } from "@modelcontextprotocol/client";
export type { StdioServerParameters } from "@modelcontextprotocol/client/stdio";

/** Loads the official client, an optional peer dependency. */
export async function loadClient() {
  try {
    return await import("@modelcontextprotocol/client");
  } catch (cause) {
    throw mcpPackageMissing("@modelcontextprotocol/client", "connectMcp", cause);
  }
}

/** Loads the part of the official client that needs Node.js. */
export async function loadStdioClient() {
  try {
    return await import("@modelcontextprotocol/client/stdio");
  } catch (cause) {
    throw mcpPackageMissing("@modelcontextprotocol/client", "An MCP server with a command", cause);
  }
}
