import type { CheckpointStore } from "../../checkpoint/checkpoint-store.js";
import type { RequestContext } from "../../components/request-context.js";
import type { ToolContext, ToolOutput } from "../../components/tool.js";
import { Chain } from "../../compose/chain.js";
import type { CompiledGraph } from "../../compose/compiled-graph.js";
import { KumikoError } from "../../errors.js";
import { type Fields, isFields } from "../../is.js";
import { encodeJson } from "../../schema/encode-json.js";
import type { AgenticMessage } from "../../schema/message/agentic-message.js";
import { functionToolCall } from "../../schema/message/construct-block.js";
import { assistantMessage } from "../../schema/message/construct-message.js";
import type { FunctionToolResult, ToolResultContent } from "../../schema/message/content-block.js";
import { textOfContent, toolResultsOf } from "../../schema/message/read-message.js";
import type { JsonSchema } from "../../schema/standard-schema.js";
import { AgenticToolsNode } from "../../tools/node/agentic-tools-node.js";
import type { ToolCallMiddleware } from "../../tools/node/middleware.js";
import { fileContent, mediaContent } from "../messages.js";
import type { CallProgram, CallRequest, CallRunner } from "./call-runner.js";
import { type CallSessions, type CallState, withClient } from "./call-session.js";
import { toolErrorText } from "./client-text.js";
import type { MCPServerOptions } from "./options.js";
import type { ProgressReporter } from "./progress.js";
import type { RawOutputs, ServedTool } from "./served-tools.js";
import { invalidState, unknownToolName } from "./wire-error.js";

interface ToolProgram extends CallProgram {
  readonly graph: CompiledGraph<AgenticMessage, Fields>;
}

export interface ToolCallsOptions {
  readonly options: MCPServerOptions;
  readonly store: CheckpointStore;
  readonly tools: ReadonlyMap<string, ServedTool>;
  readonly raw: RawOutputs;
  readonly sessions: CallSessions;
}

/** A tool call of a client. */
export interface ToolCallRequest {
  readonly name: string;
  readonly args: unknown;
  readonly state: CallState | undefined;
  readonly progress: ProgressReporter;
}

/** Runs the calls of all clients through one tools node. */
export class ToolCalls {
  readonly node: AgenticToolsNode;
  readonly #options: ToolCallsOptions;
  readonly #programs = new Map<string, ToolProgram>();

  constructor(options: ToolCallsOptions) {
    this.#options = options;
    const { toolsNode = {} } = options.options;
    this.node = new AgenticToolsNode({
      ...toolsNode,
      formatError: toolsNode.formatError ?? toolErrorText,
      onToolError: toolsNode.onToolError === "throw" ? "result" : (toolsNode.onToolError ?? "result"),
      tools: Object.fromEntries([...options.tools.values()].map(({ name, tool }) => [name, tool])),
      toolCallMiddlewares: [clientMiddleware(options.sessions), ...(toolsNode.toolCallMiddlewares ?? [])],
    });
  }

  async call(
    runner: CallRunner,
    request: CallRequest,
    { name, args, state, progress }: ToolCallRequest,
  ): Promise<Fields> {
    const { tools, raw, options } = this.#options;
    if (!tools.has(name) && options.toolsNode?.unknownToolsHandler === undefined) throw unknownToolName(name);
    const program = this.#programOf(name);
    if (state !== undefined && !state.checkpointId.startsWith(idPrefix)) throw invalidState();
    const callId = state?.checkpointId ?? `${idPrefix}${globalThis.crypto.randomUUID()}`;
    raw.set(callId, undefined);
    try {
      if (state !== undefined) return await runner.answer(program, request, state);
      const message = callMessage(callId, name, args);
      return await runner.start(program, request, callId, (runOptions) => program.graph.invoke(message, runOptions));
    } finally {
      raw.delete(callId);
      await progress.end();
    }
  }

