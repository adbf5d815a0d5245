import type { ClaudeTextExtension, OpenAIReasoningExtension, OpenAITextExtension } from "./vendor-extension.js";

/** Which block a chunk's block belongs to: those with the same index are pieces of one block. Concatenation removes it. */
export interface StreamingMeta {
  /** The position of the block in its message. */
  readonly index: number;
  /** The block starts over with this chunk, perhaps as another kind: the pieces before this one are dropped. */
  readonly restart?: boolean | undefined;
}

/** Fields that every block may have. */
export interface BlockCommon {
  /** Which block a streamed chunk belongs to. */
  readonly streamingMeta?: StreamingMeta | undefined;
  /** Data of your own or of a provider; models do not see it. */
  readonly extra?: Readonly<Record<string, unknown>> | undefined;
}

/** The model's reasoning before its answer. */
export interface Reasoning extends BlockCommon {
  readonly type: "reasoning";
  /** The text of the reasoning, or its summary. */
  readonly text: string;
  /** An opaque signature of the provider, to be sent back with the next request. */
  readonly signature?: string | undefined;
  /** Fields that only OpenAI reports. */
  readonly openaiExtension?: OpenAIReasoningExtension | undefined;
}

/** Text of a user or system message. */
export interface UserInputText extends BlockCommon {
  readonly type: "user_input_text";
  /** The text. */
  readonly text: string;
}

/** Media, by URL or as base64 data. */
export interface Media extends BlockCommon {
  /** The address of the media. */
  readonly url?: string | undefined;
  /** The bytes in base64, in place of a URL. */
  readonly base64Data?: string | undefined;
  /** The type of the media, such as `image/png`. */
  readonly mimeType?: string | undefined;
}

/** An image in a user message. */
export interface UserInputImage extends Media {
  readonly type: "user_input_image";
  /** How closely the model looks at the image. */
  readonly detail?: "high" | "low" | "auto" | undefined;
}

/** Audio in a user message. */
export interface UserInputAudio extends Media {
  readonly type: "user_input_audio";
}

/** A video in a user message. */
export interface UserInputVideo extends Media {
  readonly type: "user_input_video";
}

/** A file in a user message. */
export interface UserInputFile extends Media {
  readonly type: "user_input_file";
  /** The name of the file, for the model. */
  readonly name?: string | undefined;
}

/** Text that the model wrote. */
export interface AssistantGenText extends BlockCommon {
  readonly type: "assistant_gen_text";
  /** The text. */
  readonly text: string;
  /** Fields that only OpenAI reports. */
  readonly openaiExtension?: OpenAITextExtension | undefined;
  /** Fields that only Claude reports, such as citations. */
  readonly claudeExtension?: ClaudeTextExtension | undefined;
  /** Data of any other provider about the text. */
  readonly extension?: unknown;
}

/** An image that the model generated. */
export interface AssistantGenImage extends Media {
  readonly type: "assistant_gen_image";
}

/** Audio that the model generated. */
export interface AssistantGenAudio extends Media {
  readonly type: "assistant_gen_audio";
}

/** A video that the model generated. */
export interface AssistantGenVideo extends Media {
  readonly type: "assistant_gen_video";
}

/** The model's call of one of your tools. `arguments` is JSON text as the model wrote it, valid or not. */
export interface FunctionToolCall extends BlockCommon {
  readonly type: "function_tool_call";
  /** The id of the call, which its result repeats. */
  readonly callId: string;
  /** The name of the tool. */
  readonly name: string;
  /** The arguments as JSON text, as the model wrote it. */
  readonly arguments: string;
}

/** One part of a multimodal tool result. */
export type ToolResultContent = ToolResultText | ToolResultMedia;

/** A text in a multimodal tool result. */
export interface ToolResultText {
  readonly type: "text";
  /** The text. */
  readonly text: string;
}

