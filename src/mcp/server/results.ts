import { type Fields, isFields } from "../../is.js";
import { encodeJson } from "../../schema/encode-json.js";
import type { AgenticMessage } from "../../schema/message/agentic-message.js";
import type { FunctionToolResult, ToolResultContent } from "../../schema/message/content-block.js";
import { toolResultsOf } from "../../schema/message/read-message.js";
import type { JsonSchema } from "../../schema/standard-schema.js";
import { fileContent, mediaContent } from "../messages.js";

export const errorResult = (text: string): Fields => ({ content: [{ type: "text", text }], isError: true });

/** The result of a call as MCP defines it. `output` is the raw output of the tool, if it was recorded. */
export function callResult(
  messages: readonly AgenticMessage[],
  outputSchema: JsonSchema | undefined,
  output: { readonly value: unknown } | undefined,
): Fields {
  const [block] = messages.flatMap(toolResultsOf);
  if (block === undefined) return errorResult("The call has no result.");
  if (block.isError === true) return errorResult(block.result);
  const content = contentOf(block);
  if (outputSchema === undefined) return { content };
  const value = output === undefined ? parsed(block) : encodeJson(output.value);
  if (value === undefined || (outputSchema.type === "object" && !isFields(value)))
    return errorResult("The tool returned no structured output, although it has an outputSchema.");
  return { content, structuredContent: value };
}

function parsed({ result, resultType, content }: FunctionToolResult): unknown {
  if (resultType !== "json") return content === undefined ? result : undefined;
  try {
    return JSON.parse(result);
  } catch {
    return undefined;
  }
}

function contentOf({ result, content }: FunctionToolResult): Fields[] {
  return content === undefined ? [{ type: "text", text: result }] : content.map(partOf);
}

function partOf(part: ToolResultContent): Fields {
  switch (part.type) {
    case "text":
      return { type: "text", text: part.text };
    case "image":
    case "audio":
      return mediaContent(part.type, part);
    default:
      return fileContent(part);
  }
}
