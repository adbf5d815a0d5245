import type { McpToolProperties } from "../define/create-tool.js";

/**
 * The part of an MCP client that {@link mcpTools} uses: a `Client` of `@modelcontextprotocol/client` or of
 * `@modelcontextprotocol/sdk`, or anything with these two methods. A `callTool` that declares exactly two parameters gets
 * its options as the second, any other as the third: so do the two packages.
 */
export interface McpClient {
  listTools(params?: { cursor?: string }): Promise<McpToolPage>;
  callTool(params: McpCallParams, resultSchema?: undefined, options?: McpCallOptions): Promise<unknown>;
}

export interface McpToolPage {
  readonly tools: readonly McpToolDefinition[];
  /** Where the next page starts; absent on the last one. */
  readonly nextCursor?: string | undefined;
}

/** A tool as a server lists it. */
export interface McpToolDefinition extends McpToolProperties {
  readonly name: string;
  readonly title?: string | undefined;
  readonly description?: string | undefined;
  readonly inputSchema: object;
  readonly outputSchema?: object | undefined;
}

/** Mutable, as the packages have it. */
export interface McpCallParams {
  name: string;
  arguments?: Record<string, unknown>;
}

export interface McpCallOptions {
  signal?: AbortSignal;
  /** Makes the server tell how far it is. */
  onprogress?: (progress: { progress: number; total?: number; message?: string }) => void;
  /** In milliseconds. */
  timeout?: number;
  resetTimeoutOnProgress?: boolean;
}

/** What a call came to, as far as it is read here. */
export interface McpResult {
  readonly content?: readonly unknown[] | undefined;
  readonly structuredContent?: unknown;
  /** In place of `content`, in the first revision of MCP. */
  readonly toolResult?: unknown;
  readonly isError?: boolean | undefined;
  /** `"input_required"`: the server wants to know something first. */
  readonly resultType?: string | undefined;
  readonly _meta?: Readonly<Record<string, unknown>> | undefined;
}

/** Calls a tool with the options where this client takes them. */
export function callMcpTool(client: McpClient, params: McpCallParams, options: McpCallOptions): Promise<unknown> {
  return client.callTool.length === 2
    ? client.callTool(params, options as never)
    : client.callTool(params, undefined, options);
}
