export type { AnyTool } from "./any-tool.js";
export type { ApprovalOption, ApprovalOptions, ApprovalPolicy } from "./approval-option.js";
export type { Ask, InterruptOptions, NodeContext } from "./context.js";
export {
  type CreatedTool,
  type CreateToolOptions,
  createTool,
  type ExecuteContext,
  type ExecuteInput,
  type ExecuteResult,
  type McpToolProperties,
} from "./create-tool.js";
export { ToolError, type ToolErrorDetails } from "./errors.js";
export type {
  EinoTool,
  EinoToolInfo,
  ForeignTool,
  MastraTool,
  PlainTool,
  TanStackTool,
  ToolWithoutExecute,
} from "./formats/foreign-tool.js";
export { type LegacyCall, type LegacyCallOptions, type LegacyTool, legacyTool } from "./formats/legacy-tool.js";
export { McpToolError } from "./mcp/errors.js";
export type {
  McpCallOptions,
  McpCallParams,
  McpClient,
  McpResult,
  McpToolDefinition,
  McpToolPage,
} from "./mcp/mcp-client.js";
export { type McpTool, type McpToolsOptions, mcpTools } from "./mcp/mcp-tools.js";
export type {
  AgenticModel,
  ModelContext,
  ModelOptions,
  ReasoningEffort,
  ResponseFormat,
  ToolChoice,
} from "./model.js";
export type { ResumeInfo } from "./resume-info.js";
export type {
  DocumentSource,
  Embedder,
  EmbedderOptions,
  Indexer,
  IndexerOptions,
  Loader,
  Retriever,
  RetrieverOptions,
  Template,
  Transformer,
} from "./retrieval.js";
export type { NeedsApproval, Tool, ToolContext, ToolOutput } from "./tool.js";
export type { AvailableInput, AvailableOutput, InputDelta, ToolHookCall, ToolHooks } from "./tool-hooks.js";
export { type ToolOption, type ToolOptions, toolOptions } from "./tool-options.js";
export type { OutputValidation } from "./tool-settings.js";
