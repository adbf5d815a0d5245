import type { McpToolProperties } from "../define/create-tool.js";

/**
 * The part of an MCP client that {@link mcpTools} uses: a `Client` of `@modelcontextprotocol/client` or of
 * `@modelcontextprotocol/sdk`, or anything with these two methods. As in the two packages, a `callTool` that declares exactly two
 * parameters gets its options as the second, any other as the third.
 */
export interface McpClient {
  /** Called until a page has no `nextCursor`. */
  listTools(params?: { cursor?: string }): Promise<McpToolPage>;
  /** Resolves with an {@link McpResult}; if it rejects, the reason is the `cause` of a {@link ToolError}. */
  callTool(params: McpCallParams, resultSchema?: undefined, options?: McpCallOptions): Promise<unknown>;
}

/** One page of the tools that a server lists. */
export interface McpToolPage {
  /** The tools of this page. */
  readonly tools: readonly McpToolDefinition[];
  /** Where the next page starts; absent on the last one. */
  readonly nextCursor?: string | undefined;
}

/** A tool as a server lists it. */
export interface McpToolDefinition extends McpToolProperties {
  /** The name by which the tool is called. */
  readonly name: string;
  /** A title for people. */
  readonly title?: string | undefined;
  /** The description that the model reads. */
  readonly description?: string | undefined;
  /** The JSON Schema of the arguments. */
  readonly inputSchema: object;
  /** The JSON Schema of the structured result. */
  readonly outputSchema?: object | undefined;
}

/** The parameters of a call. Its fields are mutable, as in the packages. */
export interface McpCallParams {
  /** The name of the tool. */
  name: string;
  /** The arguments of the call. */
  arguments?: Record<string, unknown>;
}

/** How a call is made. */
export interface McpCallOptions {
  /** Aborts the call. */
  signal?: AbortSignal;
  /** Makes the server report progress. */
  onprogress?: (progress: { progress: number; total?: number; message?: string }) => void;
  /** How long the client waits for an answer, in milliseconds. */
  timeout?: number;
  /** Whether progress restarts that time. */
  resetTimeoutOnProgress?: boolean;
}

/** The result of a call: the fields that are read here. */
export interface McpResult {
  /** The parts of the result, as MCP defines them. */
  readonly content?: readonly unknown[] | undefined;
  /** The result as a value, for tools with an output schema. */
  readonly structuredContent?: unknown;
  /** The result in the first revision of MCP, in place of `content`. */
  readonly toolResult?: unknown;
  /** Whether the tool has failed; the parts say why. */
  readonly isError?: boolean | undefined;
  /** `"input_required"` means that the server asks a question first. */
  readonly resultType?: string | undefined;
  /** Data of the server about the result. */
  readonly _meta?: Readonly<Record<string, unknown>> | undefined;
}

/** Calls a tool, with the options at the position where this client expects them. */
export function callMcpTool(client: McpClient, params: McpCallParams, options: McpCallOptions): Promise<unknown> {
  return client.callTool.length === 2
    ? client.callTool(params, options as never)
    : client.callTool(params, undefined, options);
}