/** Media in a multimodal tool result, by URL or as base64 data. */
export interface ToolResultMedia {
  /** The kind of media. */
  readonly type: "image" | "audio" | "video" | "file";
  /** The address of the media. */
  readonly url?: string | undefined;
  /** The bytes in base64, in place of a URL. */
  readonly base64Data?: string | undefined;
  /** The type of the media, such as `image/png`. */
  readonly mimeType?: string | undefined;
  /** The name of a file. */
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

/** The result of a tool call. */
export interface FunctionToolResult extends BlockCommon {
  readonly type: "function_tool_result";
  /** The id of the call. */
  readonly callId: string;
  /** The name of the tool. */
  readonly name: string;
  /** The text that the model reads; with `content`, the joined text of its parts. */
  readonly result: string;
  /** `"json"` if `result` is JSON of a value that is not a string. */
  readonly resultType?: "json" | undefined;
  /** The parts of a multimodal result. */
  readonly content?: readonly ToolResultContent[] | undefined;
  /** Whether the call has failed; `result` says why. */
  readonly isError?: boolean | undefined;
  /** Why the call has failed. */
  readonly errorKind?: ToolErrorKind | undefined;
}

/** A tool that a tool search found. */
export interface FoundTool {
  /** The name of the tool. */
  readonly name: string;
  /** The tool's description. */
  readonly description?: string | undefined;
  /** JSON Schema of its arguments. */
  readonly parameters?: Readonly<Record<string, unknown>> | undefined;
}

/** The tools that a tool search found. */
export interface ToolSearchResult extends BlockCommon {
  readonly type: "tool_search_result";
  /** The id of the call. */
  readonly callId: string;
  /** The name of the search tool. */
  readonly name: string;
  /** The tools that were found. */
  readonly result: { readonly tools: readonly FoundTool[] };
}

/** A call of a tool that the provider runs itself. */
export interface ServerToolCall extends BlockCommon {
  readonly type: "server_tool_call";
  /** The name of the provider's tool. */
  readonly name: string;
  /** The id of the call. */
  readonly callId?: string | undefined;
  /** The arguments, in the provider's form. */
  readonly arguments?: unknown;
}

/** The result of a tool that the provider ran itself. */
export interface ServerToolResult extends BlockCommon {
  readonly type: "server_tool_result";
  /** The name of the provider's tool. */
  readonly name: string;
  /** The id of the call. */
  readonly callId?: string | undefined;
  /** The result, in the provider's form. */
  readonly content?: unknown;
}

/** A call of an MCP tool that the provider runs itself. */
export interface McpToolCall extends BlockCommon {
  readonly type: "mcp_tool_call";
  /** The name of the MCP server in the provider's settings. */
  readonly serverLabel: string;
  /** The approval request that allowed the call. */
  readonly approvalRequestId?: string | undefined;
  /** The id of the call. */
  readonly callId: string;
  /** The name of the tool. */
  readonly name: string;
  /** The arguments as JSON text. */
  readonly arguments: string;
}

/** The error of an MCP tool that the provider ran itself. */
export interface McpToolCallError {
  /** The code of the error. */
  readonly code?: number | undefined;
  /** The error. */
  readonly message: string;
}

/** The result of an MCP tool that the provider ran itself. */
export interface McpToolResult extends BlockCommon {
  readonly type: "mcp_tool_result";
  /** The name of the MCP server in the provider's settings. */
  readonly serverLabel: string;
  /** The id of the call. */
  readonly callId: string;
  /** The name of the tool. */
  readonly name: string;
  /** The text of the result. */
  readonly content: string;
  /** Why the call has failed. */
  readonly error?: McpToolCallError | undefined;
}

/** A tool of an MCP server. */
export interface McpListedTool {
  /** The name of the tool. */
  readonly name: string;
  /** The tool's description. */
  readonly description?: string | undefined;
  /** JSON Schema of its arguments. */
  readonly inputSchema?: Readonly<Record<string, unknown>> | undefined;
}

/** The tools of an MCP server, as the provider lists them. */
export interface McpListToolsResult extends BlockCommon {
  readonly type: "mcp_list_tools_result";
  /** The name of the MCP server in the provider's settings. */
  readonly serverLabel: string;
  /** The tools of the server. */
  readonly tools: readonly McpListedTool[];
  /** Why the tools could not be listed. */
  readonly error?: string | undefined;
}

/** The provider's question whether an MCP tool may run. */
export interface McpToolApprovalRequest extends BlockCommon {
  readonly type: "mcp_tool_approval_request";
  /** The id of the question, which the answer repeats. */
  readonly id: string;
  /** The name of the tool. */
  readonly name: string;
  /** The arguments as JSON text. */
  readonly arguments: string;
  /** The name of the MCP server in the provider's settings. */
  readonly serverLabel: string;
}

/** The answer to the provider's question whether an MCP tool may run. */
export interface McpToolApprovalResponse extends BlockCommon {
  readonly type: "mcp_tool_approval_response";
  /** The id of the question. */
  readonly approvalRequestId: string;
  /** Whether the tool may run. */
  readonly approve: boolean;
  /** Why, for the model. */
  readonly reason?: string | undefined;
}

/** Provider data that fits no other kind of block. It is kept and sent back unchanged. */
export interface Extension extends BlockCommon {
  readonly type: "extension";
  /** The provider that the data belongs to. */
  readonly provider: string;
  /** The kind of data, as the provider names it. */
  readonly kind: string;
  /** The data. */
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

/** The `type` of any block. */
export type ContentBlockType = ContentBlock["type"];

/** The block of a type: `BlockOf<"function_tool_call">` is `FunctionToolCall`. */
export type BlockOf<Type extends ContentBlockType> = Extract<ContentBlock, { readonly type: Type }>;
