import { mcpPackageMissing } from "../errors.js";

export type {
  AuthInfo,
  CallToolResult,
  ClientCapabilities,
  EventStore,
  InputRequiredResult,
  JSONRPCMessage,
  McpHttpHandler,
  McpServer,
  MessageExtraInfo,
  RequestStateCodec,
  Server,
  ServerCapabilities,
  ServerContext,
  Transport,
  WebStandardStreamableHTTPServerTransport,
} from "@modelcontextprotocol/server";
export type { StdioServerHandle, StdioServerTransport } from "@modelcontextprotocol/server/stdio";

/** Loads the official server, an optional peer dependency. */
export async function loadServer() {
  try {
    return await import("@modelcontextprotocol/server");
  } catch (cause) {
    throw mcpPackageMissing("@modelcontextprotocol/server", "MCPServer", cause);
  }
}

export async function loadStdioServer() {
  try {
    return await import("@modelcontextprotocol/server/stdio");
  } catch (cause) {
    throw mcpPackageMissing("@modelcontextprotocol/server", "startStdio of an MCPServer", cause);
  }
}

/** Loads the adapter from Node.js requests to those of the official server. */
export async function loadNodeAdapter() {
  try {
    return await import("@modelcontextprotocol/node");
  } catch (cause) {
    throw mcpPackageMissing("@modelcontextprotocol/node", "Serving Node.js requests", cause);
  }
}
