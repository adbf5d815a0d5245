import { loadPackage } from "../../optional-package.js";

export type { Client, ClientOptions, Transport } from "@modelcontextprotocol/client";
export type { StdioServerParameters } from "@modelcontextprotocol/client/stdio";

const name = "@modelcontextprotocol/client";

/** Loads the official client, an optional peer dependency. */
export function loadClient() {
  return loadPackage(name, "connectMcp", () => import("@modelcontextprotocol/client"));
}

/** Loads the part of the official client that needs Node.js. */
export function loadStdioClient() {
  return loadPackage(name, "An MCP server with a command", () => import("@modelcontextprotocol/client/stdio"));
}
