import { type Fields, isFields } from "../../is.js";
import type { AgenticMessage } from "../../schema/message/agentic-message.js";
import type {
  ContentBlock,
  Extension,
  FunctionToolResult,
  McpToolApprovalResponse,
  McpToolCall,
  McpToolResult,
  ServerToolCall,
  ServerToolResult,
  ToolResultContent,
} from "../../schema/message/content-block.js";
import { blocksOf, textOf } from "../../schema/message/read-message.js";
import { withoutUndefined } from "../../schema/without-undefined.js";
import { invalidMedia } from "../errors.js";
import { belongsTo, comesFrom, mergeOptions, noOptions, optionsFor } from "./provider-extra.js";
import type { AiSdkVersion } from "./provider-model.js";

/** The provider that a prompt is sent to. */
export interface PromptTarget {
  readonly provider: string;
  readonly version: AiSdkVersion;
}

interface PromptMessage {
  readonly role: "system" | "user" | "assistant" | "tool";
  readonly content: string | readonly Fields[];
  readonly providerOptions?: unknown;
}

/** Converts messages to the prompt of a provider package, in which tool results are separate messages with the role `tool`. */
export function promptOf(messages: readonly AgenticMessage[], target: PromptTarget): PromptMessage[] {
  const prompt: PromptMessage[] = [];
  for (const message of messages) {
    if (message.role === "system") prompt.push(systemPrompt(message, target));
    else for (const next of promptMessages(message, target)) appendMessage(prompt, next);
  }
  return prompt;
}

function appendMessage(prompt: PromptMessage[], next: PromptMessage): void {
  const last = prompt[prompt.length - 1];
  if (last === undefined || !isToolMessage(next) || !isToolMessage(last)) prompt.push(next);
  else prompt[prompt.length - 1] = { role: "tool", content: [...last.content, ...next.content] as Fields[] };
}

/** Whether a message can be merged with a neighboring tool message: it has no options, which would then apply to both. */
function isToolMessage({ role, content, providerOptions }: PromptMessage): boolean {
  return role === "tool" && Array.isArray(content) && providerOptions === undefined;
}

/** A system prompt is a single string, so the provider options of all its blocks are merged. */
function systemPrompt(message: AgenticMessage, { provider }: PromptTarget): PromptMessage {
  let options: Fields | undefined;
  for (const block of [...blocksOf(message), message]) {
    const { providerOptions } = optionsFor(provider, block) as { readonly providerOptions?: Fields };
    options = options === undefined ? providerOptions : mergeOptions(options, providerOptions);
  }
  return withoutUndefined<PromptMessage>({ role: "system", content: textOf(message), providerOptions: options });
}

/** Splits a message whose blocks have different roles in a prompt: each run of blocks with the same role becomes a message. */
function promptMessages(message: AgenticMessage, target: PromptTarget): PromptMessage[] {
  const prompt: { role: PromptMessage["role"]; content: Fields[] }[] = [];
  for (const block of blocksOf(message)) {
    const part = partOf(block, target);
    if (part === undefined) continue;
    const role = belongsInToolMessage(block) ? "tool" : message.role;
    const last = prompt.at(-1);
    if (last?.role === role) last.content.push(part);
    else prompt.push({ role, content: [part] });
  }
  const options = optionsFor(target.provider, message);
  return options === noOptions ? prompt : prompt.map((part) => ({ ...part, ...options }));
}

function belongsInToolMessage({ type }: ContentBlock): boolean {
  return type === "function_tool_result" || type === "mcp_tool_approval_response";
}

