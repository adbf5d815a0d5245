import { toBase64 } from "../../schema/base64.js";
import type { ToolResultContent } from "../../schema/message/content-block.js";
import { refusalText, ToolCallError } from "../define/tool-call-error.js";
import { mediaKind } from "../mcp/mcp-content.js";
import { parseExactly } from "./exact-json.js";

/** The output of a tool for an answer: JSON as a value, text as a string, and anything else as a content part. */
export type ServiceAnswer =
  | { readonly isContent: true; readonly value: readonly ToolResultContent[] }
  | { readonly isContent: false; readonly value: unknown };

export async function readAnswer(request: string, response: Response): Promise<ServiceAnswer> {
  const mimeType = (response.headers.get("content-type") ?? "").split(";", 1)[0]?.trim().toLowerCase() ?? "";
  if (!response.ok) {
    const body = parseBody(await response.text(), mimeType);
    const { status, statusText } = response;
    throw new ToolCallError(refusalText(request, status, statusText, body), {
      source: "openapi",
      status,
      details: { body },
    });
  }
  if (isText(mimeType)) return { isContent: false, value: parseBody(await response.text(), mimeType) };
  const bytes = new Uint8Array(await response.arrayBuffer());
  if (bytes.length === 0) return { isContent: false, value: "" };
  return { isContent: true, value: [{ type: mediaKind(mimeType), base64Data: toBase64(bytes), mimeType }] };
}

const isJson = (mimeType: string): boolean => /^application\/json$|\+json$/.test(mimeType);

function isText(mimeType: string): boolean {
  return mimeType === "" || isJson(mimeType) || /^text\/|[/+](xml|yaml|javascript|x-ndjson)$/.test(mimeType);
}

/** A text that is declared as JSON and does not parse stays a string. */
function parseBody(text: string, mimeType: string): unknown {
  if (!isJson(mimeType)) return text;
  try {
    return parseExactly(text);
  } catch {
    return text;
  }
}
