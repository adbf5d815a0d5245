import type { NeedsApproval, ToolContext } from "../../components/tool.js";
import { isObject } from "../../is.js";
import type { JsonSchema } from "../../schema/standard-schema.js";
import { type CreatedTool, createTool, type McpToolProperties } from "../../tools/define/create-tool.js";
import { reportedError } from "../../tools/define/errors.js";
import type { McpResult } from "../../tools/mcp/mcp-client.js";
import { contentOf } from "../../tools/mcp/mcp-content.js";
import { propertiesOf, readResult } from "../../tools/mcp/mcp-tools.js";
import { noteRequest } from "../../tools/mcp/note-request.js";
import { traceMeta } from "../trace-context.js";
import { type ContinuationParams, exchange } from "./exchange.js";
import type { InputAnswers } from "./input-answers.js";
import type { ServerLink } from "./link.js";
import type { Client } from "./sdk.js";
import type { WatchedTool } from "./tool-watch.js";
import { uncheckedSchema } from "./unchecked.js";

/** A tool of a connected server: where it is from stands in `mcp`. */
export interface ConnectedMcpTool extends CreatedTool<unknown, unknown> {
  readonly mcp: McpToolProperties & { readonly server: string; readonly name: string };
}

export interface ConnectedToolSettings {
  readonly link: ServerLink;
  readonly answers: InputAnswers;
  readonly requireApproval: NeedsApproval<Record<string, unknown>> | undefined;
  /** Schemas that are told to models and not checked. */
  readonly unchecked: { readonly input: boolean; readonly output: boolean };
  /** Why it may not be called any more, if so. */
  readonly whyRefused: (tool: WatchedTool) => string | undefined;
}

/** Longer, and a timer would fire at once. */
const longestTimeout = 2 ** 31 - 1;

export function connectedTool(watched: WatchedTool, settings: ConnectedToolSettings): ConnectedMcpTool {
  const { id, definition } = watched;
  const { link, answers, requireApproval, unchecked, whyRefused } = settings;
  const { name, title, description, annotations } = definition;
  const inputSchema: JsonSchema = { type: "object", ...definition.inputSchema };
  const outputSchema = unchecked.output ? undefined : definition.outputSchema;
  const repeatable = annotations?.readOnlyHint === true || annotations?.idempotentHint === true;
  /** What the model reads of an output that is structured. */
  const contents = definition.outputSchema && new WeakMap<object, unknown>();
  const send = async (input: Record<string, unknown>, ctx: ToolContext, more: ContinuationParams): Promise<unknown> => {
    const { signal, toolCallId } = ctx;
    const params = { name, arguments: input, ...more, ...traceMeta(ctx) };
    const options = { signal, onprogress: (event: object) => ctx.progress(event), timeout: longestTimeout };
    const call = link.call(params, options);
    const noted = (client: Client) =>
      noteRequest(ctx, { method: "tools/call", tool: name, client, place: link.place }, () => call(client));
    return link.inFlight.during({ toolName: name, toolCallId, ctx }, () =>
      link.request(noted, { signal, name, repeatable }),
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
      const why = whyRefused(watched);
      if (why !== undefined) throw reportedError("denied", `"${id}" did not run: ${why}.`, nameOf(ctx));
      const input = given as Record<string, unknown>;
      const { toolCallId } = ctx;
      const place = {
        server: link.name,
        name,
        ctx,
        answer: answers.answerer({ server: link.name, toolName: name, toolCallId }),
      };
      const result = readResult(name, await exchange(place, (more) => send(input, ctx, more)));
      return outputOf(result, contents);
    },
    toModelOutput: ({ output }) => (isObject(output) ? (contents?.get(output) ?? output) : output),
  });
  return tool as ConnectedMcpTool;
}

/** The schema says that the input is an object. */
function approvalOf(needed: NeedsApproval<Record<string, unknown>> | undefined): NeedsApproval<unknown> | undefined {
  return typeof needed === "function" ? (input, ctx) => needed(input as Record<string, unknown>, ctx) : needed;
}

function nameOf({ toolName, toolCallId }: ToolContext) {
  return { toolName, callId: toolCallId };
}

function outputOf(result: McpResult, contents: WeakMap<object, unknown> | undefined): unknown {
  const { structuredContent } = result;
  if (contents === undefined || structuredContent === undefined) return contentOf(result);
  if (isObject(structuredContent)) contents.set(structuredContent, contentOf(result));
  return structuredContent;
}