/** Returns `undefined` for blocks that are not sent: those of another provider, and those that a prompt cannot contain. */
function partOf(block: ContentBlock, target: PromptTarget): Fields | undefined {
  const { provider, version } = target;
  const options = optionsFor(provider, block);
  switch (block.type) {
    case "user_input_text":
    case "assistant_gen_text":
      return block.text === "" && !("providerOptions" in options)
        ? undefined
        : withOptions({ type: "text", text: block.text }, options);
    case "reasoning":
      return isOwnReasoning(block, provider) ? { type: "reasoning", text: block.text, ...options } : undefined;
    case "user_input_image":
    case "user_input_audio":
    case "user_input_video":
    case "user_input_file":
    case "assistant_gen_image":
    case "assistant_gen_audio":
    case "assistant_gen_video":
      return { ...filePart(block, version), ...options };
    case "function_tool_call":
      return withOptions(toolCall(block.callId, block.name, parsed(block.arguments)), options);
    case "function_tool_result":
      return withOptions(toolResult(block.callId, block.name, aiSdkToolOutput(block, version)), options);
    case "server_tool_call":
    case "mcp_tool_call":
      return belongsTo(provider, block) ? { ...providerCall(block), ...options } : undefined;
    case "server_tool_result":
      return belongsTo(provider, block) ? { ...serverResult(block), ...options } : undefined;
    case "mcp_tool_result":
      return belongsTo(provider, block) ? { ...mcpResult(block), ...options } : undefined;
    case "mcp_tool_approval_response":
      return version === "v2" ? undefined : { ...approvalResponse(block), ...options };
    case "extension":
      return block.provider === provider ? extensionPart(block, options, version) : undefined;
    case "tool_search_result":
    case "mcp_list_tools_result":
    case "mcp_tool_approval_request":
      return undefined;
    default:
      return block satisfies never;
  }
}

function withOptions(part: Fields, options: object): Fields {
  return options === noOptions ? part : { ...part, ...options };
}

/** Reasoning is sent only to the provider that it came from, unless the user set `providerOptions`. */
function isOwnReasoning(block: ContentBlock, provider: string): boolean {
  return comesFrom(provider, block) || block.extra?.providerOptions !== undefined;
}

function toolCall(toolCallId: string, toolName: string, input: unknown): Fields {
  return { type: "tool-call", toolCallId, toolName, input };
}

function toolResult(toolCallId: string, toolName: string, output: Fields): Fields {
  return { type: "tool-result", toolCallId, toolName, output };
}

function providerCall({ callId = "", name, arguments: input = {} }: ServerToolCall | McpToolCall): Fields {
  return { ...toolCall(callId, name, typeof input === "string" ? parsed(input) : input), providerExecuted: true };
}

function serverResult({ callId = "", name, content = null, extra }: ServerToolResult): Fields {
  return toolResult(callId, name, { type: extra?.isError === true ? "error-json" : "json", value: content });
}

function mcpResult({ callId, name, content, extra }: McpToolResult): Fields {
  const isError = extra?.isError === true;
  const output = extra?.resultType === "json" ? jsonOutput(content, isError) : { type: "json", value: content };
  return toolResult(callId, name, output);
}

function approvalResponse({ approvalRequestId, approve, reason }: McpToolApprovalResponse): Fields {
  return withoutUndefined({ type: "tool-approval-response", approvalId: approvalRequestId, approved: approve, reason });
}

/** Converts an extension block that can be sent back. Others, such as sources, are only informational. */
function extensionPart({ kind, data }: Extension, options: object, version: AiSdkVersion): Fields | undefined {
  if (!isFields(data) || !returnableKinds.includes(kind) || (kind !== "file" && version !== "v4")) return undefined;
  const { providerMetadata, data: content, ...part } = data;
  const sent = content === undefined ? {} : { data: restoreUrl(content) };
  return withoutUndefined({ ...part, ...sent, providerOptions: providerMetadata, ...options });
}

const returnableKinds = ["custom", "reasoning-file", "file"];

/** Restores a `URL`, which became a string when the block was created. */
function restoreUrl(content: unknown): unknown {
  if (!isFields(content) || content.type !== "url") return content;
  return { ...content, url: new URL(String(content.url)) };
}

/** Parses arguments. Text that is not JSON, or empty, becomes `{}`, because a prompt cannot contain text here. */
function parsed(text: string): unknown {
  if (text === "") return {};
  try {
    return JSON.parse(text);
  } catch {
    return {};
  }
}

