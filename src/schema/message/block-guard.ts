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

export const isReasoning = (block: ContentBlock): block is Reasoning => block.type === "reasoning";
export const isUserInputText = (block: ContentBlock): block is UserInputText => block.type === "user_input_text";
export const isUserInputImage = (block: ContentBlock): block is UserInputImage => block.type === "user_input_image";
export const isUserInputAudio = (block: ContentBlock): block is UserInputAudio => block.type === "user_input_audio";
export const isUserInputVideo = (block: ContentBlock): block is UserInputVideo => block.type === "user_input_video";
export const isUserInputFile = (block: ContentBlock): block is UserInputFile => block.type === "user_input_file";
export const isAssistantGenText = (block: ContentBlock): block is AssistantGenText =>
  block.type === "assistant_gen_text";
export const isAssistantGenImage = (block: ContentBlock): block is AssistantGenImage =>
  block.type === "assistant_gen_image";
export const isAssistantGenAudio = (block: ContentBlock): block is AssistantGenAudio =>
  block.type === "assistant_gen_audio";
export const isAssistantGenVideo = (block: ContentBlock): block is AssistantGenVideo =>
  block.type === "assistant_gen_video";
export const isFunctionToolCall = (block: ContentBlock): block is FunctionToolCall =>
  block.type === "function_tool_call";
export const isFunctionToolResult = (block: ContentBlock): block is FunctionToolResult =>
  block.type === "function_tool_result";
export const isToolSearchResult = (block: ContentBlock): block is ToolSearchResult =>
  block.type === "tool_search_result";
export const isServerToolCall = (block: ContentBlock): block is ServerToolCall => block.type === "server_tool_call";
export const isServerToolResult = (block: ContentBlock): block is ServerToolResult =>
  block.type === "server_tool_result";
export const isMcpToolCall = (block: ContentBlock): block is McpToolCall => block.type === "mcp_tool_call";
export const isMcpToolResult = (block: ContentBlock): block is McpToolResult => block.type === "mcp_tool_result";
export const isMcpListToolsResult = (block: ContentBlock): block is McpListToolsResult =>
  block.type === "mcp_list_tools_result";
export const isMcpToolApprovalRequest = (block: ContentBlock): block is McpToolApprovalRequest =>
  block.type === "mcp_tool_approval_request";
export const isMcpToolApprovalResponse = (block: ContentBlock): block is McpToolApprovalResponse =>
  block.type === "mcp_tool_approval_response";
export const isExtension = (block: ContentBlock): block is Extension => block.type === "extension";
