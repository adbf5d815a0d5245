import { KumikoError } from "../../errors.js";
import { invalidTool } from "../../schema/errors.js";
import { shorten } from "../../schema/shorten.js";
import { ToolCallError } from "../define/tool-call-error.js";
import type { McpResult } from "./mcp-client.js";
import { textOfResult } from "./mcp-content.js";

export const mcpRefusal = (result: McpResult): ToolCallError<"mcp"> =>
  new ToolCallError(textOfResult(result), { source: "mcp", status: undefined, details: result });

export const notAnMcpClient = (given: unknown): KumikoError =>
  new KumikoError(
    "INVALID_OPTION",
    `mcpTools needs a connected MCP client, with listTools and callTool, but got ${shorten(given)}.`,
  );

export const cursorRepeated = (cursor: string): KumikoError =>
  invalidTool(
    `mcpTools: the server returned the cursor ${shorten(cursor)} twice, so its list of tools would never end.`,
  );

export const notAToolPage = (given: unknown): KumikoError =>
  invalidTool(`mcpTools: the client's listTools must return { tools: [...] }, but returned ${shorten(given)}.`);

/** A warning. */
export const toolLeftOut = (name: unknown, reason: string): string =>
  `mcpTools left out the tool ${shorten(name)} of the MCP server: ${reason}`;

export const notAResult = (name: string, given: unknown): KumikoError =>
  new KumikoError(
    "TOOL_FAILED",
    `The MCP server answered a call of "${name}" with something that is not a result: ${shorten(given)}.`,
  );

export const inputRequired = (name: string, cause?: unknown): KumikoError =>
  new KumikoError(
    "TOOL_FAILED",
    `The MCP server needs an answer before "${name}" goes on (input_required), and mcpTools cannot ask for one. ` +
      "Use connectMcp of kumiko/mcp, where such a question is an interrupt of the run.",
    cause === undefined ? {} : { cause },
  );