/** Converts the result of a tool to the `output` of a prompt part. */
function aiSdkToolOutput(result: FunctionToolResult, version: AiSdkVersion): Fields {
  const { isError, errorKind, resultType, content } = result;
  if (isError === true && errorKind === "denied" && version !== "v2") {
    return { type: "execution-denied", reason: result.result };
  }
  if (isError === true) return { type: "error-text", value: result.result };
  if (content !== undefined) return { type: "content", value: content.map((part) => contentPart(part, version)) };
  if (resultType === "json") return jsonOutput(result.result);
  return { type: "text", value: result.result };
}

/** Converts text that is valid JSON to a JSON output, and any other text to a text output. */
function jsonOutput(text: string, isError = false): Fields {
  try {
    return { type: isError ? "error-json" : "json", value: JSON.parse(text) };
  } catch {
    return { type: isError ? "error-text" : "text", value: text };
  }
}

function contentPart(part: ToolResultContent, version: AiSdkVersion): Fields {
  if (part.type === "text") return { type: "text", text: part.text };
  const { data, mediaType } = fileData(part);
  const filename = part.name === undefined ? {} : { filename: part.name };
  if (version === "v4") return { type: "file", data: tagged(data), mediaType, ...filename };
  const isImage = part.type === "image";
  if (data instanceof URL) {
    // V2 does not support URLs here
    return version === "v2"
      ? { type: "text", text: data.href }
      : { type: isImage ? "image-url" : "file-url", url: data.href };
  }
  if (version === "v2") return { type: "media", data, mediaType };
  return isImage ? { type: "image-data", data, mediaType } : { type: "file-data", data, mediaType, ...filename };
}

/** The media fields of a content block. */
interface MediaSource {
  readonly type: string;
  readonly url?: string | undefined;
  readonly base64Data?: string | undefined;
  readonly mimeType?: string | undefined;
  readonly name?: string | undefined;
}

/** Converts media to a prompt part. V4 tags the data; earlier specs take a `URL`, or a string of base64. */
function filePart(media: MediaSource, version: AiSdkVersion): Fields {
  const { data, mediaType } = fileData(media);
  return withoutUndefined({
    type: "file",
    data: version === "v4" ? tagged(data) : data,
    mediaType,
    filename: media.name,
  });
}

function tagged(data: string | URL): Fields {
  return typeof data === "string" ? { type: "data", data } : { type: "url", url: data };
}

/** Returns the base64 data or the URL. A `data:` URL is decoded. */
function fileData({ type, url, base64Data, mimeType }: MediaSource): { data: string | URL; mediaType: string } {
  const fallback = mimeType ?? defaultTypes.get(type.split("_").at(-1) ?? "") ?? "application/octet-stream";
  if (base64Data !== undefined) return { data: base64Data, mediaType: fallback };
  if (url === undefined) throw invalidMedia(`A block of type ${type} has neither url nor base64Data. Set one of them.`);
  const embedded = /^data:([^;,]*)((?:;[^;,]*)*),(.*)$/s.exec(url);
  if (embedded === null) return { data: urlOf(url, type), mediaType: fallback };
  const [, mediaType = "", parameters = "", content = ""] = embedded;
  const data = parameters.endsWith(";base64") ? content : base64Of(decodeURIComponent(content));
  return { data, mediaType: mimeType ?? (mediaType || fallback) };
}

const defaultTypes: ReadonlyMap<string, string> = new Map([
  ["image", "image/*"],
  ["audio", "audio/*"],
  ["video", "video/*"],
]);

function urlOf(url: string, type: string): URL {
  try {
    return new URL(url);
  } catch {
    throw invalidMedia(`The url of a block of type ${type} is not an absolute URL (got ${JSON.stringify(url)}).`);
  }
}

function base64Of(text: string): string {
  return btoa(String.fromCharCode(...new TextEncoder().encode(text)));
}
