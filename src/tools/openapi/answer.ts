import { toBase64 } from "../../schema/base64.js";
import type { ToolResultContent } from "../../schema/message/content-block.js";
import { mediaKind } from "../mcp/mcp-content.js";
import { HttpStatusError } from "./errors.js";

/** What a tool gives for an answer: the value of JSON, the text of texts, and anything else as a part. */
export async function readAnswer(request: string, response: Response): Promise<unknown> {
  const mimeType = (response.headers.get("content-type") ?? "").split(";", 1)[0]?.trim().toLowerCase() ?? "";
  if (!response.ok) {
    const body = parseBody(await response.text(), mimeType);
    throw new HttpStatusError(request, response.status, response.statusText, body);
  }
  if (isText(mimeType)) return parseBody(await response.text(), mimeType);
  const bytes = new Uint8Array(await response.arrayBuffer());
  if (bytes.length === 0) return "";
  const part: ToolResultContent = { type: mediaKind(mimeType), base64Data: toBase64(bytes), mimeType };
  return [part];
}

const isJson = (mimeType: string): boolean => /^application\/json$|\+json$/.test(mimeType);

function isText(mimeType: string): boolean {
  return mimeType === "" || isJson(mimeType) || /^text\/|[/+](xml|yaml|javascript|x-ndjson)$/.test(mimeType);
}

/** JSON that is none is text. */
function parseBody(text: string, mimeType: string): unknown {
  if (!isJson(mimeType)) return text;
  try {
    return JSON.parse(text);
  } catch {
    return text;
  }
}
