import { type Fields, isFields } from "../../is.js";
import { toBase64 } from "../../schema/base64.js";
import { encodeJson } from "../../schema/encode-json.js";
import type { ToolResultContent } from "../../schema/message/content-block.js";
import { reportedError, type ToolCallName } from "../define/errors.js";
import { dataOutput } from "../define/tool-output.js";
import { mediaKind } from "../mcp/mcp-content.js";
import { textOr } from "./foreign-tool.js";

/**
 * Converts what `toModelOutput` of the AI SDK returns (`{ type: "text", value }` and so on) to what a model reads here: a string, an
 * array of content parts, or a value that becomes JSON. Errors become results marked as errors. Anything else is returned unchanged.
 */
export function modelOutputOf(shown: unknown, call: ToolCallName): unknown {
  if (!isFields(shown)) return shown;
  const { type, value } = shown;
  switch (type) {
    case "text":
      return "value" in shown ? value : shown;
    case "json":
      return "value" in shown ? dataOutput(value) : shown;
    case "error-text":
    case "error-json":
      throw reportedError("execution", textOf(value), call);
    case "content":
      return Array.isArray(value) ? value.map(partOf) : shown;
    case "execution-denied":
      throw reportedError("denied", textOr(shown.reason, "The call was declined."), call);
    default:
      return shown;
  }
}

/** A part without content, such as a file that only a provider has, becomes JSON. */
function partOf(part: unknown): ToolResultContent {
  if (!isFields(part)) return { type: "text", text: textOf(part) };
  const { type, text, url, data } = part;
  if (type === "text" && typeof text === "string") return { type: "text", text };
  if ((type === "file-url" || type === "image-url") && typeof url === "string") return filePart(part, { url });
  if (typeof data === "string") return filePart(part, { base64Data: data });
  if (type === "file" && isFields(data)) {
    if (data.type === "text" && typeof data.text === "string") return { type: "text", text: data.text };
    if (data.type === "url") return filePart(part, { url: String(data.url) });
    if (typeof data.data === "string") return filePart(part, { base64Data: data.data });
    if (data.data instanceof Uint8Array) return filePart(part, { base64Data: toBase64(data.data) });
  }
  return { type: "text", text: textOf(part) };
}

function textOf(value: unknown): string {
  return typeof value === "string" ? value : (JSON.stringify(encodeJson(value)) ?? "");
}

function filePart(part: Fields, content: { url: string } | { base64Data: string }): ToolResultContent {
  const { type, mediaType, filename } = part;
  const mimeType = typeof mediaType === "string" ? { mimeType: mediaType } : {};
  const name = typeof filename === "string" ? { name: filename } : {};
  const kind = mediaKind(mediaType);
  const isImage = kind === "file" && (type === "image-url" || type === "image-data");
  return { type: isImage ? "image" : kind, ...content, ...mimeType, ...name };
}
