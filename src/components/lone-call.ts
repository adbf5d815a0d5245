import { StreamReader } from "../schema/stream/reader.js";
import type { ToolError } from "./errors.js";
import type { Tool, ToolContext, ToolOutput } from "./tool.js";
import { mergeToolOptions } from "./tool-options.js";
import { joinToolOutputs } from "./tool-output.js";
import { type HasToolStages, type StagedCall, type StagedOutput, toolStages } from "./tool-stages.js";

/** A call of a tool that no tools node makes. */
class LoneCall implements StagedCall {
  readonly toolName: string;
  readonly callId: string;
  readonly validator = undefined;
  readonly registry = undefined;
  readonly outputValidation = undefined;
  jsonText: string | undefined = undefined;

  constructor(toolName: string, callId: string) {
    this.toolName = toolName;
    this.callId = callId;
  }

  warn(problem: ToolError): void {
    console.warn(problem.message);
  }
}

/** All stages of a tool, one after the other: to the whole output. */
export async function runAlone(tool: Tool & HasToolStages, args: string, ctx: ToolContext): Promise<ToolOutput> {
  const output = await start(tool, args, ctx);
  if (!(output instanceof StreamReader)) return output;
  const pieces: ToolOutput[] = [];
  for await (const piece of output) pieces.push(piece);
  return joinToolOutputs(pieces);
}

/** The same, piece by piece. */
export function streamAlone(tool: Tool & HasToolStages, args: string, ctx: ToolContext): StreamReader<ToolOutput> {
  return StreamReader.from(
    (async function* () {
      const output = await start(tool, args, ctx);
      if (output instanceof StreamReader) yield* output;
      else yield output;
    })(),
  );
}

async function start(tool: Tool & HasToolStages, args: string, ctx: ToolContext): Promise<Awaited<StagedOutput>> {
  const stages = tool[toolStages];
  const call = new LoneCall(tool.info.name, ctx?.toolCallId ?? "");
  const input = await stages.readInput(args, call);
  const context = withOptions(tool, ctx);
  if (stages.invoke === undefined) return stages.stream?.(input, context, call) ?? "";
  return stages.finish(await stages.invoke(input, context), input, call);
}

/** Outside of a run nobody has merged the tool's options: the tool then sees its defaults. */
function withOptions(tool: Tool, ctx: ToolContext | undefined): ToolContext {
  if (tool.options === undefined || ctx?.options !== undefined) return ctx ?? Object.create(null);
  return Object.create(ctx ?? null, {
    options: { value: mergeToolOptions(tool.options, undefined), enumerable: true },
  });
}
