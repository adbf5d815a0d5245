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

/** The fields that the constructor of a block takes: all except `type`. */
export type BlockFields<Block> = Omit<Block, "type">;

/** The argument of the constructor of a text block: a string, or all fields. */
export type TextFields<Block> = string | BlockFields<Block>;

/** The argument of `functionToolResult`: `result` may be left out if there is `content`. */
export type FunctionToolResultFields = Omit<FunctionToolResult, "type" | "result" | "content"> &
  (
    | {
        /** The text that the model reads. @default the joined text of `content` */
        readonly result: string;
        /** The parts of a multimodal result. */
        readonly content?: readonly ToolResultContent[] | undefined;
      }
    | { readonly result?: string | undefined; readonly content: readonly ToolResultContent[] }
  );

/** A block of the model's reasoning. */
export function reasoning(fields: TextFields<Reasoning>): Reasoning {
  return withoutUndefined({ type: "reasoning", ...fieldsOf(fields) });
}

/** A text block of a user or system message. */
export function userInputText(fields: TextFields<UserInputText>): UserInputText {
  return withoutUndefined({ type: "user_input_text", ...fieldsOf(fields) });
}

/** An image in a user message, by URL or as base64. */
export function userInputImage(fields: BlockFields<UserInputImage>): UserInputImage {
  return withoutUndefined({ type: "user_input_image", ...fields });
}

/** Audio in a user message, by URL or as base64. */
export function userInputAudio(fields: BlockFields<UserInputAudio>): UserInputAudio {
  return withoutUndefined({ type: "user_input_audio", ...fields });
}

/** A video in a user message, by URL or as base64. */
export function userInputVideo(fields: BlockFields<UserInputVideo>): UserInputVideo {
  return withoutUndefined({ type: "user_input_video", ...fields });
}

/** A file in a user message, by URL or as base64. */
export function userInputFile(fields: BlockFields<UserInputFile>): UserInputFile {
  return withoutUndefined({ type: "user_input_file", ...fields });
}

/**
 * A text block of the model. In a chunk, `streamingMeta.index` says which block it continues.
 *
 * @example
 * const chunk = assistantMessage([assistantGenText({ text: "Hel", streamingMeta: { index: 0 } })]);
 */
export function assistantGenText(fields: TextFields<AssistantGenText>): AssistantGenText {
  return withoutUndefined({ type: "assistant_gen_text", ...fieldsOf(fields) });
}

/** An image that the model generated. */
export function assistantGenImage(fields: BlockFields<AssistantGenImage>): AssistantGenImage {
  return withoutUndefined({ type: "assistant_gen_image", ...fields });
}

/** Audio that the model generated. */
export function assistantGenAudio(fields: BlockFields<AssistantGenAudio>): AssistantGenAudio {
  return withoutUndefined({ type: "assistant_gen_audio", ...fields });
}

/** A video that the model generated. */
export function assistantGenVideo(fields: BlockFields<AssistantGenVideo>): AssistantGenVideo {
  return withoutUndefined({ type: "assistant_gen_video", ...fields });
}

/**
 * The model's call of one of your tools. `arguments` is JSON text.
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
 * The result of a tool call. If `result` is left out, it is the joined text of `content`.
 *
 * @example
 * const answer = userMessage([functionToolResult({ callId: "1", name: "get_weather", result: "22 °C" })]);
 */
export function functionToolResult(fields: FunctionToolResultFields): FunctionToolResult {
  const { callId, name, result = textOfContent(fields.content ?? []), ...others } = fields;
  return withoutUndefined({ type: "function_tool_result", callId, name, result, ...others });
}

/** The tools that a tool search found. */
export function toolSearchResult(fields: BlockFields<ToolSearchResult>): ToolSearchResult {
  return withoutUndefined({ type: "tool_search_result", ...fields });
}

/** A call of a tool that the provider runs itself. */
export function serverToolCall(fields: BlockFields<ServerToolCall>): ServerToolCall {
  return withoutUndefined({ type: "server_tool_call", ...fields });
}

/** The result of a tool that the provider ran itself. */
export function serverToolResult(fields: BlockFields<ServerToolResult>): ServerToolResult {
  return withoutUndefined({ type: "server_tool_result", ...fields });
}

/** A call of an MCP tool that the provider runs itself. */
export function mcpToolCall(fields: BlockFields<McpToolCall>): McpToolCall {
  return withoutUndefined({ type: "mcp_tool_call", ...fields });
}

/** The result of an MCP tool that the provider ran itself. */
export function mcpToolResult(fields: BlockFields<McpToolResult>): McpToolResult {
  return withoutUndefined({ type: "mcp_tool_result", ...fields });
}

/** The tools of an MCP server, as the provider lists them. */
export function mcpListToolsResult(fields: BlockFields<McpListToolsResult>): McpListToolsResult {
  return withoutUndefined({ type: "mcp_list_tools_result", ...fields });
}

/** The provider's question whether an MCP tool may run. */
export function mcpToolApprovalRequest(fields: BlockFields<McpToolApprovalRequest>): McpToolApprovalRequest {
  return withoutUndefined({ type: "mcp_tool_approval_request", ...fields });
}

/** The answer to the provider's question whether an MCP tool may run. */
export function mcpToolApprovalResponse(fields: BlockFields<McpToolApprovalResponse>): McpToolApprovalResponse {
  return withoutUndefined({ type: "mcp_tool_approval_response", ...fields });
}

/** Provider data that fits no other kind of block. */
export function extension(fields: BlockFields<Extension>): Extension {
  return withoutUndefined({ type: "extension", ...fields });
}

function fieldsOf<Fields extends object>(fields: string | Fields): { readonly text: string } | Fields {
  return typeof fields === "string" ? { text: fields } : fields;
}
