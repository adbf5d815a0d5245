import { type Fields, isFields, textIf } from "../../is.js";
import { encodeJson } from "../../schema/encode-json.js";
import type { ContentBlock } from "../../schema/message/content-block.js";
import { withoutUndefined } from "../../schema/without-undefined.js";
import { providerExtra } from "./provider-extra.js";

/** Who runs a call: this program, the provider, or an MCP server on behalf of the provider. */
export type ToolCallKind = "function_tool_call" | "server_tool_call" | "mcp_tool_call";

/** The parts of a call that are known so far. */
export interface KnownCall {
  readonly kind: ToolCallKind;
  readonly callId: string;
  readonly name: string;
  /** The MCP server; `""` until it is known. */
  readonly serverLabel: string;
}

/** Reads a `tool-input-start` or `tool-call` part. */
export function knownCall(part: Fields): KnownCall {
  const callId = textIf(part.toolCallId) ?? textIf(part.id) ?? "";
  const kind = kindOf(part);
  return {
    kind,
    callId,
    name: textIf(part.toolName) ?? "",
    serverLabel: kind === "mcp_tool_call" ? labelOf(part) : "",
  };
}

function kindOf({ providerExecuted, dynamic }: Fields): ToolCallKind {
  if (providerExecuted !== true) return "function_tool_call";
  return dynamic === true ? "mcp_tool_call" : "server_tool_call";
}

/** A chunk of a call; `text` is appended to its arguments. */
export function callBlock({ kind, callId, name, serverLabel }: KnownCall, text: string, extra?: Fields): ContentBlock {
  const more = extra === undefined ? undefined : { extra };
  switch (kind) {
    case "function_tool_call":
      return { type: kind, callId, name, arguments: text, ...more };
    case "server_tool_call":
      return { type: kind, name, callId, arguments: text, ...more };
    case "mcp_tool_call":
      return { type: kind, serverLabel, callId, name, arguments: text, ...more };
    default:
      return kind satisfies never;
  }
}

/** The `extra` of the last chunk of a call. Calls run by a provider must be sent back only to that provider. */
export function callExtra(kind: ToolCallKind, provider: string, providerMetadata: unknown): Fields | undefined {
  if (kind === "function_tool_call" && providerMetadata === undefined) return undefined;
  return providerExtra(provider, providerMetadata);
}

/** The block of a result that the provider sent for its own call. */
export function providerResultBlock(part: Fields, call: KnownCall | undefined, provider: string): ContentBlock {
  const { toolCallId, toolName, result, isError, preliminary, dynamic, providerMetadata } = part;
  const callId = textIf(toolCallId) ?? "";
  const name = textIf(toolName) ?? call?.name ?? "";
  const content = encodeJson(result);
  const marks = withoutUndefined({
    isError: isError === true ? true : undefined,
    preliminary: preliminary === true ? true : undefined,
  });
  const extra = providerExtra(provider, providerMetadata, marks);
  if (call?.kind !== "mcp_tool_call" && dynamic !== true) {
    return { type: "server_tool_result", name, callId, content, extra };
  }
  const error = isError === true || hasError(result) ? { message: errorText(result) } : undefined;
  const serverLabel = labelOf(part) || (call?.serverLabel ?? "");
  // `json` distinguishes a string that is not JSON from one that is, so that the result goes back as it came
  const isText = typeof content === "string";
  const text = isText ? content : (JSON.stringify(content) ?? "");
  return withoutUndefined({
    type: "mcp_tool_result",
    serverLabel,
    callId,
    name,
    content: text,
    error,
    extra: isText ? extra : { ...extra, resultType: "json" },
  });
}

/** The name of the MCP server, which each provider puts in a different field. */
export function labelOf({ result, providerMetadata }: Fields): string {
  if (isFields(result) && typeof result.serverLabel === "string") return result.serverLabel;
  if (!isFields(providerMetadata)) return "";
  for (const sent of Object.values(providerMetadata)) {
    const label = isFields(sent) ? (sent.serverLabel ?? sent.serverName) : undefined;
    if (typeof label === "string") return label;
  }
  return "";
}

function hasError(result: unknown): boolean {
  return isFields(result) && result.error !== undefined && result.error !== null;
}

function errorText(result: unknown): string {
  const error = isFields(result) && result.error !== undefined ? result.error : result;
  if (isFields(error) && typeof error.message === "string") return error.message;
  return typeof error === "string" ? error : (JSON.stringify(encodeJson(error)) ?? "");
}
