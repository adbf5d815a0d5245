import type { ApprovalRule, Tool, ToolContext, ToolOutput } from "../../components/tool.js";
import { onlyValidates } from "../../schema/json-schema/convert.js";
import { StreamReader } from "../../schema/stream/reader.js";
import type { ToolInfo } from "../../schema/tool-info.js";
import { approvalIn, approve } from "./approval.js";
import { OutputSource } from "./output-source.js";
import { isToolStream } from "./producer.js";
import { joinToolOutputs, toolOutputOf } from "./tool-output.js";
import { hasToolStages, type StagedCall, type StagedOutput, type ToolStages, toolStages } from "./tool-stages.js";

/**
 * The stages of a tool. A tool written by hand, or made by an incompatible version of this package, has no stages of its own: its
 * `invoke` and `stream` are called with the text of the arguments.
 */
export function stagesOf(tool: Tool<never>, info: ToolInfo): ToolStages {
  return hasToolStages(tool) ? tool[toolStages] : new ContractStages(tool, info);
}

class ContractStages implements ToolStages {
  readonly invoke: ToolStages["invoke"];
  readonly stream: ToolStages["stream"];
  readonly approve: ToolStages["approve"];
  readonly approveAnswered: ToolStages["approve"];
  readonly approval: ToolStages["approval"];
  readonly #tool: Tool<never>;

  constructor(tool: Tool<never>, info: ToolInfo) {
    this.#tool = tool;
    if (tool.invoke !== undefined) this.invoke = (input, ctx) => this.#tool.invoke?.(input as string, ctx as never);
    if (tool.stream !== undefined) this.stream = (input, ctx, call) => this.#stream(input, ctx, call);
    const needed = ofTool(tool, tool.requireApproval);
    this.approval = approvalIn(needed as ApprovalRule | undefined);
    this.approveAnswered = approvalBy(info, true);
    this.approve = needed === undefined || needed === false ? undefined : approvalBy(info, needed);
  }

  readInput(text: string): unknown {
    return text;
  }

  /** Lenient: if the tool returns something other than a tool output, it is serialized. */
  finish(value: unknown, _input: unknown, call: StagedCall): StagedOutput {
    return isToolStream(value) ? outputReader(value, call) : toolOutputOf(value, call);
  }

  #stream(input: unknown, ctx: ToolContext, call: StagedCall): StreamReader<ToolOutput> {
    return outputReader(() => this.#tool.stream?.(input as string, ctx as ToolContext<never>), call);
  }
}

/** A reviewer sees the text of the arguments, as the tool does. */
function approvalBy(info: ToolInfo, needed: ApprovalRule<string>): ToolStages["approve"] {
  const parameters = () => {
    return (onlyValidates(info.parameters) ? undefined : info.toJsonSchema()) ?? { type: "object" };
  };
  const rule = { needed, parameters, readInput: (text: string) => text };
  return (input, ctx, call) => approve(input, rule, ctx, call);
}

function ofTool(tool: object, needed: ApprovalRule<string> | undefined): ApprovalRule<string> | undefined {
  return typeof needed === "function" ? (input, ctx) => needed.call(tool, input, ctx) : needed;
}

/** Reads what a tool or a middleware returned as a stream of outputs. */
export function outputReader(stream: object | (() => unknown), call: StagedCall): StreamReader<ToolOutput> {
  const finish = (value: unknown): ToolOutput => toolOutputOf(value, call);
  const source = new OutputSource(
    stream,
    { concat: undefined, live: true, hasParts: true, finish, check: undefined },
    call,
  );
  return new StreamReader(source, { rule: joinToolOutputs, where: `tool "${call.toolName}"` });
}
