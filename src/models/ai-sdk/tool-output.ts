import type { Fields } from "../../is.js";
import type { FunctionToolResult, ToolResultContent } from "../../schema/message/content-block.js";
import { fileData, tagged } from "./file-part.js";
import type { AiSdkVersion } from "./provider-model.js";

/** Converts the result of a tool to the `output` of a prompt part. */
export function aiSdkToolOutput(result: FunctionToolResult, version: AiSdkVersion): Fields {
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
export function jsonOutput(text: string, isError = false): Fields {
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
