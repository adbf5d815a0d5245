/**
 * MCP servers as tools, resources and prompts, and MCP servers of your own. Needs the packages
 * `@modelcontextprotocol/client` and `@modelcontextprotocol/server`.
 *
 * @packageDocumentation
 */

export { connectMcp } from "./client/connect-mcp.js";
export type { ConnectedMcpTool } from "./client/connected-tool.js";
export type { McpChange, McpCompletionTarget, McpConnection, McpServerStatus } from "./client/connection.js";
export type { McpEvent } from "./client/events.js";
export type { LinkState } from "./client/link.js";
export type {
  ElicitationAnswer,
  ElicitationContext,
  ElicitationHandler,
  ElicitationQuestion,
  McpCommand,
  McpCustomTransport,
  McpDrift,
  McpEndpoint,
  McpOptions,
  McpOwnClient,
  McpReconnect,
  McpRoot,
  McpSampling,
  McpServerConfig,
  McpServerSettings,
  SamplingApproval,
  SamplingQuestion,
} from "./client/options.js";
export type { McpPrompt, McpPromptArgument } from "./client/prompts.js";
export type { McpResource, McpResourceContent, McpResourceTemplate } from "./client/resources.js";
export type { McpList, McpSkippedEntry } from "./client/skipped-entries.js";
export {
  type Listening,
  type ListenOptions,
  MCPServer,
  type McpToolInfo,
  type ServerDetail,
  type ServerInfo,
  type StartHonoSseOptions,
  type StartHttpOptions,
  type StartHttpRequestOptions,
  type StartSseOptions,
} from "./server/mcp-server.js";
export type { NodeExchange, NodeRequest, NodeResponse } from "./server/node-exchange.js";
export type {
  MCPServerCompletion,
  MCPServerCompletions,
  MCPServerLogger,
  MCPServerOptions,
  MCPServerPrompt,
  MCPServerPromptArgument,
  MCPServerPromptMessage,
  MCPServerPromptMessages,
  MCPServerRepository,
  MCPServerResource,
  MCPServerResource as Resource,
  MCPServerResourceContent,
  MCPServerResources,
  MCPServerResourceTemplate,
  MCPServerResourceTemplate as ResourceTemplate,
  McpAgent,
  McpAuthInfo,
  McpGraph,
  McpPromptContext,
  McpWorkflow,
} from "./server/options.js";
