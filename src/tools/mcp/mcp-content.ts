import type { Fields } from "../../is.js";
import type { ToolResultContent, ToolResultMedia } from "../../schema/message/content-block.js";
import type { McpResult } from "./mcp-client.js";

/** The form of a result's content that a model reads: a single text as a string, otherwise an array of parts; `undefined` if it is empty. */
export function contentOf({ content = [] }: McpResult): string | readonly ToolResultContent[] | undefined {
  const parts = content.map(partOf);
  const [only] = parts;
  if (only === undefined) return undefined;
  return parts.length === 1 && only.type === "text" ? only.text : parts;
}

/** The same as a string, for an error. */
export function textOfResult({ content = [], structuredContent }: McpResult): string {
  const texts = content.map(partOf).map((part) => (part.type === "text" ? part.text : `[${part.type}]`));
  if (texts.length > 0) return texts.join("\n");
  return structuredContent === undefined ? "the server did not say why." : JSON.stringify(structuredContent);
}

function partOf(content: unknown): ToolResultContent {
  const { type, text, data, mimeType, resource } = fieldsOf(content);
  if (type === "text" && typeof text === "string") return { type, text };
  if ((type === "image" || type === "audio") && typeof data === "string")
    return media(type, { base64Data: data }, mimeType);
  if (type === "resource") return resourcePart(fieldsOf(resource)) ?? unknownPart(content);
  return unknownPart(content);
}

/** A resource that came with its content. */
function resourcePart({ uri, text, blob, mimeType }: Fields): ToolResultContent | undefined {
  if (typeof text === "string") return { type: "text", text };
  if (typeof blob !== "string") return undefined;
  return media(mediaKind(mimeType), { base64Data: blob }, mimeType, uri);
}

/**
 * The model reads as JSON what this package does not know, and links to resources: their URI is a name at the server, for
 * `resources/read`. Taken for an address, a provider would download it, or refuse the request.
 */
function unknownPart(content: unknown): ToolResultContent {
  return { type: "text", text: JSON.stringify(content) ?? "" };
}

function media(
  type: ToolResultMedia["type"],
  data: Pick<ToolResultMedia, "base64Data">,
  mimeType: unknown,
  name?: unknown,
): ToolResultMedia {
  return {
    type,
    ...data,
    ...(typeof mimeType === "string" ? { mimeType } : {}),
    ...(typeof name === "string" ? { name } : {}),
  };
}

/** The kind of content part for a MIME type. */
export function mediaKind(mimeType: unknown): ToolResultMedia["type"] {
  const kind = typeof mimeType === "string" ? mimeType.split("/", 1)[0] : undefined;
  return kind === "image" || kind === "audio" || kind === "video" ? kind : "file";
}

function fieldsOf(value: unknown): Fields {
  return typeof value === "object" && value !== null ? (value as Fields) : {};
}
