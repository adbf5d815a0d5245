import type { ApprovalRule, ToolContext } from "../../components/tool.js";
import { isObject } from "../../is.js";
import type { JsonSchema } from "../../schema/standard-schema.js";
import { type CreatedTool, createTool, type McpToolProperties } from "../../tools/define/create-tool.js";
import { reportedError } from "../../tools/define/errors.js";
import type { McpResult } from "../../tools/mcp/mcp-client.js";
import { contentOf } from "../../tools/mcp/mcp-content.js";
import { propertiesOf, readResult } from "../../tools/mcp/mcp-tools.js";
import { noteRequest } from "../../tools/mcp/note-request.js";
import { maxTimerMs } from "../timing.js";
import { traceMeta } from "../trace-context.js";
import { type ContinuationParams, exchange, runContextOf } from "./exchange.js";
import type { InputAnswers } from "./input-answers.js";
import type { ServerLink } from "./link.js";
import type { Client } from "./sdk.js";
import type { WatchedTool } from "./tool-watch.js";
import { uncheckedSchema } from "./unchecked.js";

/** A tool of a connected server; `mcp` says which server, and its name there. */
export interface ConnectedMcpTool extends CreatedTool<unknown, unknown> {
  /** The server, the name of the tool there, and its properties. */
  readonly mcp: McpToolProperties & { readonly server: string; readonly name: string };
}

export interface ConnectedToolSettings {
  readonly link: ServerLink;
  readonly answers: InputAnswers;
  readonly requireApproval: ApprovalRule<Record<string, unknown>> | undefined;
  /** Which schemas are shown to models but not validated. */
  readonly unchecked: { readonly input: boolean; readonly output: boolean };
  /** Why the tool must no longer be called; `undefined` if it may be. */
  readonly refusalReason: (tool: WatchedTool) => string | undefined;
}

export function connectedTool(watched: WatchedTool, settings: ConnectedToolSettings): ConnectedMcpTool {
  const { id, definition } = watched;
  const { link, answers, requireApproval, unchecked, refusalReason } = settings;
  const { name, title, description, annotations } = definition;
  const inputSchema: JsonSchema = { type: "object", ...definition.inputSchema };
  const outputSchema = unchecked.output ? undefined : definition.outputSchema;
  const repeatable = annotations?.readOnlyHint === true || annotations?.idempotentHint === true;
  /** The content that the model reads, by the structured output it came with. */
  const contents = definition.outputSchema && new WeakMap<object, unknown>();
  const send = async (input: Record<string, unknown>, ctx: ToolContext, more: ContinuationParams): Promise<unknown> => {
    const { signal, toolCallId = "", progress }: Partial<ToolContext> = ctx ?? {};
    const params = { name, arguments: input, ...more, ...traceMeta(ctx) };
    const options = {
      // in a run, the tools node limits the time through the signal
      timeout: signal === undefined ? link.timeout : maxTimerMs,
      ...(signal && { signal }),
      ...(progress && { onprogress: (event: object) => progress(event) }),
    };
    const call = link.call(params, options);
    const notedCall = (client: Client) =>
      noteRequest(ctx, { method: "tools/call", tool: name, client, place: link.endpoint }, () => call(client));
    return link.inFlight.during({ toolName: name, toolCallId, ctx: runContextOf(ctx) }, () =>
      link.request(notedCall, { signal, name, repeatable }),
    );
  };
  const tool = createTool({
    id,
    description: description ?? title ?? "",
    inputSchema: unchecked.input ? uncheckedSchema(inputSchema) : inputSchema,
    ...(outputSchema !== undefined && { outputSchema: { ...outputSchema }, outputValidation: "error" as const }),
    timeoutMs: link.config.timeoutMs ?? 60_000,
    requireApproval: approvalOf(requireApproval),
    mcp: Object.assign({ server: link.name, name }, propertiesOf(definition)),
    metadata: title === undefined ? undefined : { title },
    execute: async (given: unknown, ctx: ToolContext) => {
      const reason = refusalReason(watched);
      if (reason !== undefined) throw reportedError("denied", `"${id}" did not run: ${reason}.`, nameOf(id, ctx));
      const input = given as Record<string, unknown>;
      const { toolCallId = "" }: Partial<ToolContext> = ctx ?? {};
      const scope = {
        server: link.name,
        name,
        ctx,
        answer: answers.answerer({ server: link.name, toolName: name, toolCallId }),
      };
      const result = readResult(name, await exchange(scope, (more) => send(input, ctx, more)));
      return outputOf(result, contents);
    },
    toModelOutput: ({ output }) => (isObject(output) ? (contents?.get(output) ?? output) : output),
  });
  return tool as ConnectedMcpTool;
}

/** The input schema of every MCP tool describes an object. */
function approvalOf(needed: ApprovalRule<Record<string, unknown>> | undefined): ApprovalRule<unknown> | undefined {
  return typeof needed === "function" ? (input, ctx) => needed(input as Record<string, unknown>, ctx) : needed;
}

function nameOf(id: string, ctx: Partial<ToolContext> | undefined) {
  return { toolName: ctx?.toolName ?? id, callId: ctx?.toolCallId ?? "" };
}

function outputOf(result: McpResult, contents: WeakMap<object, unknown> | undefined): unknown {
  const { structuredContent } = result;
  if (contents === undefined || structuredContent === undefined) return contentOf(result);
  if (isObject(structuredContent)) contents.set(structuredContent, contentOf(result));
  return structuredContent;
}
