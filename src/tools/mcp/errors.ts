import { KumikoError } from "../../errors.js";
import { invalidTool } from "../../schema/errors.js";
import { shorten } from "../../schema/shorten.js";
import type { McpResult } from "./mcp-client.js";
import { textOfResult } from "./mcp-content.js";

const brand = Symbol.for("kumiko/McpToolError");

/**
 * The answer of an MCP server that is marked `isError`. It is the cause of the {@link ToolError} of that call.
 *
 * @example
 * try { await tools.invoke(message); }
 * catch (error) {
 *   const failed = findCause(error, McpToolError);
 *   if (failed) console.warn(failed.result.content);
 * }
 */
export class McpToolError extends KumikoError {
  override readonly name: string = "McpToolError";
  readonly [brand] = true;
  /** The result as the server sent it. */
  readonly result: McpResult;

  constructor(result: McpResult) {
    super("TOOL_FAILED", textOfResult(result));
    this.result = result;
  }

  /** Like `instanceof`, but also true for an error of a second copy of this package. */
  static override is(value: unknown): value is McpToolError {
    return typeof value === "object" && value !== null && brand in value;
  }
}

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
