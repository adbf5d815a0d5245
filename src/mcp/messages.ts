import { type Fields, isFields } from "../is.js";
import type { AgenticMessage } from "../schema/message/agentic-message.js";
import {
  assistantGenText,
  userInputAudio,
  userInputFile,
  userInputImage,
  userInputText,
  userInputVideo,
} from "../schema/message/construct-block.js";
import { assistantMessage, userMessage } from "../schema/message/construct-message.js";
import type { ContentBlock } from "../schema/message/content-block.js";
import { mediaKind } from "../tools/mcp/mcp-content.js";

/** Converts a message of a prompt or sampling request to the message type of this package. */
export function agenticMessageOf(message: unknown): AgenticMessage {
  const { role, content } = isFields(message) ? message : {};
  const parts: readonly unknown[] = Array.isArray(content) ? content : [content];
  return role === "assistant"
    ? assistantMessage(parts.map((part) => assistantGenText(textOfPart(part))))
    : userMessage(parts.map(userBlockOf));
}

function userBlockOf(part: unknown): ContentBlock {
  const { type, text, data, mimeType, resource } = isFields(part) ? part : {};
  if (type === "text" && typeof text === "string") return userInputText(text);
  const media = { ...(typeof mimeType === "string" && { mimeType }) };
  if (type === "image" && typeof data === "string") return userInputImage({ base64Data: data, ...media });
  if (type === "audio" && typeof data === "string") return userInputAudio({ base64Data: data, ...media });
  if (type === "resource" && isFields(resource)) return resourceBlock(resource);
  // also links to resources, whose URI is a name at the server and not an address
  return userInputText(JSON.stringify(part) ?? "");
}

function resourceBlock({ uri, text, blob, mimeType }: Fields): ContentBlock {
  if (typeof text === "string") return userInputText(text);
  const media = {
    base64Data: typeof blob === "string" ? blob : "",
    ...(typeof mimeType === "string" && { mimeType }),
  };
  switch (mediaKind(mimeType)) {
    case "image":
      return userInputImage(media);
    case "audio":
      return userInputAudio(media);
    case "video":
      return userInputVideo(media);
    default:
      return userInputFile({ ...media, ...(typeof uri === "string" && { name: uri }) });
  }
}

function textOfPart(part: unknown): string {
  if (isFields(part) && part.type === "text" && typeof part.text === "string") return part.text;
  return JSON.stringify(part) ?? "";
}

/** Converts a message to MCP messages. Each MCP message has one content, so every block becomes a message of its own. */
export function promptMessagesOf({ role, contentBlocks }: AgenticMessage): McpPromptMessage[] {
  return contentBlocks.map((block) => ({
    role: role === "assistant" ? "assistant" : "user",
    content: contentOf(block),
  }));
}

export interface McpPromptMessage {
  readonly role: "user" | "assistant";
  readonly content: Fields;
}

function contentOf(block: ContentBlock): Fields {
  switch (block.type) {
    case "user_input_text":
    case "assistant_gen_text":
    case "reasoning":
      return { type: "text", text: block.text };
    case "user_input_image":
    case "assistant_gen_image":
      return mediaContent("image", block);
    case "user_input_audio":
    case "assistant_gen_audio":
      return mediaContent("audio", block);
    case "user_input_video":
    case "user_input_file":
    case "assistant_gen_video":
      return fileContent(block);
    default:
      return { type: "text", text: JSON.stringify(block) };
  }
}

export interface MediaFields {
  readonly url?: string | undefined;
  readonly base64Data?: string | undefined;
  readonly mimeType?: string | undefined;
  readonly name?: string | undefined;
}

const defaultMimeType = { image: "image/png", audio: "audio/wav" } as const;

export function mediaContent(type: "image" | "audio", media: MediaFields): Fields {
  if (media.base64Data === undefined) return fileContent(media);
  return { type, data: media.base64Data, mimeType: media.mimeType ?? defaultMimeType[type] };
}

/** An embedded resource if the bytes are there, otherwise a link. */
export function fileContent({ url, base64Data, mimeType, name }: MediaFields): Fields {
  const type = mimeType === undefined ? {} : { mimeType };
  if (base64Data !== undefined) {
    return { type: "resource", resource: { uri: url ?? uriOf(name), ...type, blob: base64Data } };
  }
  const uri = url ?? uriOf(name);
  return { type: "resource_link", uri, name: name ?? uri, ...type };
}

/** Returns a name that is already a URI unchanged. */
function uriOf(name: string | undefined): string {
  if (name === undefined) return "attachment:file";
  return /^[a-z][a-z0-9+.-]*:/i.test(name) ? name : `attachment:${encodeURIComponent(name)}`;
}
