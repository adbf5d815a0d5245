import { withoutUndefined } from "../without-undefined.js";
import type {
  AssistantGenAudio,
  AssistantGenImage,
  AssistantGenText,
  AssistantGenVideo,
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
  ToolResultContent,
  ToolSearchResult,
  UserInputAudio,
  UserInputFile,
  UserInputImage,
  UserInputText,
  UserInputVideo,
} from "./content-block.js";
import { textOfContent } from "./read-message.js";

/** What a block's constructor takes: its fields without `type`. */
export type BlockFields<Block> = Omit<Block, "type">;

/** What the constructor of a text block takes: the text alone, or all fields. */
export type TextFields<Block> = string | BlockFields<Block>;

/** What `functionToolResult` takes: `result` may be left out where `content` says it. */
export type FunctionToolResultFields = Omit<FunctionToolResult, "type" | "result" | "content"> &
  (
    | { readonly result: string; readonly content?: readonly ToolResultContent[] | undefined }
    | { readonly result?: string | undefined; readonly content: readonly ToolResultContent[] }
  );

/** What the model thought. */
export function reasoning(fields: TextFields<Reasoning>): Reasoning {
  return withoutUndefined({ type: "reasoning", ...fieldsOf(fields) });
}

/** Text of a user or system message. */
export function userInputText(fields: TextFields<UserInputText>): UserInputText {
  return withoutUndefined({ type: "user_input_text", ...fieldsOf(fields) });
}

export function userInputImage(fields: BlockFields<UserInputImage>): UserInputImage {
  return withoutUndefined({ type: "user_input_image", ...fields });
}

export function userInputAudio(fields: BlockFields<UserInputAudio>): UserInputAudio {
  return withoutUndefined({ type: "user_input_audio", ...fields });
}

export function userInputVideo(fields: BlockFields<UserInputVideo>): UserInputVideo {
  return withoutUndefined({ type: "user_input_video", ...fields });
}

export function userInputFile(fields: BlockFields<UserInputFile>): UserInputFile {
  return withoutUndefined({ type: "user_input_file", ...fields });
}

/**
 * Text that the model wrote. In a chunk, `streamingMeta` says which text it continues.
 *
 * @example
 * const chunk = assistantMessage([assistantGenText({ text: "Hel", streamingMeta: { index: 0 } })]);
 */
export function assistantGenText(fields: TextFields<AssistantGenText>): AssistantGenText {
  return withoutUndefined({ type: "assistant_gen_text", ...fieldsOf(fields) });
}

export function assistantGenImage(fields: BlockFields<AssistantGenImage>): AssistantGenImage {
  return withoutUndefined({ type: "assistant_gen_image", ...fields });
}

export function assistantGenAudio(fields: BlockFields<AssistantGenAudio>): AssistantGenAudio {
  return withoutUndefined({ type: "assistant_gen_audio", ...fields });
}

export function assistantGenVideo(fields: BlockFields<AssistantGenVideo>): AssistantGenVideo {
  return withoutUndefined({ type: "assistant_gen_video", ...fields });
}

/**
 * The model's wish to call one of our functions. `arguments` is JSON text.
 *
 * @example
 * const message = assistantMessage([
 *   functionToolCall({ callId: "1", name: "get_weather", arguments: '{"city":"深圳"}' }),
 * ]);
 */
export function functionToolCall(fields: BlockFields<FunctionToolCall>): FunctionToolCall {
  return withoutUndefined({ type: "function_tool_call", ...fields });
}

/**
 * What a call came to. Without `result`, it is the joined text of `content`.
 *
 * @example
 * const answer = userMessage([functionToolResult({ callId: "1", name: "get_weather", result: "22 °C" })]);
 */
export function functionToolResult(fields: FunctionToolResultFields): FunctionToolResult {
  const { callId, name, result = textOfContent(fields.content ?? []), ...others } = fields;
  return withoutUndefined({ type: "function_tool_result", callId, name, result, ...others });
}

export function toolSearchResult(fields: BlockFields<ToolSearchResult>): ToolSearchResult {
  return withoutUndefined({ type: "tool_search_result", ...fields });
}

export function serverToolCall(fields: BlockFields<ServerToolCall>): ServerToolCall {
  return withoutUndefined({ type: "server_tool_call", ...fields });
}

export function serverToolResult(fields: BlockFields<ServerToolResult>): ServerToolResult {
  return withoutUndefined({ type: "server_tool_result", ...fields });
}

export function mcpToolCall(fields: BlockFields<McpToolCall>): McpToolCall {
  return withoutUndefined({ type: "mcp_tool_call", ...fields });
}

export function mcpToolResult(fields: BlockFields<McpToolResult>): McpToolResult {
  return withoutUndefined({ type: "mcp_tool_result", ...fields });
}

export function mcpListToolsResult(fields: BlockFields<McpListToolsResult>): McpListToolsResult {
  return withoutUndefined({ type: "mcp_list_tools_result", ...fields });
}

export function mcpToolApprovalRequest(fields: BlockFields<McpToolApprovalRequest>): McpToolApprovalRequest {
  return withoutUndefined({ type: "mcp_tool_approval_request", ...fields });
}

export function mcpToolApprovalResponse(fields: BlockFields<McpToolApprovalResponse>): McpToolApprovalResponse {
  return withoutUndefined({ type: "mcp_tool_approval_response", ...fields });
}

/** What a provider sends and no other kind fits. */
export function extension(fields: BlockFields<Extension>): Extension {
  return withoutUndefined({ type: "extension", ...fields });
}

function fieldsOf<Fields extends object>(fields: string | Fields): { readonly text: string } | Fields {
  return typeof fields === "string" ? { text: fields } : fields;
}
