import type {
  AssistantGenAudio,
  AssistantGenImage,
  AssistantGenText,
  AssistantGenVideo,
  ContentBlock,
  Extension,
  FunctionToolCall,
  FunctionToolResult,
  McpListToolsResult,
  McpToolApprovalRequest,
  McpToolApprovalResponse,
  McpToolCall,
  McpToolResult,
  Reasoning,
  ServerToolCall,
  ServerToolResult,
  ToolSearchResult,
  UserInputAudio,
  UserInputFile,
  UserInputImage,
  UserInputText,
  UserInputVideo,
} from "./content-block.js";

// One type guard per kind of block, for `filter`, `find` and `if`: `message.contentBlocks.filter(isReasoning)`.

/** Whether a block is a {@link Reasoning} block. */
export const isReasoning = (block: ContentBlock): block is Reasoning => block.type === "reasoning";
/** Whether a block is a {@link UserInputText} block. */
export const isUserInputText = (block: ContentBlock): block is UserInputText => block.type === "user_input_text";
/** Whether a block is a {@link UserInputImage} block. */
export const isUserInputImage = (block: ContentBlock): block is UserInputImage => block.type === "user_input_image";
/** Whether a block is a {@link UserInputAudio} block. */
export const isUserInputAudio = (block: ContentBlock): block is UserInputAudio => block.type === "user_input_audio";
/** Whether a block is a {@link UserInputVideo} block. */
export const isUserInputVideo = (block: ContentBlock): block is UserInputVideo => block.type === "user_input_video";
/** Whether a block is a {@link UserInputFile} block. */
export const isUserInputFile = (block: ContentBlock): block is UserInputFile => block.type === "user_input_file";
/** Whether a block is a {@link AssistantGenText} block. */
export const isAssistantGenText = (block: ContentBlock): block is AssistantGenText =>
  block.type === "assistant_gen_text";
/** Whether a block is a {@link AssistantGenImage} block. */
export const isAssistantGenImage = (block: ContentBlock): block is AssistantGenImage =>
  block.type === "assistant_gen_image";
/** Whether a block is a {@link AssistantGenAudio} block. */
export const isAssistantGenAudio = (block: ContentBlock): block is AssistantGenAudio =>
  block.type === "assistant_gen_audio";
/** Whether a block is a {@link AssistantGenVideo} block. */
export const isAssistantGenVideo = (block: ContentBlock): block is AssistantGenVideo =>
  block.type === "assistant_gen_video";
/** Whether a block is a {@link FunctionToolCall} block. */
export const isFunctionToolCall = (block: ContentBlock): block is FunctionToolCall =>
  block.type === "function_tool_call";
/** Whether a block is a {@link FunctionToolResult} block. */
export const isFunctionToolResult = (block: ContentBlock): block is FunctionToolResult =>
  block.type === "function_tool_result";
/** Whether a block is a {@link ToolSearchResult} block. */
export const isToolSearchResult = (block: ContentBlock): block is ToolSearchResult =>
  block.type === "tool_search_result";
/** Whether a block is a {@link ServerToolCall} block. */
export const isServerToolCall = (block: ContentBlock): block is ServerToolCall => block.type === "server_tool_call";
/** Whether a block is a {@link ServerToolResult} block. */
export const isServerToolResult = (block: ContentBlock): block is ServerToolResult =>
  block.type === "server_tool_result";
/** Whether a block is a {@link McpToolCall} block. */
export const isMcpToolCall = (block: ContentBlock): block is McpToolCall => block.type === "mcp_tool_call";
/** Whether a block is a {@link McpToolResult} block. */
export const isMcpToolResult = (block: ContentBlock): block is McpToolResult => block.type === "mcp_tool_result";
/** Whether a block is a {@link McpListToolsResult} block. */
export const isMcpListToolsResult = (block: ContentBlock): block is McpListToolsResult =>
  block.type === "mcp_list_tools_result";
/** Whether a block is a {@link McpToolApprovalRequest} block. */
export const isMcpToolApprovalRequest = (block: ContentBlock): block is McpToolApprovalRequest =>
  block.type === "mcp_tool_approval_request";
/** Whether a block is a {@link McpToolApprovalResponse} block. */
export const isMcpToolApprovalResponse = (block: ContentBlock): block is McpToolApprovalResponse =>
  block.type === "mcp_tool_approval_response";
/** Whether a block is a {@link Extension} block. */
export const isExtension = (block: ContentBlock): block is Extension => block.type === "extension";