  /** Runs a tool without a client, for `executeTool`. */
  async execute(
    name: string,
    args: unknown,
    { messages, toolCallId }: { messages?: readonly AgenticMessage[] | undefined; toolCallId?: string | undefined },
    requestContext: RequestContext,
    signal: AbortSignal,
  ): Promise<unknown> {
    const { raw } = this.#options;
    const callId = toolCallId ?? globalThis.crypto.randomUUID();
    raw.set(callId, undefined);
    try {
      const { runtime, callbacks } = this.#options.options;
      const chain = new Chain<AgenticMessage>()
        .appendToolsNode(this.node)
        .compile({ name: "executeTool", runtime, callbacks });
      const call = callMessage(callId, name, args);
      const results = await chain.invoke(call, {
        requestContext,
        signal,
        options: { toolsNode: messages === undefined ? {} : { messages } },
      });
      return outputOf(results, raw.get(callId));
    } finally {
      raw.delete(callId);
    }
  }

  /** The program of a tool. Each tool has its own graph, so that traces show its name. */
  #programOf(name: string): ToolProgram {
    let program = this.#programs.get(name);
    if (program === undefined) {
      program = { name, graph: this.#compile(name), refused: errorResult };
      // unknown names are not cached: clients could fill the memory with them
      if (this.#options.tools.has(name)) this.#programs.set(name, program);
    }
    return program;
  }

  #compile(name: string): CompiledGraph<AgenticMessage, Fields> {
    const { options, store, sessions, raw, tools } = this.#options;
    const outputSchema = tools.get(name)?.outputSchema;
    return new Chain<AgenticMessage>()
      .appendToolsNode(this.node, { key: "tools" })
      .append(
        async (messages, ctx) => {
          const session = sessions.find(ctx);
          const checkpointId = session?.state.checkpointId ?? "";
          const output = raw.get(checkpointId);
          const result = callResult(messages, outputSchema, output === undefined ? undefined : { value: output });
          await session?.keepFinal(result);
          return result;
        },
        { key: "result" },
      )
      .compile({
        name: `tools/call ${name}`,
        store,
        durability: options.store === undefined ? "exit" : "step",
        ...(options.runtime !== undefined && { runtime: options.runtime }),
        ...(options.callbacks !== undefined && { callbacks: options.callbacks }),
      });
  }
}

const idPrefix = "mcp_call_";

function callMessage(callId: string, name: string, args: unknown): AgenticMessage {
  return assistantMessage([functionToolCall({ callId, name, arguments: JSON.stringify(args ?? {}) })]);
}

function clientMiddleware(sessions: CallSessions): ToolCallMiddleware {
  const contextOf = (ctx: ToolContext): ToolContext => {
    const session = sessions.find(ctx);
    return session === undefined ? ctx : withClient(ctx, session);
  };
  return {
    invokable: (next) => (call, ctx) => next(call, contextOf(ctx)),
    streamable: (next) => (call, ctx) => {
      const progress = sessions.find(ctx)?.progress;
      const stream = next(call, contextOf(ctx));
      return progress?.isWanted === true ? stream.map((chunk) => reportChunk(progress, chunk)) : stream;
    },
  };
}

function reportChunk(progress: ProgressReporter, chunk: ToolOutput): ToolOutput {
  progress.chunk(typeof chunk === "string" ? chunk : textOfContent(chunk));
  return chunk;
}

/** The output of a tool: the recorded value, or else the content of its result. */
function outputOf(messages: readonly AgenticMessage[], recorded: unknown): unknown {
  const [block] = messages.flatMap(toolResultsOf);
  if (block === undefined || block.isError === true)
    throw new KumikoError("TOOL_FAILED", block?.result ?? "The call has no result.");
  if (recorded !== undefined) return recorded;
  if (block.content !== undefined) return block.content;
  return block.resultType === "json" ? JSON.parse(block.result) : block.result;
}

const errorResult = (text: string): Fields => ({ content: [{ type: "text", text }], isError: true });

/** The result of a call as MCP defines it. `output` is the raw output of the tool, if it was recorded. */
function callResult(
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
