import type { ClaudeTextExtension, OpenAIReasoningExtension, OpenAITextExtension } from "./vendor-extension.js";

/** Where a chunk's block belongs: chunks with the same index are pieces of one block. Concatenation removes it. */
export interface StreamingMeta {
  readonly index: number;
  /** The block begins again with this chunk, perhaps as another kind: its pieces before this one are void. */
  readonly restart?: boolean | undefined;
}

/** What every block may carry beside its own fields. */
export interface BlockCommon {
  readonly streamingMeta?: StreamingMeta | undefined;
  readonly extra?: Readonly<Record<string, unknown>> | undefined;
}

/** What the model thought before it answered. */
export interface Reasoning extends BlockCommon {
  readonly type: "reasoning";
  readonly text: string;
  /** Opaque proof of the provider, sent back with the next request. */
  readonly signature?: string | undefined;
  readonly openaiExtension?: OpenAIReasoningExtension | undefined;
}

/** Text of a user or system message. */
export interface UserInputText extends BlockCommon {
  readonly type: "user_input_text";
  readonly text: string;
}

/** Where media is: at an address, or in the message itself. */
export interface Media extends BlockCommon {
  readonly url?: string | undefined;
  readonly base64Data?: string | undefined;
  readonly mimeType?: string | undefined;
}

export interface UserInputImage extends Media {
  readonly type: "user_input_image";
  readonly detail?: "high" | "low" | "auto" | undefined;
}

export interface UserInputAudio extends Media {
  readonly type: "user_input_audio";
}

export interface UserInputVideo extends Media {
  readonly type: "user_input_video";
}

export interface UserInputFile extends Media {
  readonly type: "user_input_file";
  readonly name?: string | undefined;
}

/** Text that the model wrote. */
export interface AssistantGenText extends BlockCommon {
  readonly type: "assistant_gen_text";
  readonly text: string;
  readonly openaiExtension?: OpenAITextExtension | undefined;
  readonly claudeExtension?: ClaudeTextExtension | undefined;
  /** What any other provider sends with the text. */
  readonly extension?: unknown;
}

export interface AssistantGenImage extends Media {
  readonly type: "assistant_gen_image";
}

export interface AssistantGenAudio extends Media {
  readonly type: "assistant_gen_audio";
}

export interface AssistantGenVideo extends Media {
  readonly type: "assistant_gen_video";
}

/** The model's wish to call one of our functions. `arguments` is JSON text as the model wrote it, valid or not. */
export interface FunctionToolCall extends BlockCommon {
  readonly type: "function_tool_call";
  readonly callId: string;
  readonly name: string;
  readonly arguments: string;
}

/** One part of a tool result that is more than text. */
export type ToolResultContent = ToolResultText | ToolResultMedia;

export interface ToolResultText {
  readonly type: "text";
  readonly text: string;
}

export interface ToolResultMedia {
  readonly type: "image" | "audio" | "video" | "file";
  readonly url?: string | undefined;
  readonly base64Data?: string | undefined;
  readonly mimeType?: string | undefined;
  readonly name?: string | undefined;
}

/** Why a tool call has no ordinary result. */
export type ToolErrorKind =
  | "parse"
  | "validation"
  | "unknown_tool"
  | "timeout"
  | "aborted"
  | "denied"
  | "execution"
  | "output_validation"
  | "not_executed";

/** What a function tool call came to. */
export interface FunctionToolResult extends BlockCommon {
  readonly type: "function_tool_result";
  readonly callId: string;
  readonly name: string;
  /** The text that the model reads; with `content`, the joined text of its parts. */
  readonly result: string;
  /** `"json"` when `result` was made from a value that is no string. */
  readonly resultType?: "json" | undefined;
  /** Only for results that are more than text. */
  readonly content?: readonly ToolResultContent[] | undefined;
  readonly isError?: boolean | undefined;
  readonly errorKind?: ToolErrorKind | undefined;
}

/** A tool that a tool search found. */
export interface FoundTool {
  readonly name: string;
  readonly description?: string | undefined;
  /** JSON Schema of its arguments. */
  readonly parameters?: Readonly<Record<string, unknown>> | undefined;
}

/** What a search for tools found. */
export interface ToolSearchResult extends BlockCommon {
  readonly type: "tool_search_result";
  readonly callId: string;
  readonly name: string;
  readonly result: { readonly tools: readonly FoundTool[] };
}

/** A call of a tool that the provider runs itself. */
export interface ServerToolCall extends BlockCommon {
  readonly type: "server_tool_call";
  readonly name: string;
  readonly callId?: string | undefined;
  readonly arguments?: unknown;
}

export interface ServerToolResult extends BlockCommon {
  readonly type: "server_tool_result";
  readonly name: string;
  readonly callId?: string | undefined;
  readonly content?: unknown;
}

/** A call of an MCP tool that the provider runs itself. */
export interface McpToolCall extends BlockCommon {
  readonly type: "mcp_tool_call";
  readonly serverLabel: string;
  readonly approvalRequestId?: string | undefined;
  readonly callId: string;
  readonly name: string;
  readonly arguments: string;
}

export interface McpToolCallError {
  readonly code?: number | undefined;
  readonly message: string;
}

export interface McpToolResult extends BlockCommon {
  readonly type: "mcp_tool_result";
  readonly serverLabel: string;
  readonly callId: string;
  readonly name: string;
  readonly content: string;
  readonly error?: McpToolCallError | undefined;
}

export interface McpListedTool {
  readonly name: string;
  readonly description?: string | undefined;
  /** JSON Schema of its arguments. */
  readonly inputSchema?: Readonly<Record<string, unknown>> | undefined;
}

/** The tools that an MCP server offers. */
export interface McpListToolsResult extends BlockCommon {
  readonly type: "mcp_list_tools_result";
  readonly serverLabel: string;
  readonly tools: readonly McpListedTool[];
  readonly error?: string | undefined;
}

/** The provider asks whether an MCP tool may run. */
export interface McpToolApprovalRequest extends BlockCommon {
  readonly type: "mcp_tool_approval_request";
  readonly id: string;
  readonly name: string;
  readonly arguments: string;
  readonly serverLabel: string;
}

export interface McpToolApprovalResponse extends BlockCommon {
  readonly type: "mcp_tool_approval_response";
  readonly approvalRequestId: string;
  readonly approve: boolean;
  readonly reason?: string | undefined;
}

/** What a provider sends and no other kind fits. Kept and sent back untouched. */
export interface Extension extends BlockCommon {
  readonly type: "extension";
  readonly provider: string;
  readonly kind: string;
  readonly data: unknown;
}

/** One piece of a message, discriminated by `type`. Blocks are plain JSON. */
export type ContentBlock =
  | Reasoning
  | UserInputText
  | UserInputImage
  | UserInputAudio
  | UserInputVideo
  | UserInputFile
  | AssistantGenText
  | AssistantGenImage
  | AssistantGenAudio
  | AssistantGenVideo
  | FunctionToolCall
  | FunctionToolResult
  | ToolSearchResult
  | ServerToolCall
  | ServerToolResult
  | McpToolCall
  | McpToolResult
  | McpListToolsResult
  | McpToolApprovalRequest
  | McpToolApprovalResponse
  | Extension;

export type ContentBlockType = ContentBlock["type"];

/** The block of a kind: `BlockOf<"function_tool_call">` is `FunctionToolCall`. */
export type BlockOf<Type extends ContentBlockType> = Extract<ContentBlock, { readonly type: Type }>;
