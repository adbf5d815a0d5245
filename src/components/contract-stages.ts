import { StreamReader } from "../schema/stream/reader.js";
import { approve, type NeedsApproval } from "./approval.js";
import { OutputSource } from "./output-source.js";
import { isStream } from "./producer.js";
import type { Tool, ToolContext, ToolOutput } from "./tool.js";
import { joinToolOutputs, toolOutputOf } from "./tool-output.js";
import {
  type Approved,
  hasToolStages,
  type StagedCall,
  type StagedOutput,
  type ToolStages,
  toolStages,
} from "./tool-stages.js";

/**
 * The stages of any tool: its own, or for one written by hand (or made by another version of this package), whose input is
 * the text, its two methods.
 */
export function stagesOf(tool: Tool<never>): ToolStages {
  return hasToolStages(tool) ? tool[toolStages] : new ContractStages(tool);
}

export class ContractStages implements ToolStages {
  readonly approve: ToolStages["approve"];
  readonly invoke: ToolStages["invoke"];
  readonly stream: ToolStages["stream"];
  readonly #tool: Tool<never>;

  constructor(tool: Tool<never>, needsApproval?: NeedsApproval<unknown>) {
    this.#tool = tool;
    if (needsApproval !== undefined && needsApproval !== false) {
      this.approve = (input, ctx, call) => approveText(input as string, needsApproval, tool, ctx, call);
    }
    if (tool.invoke !== undefined) this.invoke = (input, ctx) => this.#tool.invoke?.(input as string, ctx as never);
    if (tool.stream !== undefined) this.stream = (input, ctx, call) => this.#stream(input, ctx, call);
  }

  readInput(text: string): unknown {
    return text;
  }

  /** Lenient: a tool that gives back something else than it should has it serialized. */
  finish(value: unknown, _input: unknown, call: StagedCall): StagedOutput {
    return isStream(value) ? outputReader(value, call) : toolOutputOf(value, call);
  }

  #stream(input: unknown, ctx: ToolContext, call: StagedCall): StreamReader<ToolOutput> {
    return outputReader(() => this.#tool.stream?.(input as string, ctx as ToolContext<never>), call);
  }
}

/** People see what the text says, and may change it; the tool gets a text. */
async function approveText(
  text: string,
  needed: NeedsApproval<unknown>,
  { info }: Tool<never>,
  ctx: ToolContext,
  call: StagedCall,
): Promise<Approved> {
  const rule = {
    needed,
    parameters: () => info.toJsonSchema() ?? { type: "object" },
    readInput: (edited: string) => edited,
  };
  const { text: edited } = await approve(parsed(text), rule, ctx, call);
  return edited === undefined ? { input: text } : { input: edited, text: edited };
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return text;
  }
}

/** Reads what a tool or a middleware gives back as a stream of outputs. */
export function outputReader(stream: object | (() => unknown), call: StagedCall): StreamReader<ToolOutput> {
  const finish = (value: unknown): ToolOutput => toolOutputOf(value, call);
  const source = new OutputSource(stream, { concat: undefined, live: true, finish, check: undefined }, call);
  return new StreamReader(source, { rule: joinToolOutputs, where: `tool "${call.toolName}"` });
}
