import type { JsonSchema } from "../schema/standard-schema.js";
import { callDenied } from "./errors.js";
import type { ToolContext } from "./tool.js";
import type { Approved, StagedCall } from "./tool-stages.js";

/** Whether somebody must agree before a tool runs: always, or where a function of the validated input says so. */
export type NeedsApproval<Input = never> =
  | boolean
  | ((input: Input, ctx: ToolContext<never>) => boolean | Promise<boolean>);

/** What a person answers. */
interface ApprovalAnswer {
  readonly approved: boolean;
  readonly arguments?: string | Readonly<Record<string, unknown>>;
  readonly reason?: string;
}

export interface ApprovalRule {
  readonly needed: NeedsApproval;
  /** The JSON Schema of the arguments, for those who change them. */
  readonly parameters: () => object;
  readonly readInput: (text: string, call: StagedCall) => unknown;
}

const key = "tool_approval";

/** Asks once per call; the answer holds for every repetition of it. */
export async function approve(
  input: unknown,
  { needed, parameters, readInput }: ApprovalRule,
  ctx: ToolContext,
  call: StagedCall,
): Promise<Approved> {
  if (typeof needed === "function") {
    const isNeeded = await ctx.once(key, async () => (await needed(input as never, ctx as never)) === true);
    if (!isNeeded) return { input };
  }
  const { toolName, toolCallId } = ctx;
  const schema = answerSchema(parameters());
  const answer = await ctx.ask<ApprovalAnswer>(key, { kind: "tool_approval", toolName, toolCallId, input }, schema);
  if (!answer.approved) throw callDenied(call, answer.reason);
  if (answer.arguments === undefined) return { input };
  const text = typeof answer.arguments === "string" ? answer.arguments : JSON.stringify(answer.arguments);
  return { input: await readInput(text, call), text };
}

function answerSchema(parameters: object): JsonSchema {
  return {
    type: "object",
    properties: {
      approved: { type: "boolean" },
      arguments: { anyOf: [withoutNames(parameters), { type: "string" }] },
      reason: { type: "string" },
    },
    required: ["approved"],
    additionalProperties: false,
  };
}

/** A schema in another is no document of its own. */
function withoutNames(schema: object): object {
  const { $schema: _dialect, $id: _id, ...rest } = schema as Readonly<Record<string, unknown>>;
  return "$defs" in rest || "definitions" in rest ? { type: "object" } : rest;
}
