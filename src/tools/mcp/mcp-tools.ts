import { checkOptions } from "../../check-options.js";
import type { ApprovalRule, ToolContext } from "../../components/tool.js";
import { KumikoError, messageOf } from "../../errors.js";
import { isFields, isObject } from "../../is.js";
import type { JsonSchema } from "../../schema/standard-schema.js";
import { approvalFor, checkApprovalNames } from "../define/approval-option.js";
import { type CreatedTool, createTool, type McpToolProperties } from "../define/create-tool.js";
import { dataOutput } from "../define/tool-output.js";
import { checkTimeout } from "../define/tool-settings.js";
import {
  type ClosableTools,
  closable,
  ToolSelection,
  type ToolSourceOptions,
  toolSourceOptions,
} from "../define/tool-source.js";
import {
  cursorRepeated,
  inputRequired,
  mcpRefusal,
  notAnMcpClient,
  notAResult,
  notAToolPage,
  toolLeftOut,
} from "./errors.js";
import {
  callMcpTool,
  type McpCallOptions,
  type McpClient,
  type McpResult,
  type McpToolDefinition,
} from "./mcp-client.js";
import { contentOf } from "./mcp-content.js";
import { noteRequest } from "./note-request.js";

/**
 * Options of {@link mcpTools}.
 *
 * @example
 * const client = { listTools: async () => ({ tools: [] }), callTool: async () => ({ content: [] }) };
 * const tools = await mcpTools(client, {
 *   requireApproval: (_input, _ctx, { annotations }) => annotations?.readOnlyHint !== true,
 * });
 */
export interface McpToolsOptions extends ToolSourceOptions<McpToolDefinition> {
  /**
   * How long each call may take, in milliseconds, in place of the client's own limit.
   *
   * @default the limit of the node; the clients of the MCP packages stop a call after a minute without progress
   */
  readonly timeoutMs?: number | undefined;
}

/** A tool that an MCP server runs. */
export type McpTool = CreatedTool<JsonSchema, JsonSchema | undefined>;

/**
 * Returns the tools of an MCP server, all pages of them, as its connected client lists them. Arguments are checked against
 * `inputSchema` before they are sent; `annotations` and `_meta` are in `mcp`. A result with `isError` is an error of kind
 * `execution`, caused by an {@link ToolCallError}. A call is stopped with the run's signal, and progress of the server goes to
 * `ctx.progress`. A tool that cannot be used is left out with a warning. Throws if the client is not one, returns no list of
 * tools, or an option is wrong.
 *
 * @example
 * import { Client } from "@modelcontextprotocol/client";
 *
 * const client = new Client({ name: "my-app", version: "1.0.0" });
 * // await client.connect(transport);
 * const node = new AgenticToolsNode(await mcpTools(client));
 */
export async function mcpTools(client: McpClient, options: McpToolsOptions = {}): Promise<ClosableTools<McpTool>> {
  if (typeof client?.listTools !== "function" || typeof client.callTool !== "function") throw notAnMcpClient(client);
  checkOptions(where, options, { ...toolSourceOptions, timeoutMs: true });
  const { timeoutMs, prefix = "" } = options;
  checkTimeout(where, timeoutMs);
  const listed = (await listAll(client)).filter(isDefinition);
  const selection = new ToolSelection<McpToolDefinition>(options, { where, kind: "tool", isNamed });
  selection.checkNames(
    listed,
    listed.map(({ name }) => name),
  );
  const definitions = listed.filter((definition) => selection.has(definition));
  const ids = definitions.map(({ name }) => `${prefix}${name}`);
  checkApprovalNames(where, options, ids);
  const tools = definitions.flatMap((definition) => {
    const id = `${prefix}${definition.name}`;
    const requireApproval = approvalFor(options, id, definition);
    try {
      return [mcpTool(client, id, definition, { timeoutMs, requireApproval })];
    } catch (error) {
      if (!(KumikoError.is(error) && error.code === "INVALID_TOOL")) throw error;
      console.warn(toolLeftOut(definition.name, messageOf(error)));
      return [];
    }
  });
  return closable(tools);
}

const where = "mcpTools";
const isNamed = (definition: McpToolDefinition, name: string): boolean => definition.name === name;

