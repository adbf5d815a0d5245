import { loadPackage } from "../../optional-package.js";

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

const name = "@modelcontextprotocol/server";

/** Loads the official server, an optional peer dependency. */
export function loadServer() {
  return loadPackage(name, "MCPServer", () => import("@modelcontextprotocol/server"));
}

export function loadStdioServer() {
  return loadPackage(name, "startStdio of an MCPServer", () => import("@modelcontextprotocol/server/stdio"));
}
