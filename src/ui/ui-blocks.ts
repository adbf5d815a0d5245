import { toolInputOf } from "../agents/interrupt-kinds.js";
import { type Fields, isFields } from "../is.js";
import type { ContentBlock, Media } from "../schema/message/content-block.js";
import { withoutUndefined } from "../schema/without-undefined.js";
import type { UiChunk } from "./ui-chunk.js";

/** Converts blocks that are not streamed: files, sources, calls that the provider runs, and any others. */
export function blockChunks(block: ContentBlock): UiChunk[] {
  switch (block.type) {
    case "assistant_gen_text":
    case "reasoning":
    case "function_tool_call":
      return []; // these are streamed as deltas
    case "assistant_gen_image":
    case "assistant_gen_audio":
    case "assistant_gen_video":
      return fileChunks(block, defaultTypes[block.type]);
    case "server_tool_call":
      return [providerCall(block.callId ?? block.name, block.name, parsed(block.arguments ?? {}))];
    case "server_tool_result":
      return [providerResult(block.callId ?? block.name, block.content ?? null)];
    case "mcp_tool_call":
      return [providerCall(block.callId, block.name, toolInputOf(block.arguments))];
    case "mcp_tool_result":
      return [
        block.error === undefined
          ? providerResult(block.callId, parsed(block.content))
          : { type: "tool-output-error", toolCallId: block.callId, errorText: block.error.message, ...byProvider },
      ];
    case "extension":
      return block.kind === "source" ? sourceChunks(block.data) : [dataChunk(block)];
    default:
      return [dataChunk(block)];
  }
}

/** Providers send JSON as text: clients get its value. */
function parsed(given: unknown): unknown {
  return typeof given === "string" && /^\s*[[{]/.test(given) ? toolInputOf(given) : given;
}

const byProvider = { providerExecuted: true, dynamic: true } as const;

const defaultTypes = {
  assistant_gen_image: "image/png",
  assistant_gen_audio: "audio/mpeg",
  assistant_gen_video: "video/mp4",
} as const;

function providerCall(toolCallId: string, toolName: string, input: unknown): UiChunk {
  return { type: "tool-input-available", toolCallId, toolName, input, ...byProvider };
}

function providerResult(toolCallId: string, output: unknown): UiChunk {
  return { type: "tool-output-available", toolCallId, output, ...byProvider };
}

/** A file as the AI SDK has it, in chunks and in messages; none without an address or data. */
export function fileChunks({ url, base64Data, mimeType }: Media, defaultType: string): UiChunk[] {
  const mediaType = mimeType ?? defaultType;
  const address = url ?? (base64Data === undefined ? undefined : `data:${mediaType};base64,${base64Data}`);
  return address === undefined ? [] : [{ type: "file", url: address, mediaType }];
}

function sourceChunks(data: unknown): UiChunk[] {
  const { id, url, title, mediaType, filename }: Fields = isFields(data) ? data : {};
  const sourceId = typeof id === "string" ? id : String(url ?? title ?? "source");
  if (typeof url === "string") return [withoutUndefined({ type: "source-url", sourceId, url, title })];
  if (typeof mediaType !== "string" || typeof title !== "string") return [];
  return [withoutUndefined({ type: "source-document", sourceId, mediaType, title, filename })];
}

function dataChunk(block: ContentBlock): UiChunk {
  return { type: "data-block", data: block, transient: true };
}
