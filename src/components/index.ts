/** What runs: tools, and the contracts of models, templates, retrievers and the like. @packageDocumentation */

export { toolInfo } from "../schema/tool-info.js";
export type { AnyTool, HandwrittenTool } from "../tools/define/any-tool.js";
export type { ApprovalOption, ApprovalOptions, ApprovalPolicy } from "../tools/define/approval-option.js";
export {
  type CreatedTool,
  type CreateToolOptions,
  createTool,
  type ExecuteContext,
  type ExecuteInput,
  type ExecuteResult,
  type McpToolProperties,
} from "../tools/define/create-tool.js";
export type { ModelOutputOptions } from "../tools/define/created-stages.js";
export { ToolError, type ToolErrorDetails } from "../tools/define/errors.js";
export {
  type GrpcFailure,
  type HttpFailure,
  type ThriftFailure,
  ToolCallError,
  type ToolCallFailures,
  type ToolCallSource,
} from "../tools/define/tool-call-error.js";
export type {
  AvailableInput,
  AvailableOutput,
  InputDelta,
  ToolHookCall,
  ToolHooks,
} from "../tools/define/tool-hooks.js";
export type { OutputValidation } from "../tools/define/tool-settings.js";
export type { ClosableTools, ToolSourceOptions } from "../tools/define/tool-source.js";
export type {
  EinoTool,
  EinoToolInfo,
  ForeignTool,
  MastraTool,
  PlainTool,
  TanStackTool,
  ToolWithoutExecute,
} from "../tools/formats/foreign-tool.js";
export type {
  McpCallOptions,
  McpCallParams,
  McpClient,
  McpResult,
  McpToolDefinition,
  McpToolPage,
} from "../tools/mcp/mcp-client.js";
export { type McpTool, type McpToolsOptions, mcpTools } from "../tools/mcp/mcp-tools.js";
export { repairToolCalls } from "../tools/node/repair-tool-calls.js";
export type { Ask, AskOptions, InterruptOptions, NodeContext } from "./context.js";
export type { McpCallContext, McpClientRoot, McpLogLevel, McpSampledMessage } from "./mcp/mcp-call-context.js";
export type {
  AgenticModel,
  CustomModel,
  ModelContext,
  ModelOptions,
  ReasoningEffort,
  ResponseFormat,
  ToolChoice,
} from "./model.js";
export type { ParseOptions, Parser } from "./parser.js";
export type { AnyRequestContext } from "./request-context.js";
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
export type { ApprovalRule, Tool, ToolContext, ToolOutput } from "./tool.js";
export type { AnyToolOptions } from "./tool-options.js";
export { type ToolOption, type ToolOptions, toolOptions } from "./tool-options.js";
