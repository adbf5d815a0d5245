import type { Tool, ToolContext, ToolOutput } from "../../components/tool.js";
import { mergeToolOptions } from "../../components/tool-options.js";
import type { AgenticMessage } from "../../schema/message/agentic-message.js";
import type { UncheckedPart } from "../../schema/schema-validator.js";
import { StreamReader } from "../../schema/stream/reader.js";
import type { ToolError } from "./errors.js";
import { requestValues } from "./request-check.js";
import { tellInput } from "./tool-hooks.js";
import { joinToolOutputs } from "./tool-output.js";
import { type HasToolStages, type StagedCall, type StagedEvent, type StagedOutput, toolStages } from "./tool-stages.js";

/** A call of a tool outside of a tools node: `tool.invoke(text, ctx)`. */
class LoneCall implements StagedCall {
  readonly toolName: string;
  readonly callId: string;
  readonly validator = undefined;
  readonly registry = undefined;
  readonly outputValidation = undefined;
  readonly coerceArguments = false;
  readonly isLate = false;
  jsonText: string | undefined = undefined;
  private readonly ctx: ToolContext | undefined;

  constructor(toolName: string, ctx: ToolContext | undefined) {
    this.toolName = toolName;
    this.callId = ctx?.toolCallId ?? "";
    this.ctx = ctx;
  }

  get messages(): readonly AgenticMessage[] {
    return this.ctx?.messages ?? [];
  }

  get abortSignal(): AbortSignal {
    return this.ctx?.signal ?? new AbortController().signal;
  }

  hasAsked(): boolean {
    return false;
  }

  warn(problem: ToolError): void {
    console.warn(problem.message);
  }

  unchecked({ path, reason }: UncheckedPart, schema: string): void {
    console.warn({ kind: "unchecked_schema", toolName: this.toolName, schema, path, reason });
  }

  report(event: StagedEvent): void {
    console.error(event);
  }
}

/** Runs all stages of a tool and returns the whole output. */
export async function runAlone(tool: Tool & HasToolStages, args: string, ctx: ToolContext): Promise<ToolOutput> {
  const output = await start(tool, args, ctx, false);
  if (!(output instanceof StreamReader)) return output;
  const pieces: ToolOutput[] = [];
  for await (const piece of output) pieces.push(piece);
  return joinToolOutputs(pieces);
}

/** Like {@link runAlone}, but streams the output. */
export function streamAlone(tool: Tool & HasToolStages, args: string, ctx: ToolContext): StreamReader<ToolOutput> {
  return StreamReader.from(
    (async function* () {
      const output = await start(tool, args, ctx, true);
      if (output instanceof StreamReader) yield* output;
      else yield output;
    })(),
  );
}

/** `streams`: whether a tool that can do both is streamed. */
async function start(
  tool: Tool & HasToolStages,
  args: string,
  ctx: ToolContext,
  streams: boolean,
): Promise<Awaited<StagedOutput>> {
  const stages = tool[toolStages];
  const call = new LoneCall(tool.info.name, ctx);
  const input = await stages.readInput(args, call);
  tellInput(stages.hooks, input, call);
  const mismatch = await stages.checkRequest?.(requestValues(ctx?.requestContext), call);
  if (mismatch !== undefined) throw mismatch;
  ctx?.signal?.throwIfAborted();
  const context = withOptions(tool, ctx);
  if (stages.stream !== undefined && (streams || stages.invoke === undefined)) {
    return stages.stream(input, context, call);
  }
  return stages.finish(await stages.invoke?.(input, context), input, call);
}

/** Outside of a run there are no merged options: the tool gets its defaults. */
function withOptions(tool: Tool, ctx: ToolContext | undefined): ToolContext {
  if (tool.options === undefined || ctx?.options !== undefined) return ctx ?? Object.create(null);
  return Object.create(ctx ?? null, {
    options: { value: mergeToolOptions(tool.options, undefined), enumerable: true },
  });
}
