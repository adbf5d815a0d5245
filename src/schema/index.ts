/** What flows: messages, content blocks, streams, descriptions of tools, and JSON Schema. @packageDocumentation */

export { ConcatRegistry } from "./concat/registry.js";
export type { ConcatRule, DeclaredConcat } from "./concat/rule.js";
export type { Document, SparseVector } from "./document.js";
export { type JsonSchemaTarget, type ToJsonSchemaOptions, toJsonSchema } from "./json-schema/convert.js";
export type { DataType, ParameterInfo, ParameterMap } from "./json-schema/parameter-map.js";
export type { ToolParameters } from "./json-schema/tool-parameters.js";
export {
  type AgenticMessage,
  type AgenticRole,
  type FinishReason,
  isAgenticMessage,
  type ResponseMeta,
  type TokenUsage,
} from "./message/agentic-message.js";
export { concatMessages } from "./message/concat.js";
export { concatMessageLists, type MessageListChunk } from "./message/concat-lists.js";
export {
  assistantGenAudio,
  assistantGenImage,
  assistantGenText,
  assistantGenVideo,
  type BlockFields,
  extension,
  type FunctionToolResultFields,
  functionToolCall,
  functionToolResult,
  mcpListToolsResult,
  mcpToolApprovalRequest,
  mcpToolApprovalResponse,
  mcpToolCall,
  mcpToolResult,
  reasoning,
  serverToolCall,
  serverToolResult,
  type TextFields,
  toolSearchResult,
  userInputAudio,
  userInputFile,
  userInputImage,
  userInputText,
  userInputVideo,
} from "./message/construct-block.js";
export {
  type AssistantMessageOptions,
  assistantMessage,
  type MessageContent,
  type MessageOptions,
  systemMessage,
  userMessage,
} from "./message/construct-message.js";
export type {
  AssistantGenAudio,
  AssistantGenImage,
  AssistantGenText,
  AssistantGenVideo,
  BlockCommon,
  BlockOf,
  ContentBlock,
  ContentBlockType,
  Extension,
  FoundTool,
  FunctionToolCall,
  FunctionToolResult,
  McpListedTool,
  McpListToolsResult,
  McpToolApprovalRequest,
  McpToolApprovalResponse,
  McpToolCall,
  McpToolCallError,
  McpToolResult,
  Media,
  Reasoning,
  ServerToolCall,
  ServerToolResult,
  StreamingMeta,
  ToolErrorKind,
  ToolResultContent,
  ToolResultMedia,
  ToolResultText,
  ToolSearchResult,
  UserInputAudio,
  UserInputFile,
  UserInputImage,
  UserInputText,
  UserInputVideo,
} from "./message/content-block.js";
export {
  hasToolCalls,
  reasoningOf,
  textOf,
  textOfContent,
  toolCallsOf,
  toolResultsOf,
} from "./message/read-message.js";
export type {
  ClaudeResponseExtension,
  ClaudeTextCitation,
  ClaudeTextExtension,
  GeminiResponseExtension,
  OpenAIReasoningContent,
  OpenAIReasoningExtension,
  OpenAIRefusal,
  OpenAIResponseExtension,
  OpenAITextAnnotation,
  OpenAITextExtension,
} from "./message/vendor-extension.js";
export type { CompiledSchema, LooseSchema, SchemaValidator, UncheckedPart } from "./schema-validator.js";
export type {
  AnyStandardSchema,
  JsonSchema,
  SchemaInput,
  SchemaOutput,
  StandardIssue,
  StandardJSONSchemaOptions,
  StandardJSONSchemaV1,
  StandardProps,
  StandardResult,
  StandardSchemaV1,
} from "./standard-schema.js";
export type { NamedChunk } from "./stream/merge.js";
export { type Pipe, type PipeOptions, pipe, type StreamWriter } from "./stream/pipe.js";
export { type CopyOptions, StreamReader } from "./stream/reader.js";
export type { StreamSource } from "./stream/source.js";
export type {
  ProviderTool,
  ToolInfo,
  ToolInfoFields,
  ToolInfoSchemaOptions,
} from "./tool-info.js";
