import type { McpToolProperties } from "../define/create-tool.js";

/**
 * The part of an MCP client that {@link mcpTools} uses: a `Client` of `@modelcontextprotocol/client` or of
 * `@modelcontextprotocol/sdk`, or anything with these two methods. A `callTool` that declares exactly two parameters gets
 * its options as the second, any other as the third: so do the two packages.
 */
export interface McpClient {
  /** Called until a page has no `nextCursor`. */
  listTools(params?: { cursor?: string }): Promise<McpToolPage>;
  /** Resolves with an {@link McpResult}; what it rejects with is the cause of a {@link ToolError}. */
  callTool(params: McpCallParams, resultSchema?: undefined, options?: McpCallOptions): Promise<unknown>;
}

/** One page of the tools that a server lists. */
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

/** What a call sends. Its fields are mutable, as in the packages. */
export interface McpCallParams {
  name: string;
  arguments?: Record<string, unknown>;
}

/** How a call is made. */
export interface McpCallOptions {
  signal?: AbortSignal;
  /** Makes the server tell how far it is. */
  onprogress?: (progress: { progress: number; total?: number; message?: string }) => void;
  /** How long the client waits for an answer, in milliseconds. */
  timeout?: number;
  /** Whether progress restarts that time. */
  resetTimeoutOnProgress?: boolean;
}

/** What a server answers to a call, as far as it is read here. */
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