/** Clients of other packages may not check what a server lists. */
function isDefinition(given: unknown): given is McpToolDefinition {
  const { name, inputSchema } = isFields(given) ? given : {};
  const hasName = typeof name === "string" && name !== "";
  // some servers leave it out for a tool without parameters
  if (hasName && (inputSchema === undefined || isFields(inputSchema))) return true;
  console.warn(toolLeftOut(name, hasName ? "its inputSchema is not an object" : "it has no name"));
  return false;
}

async function listAll(client: McpClient): Promise<unknown[]> {
  const definitions: unknown[] = [];
  const seen = new Set<string>();
  for (let cursor: string | undefined; ; ) {
    const page = await client.listTools(cursor === undefined ? undefined : { cursor });
    if (!Array.isArray(page?.tools)) throw notAToolPage(page);
    definitions.push(...page.tools);
    cursor = page.nextCursor;
    if (cursor === undefined || cursor === null) return definitions;
    if (seen.has(cursor)) throw cursorRepeated(cursor);
    seen.add(cursor);
  }
}

interface McpToolSettings {
  readonly timeoutMs: number | undefined;
  readonly requireApproval: ApprovalRule<Record<string, unknown>> | undefined;
}

function mcpTool(client: McpClient, id: string, definition: McpToolDefinition, settings: McpToolSettings): McpTool {
  const { timeoutMs } = settings;
  const { name, title, description, outputSchema } = definition;
  /** The form of an object output that the model reads: its content or, without any, the data itself. */
  const contents = new WeakMap<object, unknown>();
  return createTool<JsonSchema, JsonSchema | undefined>({
    id,
    description: description ?? title ?? "",
    inputSchema: { type: "object", ...definition.inputSchema },
    outputSchema: outputSchema && { ...outputSchema },
    ...settings,
    mcp: propertiesOf(definition),
    metadata: title === undefined ? undefined : { title },
    execute: async (input, ctx) => {
      const answer = noteRequest(ctx, { method: "tools/call", tool: name, client }, () =>
        callMcpTool(client, { name, arguments: input }, callOptions(ctx, timeoutMs)),
      );
      const result = readResult(name, await answer.catch((error) => refuseQuestion(name, error)));
      const { structuredContent, toolResult } = result;
      const content = contentOf(result);
      const isStructured = outputSchema !== undefined && structuredContent !== undefined;
      const output = isStructured ? structuredContent : (content ?? structuredContent ?? toolResult ?? "");
      if (isObject(output)) contents.set(output, content ?? dataOutput(output));
      return output;
    },
    toModelOutput: ({ output }) => (isObject(output) ? (contents.get(output) ?? output) : output),
  });
}

/** The fields of a listed tool that models do not read. */
export function propertiesOf({ annotations, _meta }: McpToolDefinition): McpToolProperties | undefined {
  if (annotations === undefined && _meta === undefined) return undefined;
  return { ...(annotations && { annotations }), ...(_meta && { _meta }) };
}

/** A timer with a longer delay would fire at once. */
const longestTimeout = 2 ** 31 - 1;

/** The limit of the tool ends the call through its signal, so the client's own limit is lifted. */
function callOptions(ctx: Partial<ToolContext> | undefined, timeoutMs: number | undefined): McpCallOptions {
  const { signal, progress } = ctx ?? {};
  return {
    ...(signal && { signal }),
    ...(progress && { onprogress: (event) => progress(event) }),
    ...(timeoutMs === undefined ? { resetTimeoutOnProgress: true } : { timeout: longestTimeout }),
  };
}

/** Returns the result; throws if it is not one, or has `isError`. */
export function readResult(name: string, result: unknown): McpResult {
  if (!isObject(result) || Array.isArray(result)) throw notAResult(name, result);
  const { content, isError, resultType } = result as McpResult;
  if (resultType === "input_required") throw inputRequired(name);
  if (content !== undefined && !Array.isArray(content)) throw notAResult(name, result);
  if (isError === true) throw mcpRefusal(result);
  return result;
}

/** A client that cannot answer questions rejects them with a message that does not say what to do. */
function refuseQuestion(name: string, error: unknown): never {
  throw /input_required/.test(messageOf(error)) ? inputRequired(name, error) : error;
}
