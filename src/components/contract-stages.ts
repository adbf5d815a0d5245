import { StreamReader } from "../schema/stream/reader.js";
import { OutputSource } from "./output-source.js";
import { isStream } from "./producer.js";
import type { Tool, ToolContext, ToolOutput } from "./tool.js";
import { joinToolOutputs, toolOutputOf } from "./tool-output.js";
import { hasToolStages, type StagedCall, type StagedOutput, type ToolStages, toolStages } from "./tool-stages.js";

/** The stages of any tool: its own, or for one written by hand, whose input is the text, its two methods. */
export function stagesOf(tool: Tool<never>): ToolStages {
  return hasToolStages(tool) ? tool[toolStages] : new ContractStages(tool);
}

class ContractStages implements ToolStages {
  readonly invoke: ToolStages["invoke"];
  readonly stream: ToolStages["stream"];
  readonly #tool: Tool<never>;

  constructor(tool: Tool<never>) {
    this.#tool = tool;
    if (tool.invoke !== undefined) this.invoke = (input, ctx, call) => this.#invoke(input, ctx, call);
    if (tool.stream !== undefined) this.stream = (input, ctx, call) => this.#stream(input, ctx, call);
  }

  readInput(text: string): unknown {
    return text;
  }

  #invoke(input: unknown, ctx: ToolContext, call: StagedCall): StagedOutput {
    const output: unknown = this.#tool.invoke?.(input as string, ctx as ToolContext<never>);
    return output instanceof Promise
      ? (output.then((ready) => convert(ready, call)) as Promise<ToolOutput>)
      : (convert(output, call) as ToolOutput);
  }

  #stream(input: unknown, ctx: ToolContext, call: StagedCall): StreamReader<ToolOutput> {
    return outputReader(() => this.#tool.stream?.(input as string, ctx as ToolContext<never>), call);
  }
}

/** Lenient: a tool that gives back something else than it should has it serialized. */
function convert(output: unknown, call: StagedCall): ToolOutput | StreamReader<ToolOutput> {
  return isStream(output) ? outputReader(output, call) : toolOutputOf(output, call);
}

/** Reads what a tool or a middleware gives back as a stream of outputs. */
export function outputReader(stream: object | (() => unknown), call: StagedCall): StreamReader<ToolOutput> {
  const finish = (value: unknown): ToolOutput => toolOutputOf(value, call);
  const source = new OutputSource(stream, { concat: undefined, live: true, finish, check: undefined }, call);
  return new StreamReader(source, { rule: joinToolOutputs, where: `tool "${call.toolName}"` });
}
